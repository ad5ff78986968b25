#ifndef WORKER_FIRST_TRUE_H
#define WORKER_FIRST_TRUE_H
/*
 * The first change behind which a predicate holds that reads one place in memory. The software
 * counter looks at the value of each change while the program runs. It may be far behind the change
 * when it notices it, so a second run goes to the change of that number, where gdb judges.
 */
#include "worker/investigate/counting/hushed_writes.h"
#include "worker/investigate/search/search.h"

enum first_true {
	FIRST_TRUE_FOUND,   /* the program stands behind it */
	FIRST_TRUE_NONE,    /* the stretch is searched */
	FIRST_TRUE_CUT,	    /* up to search->reached */
	FIRST_TRUE_UNKNOWN, /* it has to be searched with stops, from where the search began */
	FIRST_TRUE_FAILED,  /* *failure is filled */
};

/* Whether it holds where the program stands. */
typedef bool first_true_judge(void *context, struct replay *replay);

/* Searches from where the program stands, and it does not hold. */
enum first_true first_true_find(struct search *search, const struct hushed_writes *predicate,
    first_true_judge *judge, void *context, struct failure *failure);

#endif
