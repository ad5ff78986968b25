/*
 * Maps a page at a fixed address in each megabyte where the code cache puts its first part of code,
 * as a program may that manages its low memory itself, and runs on.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	const uintptr_t start = 0x51000000, end = 0x52000000, megabyte = 1 << 20;
	volatile unsigned rounds = 0;

	for (uintptr_t at = start; at < end; at += megabyte) {
		void *wanted = (void *)at;

		if (mmap(wanted, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != wanted)
			return 1;
	}
	while (rounds < 100)
		rounds = rounds + 1;
	printf("mapped, %u rounds\n", rounds);
	return 0;
}
