/*
 * Counts tasks in /proc. Without a process namespace others' tasks are counted too: at worst a
 * session is brought back that need not have been.
 */
#include "worker/session/copies.h"
#include "worker/serve/proc_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>

#define TASKS_MAX	1000 /* more than at the session's begin */
#define SEEKS_PER_COUNT 8

/* A dead process that nobody reaped has one thread. */
static unsigned long count_tasks(void)
{
	DIR *proc = opendir("/proc");
	unsigned long count = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));)
		if (isdigit((unsigned char)entry->d_name[0]))
			count += proc_stat_field(dirfd(proc), entry->d_name, PROC_STAT_THREADS);
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
