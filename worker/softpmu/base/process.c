/*
 * Asks the kernel which process a task or a descriptor belongs to, and remembers who has the memory
 * of one that has ended.
 */
#include "worker/softpmu/base/process.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/kernel.h"

pid_t process_of(pid_t tid)
{
	char path[64], text[1024] = {0};
	const char *line;
	long fd;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	fd = kernel_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return 0;
	kernel_call(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
	kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
	line = strstr(text, "\nTgid:");
	return line ? (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10) : 0;
}

/* Docker's default profile forbids kcmp: then only threads of one process are known to share it. */
bool process_shares_memory(pid_t one, pid_t other)
{
	long result = kernel_call(SYS_kcmp, one, other, KCMP_VM, 0, 0, 0);

	return result >= 0 ? result == 0
			   : process_of(one) != 0 && process_of(one) == process_of(other);
}

enum { HEIRS_MAX = 1024 }; /* the oldest ones are forgotten */

static struct heir {
	pid_t of, heir;
} heirs[HEIRS_MAX];
static unsigned heirs_ever;

void process_begin(pid_t process)
{
	for (unsigned i = 0; i < HEIRS_MAX; i++) {
		if (heirs[i].of == process || heirs[i].heir == process)
			heirs[i] = (struct heir){0};
	}
}

void process_leave_memory(pid_t process, pid_t heir)
{
	for (unsigned i = 0; i < HEIRS_MAX; i++) {
		if (heirs[i].heir == process)
			heirs[i].heir = heir;
	}
	heirs[heirs_ever++ % HEIRS_MAX] = (struct heir){process, heir};
}

static pid_t with_memory_of(pid_t process)
{
	for (unsigned i = 0; i < HEIRS_MAX; i++) {
		if (heirs[i].of == process)
			return heirs[i].heir;
	}
	return process;
}

/* rr has opened /proc/PID/mem, or a tracee its /proc/self/mem. */
pid_t process_of_memory(int fd)
{
	char path[64], name[64] = {0}, *end;
	const size_t before = sizeof "/proc/" - 1;
	long length, number;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	length = kernel_call(SYS_readlink, (long)path, (long)name, sizeof name - 1, 0, 0, 0);
	if (length < 0 || strncmp(name, "/proc/", before) != 0)
		return 0;
	number = strtol(name + before, &end, 10);
	return strcmp(end, "/mem") == 0 || strncmp(end, "/task/", 6) == 0
		   ? process_of(with_memory_of((pid_t)number))
		   : 0;
}
