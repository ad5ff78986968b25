/*
 * A stack overflow by recursion, caught on an alternate signal stack and left with siglongjmp.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static sigjmp_buf before_overflow;
static char *alternate;
static volatile int on_alternate;

static void on_overflow(int number)
{
	char here;

	(void)number;
	on_alternate = &here >= alternate && &here < alternate + 65536;
	siglongjmp(before_overflow, 1);
}

static int fall(int depth)
{
	volatile char block[4096];

	block[0] = (char)depth;
	return fall(depth + 1) + block[0];
}

int main(void)
{
	struct rlimit small = {256 * 1024, 256 * 1024};
	struct sigaction action;
	stack_t stack = {0};

	alternate = malloc(65536);
	stack.ss_sp = alternate;
	stack.ss_size = 65536;
	sigaltstack(&stack, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_overflow;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
	setrlimit(RLIMIT_STACK, &small);
	if (sigsetjmp(before_overflow, 1) == 0)
		return fall(0);
	printf("came back, handler ran on the alternate stack: %d\n", on_alternate);
	return on_alternate ? 0 : 1;
}
