#ifndef WORKER_MAPPINGS_H
#define WORKER_MAPPINGS_H
/*
 * The memory of the program at the moment it stands at: what is mapped where, with which rights and
 * from which file. As rr tells it; read anew for each question, because each moment has its own.
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

/* NULL when rr does not tell them. */
struct mappings *mappings_read(struct replay *replay);
/* The pure part of it: gdb's text of `info proc mappings`. */
struct mappings *mappings_parse(const char *text);
void mappings_free(struct mappings *mappings);

size_t mappings_count(const struct mappings *mappings);
const struct mapping *mappings_get(const struct mappings *mappings, size_t number);

/* The one an address lies in, or the next one above it; NULL. */
const struct mapping *mappings_find(const struct mappings *mappings, unsigned long long address);
const struct mapping *mappings_above(const struct mappings *mappings, unsigned long long address);

/* Where the file of a mapping begins in memory: the base of module+offset. */
unsigned long long mappings_base(const struct mappings *mappings, const struct mapping *mapping);

#endif
