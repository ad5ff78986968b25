#ifndef WORKER_UNACCESSED_H
#define WORKER_UNACCESSED_H
/*
 * A watched byte is not an accessed byte: the processor also stops at bytes that the mask of a
 * vector instruction leaves out. Tells such hits of the client's watchpoints from accesses.
 *
 * LIMIT: gdb counts such a hit against an ignore count by itself.
 */
#include "worker/read/values/accessed.h"
#include "worker/session/replay.h"

#define UNACCESSED_MAX 1000000 /* hits that one run passes over */

struct unaccessed {
	enum accessed_touch touch; /* of the bytes of any of the client's watchpoints */
	bool other; /* YES only for another watchpoint than the one that gdb names: rr names one */
};

/* Judges gdb's last stop, in the thread that stopped. A stop that is no watchpoint's of the client,
 * or where the value changed, is YES. MAYBE: the mask cannot be read any more, or another
 * instruction may have led here. */
struct unaccessed unaccessed_judge(struct replay *replay, enum direction direction);

/* Whether a run goes on, because the last stop is no access: counts it in
 * replay_run(replay)->passed_over, and no longer among the watchpoint's hits. If a breakpoint lies
 * there too, the stop is that one's. */
bool unaccessed_pass(struct replay *replay, enum direction direction);

/* Adds to a stop what was passed over, and what is not certain about its watchpoint. */
void unaccessed_tell(struct replay *replay, enum direction direction, json_t *stop);

#endif
