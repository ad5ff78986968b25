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
#include "worker/serve/proc_stat.h"

#define GENERATIONS_MAX 64

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

bool tracee_has_begun(pid_t rr)
{
	struct stat own, program;
	pid_t first = tracee_first(rr);
	char path[64];

	if (first == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)rr);
	if (stat(path, &own) < 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)first);
	/* A program that may not be read hides what it is; rr hides nothing. */
	return stat(path, &program) < 0 || program.st_ino != own.st_ino ||
	       program.st_dev != own.st_dev;
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
