/*
 * Copies stdin to stdout in capitals and says how many bytes there were.
 */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
	int byte;
	int count = 0;

	while ((byte = getchar()) != EOF) {
		putchar(toupper(byte));
		count++;
	}
	printf("%d bytes\n", count);
	return 0;
}
