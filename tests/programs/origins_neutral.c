/*
 * Values that arithmetic leaves as they are, values in registers of outer frames, and a file that
 * is mapped to be read. `look` does nothing with them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

long by_lea, by_mask, by_zero, by_one, by_memory, changed, from_table, from_map;
long table[8];
static char path[] = "/tmp/origins-neutral-XXXXXX";

KEEP void look(void)
{
	__asm__ volatile("" ::: "memory", "rbx", "r12");
}

KEEP static long make(long value)
{
	return value; /* through */
}

KEEP static void neutral(void)
{
	long value = make(0x12340); /* origin: neutral */

	__asm__ volatile("xor %%ecx, %%ecx\n\tlea (%1,%%rcx,8), %%rax\n\tmov %%rax, %0"
			 : "=m"(by_lea)
			 : "r"(value)
			 : "rax", "rcx");
	__asm__ volatile("mov %1, %%rax\n\tand $-16, %%rax\n\tmov %%rax, %0"
			 : "=m"(by_mask)
			 : "r"(value)
			 : "rax");
	__asm__ volatile("mov %1, %%rax\n\txor %%ecx, %%ecx\n\tadd %%rcx, %%rax\n\tmov %%rax, %0"
			 : "=m"(by_zero)
			 : "r"(value)
			 : "rax", "rcx");
	__asm__ volatile("imul $1, %1, %%rax\n\tmov %%rax, %0" : "=m"(by_one) : "r"(value) : "rax");
	__asm__ volatile("mov %1, %0\n\taddq $0, %0" : "=m"(by_memory) : "r"(value));
	__asm__ volatile("lea 8(%1), %%rax\n\tmov %%rax, %0" : "=m"(changed) : "r"(value) : "rax");
	table[3] = value;
	__asm__ volatile("" ::: "memory");
	from_table = table[3]; /* loaded */
}

KEEP static void map(void)
{
	int fd = mkstemp(path);
	const char *bytes;

	if (fd < 0 || write(fd, "0123456789abcdef", 16) != 16)
		exit(1);
	bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	from_map = bytes[11]; /* origin: file */
	unlink(path);
}

KEEP static void outer(void)
{
	__asm__ volatile(
	    "mov $4711, %%rbx\n\t" /* kept */
	    "call look\n\t"
	    :
	    :
	    : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}

int main(void)
{
	neutral();
	map();
	outer();
	return 0;
}
