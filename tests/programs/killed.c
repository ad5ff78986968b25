/*
 * Children that compute and make system calls until somebody kills them: their pids go to a fifo,
 * and the same program, run apart, reads them there and kills each at an uncertain moment.
 *
 *	killed FIFO CHILDREN
 *	killed FIFO
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;

static void compute(void)
{
	for (;;) {
		sched_yield();
		for (unsigned i = 0; i < 10000; i++)
			sum += i;
	}
}

static int kill_all(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);
	pid_t pid;

	for (long i = 0; read(fd, &pid, sizeof(pid)) == sizeof(pid); i++) {
		struct timespec while_it_runs = {0, 100000 + i * 7919 % 800000};

		nanosleep(&while_it_runs, NULL);
		kill(pid, SIGKILL);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	int fd, killed = 0;

	if (argc == 2)
		return kill_all(argv[1]);
	fd = open(argv[1], O_WRONLY);
	for (int i = 0; i < atoi(argv[2]); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			compute();
		if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
			return 1;
		if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
			killed++;
	}
	printf("killed %d\n", killed);
	return 0;
}
