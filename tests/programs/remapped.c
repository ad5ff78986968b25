/*
 * Maps data, unmaps it, and maps a function at the same address, as a program does that loads
 * libraries again and again. Prints what the function returns: 7.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PLACE ((void *)0x31000000)

static const unsigned char code[] = {0xb8, 7, 0, 0, 0, 0xc3}; /* mov $7, %eax; ret */

static void data_is_there(unsigned char *data)
{
	data[0] = 0xc3; /* ret */
}

static void nothing_is_there(void)
{
}

static int call(int (*function)(void))
{
	return function();
}

static unsigned char *map(void)
{
	return mmap(PLACE, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(void)
{
	unsigned char *place = map();

	if (place == MAP_FAILED)
		return 1;
	data_is_there(place);
	munmap(place, 4096);
	nothing_is_there();
	place = map();
	if (place == MAP_FAILED)
		return 1;
	memcpy(place, code, sizeof(code));
	mprotect(place, 4096, PROT_READ | PROT_EXEC);
	printf("%d\n", call((int (*)(void))place));
	return 0;
}
