#ifndef WORKER_MAPPINGS_H
#define WORKER_MAPPINGS_H
/*
 * The program's mappings at the present moment: where, with which rights, from which file. We ask
 * rr once a stop, because every moment has its own mappings; for code, once an event.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/session/replay.h"

struct mapping {
	unsigned long long start, end, offset; /* [start, end) shows the file from offset on */
	char rights[5];			       /* rwxp, rwxs */
	const char *file;		       /* [stack], [heap], [vdso]; "": anonymous */
};

struct mappings;

/* NULL if rr does not tell. */
struct mappings *mappings_read(struct replay *replay);
/* The same for who asks where code is mapped from. That changes with an event only, as calls of
 * mmap are; of the stack and of rights these may be a little old. */
struct mappings *mappings_of_code(struct replay *replay);
/* The pure part of it: gdb's text of `info proc mappings`. */
struct mappings *mappings_parse(const char *text);
void mappings_free(struct mappings *mappings);

static inline void mappings_cleanup(struct mappings **mappings)
{
	mappings_free(*mappings);
}

/* Frees them at the end of the scope. */
#define cleanup_mappings __attribute__((cleanup(mappings_cleanup)))

/* Where they are NULL, there are none. */

size_t mappings_count(const struct mappings *mappings);
const struct mapping *mappings_get(const struct mappings *mappings, size_t number);

/* The mapping that contains an address, or the next one above it; NULL: none. */
const struct mapping *mappings_find(const struct mappings *mappings, unsigned long long address);
const struct mapping *mappings_above(const struct mappings *mappings, unsigned long long address);

/* 's' if the memory there is shared with others, 'p' if it is not; 0: rr does not tell. */
char mappings_sharing(struct replay *replay, unsigned long long address);

/* Where the file of a mapping begins in memory: the base for module+offset. */
unsigned long long mappings_base(const struct mappings *mappings, const struct mapping *mapping);

#endif
