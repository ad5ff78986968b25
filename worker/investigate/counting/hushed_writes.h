#ifndef WORKER_HUSHED_WRITES_H
#define WORKER_HUSHED_WRITES_H
/*
 * Writes of which a search for a predicate need not hear, because it does not hold behind them: the
 * software counter lets the program run on there, without rr and gdb. See softpmu/traps/hushed.h.
 */
#include "worker/investigate/code/agent_code.h"

struct hushed_writes {
	char code[2 * AGENT_CODE_BYTES + 1]; /* "": every write stops */
	struct agent_place place;	     /* what it reads */
};

/* Prepares it for a predicate, in whose variables the selected frame's are meant. */
void hushed_writes_make(struct hushed_writes *writes, struct replay *replay, const char *predicate);

/* From here on, where the predicate does not hold. A watchpoint on all that it reads must be set
 * for writes, and no other. */
void hushed_writes_begin(const struct hushed_writes *writes, struct replay *replay);

/* Each write stops again. To be called before anything else is watched. */
void hushed_writes_end(const struct hushed_writes *writes, struct replay *replay);

#endif
