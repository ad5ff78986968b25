#ifndef WORKER_SILENT_HITS_H
#define WORKER_SILENT_HITS_H
/*
 * The hits of a watchpoint that gdb notes by itself and runs on. A stop costs the most by far, so a
 * search looks at the first hit of each instruction, and lets gdb note the others of it. Where gdb
 * has no Python, or the value is more than a number, every hit stops as before.
 */
#include "worker/session/replay.h"

#define SILENT_HITS_VALUE_MAX 80

struct silent_hits {
	bool made, on;
	int watch; /* gdb's number of its watchpoint */
};

/* Makes one, with a watchpoint of its own for writes to the place of `expression`, in the selected
 * frame. Returns gdb's number of that, or 0 if gdb cannot note hits here. */
int silent_hits_make(struct silent_hits *hits, struct replay *replay, const char *expression);

/* Where the watchpoint comes into force: gdb may note hits from here on, before event `until` (0:
 * to the end). */
void silent_hits_begin(struct silent_hits *hits, struct replay *replay, long long until);

/* At a hit that has stopped, with this new value: from now on, gdb notes the hits at this program
 * counter. No more of any if gdb's Python shows the value otherwise. */
void silent_hits_know(struct silent_hits *hits, struct replay *replay, const char *value);

/* Each hit stops again, until silent_hits_know. */
void silent_hits_stop_all(struct silent_hits *hits, struct replay *replay);

/* Gets each hit that gdb has noted since, in the order of the program. replay_now is the hit's
 * while it does. The texts are borrowed. */
typedef void silent_hits_get(
    void *context, struct replay *replay, const char *old, const char *new);

void silent_hits_take(
    struct silent_hits *hits, struct replay *replay, silent_hits_get *get, void *context);

/* Removes its watchpoint, if silent_hits_make was called. */
void silent_hits_end(struct silent_hits *hits, struct replay *replay);

#endif
