#ifndef WORKER_PROGRAM_H
#define WORKER_PROGRAM_H
/*
 * Finds the program to record, as rr will find it, and checks it.
 */
#include "worker/serve/ops.h"
#include "worker/trace/trace.h"

/*
 * Looks for `name` from `directory` on, or in `search` (a PATH, may be NULL) when it has no slash.
 * `program` gets the name to start it by, which is not the given one where the settings limit what
 * can be recorded. False with *failure filled when there is none, it may not be executed or
 * recorded, or its recording could not be replayed.
 */
bool program_find(const struct worker *worker, const char *directory, const char *name,
    const char *search, char program[PATH_MAX], struct failure *failure);

#endif
