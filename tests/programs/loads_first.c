/* The first call of malloc that the C library sees is the dynamic linker's, for a library. */
#include <dlfcn.h>
#include <stdlib.h>

int main(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	char *block = malloc(24);

	if (!library || !block)
		return 1;
	block[0] = 'a';
	return block[0] != 'a'; /* it is there */
}
