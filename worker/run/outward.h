#ifndef WORKER_OUTWARD_H
#define WORKER_OUTWARD_H
/*
 * Out of a function to its caller, and from code without source lines to code that has them. gdb
 * would single-step through the latter until there are some: from the start of a program, minutes.
 */
#include "worker/session/replay.h"

/* Whether the selected frame has a source line. */
bool outward_has_line(struct replay *replay, bool *has, struct failure *failure);

/* Out of frame `level` of the selected thread: behind its call, or backward to its call. */
bool outward_finish(
    struct replay *replay, enum direction direction, int level, struct failure *failure);
/* Whether the last finish came to the caller; else something stopped it on the way. */
bool outward_came(const struct replay *replay, enum direction direction);

struct outward {
	bool arrived;	  /* else something stopped the program on the way */
	const char *note; /* for the client; NULL: none */
};
typedef bool outward_way(
    struct replay *replay, enum direction direction, struct outward *way, struct failure *failure);

/* To the nearest caller with a source line; if there is none, to main. */
outward_way outward_to_line;
/* On to where main begins; or back to where it returned, or began if it did not return. Without a
 * main, backward goes to the start. */
outward_way outward_to_main;

#endif
