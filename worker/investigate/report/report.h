#ifndef WORKER_REPORT_H
#define WORKER_REPORT_H
/*
 * Reports on a program's end: a crash, a hang that somebody ended, or an exit status that means a
 * failure. Centres on the first frame of the program's own code.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/investigate/threads/lock_history.h"
#include "worker/session/replay.h"

/* Call this at a fatal signal, which `stop` describes, and which came of `fault`. NULL with
 * *failure filled. */
json_t *report_of_crash(
    struct replay *replay, const json_t *stop, const struct fault *fault, struct failure *failure);

/* The same for a core file, whose process may have been copied while it lived. */
json_t *report_of_core(
    struct replay *replay, const json_t *stop, const struct fault *fault, struct failure *failure);

/* Tells the crash anew, with the frames, the source and the variables of where the program stands
 * now: where its cause is. False with *failure filled, and the report as it was. */
bool report_from_here(
    struct replay *replay, json_t *report, const struct fault *fault, struct failure *failure);

/* Gives frames in front of a call, or of a jump as a function's last thing, to where no code is the
 * levels behind it: a call has added a frame, a jump has taken its own away. */
void report_count_behind(json_t *report, bool called);

/* Adds a further clause to its conclusion. */
void report_add_cause(json_t *report, const char *cause);

/* The last non-empty line of `output` (may be NULL), from its beginning; NULL: there is none. */
json_t *report_last_line(const json_t *output);

/*
 * For a process that a signal from outside ended, or that exited with a status other than 0. Goes
 * to the last moment at which all its threads existed. `output` (may be NULL) is what it printed.
 * For who holds which lock it has that patience, and says if it was not enough. NULL
 * with *failure filled; NULL with an empty *failure if the process ended well.
 */
json_t *report_of_ending(struct replay *replay, const json_t *output, struct lock_patience patience,
    struct failure *failure);

#endif
