/*
 * A corrupted stack: copy_name copies a name that is longer than the array of greet, its caller.
 * The bytes beyond it are greet's return address, and the program crashes when greet returns.
 */
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"Ada", "Grace",
    "Maria Gaetana Agnesi of Milan, author of the Instituzioni analitiche ad uso della gioventu"};

__attribute__((noipa)) static void copy_name(char *to, const char *from)
{
	while (*from)
		*to++ = *from++; /* beyond the array */
}

__attribute__((noipa)) static void greet(int number)
{
	char name[24] = "";

	copy_name(name, names[number]);
	printf("hello %s\n", name);
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		greet(i);
	return 0;
}
