#ifndef WORKER_DIVERGENCE_H
#define WORKER_DIVERGENCE_H
/*
 * Where two runs of the same program part: the first place that only one of them passed, thread by
 * thread. Moves both runs, and leaves them anywhere.
 */
#include "worker/investigate/search/track.h"

enum { GOOD, BAD };

enum divergence_kind {
	DIVERGENCE_NONE, /* both ran through the same places to their end */
	DIVERGENCE_FOUND,
	DIVERGENCE_LIMIT,  /* as far as the limit, both are the same */
	DIVERGENCE_CUT,	   /* interrupted; as far as they were compared, both are the same */
	DIVERGENCE_FAILED, /* *failure is filled */
};

struct divergence {
	struct track tracks[2];
	enum divergence_kind kind;
	size_t thread,
	    index;	 /* with DIVERGENCE_FOUND: which pass of which thread is not the same */
	bool gone;	 /* the tracks are no longer those of the divergence */
	bool lines;	 /* compared by lines; otherwise by the functions that begin */
	bool from_start; /* from the start of both runs */
	size_t calls;	 /* that are the same in both */
	struct pass_of at[2][2]; /* [run][0]: the first that differs, [1]: the last common one */
	bool has[2][2];
	struct pass_of from; /* where the comparison by lines began in the bad run, unless it
			      * did at the start */
};

/* Compares calls, at most `limit` in each run, then lines. */
void divergence_find(struct divergence *divergence, size_t limit, struct failure *failure);

/* A pass of one run, counted back from the divergence: 0 is the first that differs, 1 the last that
 * is common. NULL: there is none. */
const struct pass_of *divergence_pass(const struct divergence *divergence, int run, size_t back);

/* The first two common places between which the runs took a different number of branches in other
 * code: sets *before to the number of the first. False: there is none, or it is not known. */
bool divergence_elsewhere(const struct divergence *divergence, size_t *thread, size_t *before);

#endif
