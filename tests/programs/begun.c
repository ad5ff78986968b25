/*
 * Writes two variables, one of them for the first time, and then begins a thread by a system call
 * of its own: `begun` is where the new thread's first instruction is, and the old one's next.
 */
#include <linux/sched.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define APART	   __attribute__((noinline))
#define STACK_SIZE 16384
#define THREAD	   (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

volatile long often, late;
volatile int ended;
static _Alignas(16) char stack[STACK_SIZE];

/* The new thread has no storage of its own, so it calls nothing. */
static void begin_thread(void)
{
	long tid;

	__asm__ volatile(
	    "syscall\n\t"
	    ".globl begun\n"
	    "begun:\n\t"
	    "lfence\n\t"
	    "test %%eax, %%eax\n\t"
	    "jnz 1f\n\t"
	    "movl $1, ended(%%rip)\n\t"
	    "mov %2, %%eax\n\t"
	    "syscall\n"
	    "1:"
	    : "=a"(tid)
	    : "a"(SYS_clone), "i"(SYS_exit), "D"(THREAD), "S"(stack + STACK_SIZE), "d"(0)
	    : "rcx", "r11", "memory");
	if (tid < 0)
		abort();
}

APART static void write_both(void)
{
	often = 2;
	late = 3;
}

int main(void)
{
	often = 1;
	write_both();
	begin_thread();
	while (!ended)
		sched_yield();
	return 0;
}
