/*
 * Goes on with saved registers that are wrong. The argument says which.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

void __longjmp_chk(jmp_buf, int) __attribute__((noreturn));

static jmp_buf place;
static sigjmp_buf signal_place;
static ucontext_t context, other;
static jmp_buf *volatile nowhere = (jmp_buf *)8;

__attribute__((noinline)) static void damage(void *at, size_t size)
{
	memset(at, 0x41, size);
}

__attribute__((noinline)) static void zero(void *at, size_t size)
{
	memset(at, 0, size);
}

__attribute__((noinline)) static void leave(void)
{
	longjmp(place, 1); /* leave */
}

__attribute__((noinline)) static void leave_signal(void)
{
	siglongjmp(signal_place, 1);
}

__attribute__((noinline)) static void go(void)
{
	setcontext(&context); /* go */
}

__attribute__((noinline)) static void change(void)
{
	swapcontext(&other, &context);
}

__attribute__((noinline)) static void leave_checked(void)
{
	__longjmp_chk(place, 1);
}

__attribute__((noinline)) static int returned(void)
{
	volatile char deep[4096];

	deep[0] = 1;
	return setjmp(place) + deep[0]; /* fills it */
}

__attribute__((noinline)) static void leave_bad_pointer(void)
{
	longjmp(*nowhere, 1);
}

static void entry(void)
{
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "";

	if (strcmp(form, "damaged") == 0 && !setjmp(place)) {
		damage(place, sizeof(place));
		leave();
	}
	if (strcmp(form, "signal") == 0 && !sigsetjmp(signal_place, 1)) {
		damage(signal_place, sizeof(place));
		leave_signal();
	}
	if (strcmp(form, "never") == 0)
		leave();
	if (strcmp(form, "pointer") == 0)
		leave_bad_pointer();
	if (strcmp(form, "returned") == 0 && returned())
		leave_checked();
	getcontext(&context);
	if (strcmp(form, "context") == 0) {
		damage(&context.uc_mcontext.gregs[REG_RIP], 8);
		go();
	}
	if (strcmp(form, "swap") == 0) {
		context.uc_stack.ss_sp = malloc(65536);
		context.uc_stack.ss_size = 65536;
		makecontext(&context, entry, 0);
		zero(&context.uc_mcontext.gregs[REG_RIP], 8);
		change();
	}
	return 0;
}
