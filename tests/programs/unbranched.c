/*
 * A recursion without a branch, for longer than a debugger waits, in code that is far from all
 * other. It ends at the stack's end, and only the stack pointer tells one round from another.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define CODE  0x300000000000ull
#define STACK 0x20000000ull

enum { CALLS = 40000, PAGE = 4096, STACK_SIZE = (CALLS * 8 + PAGE - 1) / PAGE * PAGE };

static void *map(uint64_t address, size_t size)
{
	return mmap((void *)address, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(void)
{
	static const uint8_t call_itself[] = {0xe8, 0xfb, 0xff, 0xff, 0xff};
	void *code = map(CODE, PAGE);

	map(STACK, STACK_SIZE);
	memcpy(code, call_itself, sizeof call_itself);
	mprotect(code, PAGE, PROT_READ | PROT_EXEC);
	__asm__ volatile("mov %0, %%rsp; jmp *%1" : : "r"(STACK + STACK_SIZE), "r"(code));
	return 0;
}
