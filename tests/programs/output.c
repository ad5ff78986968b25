/*
 * Prints much: 64 KB on stdout, in lines, and every hundredth line on stderr too. With an argument,
 * that many lines instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 64

int main(int argc, char **argv)
{
	int lines = argc > 1 ? atoi(argv[1]) : 1024;
	char line[LINE + 1];

	memset(line, '.', LINE);
	line[LINE - 1] = '\n';
	for (int i = 0; i < lines; i++) {
		for (int digit = 7, rest = i; digit >= 0; digit--, rest /= 10)
			line[digit] = (char)('0' + rest % 10);
		if (write(STDOUT_FILENO, line, LINE) < 0)
			return 1;
		if (i % 100 == 99 && write(STDERR_FILENO, line, LINE) < 0)
			return 1;
	}
	return 0;
}
