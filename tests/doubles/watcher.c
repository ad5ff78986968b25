/*
 * Watches a word in a process that has not run yet, as rr 5.9 does when the program forks under a
 * watchpoint: it sets the debug registers before it does anything else to the new process. Prints
 * their values when the process stops at its store. Usage: watcher
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCH_4_BYTES 0xd0001ull /* the first register, enabled, for stores */

enum { STATUS = 6, CONTROL = 7, HITS = 0xf, NOT_HERE = 77 };

static volatile int watched;

static int parent(void)
{
	pid_t pid;

	raise(SIGSTOP);
	pid = fork();
	if (pid == 0) {
		watched = 1;
		_exit(0);
	}
	return waitpid(pid, NULL, 0) != pid;
}

static void *place_of(size_t i)
{
	return (void *)(uintptr_t)(offsetof(struct user, u_debugreg) + i * sizeof(uint64_t));
}

/* Lets the task run to its next stop, and returns that; -1: it has ended. */
static int next_stop(pid_t pid)
{
	int status = 0;

	if (ptrace(PTRACE_CONT, pid, 0, 0) != 0 || waitpid(pid, &status, __WALL) != pid ||
	    !WIFSTOPPED(status))
		return -1;
	return status >> 8;
}

static int watch(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_POKEUSER, pid, place_of(0), &watched) != 0 ||
	    ptrace(PTRACE_POKEUSER, pid, place_of(CONTROL), WATCH_4_BYTES) != 0)
		return NOT_HERE;
	printf("stop %d", next_stop(pid));
	printf(" hits %ld", ptrace(PTRACE_PEEKUSER, pid, place_of(STATUS), 0) & HITS);
	printf(" control %lx\n", ptrace(PTRACE_PEEKUSER, pid, place_of(CONTROL), 0));
	return next_stop(pid) == -1 ? 0 : 1;
}

int main(void)
{
	unsigned long child = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(parent());
	if (pid < 0 || waitpid(pid, NULL, WUNTRACED) != pid ||
	    ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL) != 0)
		return NOT_HERE;
	kill(pid, SIGCONT);
	for (int stop = 0; stop != (SIGTRAP | PTRACE_EVENT_FORK << 8);) {
		int status = 0;

		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			return NOT_HERE;
		stop = status >> 8;
		if (stop != (SIGTRAP | PTRACE_EVENT_FORK << 8))
			ptrace(PTRACE_CONT, pid, 0, 0);
	}
	ptrace(PTRACE_GETEVENTMSG, pid, 0, &child);
	return watch((pid_t)child);
}
