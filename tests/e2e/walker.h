#ifndef TESTS_E2E_WALKER_H
#define TESTS_E2E_WALKER_H
/*
 * The inside of a walk, for walk.c and the moves that have files of their own.
 */
#include "tests/e2e/walk.h"

#define CHECKPOINTS_MAX 4
#define HISTORY_MAX	8192

/* Where the session stands among the hits: behind hit `behind`, before hit `ahead`. Of those
 * between the two it is on one, or it is not known where it stands among them. */
struct whereabouts {
	int behind, ahead;
	bool on; /* exactly on the one between the two */
};

struct walker {
	struct client *client;
	struct sweep *sweep;
	const struct point *points;
	const struct walk_condition *conditions;
	const char *label;
	unsigned long long chance;
	struct whereabouts at;
	long long numbers[WALK_POINTS]; /* 0: not set */
	long long only[WALK_POINTS];	/* the number in its condition; -1: it has none */
	struct {
		long long id;
		struct whereabouts at;
	} checkpoints[CHECKPOINTS_MAX];
	size_t checkpoint_count;
	char history[HISTORY_MAX];
	size_t history_length;
	char chosen_at[80]; /* the moment where a thread was selected last; "": nowhere */
	bool until;	    /* this run stops at TOUCH as well */
	bool lost; /* the session has been brought back: it knows its moments' names no more */
	long refused;
	long long pid; /* the process whose hits the sweep has */
};

/* A number below `below`. */
unsigned walker_draw(struct walker *walker, unsigned below);

/* Adds to the moves that a failure tells. */
void walker_note(struct walker *walker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the process: the answer is not the sweep's, which has this hit there (-1: none). */
void walker_disagree(struct walker *walker, const char *what, int hit, const json_t *answer)
    __attribute__((noreturn));

/* Where a stop lies that need not be at a hit. */
struct whereabouts walker_locate(const struct walker *walker, const struct place_in_time *place);

/* Whether it is known between which two hits the session stands, or on which. */
bool walker_is_exact(const struct walker *walker);

/* Whether the session is another process's: a run back has gone over a fork into the parent. Then
 * it comes back to one of the walk's own moments. */
bool walker_comes_home(struct walker *walker);

/* What was written to `value` by that hit, or last before it. */
const char *walker_value_behind(const struct walker *walker, int hit);

/* A call that is interrupted or cancelled at some instant (cut.c). */
void walker_cut(struct walker *walker);

#endif
