#ifndef WORKER_ROOM_H
#define WORKER_ROOM_H
/*
 * Room on the disks that a recording writes to: the trace's own, where rr keeps its temporary
 * files too, or the one of the user's RR_TMPDIR. A disk that is full of them ends rr silently.
 */
#include "worker/record/plan/record_plan.h"
#include "worker/serve/ops.h"

/* Bytes that --free-disk keeps free; 0: none. */
uint64_t room_to_keep(const struct worker *worker);

/* Bytes that this user may still write to the file system of an open directory. UINT64_MAX where it
 * does not say. */
uint64_t room_left(int directory);

/* Before rr starts. False with the failure filled in, the directory named. */
bool room_check(
    const struct worker *worker, const struct record_plan *plan, struct failure *failure);

/* After rr has failed, with its wait status and what it said. True with the failure filled in when
 * the reason was lack of room. */
bool room_explain(const struct record_plan *plan, int status, const char *words, size_t length,
    struct failure *failure);

#endif
