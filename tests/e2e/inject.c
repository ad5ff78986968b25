/*
 * See inject.h. Must leave a process that goes on unchanged: registers, code and the interrupted
 * system call.
 */
#include "tests/e2e/inject.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define WRITE_MAX     256
#define RED_ZONE      128 /* bytes below the stack's end that compilers use */
#define SYSCALL_BYTES 0x050f

/* Seizes and stops the process. False when it may not be, or it is gone. */
static bool stop(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
		return false;
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) < 0 || waitpid(pid, &status, __WALL) != pid ||
	    !WIFSTOPPED(status)) {
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return false;
	}
	return true;
}

/* Steps over one instruction. A signal may come first; the last is returned, to be delivered at the
 * end. 0: none; -1: the process is gone. */
static int step(pid_t pid)
{
	int status, came = 0;

	for (;;) {
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			return -1;
		if (WSTOPSIG(status) == SIGTRAP)
			return came;
		came = WSTOPSIG(status);
	}
}

/* One system call in a stopped process, which goes back to where it was, if it still is. Returns
 * what step does. */
static int call(pid_t pid, long number, uint64_t first, uint64_t second, uint64_t third)
{
	struct user_regs_struct was, now;
	int came;

	ptrace(PTRACE_GETREGS, pid, NULL, &was);
	long code = ptrace(PTRACE_PEEKTEXT, pid, (void *)was.rip, NULL);
	ptrace(PTRACE_POKETEXT, pid, (void *)was.rip, (void *)((code & ~0xffffL) | SYSCALL_BYTES));
	now = was;
	now.rax = (unsigned long)number;
	now.orig_rax = (unsigned long)-1; /* else the kernel restarts the old call first */
	now.rdi = first;
	now.rsi = second;
	now.rdx = third;
	ptrace(PTRACE_SETREGS, pid, NULL, &now);
	came = step(pid);
	if (came < 0)
		return came;
	ptrace(PTRACE_POKETEXT, pid, (void *)was.rip, (void *)code);
	ptrace(PTRACE_SETREGS, pid, NULL, &was);
	return came;
}

bool inject_exit(pid_t pid, int status)
{
	if (!stop(pid))
		return false;
	call(pid, SYS_exit_group, (uint64_t)status, 0, 0);
	return true;
}

bool inject_write(pid_t pid, int fd, const char *bytes, size_t length)
{
	struct user_regs_struct registers;
	char was[WRITE_MAX];
	struct iovec saved = {was, length}, given = {(void *)bytes, length}, there;

	if (fd < 0 || length > WRITE_MAX || !stop(pid))
		return false;
	ptrace(PTRACE_GETREGS, pid, NULL, &registers);
	there = (struct iovec){(void *)(registers.rsp - RED_ZONE - WRITE_MAX), length};
	process_vm_readv(pid, &saved, 1, &there, 1, 0);
	process_vm_writev(pid, &given, 1, &there, 1, 0);
	long came = call(pid, SYS_write, (uint64_t)fd, (uint64_t)there.iov_base, length);
	process_vm_writev(pid, &saved, 1, &there, 1, 0);
	ptrace(PTRACE_DETACH, pid, NULL, (void *)(came > 0 ? came : 0L));
	return true;
}

static bool limit(pid_t pid, int resource, rlim_t most)
{
	struct rlimit bound;

	if (prlimit(pid, resource, NULL, &bound) < 0)
		return false;
	bound.rlim_cur = most;
	return prlimit(pid, resource, &bound, NULL) == 0;
}

bool inject_no_memory(pid_t pid)
{
	/* One page: the kernel refuses anything beyond, and takes nothing back. */
	return limit(pid, RLIMIT_AS, 4096) && limit(pid, RLIMIT_DATA, 4096);
}

/* The highest open descriptor; -1 if we may not look. */
static int highest_descriptor(pid_t pid)
{
	char path[64];
	int highest = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *files = opendir(path);
	for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;)
		if (strtol(entry->d_name, NULL, 10) > highest)
			highest = (int)strtol(entry->d_name, NULL, 10);
	if (files != NULL)
		closedir(files);
	return highest;
}

bool inject_no_descriptors(pid_t pid)
{
	int highest = highest_descriptor(pid);

	/* Not fewer than it has, because the kernel refuses a poll() of more than the limit. */
	return highest >= 0 && limit(pid, RLIMIT_NOFILE, (rlim_t)highest + 1);
}

int inject_find_socket(pid_t pid)
{
	char path[80], target[64];
	int highest = highest_descriptor(pid);

	for (int fd = 0; fd <= highest; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		ssize_t length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		if (strncmp(target, "socket:", 7) == 0)
			return fd;
	}
	return -1;
}
