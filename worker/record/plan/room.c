/*
 * See room.h. Only looks: makes no room, and removes nothing.
 */
#include "worker/record/plan/room.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

/* What rr writes at once, with its temporary files; and what they take alone. With less than that
 * left, room is what rr lacked. */
#define ROOM_FOR_TRACE	   (2u << 20)
#define ROOM_FOR_TEMPORARY (1u << 20)

#define HINT_TRACE     "remove traces with rr_rm, or give a trace_dir on another disk"
#define HINT_TEMPORARY "free space there, or leave out RR_TMPDIR"

uint64_t room_to_keep(const struct worker *worker)
{
	json_int_t value = json_integer_value(json_object_get(worker->config.limits, "free_disk"));

	return value > 0 ? (uint64_t)value : 0;
}

uint64_t room_left(int directory)
{
	struct statvfs disk;

	if (fstatvfs(directory, &disk) < 0)
		return UINT64_MAX;
	/* A file system may be out of inodes as well; some have no number of them. */
	if (disk.f_files > 0 && disk.f_favail == 0)
		return 0;
	return (uint64_t)disk.f_bavail * disk.f_frsize;
}

static uint64_t room_left_in(const char *path)
{
	cleanup_fd int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? UINT64_MAX : room_left(fd);
}

static const char *variable(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Where rr keeps its temporary files, if not in the trace; else NULL. */
static const char *temporary(const struct record_plan *plan)
{
	return plan->has_own_temporary ? NULL : variable(plan->environment, "RR_TMPDIR");
}

static void fail(struct failure *failure, const char *what, const char *hint, const char *directory,
    const char *role, uint64_t left, uint64_t needed)
{
	failure_set(failure, ERROR_LIMIT, hint,
	    "%s: %.400s, %s, has %llu KB left, but %llu KB are needed", what, directory, role,
	    (unsigned long long)(left >> 10), (unsigned long long)(needed >> 10));
}

/* Which of the two directories has too little. False when both have enough. */
static bool find_full(
    const struct record_plan *plan, const char *what, uint64_t for_trace, struct failure *failure)
{
	const char *directory = temporary(plan);
	uint64_t left = directory ? room_left_in(directory) : UINT64_MAX;

	if (left < ROOM_FOR_TEMPORARY) {
		fail(failure, what, HINT_TEMPORARY, directory, "where rr keeps temporary files",
		    left, ROOM_FOR_TEMPORARY);
		return true;
	}
	left = room_left_in(plan->destination.parent);
	if (left >= for_trace)
		return false;
	fail(failure, what, HINT_TRACE, plan->destination.parent,
	    for_trace > ROOM_FOR_TRACE ? "where --free-disk reserves space"
				       : "where the trace goes",
	    left, for_trace);
	return true;
}

bool room_check(
    const struct worker *worker, const struct record_plan *plan, struct failure *failure)
{
	uint64_t keep = room_to_keep(worker);

	return !find_full(plan, "there is not enough disk space for a recording",
	    keep > ROOM_FOR_TRACE ? keep : ROOM_FOR_TRACE, failure);
}

static bool says(const char *words, size_t length, const char *what)
{
	return memmem(words, length, what, strlen(what)) != NULL;
}

bool room_explain(const struct record_plan *plan, int status, const char *words, size_t length,
    struct failure *failure)
{
	bool said = says(words, length, "ENOSPC") || says(words, length, "EDQUOT") ||
		    says(words, length, "No space left");
	/* A page of a mapped file that no block is left for. */
	bool silent = WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;

	if (!said && !silent)
		return false;
	if (find_full(plan, "the disk filled up, and rr could not close the trace", ROOM_FOR_TRACE,
		failure))
		return true;
	if (said)
		failure_set(failure, ERROR_LIMIT, HINT_TRACE,
		    "rr found no space on the disk of %.300s%s", plan->destination.parent,
		    temporary(plan) ? ", or on that of RR_TMPDIR" : "");
	return said;
}
