/*
 * A statically linked program: no dynamic linker, so nothing of rr is preloaded into it.
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	size_t length = 0;

	for (int i = 0; i < argc; i++)
		length += strlen(argv[i]) > 0;
	printf("hello, %zu\n", length);
	return 0;
}
