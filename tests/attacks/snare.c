/*
 * See snare.h. Must not trace rr once it runs: a process has one tracer.
 */
#include "tests/attacks/snare.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/attacks/stage.h"

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |     \
	    PTRACE_O_TRACESYSGOOD)
#define SYSCALL_STOP (SIGTRAP | 0x80)

struct snare {
	pid_t monitor;
	enum snare_moment moment;
	const char *directory, *command;
	pid_t parent, child; /* of the last fork */
};

static pid_t only_child(pid_t parent)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	return (pid_t)strtol(text, NULL, 10);
}

static bool begins_to_record(pid_t pid)
{
	char path[64], line[TEXT] = "";
	FILE *file;
	size_t length = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (file) {
		length = fread(line, 1, sizeof(line) - 1, file);
		fclose(file);
	}
	for (size_t at = 0; at < length; at += strlen(line + at) + 1)
		if (strcmp(line + at, "record") == 0)
			return true;
	return false;
}

static bool enters(pid_t pid, const char *directory)
{
	struct __ptrace_syscall_info call = {0};
	char text[TEXT] = "";
	struct iovec here = {text, strlen(directory) + 1};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) <= 0 ||
	    call.op != PTRACE_SYSCALL_INFO_ENTRY || call.entry.nr != SYS_chdir)
		return false;
	struct iovec there = {(void *)(uintptr_t)call.entry.args[0], here.iov_len};
	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)here.iov_len &&
	       strcmp(text, directory) == 0;
}

static bool is_moment(const struct snare *snare, pid_t pid, int status)
{
	if (snare->moment == SNARE_RECORDS)
		return status >> 16 == PTRACE_EVENT_EXEC && begins_to_record(pid);
	return WSTOPSIG(status) == SYSCALL_STOP && enters(pid, snare->directory);
}

/* The worker finds out whether it can trace a child of its own, which has one tracer: not us. */
static void let_go_of_child(const struct snare *snare, pid_t parent)
{
	struct __ptrace_syscall_info call = {0};
	int status;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, parent, sizeof(call), &call) <= 0 ||
	    call.op != PTRACE_SYSCALL_INFO_ENTRY || call.entry.nr != SYS_ptrace ||
	    call.entry.args[0] != PTRACE_SEIZE || snare->parent != parent)
		return;
	ptrace(PTRACE_INTERRUPT, snare->child, 0, 0);
	if (waitpid(snare->child, &status, __WALL) == snare->child && WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, snare->child, 0, 0L);
}

static void note_child(struct snare *snare, pid_t parent)
{
	unsigned long child = 0;

	if (ptrace(PTRACE_GETEVENTMSG, parent, 0, &child) == 0) {
		snare->parent = parent;
		snare->child = (pid_t)child;
	}
}

static void go_on(struct snare *snare, pid_t pid, int status)
{
	int event = status >> 16, given = 0;

	if (WSTOPSIG(status) == SYSCALL_STOP)
		let_go_of_child(snare, pid);
	else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE)
		note_child(snare, pid);
	else if (event == 0)
		given = WSTOPSIG(status);
	ptrace(pid == snare->monitor ? PTRACE_CONT : PTRACE_SYSCALL, pid, 0, (long)given);
}

/* Its end lets go of all that it traces. */
static _Noreturn void run(struct snare *snare, int ready)
{
	int status;
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_SEIZE, snare->monitor, 0, OPTIONS) < 0 || write(ready, "", 1) != 1)
		_exit(1);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		if (is_moment(snare, pid, status))
			_exit(system(snare->command) == 0 ? 0 : 1);
		go_on(snare, pid, status);
	}
	_exit(1);
}

pid_t snare_set(pid_t server, enum snare_moment moment, const char *directory, const char *command)
{
	struct snare snare = {.monitor = only_child(only_child(server)),
	    .moment = moment,
	    .directory = directory,
	    .command = command};
	int ready[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		close(ready[0]);
		run(&snare, ready[1]);
	}
	close(ready[1]);
	ck_assert_msg(read(ready[0], &byte, 1) == 1, "the monitor cannot be traced");
	close(ready[0]);
	return child;
}

void snare_expect_sprung(pid_t snare, const char *answer)
{
	int status;

	kill(snare, SIGUSR1); /* ends one that still waits; one that has ended does not mind */
	ck_assert_int_eq(waitpid(snare, &status, 0), snare);
	ck_assert_msg(
	    status == 0, "the moment did not come: status %x; %s", (unsigned)status, answer);
}
