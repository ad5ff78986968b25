/*
 * Counts tasks in /proc. Without a process namespace others' tasks are counted too: at worst a
 * session is brought back that need not have been.
 */
#include "worker/session/copies.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TASKS_MAX	1000 /* more than at the session's begin */
#define SEEKS_PER_COUNT 8
#define STAT_MAX	512
#define THREADS_FIELD	18 /* of stat, counted from behind the name */

/* How many threads a process of /proc has; a dead one that nobody reaped has one. */
static unsigned long threads_of(int proc, const char *number)
{
	char path[64], text[STAT_MAX];
	ssize_t length;
	const char *at;
	int fd;

	snprintf(path, sizeof(path), "%.20s/stat", number);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	at = strrchr(text, ')');
	for (int field = 0; at && field < THREADS_FIELD; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoul(at, NULL, 10) : 0;
}

static unsigned long count_tasks(void)
{
	DIR *proc = opendir("/proc");
	unsigned long count = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));)
		if (isdigit((unsigned char)entry->d_name[0]))
			count += threads_of(dirfd(proc), entry->d_name);
	if (proc)
		closedir(proc);
	return count;
}

/* Half of what the session may have, so that a call that seeks often does not reach the end. */
static unsigned long most_tasks(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur / 2 < TASKS_MAX)
		return limit.rlim_cur / 2;
	return TASKS_MAX;
}

void copies_begin(struct replay *replay)
{
	replay->copies = (struct copies){.tasks = count_tasks()};
}

bool copies_are_too_many(struct replay *replay)
{
	struct copies *copies = &replay->copies;

	if (copies->seeks < SEEKS_PER_COUNT)
		return false;
	copies->seeks = 0;
	return count_tasks() > copies->tasks + most_tasks();
}
