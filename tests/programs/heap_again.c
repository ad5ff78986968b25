/*
 * One block of memory is handed out again and again. In the end a pointer to it is used after the
 * free. The argument is how often (300).
 */
#include <stdio.h>
#include <stdlib.h>

char *last;
volatile long sum;

__attribute__((noipa)) static void live(int i)
{
	last = malloc(40); /* taken */
	last[0] = (char)i;
	last[8] = (char)(i + 1);
	free(last); /* given back */
	sum += i;
}

__attribute__((noipa)) static void use(char *block)
{
	sum += block[0]; /* too late */
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 300;

	for (int i = 0; i < times; i++)
		live(i);
	use(last);
	printf("%ld\n", sum);
	return 0;
}
