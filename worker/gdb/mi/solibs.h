#ifndef WORKER_SOLIBS_H
#define WORKER_SOLIBS_H
/*
 * The libraries of the program that gdb knows, by what it notifies of them. Pure.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct solibs {
	json_t *known;		/* {id: {hash, ranges: [{from, to}] of its code}} */
	unsigned long long sum; /* of these hashes: the same libraries have the same sum */
	unsigned changes;	/* how often gdb has notified one */
};

bool solibs_begin(struct solibs *solibs);
void solibs_end(struct solibs *solibs);

/* Takes a notification with that name; of others than library-loaded and library-unloaded nothing.
 */
void solibs_note(struct solibs *solibs, const char *name, const json_t *results);

struct solib_range {
	unsigned long long from, to; /* to: behind the last byte */
};

/* Where their code lies; false: there are more than `max` ranges. */
bool solibs_ranges(
    const struct solibs *solibs, struct solib_range *ranges, size_t max, size_t *count);

#endif
