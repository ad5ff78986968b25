#ifndef WORKER_INLINED_H
#define WORKER_INLINED_H
/*
 * Where the passes of inlined code begin: gdb's own places for it are passed too seldom, or at the
 * wrong time.
 */
#include "worker/session/replay.h"

#define INLINED_MAX 16 /* addresses */

struct inlined {
	unsigned long long at[INLINED_MAX];
	size_t count; /* 0: none of it is inlined, or gdb's places are the right ones */
	bool unknown; /* it is inlined, and where its passes begin is not known */
	char why[120];
};

/* Whether gdb has the script, which it gets here for the first time. */
bool inlined_is_taught(struct replay *replay);

/* At a breakpoint of that location: the level of the frame of the function that it names, where gdb
 * stands in code that is inlined into that one, and begins with it. 0: it stands in it, the
 * location names none, or that cannot be told. */
int inlined_level(struct replay *replay, const char *location);

/* bkpt: gdb's breakpoint at the location, whose places are looked at. */
struct inlined inlined_find(struct replay *replay, const char *location, const json_t *bkpt);

/* The answer's warning that passes may be missing. */
void inlined_warn(struct replay *replay, const char *location, const struct inlined *inlined);

#endif
