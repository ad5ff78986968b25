/*
 * What must not take a program out of the code cache: a mapping of more than a gigabyte, as the
 * sanitizers make them, and calls padded with prefixes, as compilers write them for thread
 * variables. Each is followed by a loop that is long.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define LARGE (3ull << 29)

enum { ROUNDS = 50000 };

int main(void)
{
	uint64_t rounds = ROUNDS, calls = 0;
	void *large = mmap(NULL, LARGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	__asm__ volatile("	jmp 2f\n"
			 "1:	inc %1\n"
			 "	.byte 0x66, 0x48, 0xc3\n" /* ret */
			 "2:	lea 1b(%%rip), %%rax\n"
			 "3:	.byte 0x66, 0x66, 0x48, 0xe8\n" /* call 1b */
			 "	.long 1b - . - 4\n"
			 "	.byte 0x66, 0x48, 0xff, 0xd0\n" /* call *rax */
			 "	dec %0\n"
			 "	jnz 3b\n"
			 : "+r"(rounds), "+r"(calls)
			 :
			 : "rax", "cc", "memory");
	printf("%s, %llu calls\n", large == MAP_FAILED ? "no memory" : "mapped",
	    (unsigned long long)calls);
	return 0;
}
