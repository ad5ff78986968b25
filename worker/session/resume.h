#ifndef WORKER_RESUME_H
#define WORKER_RESUME_H
/*
 * One resumption of the program, until it has stopped. Everything that moves the program by gdb's
 * commands goes through here; what the stop means is stop.h's to say.
 */
#include "worker/session/replay.h"

struct resumption {
	const char *verb; /* of MI's -exec-VERB: continue, step, next-instruction, finish */
	enum direction direction;
	bool stepping;	 /* of the selected thread, which is named to gdb; else of all */
	int frame;	 /* with finish, the one to leave; else -1 */
	long long count; /* 0: none is said */
};

/* Where the program stood before it was resumed, to take it back there. */
struct stand {
	struct moment moment;
	int tid; /* selected */
	bool at_end;
};

struct stand resume_stand(const struct replay *replay);
/* After a run that nothing can be said of; false with *failure filled if there is no way back. */
bool resume_undo(struct replay *replay, const struct stand *before, struct failure *failure);

/*
 * Backwards it runs on where the stop is the signal that the program already stood at: rr reports
 * it once more when it is passed the other way. From the end that is news only to a continue.
 */
bool resume_run(
    struct replay *replay, const struct resumption *resumption, struct failure *failure);

#endif
