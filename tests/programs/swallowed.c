/*
 * An error that nobody looks at: parse_number says -1 for the third field, and read_all goes on
 * with the number from before. Prints 45, not 34.
 */
#include <stdio.h>
#include <stdlib.h>

static const char *const fields[] = {"10", "11", "x2", "13"};

__attribute__((noipa)) static int parse_number(const char *text, int *number)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		return -1;
	*number = (int)value;
	return 0;
}

__attribute__((noipa)) static int read_all(void)
{
	int sum = 0, number = 0;

	for (int i = 0; i < 4; i++) {
		parse_number(fields[i], &number); /* not looked at */
		sum += number;
	}
	return sum;
}

int main(void)
{
	int sum = read_all();

	printf("%d\n", sum);
	return sum != 34;
}
