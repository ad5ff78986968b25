/*
 * Counts tasks in /proc. Without a process namespace this counts other users' tasks too. The worst
 * result is that a session is restored without need.
 */
#include "worker/session/launch/leftover_forks.h"
#include "worker/session/replay_inside.h"
#include "worker/serve/proc_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>

#define TASKS_MAX	  1000 /* more than at the session's start */
#define TASKS_MAX_IN_CALL 10000
#define SEEKS_PER_COUNT	  8

/* A zombie has one thread. */
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

static unsigned long min(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

/* The session's limit of processes. */
static unsigned long limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NPROC, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/* Looks after some seeks only. */
static bool are_more(struct replay *replay, unsigned *seeks, unsigned long most)
{
	if (*seeks < SEEKS_PER_COUNT)
		return false;
	*seeks = 0;
	return count_tasks() > replay->leftover_forks.tasks + most;
}

void leftover_forks_begin(struct replay *replay)
{
	replay->leftover_forks = (struct leftover_forks){.tasks = count_tasks()};
}

void leftover_forks_seek(struct replay *replay)
{
	replay->leftover_forks.seeks++;
	replay->leftover_forks.seeks_in_call++;
}

/* At most half, so that the next call has the other half. */
bool leftover_forks_are_too_many(struct replay *replay)
{
	return are_more(replay, &replay->leftover_forks.seeks, min(TASKS_MAX, limit() / 2));
}

/* The rest is for the session's own processes, and for the seeks until tasks are counted again. */
bool leftover_forks_are_at_the_limit(struct replay *replay, struct failure *failure)
{
	if (!are_more(replay, &replay->leftover_forks.seeks_in_call,
		min(TASKS_MAX_IN_CALL, limit() / 8 * 5)))
		return false;
	replay->worker->broken = true;
	failure_set(failure, ERROR_LIMIT,
	    "ask for less in one call; the next call brings the session back where it stood",
	    "the call went to so many moments that rr's copies of the program are nearly as many "
	    "processes as a session may have");
	return true;
}
