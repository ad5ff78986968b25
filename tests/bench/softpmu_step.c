/*
 * The baseline of the software PMU's benchmark: runs a program in plain ptrace single steps, at
 * most as many as its first argument says (0: to the end), and prints on stderr how many there were
 * and the seconds they took. Usage: softpmu_step MOST PROGRAM ARGUMENTS...
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	unsigned long most = argc > 2 ? strtoul(argv[1], NULL, 10) : 0, steps = 0;
	int status = 0;
	double start;
	pid_t pid = argc > 2 ? fork() : -1;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 1;
	start = now();
	while (WIFSTOPPED(status) && (most == 0 || steps < most)) {
		int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, signal) < 0 ||
		    waitpid(pid, &status, 0) != pid)
			break;
		steps++;
	}
	fprintf(stderr, "steps=%lu seconds=%.6f\n", steps, now() - start);
	kill(pid, SIGKILL);
	return 0;
}
