/*
 * Writes over return addresses, each in a function of its own; the program goes on because each
 * writes back what it has destroyed. With an argument: only what is right and looks alike.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define KEEP                                                                                       \
	__attribute__((noinline, noipa, optimize("no-omit-frame-pointer", "no-stack-protector")))

volatile long sink;

KEEP static void *hide(void *pointer)
{
	__asm__ volatile("" : "+r"(pointer));
	return pointer;
}

KEEP static size_t number(size_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* A frame pointer is there: behind it is the return address. */
#define OWN_SLOT ((char *)__builtin_frame_address(0) + sizeof(void *))

KEEP static void fill(char *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		from[i] = 'x';
}

KEEP static void by_bytes(void)
{
	static char saved[16], *slot;
	char buffer[16];

	slot = hide(OWN_SLOT);
	memcpy(saved, slot - 8, sizeof(saved));
	fill(hide(buffer), (size_t)(slot + 8 - buffer));
	memcpy(slot - 8, saved, number(sizeof(saved)));
}

KEEP static void by_copy(void)
{
	static char many[4096], saved[16], *slot;
	char buffer[16];

	slot = hide(OWN_SLOT);
	memset(many, 'y', sizeof(many));
	memcpy(saved, slot - 8, sizeof(saved));
	memcpy(hide(buffer), hide(many), (size_t)(slot + 8 - buffer));
	memcpy(slot - 8, saved, number(sizeof(saved)));
}

KEEP static void write_there(uint64_t *slot, uint64_t value)
{
	*slot = value;
}

KEEP static void of_the_caller(uint64_t *slot)
{
	write_there(slot, 12345);
}

KEEP static void by_a_callee(void)
{
	uint64_t *slot = hide(OWN_SLOT), saved = *slot;

	of_the_caller(slot);
	write_there(slot, saved);
}

/* ---- What is right --------------------------------------------------------------------------- */

static jmp_buf back;

KEEP static void deep(int depth)
{
	char room[100];

	memset(hide(room), depth, sizeof(room));
	if (depth == 0)
		longjmp(back, 1);
	deep(depth - 1);
	sink = room[3];
}

KEEP static void use_stack(void)
{
	char room[3000];

	for (size_t i = 0; i < sizeof(room); i++)
		((char *)hide(room))[i] = (char)i;
	sink = room[7];
}

KEEP static void jump_back(void)
{
	for (volatile int i = 0; i < 20; i++) {
		if (setjmp(back) == 0)
			deep(15);
		use_stack();
	}
}

static ucontext_t outside, inside;
static char stack[65536];

KEEP static void work(void)
{
	for (int i = 0; i < 5; i++) {
		use_stack();
		swapcontext(&inside, &outside);
	}
}

/* The context is left where it is, and its stack used again. */
KEEP static void switch_stacks(void)
{
	for (int round = 0; round < 3; round++) {
		getcontext(&inside);
		inside.uc_stack.ss_sp = stack;
		inside.uc_stack.ss_size = sizeof(stack);
		inside.uc_link = &outside;
		makecontext(&inside, work, 0);
		for (int i = 0; i < 3 + round; i++)
			swapcontext(&outside, &inside);
		memset(hide(stack), 0, sizeof(stack));
	}
}

static void handle(int number_)
{
	sink += number_;
	use_stack();
}

/* Goes elsewhere when it returns, as a hook does. */
void *hooked;
void trampoline(void);
__asm__(".text\n"
	"trampoline: jmp *hooked(%rip)\n");

KEEP static void hook(void)
{
	uint64_t *slot = hide(OWN_SLOT);

	hooked = (void *)*slot;
	*slot = (uint64_t)hide((void *)trampoline);
}

KEEP static void be_right(void)
{
	jump_back();
	switch_stacks();
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	hook();
	use_stack();
}

int main(int argc, char **argv)
{
	(void)argv;
	be_right();
	if (argc == 1) {
		by_bytes();
		by_copy();
		by_a_callee();
	}
	be_right();
	puts("done");
	return 0;
}
