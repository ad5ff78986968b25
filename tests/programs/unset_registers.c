/*
 * Variables that live in registers and that nobody has set. gcc sets such a register to 0, but
 * other compilers do not, and no compiler sets the arguments of a call without a prototype:
 * assembly that does nothing stands for both. The sinks do nothing; each gets one variable as its
 * argument.
 */
#include <stdlib.h>

#define KEEP __attribute__((noinline, noipa))
#define SINK(name)                                                                                 \
	KEEP void name(long value)                                                                 \
	{                                                                                          \
		__asm__ volatile("" : : "r"(value) : "memory");                                    \
	}

SINK(see_handed)
SINK(see_left)
SINK(see_kept)
SINK(see_set)
SINK(see_passed)

KEEP long scramble(long seed)
{
	long result = seed * 3;

	__asm__ volatile("mov $4711, %%edi" : "+r"(result) : : "rdi", "memory"); /* left behind */
	return result;
}

/* Its caller's rdi, which is no argument of it. */
KEEP void hand_on(void)
{
	long value;

	__asm__ volatile("" : "=D"(value));
	see_handed(value);
}

/* Nothing sets value after scramble. */
KEEP void hand_on_later(void)
{
	long value;

	if (scramble(3) > 0) {
		__asm__ volatile("" : "=D"(value));
		see_left(value);
	}
}

/* In a register that functions keep for their callers. */
KEEP void keep(void)
{
	long value;

	__asm__ volatile("" : "=b"(value));
	see_kept(value);
	__asm__ volatile("" : : "b"(value));
}

KEEP void set(long seed)
{
	long value = scramble(seed);

	__asm__ volatile("" : "+b"(value));
	see_set(value);
	__asm__ volatile("" : : "b"(value));
}

KEEP void pass(long value)
{
	see_passed(value);
}

int main(int argc, char **argv)
{
	long in_rbx = atol(argc > 1 ? argv[1] : "77");

	__asm__ volatile("" : "+b"(in_rbx));
	scramble(1);
	hand_on();
	hand_on_later();
	keep();
	set(5);
	pass(4242); /* handed over */
	return in_rbx == 3;
}
