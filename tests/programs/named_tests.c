/*
 * Looks like a test program of GoogleTest's, because it has a function of its library, and prints
 * how it was asked to run: its words, and Check's variable.
 */
#include <stdio.h>
#include <stdlib.h>

void instance(void) __asm__("_ZN7testing8UnitTest11GetInstanceEv");

void instance(void)
{
}

int main(int argc, char **argv)
{
	const char *name = getenv("CK_RUN_CASE");

	instance();
	for (int i = 1; i < argc; i++)
		printf("[%s]", argv[i]);
	printf("[%s]\n", name ? name : "");
	return argc > 2;
}
