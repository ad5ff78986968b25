/*
 * Ends by a signal, which another thread sends in one of many ways, or another process, or the
 * kernel.
 *
 *	sent WAY SIGNAL		busy: by another process, while the leader computes
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

static pthread_t leader;
static const char *way;
static int number;

static void send_signal(void)
{
	union sigval value = {0};

	if (strcmp(way, "kill") == 0)
		kill(getpid(), number);
	else if (strcmp(way, "group") == 0)
		kill(0, number);
	else if (strcmp(way, "pthread_kill") == 0)
		pthread_kill(leader, number);
	else if (strcmp(way, "raise") == 0)
		raise(number);
	else if (strcmp(way, "tkill") == 0)
		syscall(SYS_tkill, getpid(), number);
	else if (strcmp(way, "sigqueue") == 0)
		sigqueue(getpid(), number, value);
	else if (strcmp(way, "pthread_sigqueue") == 0)
		pthread_sigqueue(leader, number, value);
	else if (strcmp(way, "pidfd") == 0)
		syscall(
		    SYS_pidfd_send_signal, syscall(SYS_pidfd_open, getpid(), 0), number, NULL, 0);
}

/* A pipe without a reader, or a file behind its limit. */
static void write_in_vain(void)
{
	struct rlimit limit = {1, 1};
	int ends[2];

	if (strcmp(way, "pipe") == 0 && pipe(ends) == 0) {
		close(ends[0]);
		if (write(ends[1], "x", 1) < 0)
			perror("write");
	} else if (strcmp(way, "limit") == 0 && setrlimit(RLIMIT_FSIZE, &limit) == 0) {
		FILE *file = tmpfile();

		if (file && write(fileno(file), "xyz", 3) == 1 && write(fileno(file), "z", 1) < 0)
			perror("write");
	}
}

static void from_child(void)
{
	pid_t parent = getpid();

	if ((strcmp(way, "child") == 0 || strcmp(way, "busy") == 0) && fork() == 0) {
		kill(parent, number);
		_exit(0);
	}
}

static void *end(void *unused)
{
	volatile long count = 0;

	usleep(20000); /* the leader waits, or computes */
	send_signal();
	write_in_vain();
	from_child();
	while (count < 30000000) /* behind the call, where it was for another thread */
		count++;
	return unused;
}

int main(int argc, char *argv[])
{
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	pthread_t thread;

	if (argc < 3)
		return 2;
	way = argv[1];
	number = atoi(argv[2]);
	leader = pthread_self();
	setpgid(0, 0);
	if (strcmp(way, "timer") == 0)
		setitimer(ITIMER_REAL, &soon, NULL);
	else
		pthread_create(&thread, NULL, end, NULL);
	for (;;)
		if (strcmp(way, "busy") != 0)
			pause();
}
