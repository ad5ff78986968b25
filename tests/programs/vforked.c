/*
 * vfork's child runs in its parent's memory until it ends: it passes the same code, and writes the
 * same variable. The parent passes 3 times, each child 2 times.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int passes;

__attribute__((noinline)) static void pass(int nth)
{
	passes += nth; /* counted */
}

static void run_child(void)
{
	pid_t child = vfork();

	if (child == 0) {
		pass(10);
		pass(10);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	pass(1);
	run_child();
	pass(1);
	run_child();
	pass(1);
	printf("%d\n", passes);
	return 0;
}
