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
 * can be recorded; `real` gets its file, links resolved. False with *failure filled when there is
 * none, it may not be executed or recorded, or its recording could not be replayed.
 */
bool program_find(const struct worker *worker, const char *directory, const char *name,
    const char *search, char program[PATH_MAX], char real[PATH_MAX], struct failure *failure);

/*
 * Programs that run others by ptrace, or in a translation of their own (valgrind): rr 5.6 to 5.9
 * emulate only a part of ptrace, and stop themselves, hang or take minutes. `path` is where its
 * file is, or its name as the kernel cuts it.
 */
bool program_is_tracer(const char *path);

/* What to do instead. */
#define PROGRAM_TRACER_HINT                                                                        \
	"record the traced program itself; the recording then answers what the tracer would: "     \
	"rr_trace_calls, rr_heap_history, breakpoints"

#endif
