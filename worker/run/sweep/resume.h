#ifndef WORKER_RESUME_H
#define WORKER_RESUME_H
/*
 * One resumption of the program, until it stops. Everything that moves the program by gdb's
 * commands goes through here; stop.h says what the stop means.
 */
#include "worker/session/replay.h"

struct resumption {
	const char *verb; /* of MI's -exec-VERB: continue, step, next-instruction, finish */
	enum direction direction;
	bool stepping;	 /* of the selected thread, which gdb is told; else of all */
	int frame;	 /* with finish, the one to leave; else -1 */
	long long count; /* 0: none is said */
};

/*
 * A run backward goes on if it stops at the signal at which the program already stood, because rr
 * reports that signal once more. From the end, only a continue reports it. ERROR_UNSUPPORTED: a
 * thread began on the way back, and the program stands where it did.
 */
bool resume_run(
    struct replay *replay, const struct resumption *resumption, struct failure *failure);

#endif
