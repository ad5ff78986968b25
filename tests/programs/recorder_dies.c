/*
 * Makes rr 5.6 stop itself while the program still runs: by an instruction that it does not expect
 * (int1), by a bad pointer to a system call, or by killing it. With threads, a thread and a child
 * are alive at that time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int reached;

static void *wait_for_ever(void *none)
{
	for (;;)
		pause();
	return none;
}

static __attribute__((noinline)) void end_recorder(void)
{
	reached = 1;
	fputs("before\n", stderr);
	__asm__ volatile(".byte 0xf1");
	reached = 2;
}

static void begin_others(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	if (fork() == 0)
		wait_for_ever(NULL);
}

/* Natively each of these calls fails with EFAULT. */
static void pass_bad_pointer(const char *call)
{
	void *nowhere = (void *)8;

	if (strcmp(call, "read") == 0)
		_exit(syscall(SYS_read, open("/dev/zero", O_RDONLY), nowhere, 64) < 0 ? 7 : 8);
	if (strcmp(call, "getitimer") == 0)
		_exit(syscall(SYS_getitimer, 0, nowhere) < 0 ? 7 : 8);
	if (strcmp(call, "sendmmsg") == 0)
		_exit(syscall(SYS_sendmmsg, 1, nowhere, 1, 0) < 0 ? 7 : 8);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "int1";

	puts("working");
	fflush(stdout);
	if (strcmp(what, "kill") == 0)
		kill(getppid(), atoi(argv[2]));
	if (strcmp(what, "kill") == 0)
		pause();
	if (strcmp(what, "once") == 0 && open(argv[2], O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
		return 0;
	if (strcmp(what, "others") == 0)
		begin_others();
	if (strcmp(what, "null") == 0)
		return open(argv[argc], O_RDONLY) == -1 ? 7 : 8;
	pass_bad_pointer(what);
	end_recorder();
	return 9;
}
