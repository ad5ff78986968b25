#ifndef WORKER_RECORD_H
#define WORKER_RECORD_H
/*
 * rr_record and rr_record_until: a program under rr, once or until it fails.
 */
#include "worker/record/recording.h"

/* True when rr closed a trace in which the program was executed; *list gets its processes, or NULL
 * when rr ps failed for a reason of its own. */
bool record_is_usable(struct recording *recording, json_t **list);

/* Fills the failure with rr's words, and removes the trace, which cannot be replayed. */
void record_fail(struct recording *recording, struct failure *failure);

/* Has the monitor note which sources the recorded programs name. Adds a note to the result (or
 * NULL) if that fails. */
void record_note_sources(const struct recording *recording, json_t *result);

#endif
