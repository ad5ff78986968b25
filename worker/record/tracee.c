/*
 * Looking at rr and its child in /proc. Must never take another process for it: the parent is
 * looked up for each candidate, and rr, our own child, is not reaped meanwhile, so that its number
 * stays its own.
 */
#include "worker/record/tracee.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/serve/proc_stat.h"

#define GENERATIONS_MAX 64
#define COMMAND_MAX	4096

pid_t tracee_first(pid_t rr)
{
	DIR *proc = opendir("/proc");
	pid_t found = 0;

	for (struct dirent *entry; proc && !found && (entry = readdir(proc));)
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    (pid_t)proc_stat_field(dirfd(proc), entry->d_name, PROC_STAT_PARENT) == rr)
			found = (pid_t)strtonum(entry->d_name, 1, INT_MAX, NULL);
	if (proc)
		closedir(proc);
	return found;
}

/* The beginning of its command line; 0: there is none, as in the middle of an exec. */
static size_t read_command(pid_t pid, char *text, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, size);
	return length > 0 ? (size_t)length : 0;
}

/* By their command lines: a confined worker may not look at rr's executable, nor may anybody at
 * that of a program that cannot be read. Until it executes the program, the child of rr has rr's.
 */
bool tracee_has_begun(pid_t rr)
{
	char own[COMMAND_MAX], program[COMMAND_MAX];
	pid_t first = tracee_first(rr);
	size_t length = read_command(rr, own, sizeof(own));
	size_t programs = first ? read_command(first, program, sizeof(program)) : 0;

	return length && programs && (length != programs || memcmp(own, program, length) != 0);
}

/* Processes come and go meanwhile: hence the bound. */
static bool descends_from(int proc, pid_t pid, pid_t rr)
{
	char number[16];

	for (int i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
		if (pid == rr)
			return true;
		snprintf(number, sizeof(number), "%d", (int)pid);
		pid = (pid_t)proc_stat_field(proc, number, PROC_STAT_PARENT);
	}
	return false;
}

pid_t tracee_find(pid_t rr, bool (*is_meant)(const char *name), char name[PROC_NAME_MAX])
{
	DIR *proc = opendir("/proc");
	pid_t found = 0, pid;

	for (struct dirent *entry; proc && !found && (entry = readdir(proc));) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !proc_stat_name(dirfd(proc), entry->d_name, name) || !is_meant(name))
			continue;
		pid = (pid_t)strtonum(entry->d_name, 1, INT_MAX, NULL);
		if (pid != rr && descends_from(dirfd(proc), pid, rr))
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

unsigned long tracee_cpu_time(pid_t pid)
{
	cleanup_fd int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	return proc_stat_field(proc, number, PROC_STAT_USER_TIME) +
	       proc_stat_field(proc, number, PROC_STAT_SYSTEM_TIME);
}

static bool leads_into(int directory_fd, const char *name, const char *directory)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(directory_fd, name, target, sizeof(target) - 1);
	size_t prefix = strlen(directory);

	if (length <= 0)
		return false;
	target[length] = '\0';
	return strncmp(target, directory, prefix) == 0 && target[prefix] == '/';
}

bool tracee_rr_writes_in(pid_t rr, const char *directory)
{
	char path[64];
	DIR *files;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)rr);
	files = opendir(path);
	for (struct dirent *entry; files && !found && (entry = readdir(files));)
		found = leads_into(dirfd(files), entry->d_name, directory);
	if (files)
		closedir(files);
	return found;
}
