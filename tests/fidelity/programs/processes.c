/*
 * Kinds: endings of other threads and processes, and before and after main.
 */
#define FAMILY __FILE__
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stage.h"

/* A thread on a stack that is the same in every run. */
static pthread_t start(void *(*run)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, AT(STAGE_THREAD), STAGE_THREAD_SIZE);
	if (mmap(AT(STAGE_THREAD), STAGE_THREAD_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ||
	    pthread_create(&thread, &attributes, run, NULL) != 0)
		abort();
	return thread;
}

static void *read_null(void *unused)
{
	(void)unused;
	return *(void *volatile *)AT(0x10);
}

static void *call_null(void *unused)
{
	void (*volatile nothing)(void) = 0;

	nothing();
	return unused;
}

static void *abort_here(void *unused)
{
	abort();
	return unused;
}

static void *signal_other(void *unused)
{
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	return unused;
}

KIND(thread_reads_null, KIND_CALLS | KIND_FATAL)
{
	pthread_join(start(read_null), NULL);
}

KIND(thread_calls_null, KIND_CALLS | KIND_FATAL)
{
	pthread_join(start(call_null), NULL);
}

KIND(thread_aborts, KIND_CALLS | KIND_FATAL)
{
	pthread_join(start(abort_here), NULL);
}

KIND(thread_signals, KIND_CALLS | KIND_FATAL)
{
	pthread_join(start(signal_other), NULL);
}

/* Processes. */
static void wait_for(pid_t child)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	stage_say(WIFSIGNALED(status) ? "the child was killed" : "the child ended");
	_exit(WIFSIGNALED(status) ? 10 + WTERMSIG(status) : 0);
}

KIND(forked_child, KIND_CALLS | KIND_CHILD)
{
	pid_t child = fork();

	if (child == 0)
		*(volatile int *)AT(0x10) = 1;
	wait_for(child);
}

KIND(forked_child_calls_null, KIND_CALLS | KIND_CHILD)
{
	pid_t child = fork();

	if (child == 0) {
		call_null(NULL);
		_exit(3);
	}
	wait_for(child);
}

KIND(forked_child_aborts, KIND_CALLS | KIND_CHILD)
{
	pid_t child = fork();

	if (child == 0)
		abort();
	wait_for(child);
}

KIND(vforked_child, KIND_CALLS | KIND_CHILD)
{
	pid_t child = vfork();

	if (child == 0)
		*(volatile int *)AT(0x10) = 1;
	wait_for(child);
}

/* Blocked until the child waits for it, so that it always comes at the same place. */
KIND(killed_by_parent, KIND_CALLS | KIND_CHILD)
{
	sigset_t set;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (child == 0) {
		/* rt_sigsuspend with an empty set, where rr does not patch the call. */
		__asm__ volatile("1: mov $130, %%eax\nmov $" STRING(
		    STAGE_DATA) ", %%edi\n"
				"mov $8, %%esi\nsyscall\njmp 1b" ::
				     : "rax", "rdi", "rsi", "rcx", "r11", "memory");
	}
	kill(child, SIGTERM);
	wait_for(child);
}

/* The parent dies after its child. */
KIND(parent_after_child, KIND_CALLS | KIND_FATAL)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	*(volatile int *)AT(0x10) = 1;
}

/* After main. */
static void at_exit_null(void)
{
	call_null(NULL);
}

KIND(at_exit, KIND_CALLS | KIND_FATAL)
{
	atexit(at_exit_null);
	exit(0);
}

static int destroys;

static __attribute__((destructor)) void destroy(void)
{
	if (destroys)
		*(volatile int *)AT(0x10) = 1;
}

KIND(destructor, KIND_CALLS | KIND_FATAL)
{
	destroys = 1;
	exit(0);
}

static __attribute__((constructor)) void construct(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "constructor") != 0)
		return;
	stage_early("constructor");
	/* This stack lies elsewhere in a recording, so its address must not be in the flags. */
	__asm__ volatile("xorl %%ecx, %%ecx" ::: "rcx", "cc");
	*(volatile int *)AT(0x10) = 1;
}

KIND(constructor, KIND_CALLS | KIND_FATAL)
{
	stage_say("too late");
}
