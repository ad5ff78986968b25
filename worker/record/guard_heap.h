#ifndef WORKER_GUARD_HEAP_H
#define WORKER_GUARD_HEAP_H
/*
 * The guard heap of a recording: how it is loaded into the program, and what it counted.
 */
#include "worker/record/record_plan.h"

/* Checks that it can be used, and that the library is there. False with *failure filled. */
bool guard_heap_plan(
    struct record_plan *plan, const struct record_request *request, struct failure *failure);

/* The words for rr, put into argv from *count on. */
void guard_heap_argv(const struct record_plan *plan, size_t *count);

/* Names the file in which the program's processes count, for the name that the trace has now. False
 * without memory. */
bool guard_heap_place_count(struct record_plan *plan);

/* After the recording: {mode, blocks, unguarded?, …}, to be released; *note, if the guard heap did
 * not guard all: what that means, for the caller to free. `trace` is its directory. */
json_t *guard_heap_tell(const struct record_plan *plan, int trace, char **note);

void guard_heap_free(struct record_plan *plan);

#endif
