#ifndef TESTS_E2E_WALK_H
#define TESTS_E2E_WALK_H
/*
 * Random walks of a session: steps, runs both ways, seeks, searches, with points set and removed,
 * with conditions and counts. Each answer has to be the sweep's.
 */
#include "tests/e2e/sweep.h"

/* What the points of a program are, in this order. */
enum { TOUCH, SET_TEXT, VALUE, FIELD, TEXT, WALK_POINTS };

struct walker;

/* Begins where the session stands. `points` has WALK_POINTS rows and one that ends it; `label` says
 * how to repeat the walk, for a failure. All three are borrowed. */
struct walker *walker_new(
    struct client *client, struct sweep *sweep, unsigned long long chance, const char *label);
void walker_free(struct walker *walker);

/* One walk of eight moves, from a hit that chance draws; what is set stays for the next. Ends the
 * process, with the moves and the label on stderr, when an answer is not the sweep's. */
void walker_walk(struct walker *walker);

#define MOVES_IN_WALK 8

#endif
