/*
 * Instructions that look at or change the flags: pushf and popf, lahf and sahf, loop, loope and
 * loopne, jrcxz and jecxz, cmov and setcc, jp. A debugger's trap flag must not show in them.
 */
#include <stdio.h>

static unsigned long read_flags(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags));
	return flags;
}

static void write_flags(unsigned long flags)
{
	__asm__ volatile("pushq %0; popfq" : : "r"(flags) : "cc", "memory");
}

static long loops(void)
{
	long sum = 0;

	__asm__ volatile("mov $10, %%rcx\n"
			 "1: inc %0\n"
			 "loop 1b\n"
			 "mov $10, %%rcx\n"
			 "2: inc %0\n"
			 "cmp $5, %%rcx\n"
			 "loopne 2b\n"
			 "mov $10, %%rcx\n"
			 "3: inc %0\n"
			 "cmp %%rcx, %%rcx\n"
			 "loope 3b\n"
			 "jrcxz 4f\n"
			 "add $1000, %0\n"
			 "4: mov $0x100000000, %%rcx\n"
			 "jrcxz 5f\n"
			 "inc %0\n"
			 "5: jecxz 6f\n"
			 "add $1000, %0\n"
			 "6:\n"
			 : "+r"(sum)
			 :
			 : "rcx", "cc");
	return sum;
}

static int trap_flag_seen(void)
{
	int seen = 0;

	for (int i = 0; i < 50; i++)
		seen += (read_flags() & 0x100) != 0;
	return seen;
}

static int parity_jumps(void)
{
	int odd = 0;

	for (int i = 0; i < 16; i++)
		__asm__ volatile("testb %b1, %b1; jp 1f; incl %0; 1:" : "+r"(odd) : "q"(i) : "cc");
	return odd;
}

int main(void)
{
	write_flags(read_flags() | 0x400); /* direction */
	unsigned long direction = read_flags() & 0x400;
	write_flags(read_flags() & ~0x400ul);
	unsigned long carry;
	__asm__ volatile("stc; pushfq; popq %0" : "=r"(carry) : : "cc");
	printf("direction %lx carry %lu loops %ld odd %d trap flag seen %d\n", direction, carry & 1,
	    loops(), parity_jumps(), trap_flag_seen());
	return trap_flag_seen() != 0;
}
