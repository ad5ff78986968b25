/*
 * A tree of processes: each forks two children down to a depth, waits for them and passes their
 * exit codes, added up, to its parent; one child is killed by a signal on the way. An argument is
 * the depth (2), at most 6.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int grow(int depth)
{
	int sum = 1;

	if (depth == 0)
		return sum;
	for (int child = 0; child < 2; child++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(grow(depth - 1));
		int status;
		waitpid(pid, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 2, status;
	pid_t doomed = fork();

	if (doomed == 0)
		for (;;)
			pause();
	int processes = grow(depth);
	kill(doomed, SIGTERM);
	waitpid(doomed, &status, 0);
	printf("processes %d, doomed child ended by signal %d\n", processes, WTERMSIG(status));
	return processes == (2 << depth) - 1 && WTERMSIG(status) == SIGTERM ? 0 : 1;
}
