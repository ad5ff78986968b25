#ifndef TESTS_E2E_SWEEP_H
#define TESTS_E2E_SWEEP_H
/*
 * One pass forward through a recording with all points set that a test uses later. Keeps each hit
 * in order, with the moments around it. Every other way to search must give the same answers.
 */
#include <stdbool.h>
#include "tests/e2e/harness.h"

#define SWEEP_POINTS_MAX 8
#define SWEEP_HITS_MAX	 2000

struct point {
	const char *what; /* a location, or an expression to watch; NULL ends a list */
	bool watch;
};

#define POINT_SIGNAL                                                                               \
	(-1) /* a hit that is a signal of the program: nothing has to be set for it                \
	      */

struct place_in_time {
	long long event, ticks, tid; /* event 0: not known */
	unsigned long long pc;	     /* tells places between two branches apart */
	char moment[64];	     /* as the answer named it */
};

struct hit {
	int point;		     /* its index, or POINT_SIGNAL */
	struct place_in_time at;     /* where a run forward stops; for a write, after it */
	struct place_in_time before; /* for a write, where a run backward stops (by walking) */
	long long who, round;	     /* arguments, of a breakpoint in a function that has them */
	char old[80], new[80];	     /* of a write */
};

struct sweep {
	const struct point *points;
	size_t point_count, hit_count;
	struct hit hits[SWEEP_HITS_MAX];
	struct place_in_time end;
};

/* Runs a session of the client from where it stands to the end; sets and removes the points. */
struct sweep *sweep_make(struct client *client, const struct point *points);
void sweep_free(struct sweep *sweep);

/* The moment of a stop, or of another answer that has one. */
struct place_in_time sweep_place(const json_t *answer);

/* < 0: a is earlier; > 0: later; 0: the same, or too near to tell. */
int sweep_compare(const struct place_in_time *a, const struct place_in_time *b);

/* Sets a point with a condition (NULL: none), and returns its number. */
long long sweep_set(struct client *client, const struct point *point, const char *condition);

#endif
