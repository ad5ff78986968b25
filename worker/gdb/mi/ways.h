#ifndef WORKER_WAYS_H
#define WORKER_WAYS_H
/*
 * Several of gdb's breakpoints that are one for everybody else: the first one, and those at the
 * other ways into the same inlined code, for which gdb has no location. Numbers alone.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define WAYS_MAX 256

/* Starts as {0}. gdb never gives a number twice. */
struct ways {
	struct way {
		int number, first;
	} known[WAYS_MAX];
	size_t count;
};

/* False: there are too many. */
bool ways_add(struct ways *ways, int number, int first);

/* Whether this breakpoint has others. */
bool ways_has(const struct ways *ways, int first);

/* Adds their numbers to a command that deletes, enables or disables the first. Returns the new
 * length. */
size_t ways_join(const struct ways *ways, char *command, size_t length, size_t size);

/* In an answer to -break-list, the first one's hits become those of all. */
void ways_sum(const struct ways *ways, json_t *results);

/* Gives a stop at one of them the first one's number. */
void ways_name(const struct ways *ways, json_t *stop);

#endif
