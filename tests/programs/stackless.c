/*
 * A program that forks while its stack pointer points nowhere, so that its child begins without a
 * stack. Both compute, and the child's result is its exit status.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static long fork_without_stack(void)
{
	long result = SYS_fork;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov $8, %%esp\n\t"
			 "syscall\n\t"
			 "mov $100, %%ecx\n"
			 "1: dec %%ecx\n\t"
			 "jnz 1b\n\t"
			 "mov %%rbx, %%rsp"
			 : "+a"(result)
			 :
			 : "rbx", "rcx", "r11", "memory", "cc");
	return result;
}

int main(void)
{
	int status = 0;
	long child = fork_without_stack();

	if (child == 0)
		return 7;
	waitpid((int)child, &status, 0);
	printf("the child ended with %d\n", WEXITSTATUS(status));
	return 0;
}
