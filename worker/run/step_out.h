#ifndef WORKER_STEP_OUT_H
#define WORKER_STEP_OUT_H
/*
 * Out of a function to its caller, and from code without source lines to code that has them. gdb
 * would single-step through the latter until there are some: from the start of a program, minutes.
 */
#include "worker/session/replay.h"

/* Whether the selected frame has a source line. */
bool step_out_has_line(struct replay *replay, bool *has, struct failure *failure);

/* Out of frame `level` of the selected thread: behind its call, or backward to its call. */
bool step_out_finish(
    struct replay *replay, enum direction direction, int level, struct failure *failure);
/* Whether the last finish came to the caller; else something stopped it on the way. */
bool step_out_came(const struct replay *replay, enum direction direction);

struct step_out {
	bool arrived;	  /* else something stopped the program on the way */
	const char *note; /* for the client; NULL: none */
};
typedef bool step_out_run(
    struct replay *replay, enum direction direction, struct step_out *out, struct failure *failure);

/* To the nearest caller with a source line; if there is none, to main. */
step_out_run step_out_to_line;
/* On to where main begins; or back to where it returned, or began if it did not return. Without a
 * main, backward goes to the start. */
step_out_run step_out_to_main;

#endif
