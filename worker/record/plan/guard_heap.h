#ifndef WORKER_GUARD_HEAP_H
#define WORKER_GUARD_HEAP_H
/*
 * The guard heap of a recording: how it is loaded into the program, and what it counted.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/wire/failure.h"
#include "sandbox/wire/tools.h"

struct guard_heap {
	enum heap_kind kind;
	/* Variables of the program; owned, or NULL. */
	char *search, *preload, *limit, *mode, *count;
};

/* Checks that the program, whose file this is, can use it, and that the library is there. `limit`:
 * how many blocks are guarded at a time, 0: as many as the kernel's mappings allow. `env`: the
 * variables that the caller asked for. False with *failure filled. */
bool guard_heap_plan(struct guard_heap *heap, enum heap_kind kind, long long limit,
    const json_t *env, const char *file, const char *program, struct failure *failure);

/* The words for rr, put into argv from *count on. */
void guard_heap_argv(const struct guard_heap *heap, const char **argv, size_t *count);

/* Names the file in which the program's processes count, for the name that the trace has now, in
 * the words of guard_heap_argv. False without memory. */
bool guard_heap_place_count(struct guard_heap *heap, const char **argv, const char *trace);

/* After the recording: {mode, blocks, unguarded?, …}, to be released; *note, if the guard heap did
 * not guard all: what that means, for the caller to free. `trace` is its directory. */
json_t *guard_heap_tell(const struct guard_heap *heap, int trace, char **note);

void guard_heap_free(struct guard_heap *heap);

#endif
