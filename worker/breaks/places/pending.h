#ifndef WORKER_PENDING_H
#define WORKER_PENDING_H
/*
 * Breakpoints in libraries that are not loaded yet: gdb keeps them and sets them later. That is
 * right for a library's function before the dynamic linker has run, and wrong for a mistyped name.
 */
#include "worker/session/replay.h"

/* After gdb refused a location with *refused: whether the breakpoint shall wait for a library.
 * `asked`: the client wants that in any case. */
bool pending_is_likely(
    struct replay *replay, const char *location, bool asked, const struct failure *refused);

/* Whether gdb refused it because nothing has it, and no name is like it. */
bool pending_is_no_mistake(
    struct replay *replay, const char *location, const struct failure *refused);

/* Whether gdb's description of a breakpoint says that it still waits. */
bool pending_waits(const json_t *bkpt);

/* A location that nothing had, up to where the program stands: an error with similar names. */
void pending_fail(struct replay *replay, const char *location, struct failure *failure);

/* Lists in an answer which of the client's breakpoints still wait. At the end of the recording,
 * they will never be set. */
void pending_note(struct replay *replay, json_t *answer);

/* Whether a search that found nothing ran past a library whose place was found only then: *failure
 * says so, and a second search finds what is in it. */
bool pending_was_late(struct replay *replay, const char *location, struct failure *failure);

#endif
