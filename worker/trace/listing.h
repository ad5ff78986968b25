#ifndef WORKER_LISTING_H
#define WORKER_LISTING_H
/*
 * The traces in a directory, newest first, a page at a time.
 */
#include <stddef.h>
#include <time.h>
#include "worker/serve/ops.h"
#include "worker/trace/trace.h"

#define LISTING_ENTRIES_MAX 20000 /* directory entries looked at */

struct listing_entry {
	char *name;
	struct timespec created;
	enum trace_state state;
};

struct listing {
	int directory;
	char path[TRACE_PATH_MAX];
	char latest[NAME_MAX + 1]; /* what latest-trace points to, or "" */
	struct listing_entry *entries;
	size_t count;
	bool cut; /* the directory held more than LISTING_ENTRIES_MAX */
};

/* Reads the directory that a client named ("": where rr keeps traces; one that does not exist yet
 * is empty). False with *failure filled. listing_close in every case. */
bool listing_open(const struct worker *worker, const char *name, struct listing *listing,
    struct failure *failure);
void listing_close(struct listing *listing);

/* The disk space that an open trace takes for itself: files linked from elsewhere do not count. */
uint64_t listing_trace_bytes(int trace);

/* "2026-11-21T10:58:48Z" */
void listing_time_text(time_t when, char *text, size_t size);

/* When the trace in the open directory was begun. */
struct timespec listing_trace_created(int trace);

#endif
