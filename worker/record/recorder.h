#ifndef WORKER_RECORDER_H
#define WORKER_RECORDER_H
/*
 * Whether rr itself stopped, and the answer about that.
 */
#include <jansson.h>
#include <stdbool.h>
#include "worker/record/recording.h"

/*
 * Looks at a complete trace. If rr stopped while the program still ran: true, with *failure filled,
 * its details the answer that a recording has otherwise; rr's last words are in a file of the
 * trace, and the trace can be replayed up to there. `list`, as query_processes made it, is then
 * taken over. If rr stopped later than the program, its words are taken out of the program's
 * output, and the answer is to have the note *late, which the caller frees.
 */
bool recorder_stopped(
    struct recording *recording, json_t *list, char **late, struct failure *failure);

/* Fails for a trace that rr did not close because it was killed by a signal that it does not raise
 * itself. False if that is not what happened. */
bool recorder_killed(const struct recording *recording, struct failure *failure);

#endif
