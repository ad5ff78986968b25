#ifndef WORKER_JUDGED_H
#define WORKER_JUDGED_H
/*
 * A watchpoint's condition that is read at each hit, by gdb/script/judged.py, because a name in it
 * comes and goes with a library. gdb reads a condition when it sets the watchpoint, and again when
 * a library comes or goes: where it cannot, it switches the watchpoint off.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

enum {
	JUDGED_CONDITION_MAX = 32,
	JUDGED_LONGER_MAX = 300, /* bytes more than the client's condition has */
};

/* The condition for every frame, as judged_condition takes it; NULL: gdb itself shall read it. The
 * caller's to free. */
char *judged_everywhere(struct replay *replay, const char *condition);

/* What gdb is to evaluate instead. False: gdb has no Python. */
bool judged_condition(struct replay *replay, const char *judged, char to[JUDGED_CONDITION_MAX]);

/* Why it could not be read where gdb has judged it last, which counts as a hit; NULL: it could. The
 * caller's to free. */
char *judged_unread(struct replay *replay, const char *judged);

/* For a watchpoint that gdb has set with its condition: remembers in it how it is judged, and lets
 * gdb judge it so. */
void judged_adopt(struct replay *replay, struct breakpoint *breakpoint, int gdb_number);

#endif
