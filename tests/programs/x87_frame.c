/*
 * An x87 instruction fails, which the next one tells; before that, a signal comes. Its handler
 * prints where its frame says that the last x87 instruction was, from main on, if it says so.
 */
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

static const unsigned short divisions_trap = 0x37b;

int main(void);

static void handler(int number, siginfo_t *info, void *context)
{
	const ucontext_t *frame = context;
	const unsigned long at = frame->uc_mcontext.fpregs->rip;
	char line[64];
	int length;

	(void)info;
	/* No more of that failure, whatever printf does. */
	__asm__ volatile("fninit");
	length = at == 0 ? snprintf(line, sizeof(line), "signal %d, none\n", number)
			 : snprintf(line, sizeof(line), "signal %d, from main %ld\n", number,
			       (long)(at - (unsigned long)main));
	_exit(write(STDOUT_FILENO, line, (size_t)length) != length);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	const long self = getpid();

	sigaction(SIGUSR1, &action, NULL);
	__asm__ volatile("fninit\nfldcw %0\nmov $50, %%ecx\n"
			 "1: fld1\nfldz\ndec %%ecx\njz 2f\nfaddp\nfstp %%st(0)\njmp 1b\n"
			 "2: fdivrp\n"
			 "syscall\n" /* kill(self, SIGUSR1) */
			 :
			 : "m"(divisions_trap), "a"(62L), "D"(self), "S"((long)SIGUSR1)
			 : "rcx", "r11", "cc", "memory");
	return 1;
}
