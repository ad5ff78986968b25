/*
 * vfork and exec: the parent waits until the child has its own program.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_true(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int run_missing(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/nowhere/true", "true", (char *)NULL);
		_exit(17);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	int found = run_true();
	int missing = run_missing();

	printf("true %d missing %d\n", found, missing);
	return found == 0 && missing == 17 ? 0 : 1;
}
