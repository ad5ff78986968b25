#ifndef WORKER_OUTSIDE_H
#define WORKER_OUTSIDE_H
/*
 * The programs and libraries that ran and of which a trace has no copy, because rr could neither
 * link nor copy them: rr replays whatever is at their places now, and says nothing.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/wire/failure.h"

#define OUTSIDE_MAX 1000 /* files; of more nothing is known */

struct outside_file {
	char *path;
	long long size, inode; /* when they ran */
};

struct outside { /* starts as zeros */
	struct outside_file *list;
	size_t count;
};

void outside_free(struct outside *outside);

/* Takes a line of `rr dump -p` that begins with OUTSIDE_LINE. */
#define OUTSIDE_LINE "  { map_file:"
void outside_note(struct outside *outside, const char *line);

/*
 * Whether no file has another size by now: with one of them, the replay would not be what the
 * program did. Of a file with another inode, which may have the same bytes, adds a warning. A file
 * that is gone is rr's to report.
 */
bool outside_is_as_it_was(const struct outside *outside, json_t *warnings, struct failure *failure);

#endif
