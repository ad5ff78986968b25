#ifndef TESTS_E2E_WALK_H
#define TESTS_E2E_WALK_H
/*
 * Random walks of a session: steps, runs both ways, seeks, searches, with points set and removed,
 * with conditions and counts. Each answer has to be the sweep's.
 */
#include "tests/e2e/sweep.h"

/* What the points of a program are, in this order. */
enum { TOUCH, SET_TEXT, VALUE, FIELD, TEXT, WALK_POINTS };

/* What a point may be set to stop for only. */
struct walk_condition {
	const char *number; /* is one that is drawn from ... */
	unsigned below;	    /* ... this many; some are never reached */
};

struct walker;

/* Begins where the session stands. The sweep's points are WALK_POINTS; `label` says how to repeat
 * the walk, for a failure. All are borrowed. */
struct walker *walker_new(struct client *client, struct sweep *sweep,
    const struct walk_condition conditions[WALK_POINTS], unsigned long long chance,
    const char *label);
void walker_free(struct walker *walker);

/* One walk of eight moves, from a hit that chance draws; what is set stays for the next. Ends the
 * process, with the moves and the label on stderr, when an answer is not the sweep's. False: the
 * session can be walked in no further. */
bool walker_walk(struct walker *walker);

/* How many moves the server has refused, or rr or gdb ended over. */
long walker_refused(const struct walker *walker);

#define MOVES_IN_WALK 8

#endif
