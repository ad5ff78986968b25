#ifndef WORKER_PROGRAM_H
#define WORKER_PROGRAM_H
/*
 * The program that is to be recorded: found as rr will find it, and checked.
 */
#include "worker/serve/ops.h"
#include "worker/trace/trace.h"

/*
 * Looks for `name` from `directory` on, or in `search` (a PATH, may be NULL) when it has no slash.
 * `folder` gets the directory that its file is in, links resolved. False with *failure filled when
 * there is none, it may not be executed or recorded, or its recording could not be replayed.
 */
bool program_find(const struct worker *worker, const char *directory, const char *name,
    const char *search, char folder[TRACE_PATH_MAX], struct failure *failure);

#endif
