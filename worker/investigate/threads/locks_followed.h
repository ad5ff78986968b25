#ifndef WORKER_LOCKS_FOLLOWED_H
#define WORKER_LOCKS_FOLLOWED_H
/*
 * Who holds and awaits which locks at a moment, and who held which at an earlier one.
 */
#include "worker/investigate/search/search.h"
#include "worker/investigate/threads/threading.h"

/* A lock that a thread holds. */
struct lock_holding {
	size_t thread, object, taking;
	bool shared;
};

struct lock_holdings {
	struct lock_holding *list; /* owned */
	size_t count;
};

struct locks_followed {
	struct replay *replay;
	struct threading *threading; /* NULL: the time was over before it could begin */
	struct search search;
	enum search_end end;
	struct moment reached;	     /* what follows is true there */
	struct lock_holdings held;   /* by thread, as they were taken */
	struct lock_holdings before; /* the same at `from`, if it asked for that */
	bool passed;		     /* `from` */
	/* For the pass. */
	int guard; /* gdb's number of the breakpoint at `from` */
	struct fingerprint from;
	bool asked;
};

/* Where the blocks of one answer stand. In an excursion of the caller's, which is at `to`
 * afterwards unless it was cut. from: NULL or an earlier moment. False with *failure filled; call
 * locks_followed_free in either case. */
bool locks_follow(struct locks_followed *locks, struct replay *replay, const struct moment *from,
    const struct moment *to, struct failure *failure);

void locks_followed_free(struct locks_followed *locks);

/* Whether the thread held the lock at `from` and has not given it up since. */
bool locks_is_kept(const struct lock_holdings *holdings, const struct lock_holding *holding);

#endif
