#ifndef WORKER_LOCATION_HITS_H
#define WORKER_LOCATION_HITS_H
/*
 * An internal breakpoint for one search, at a place that a client names. It also tells whether a
 * stop counts, because gdb stops even where it cannot evaluate the condition.
 */
#include "worker/read/values/truth.h"
#include "worker/session/replay.h"

/* Sets a disabled breakpoint. Returns gdb's number, or 0 with *failure filled. condition may be
 * NULL. earliest: NULL, or, within an excursion, becomes {0} or the first moment at which the
 * program has the location: then the session has gone there. */
int location_hits_set(struct replay *replay, const char *location, const char *condition,
    struct moment *earliest, struct failure *failure);

/* After a search without a pass: whether gdb knew the location at any time. False with *failure
 * filled, and similar names, if its breakpoint waited for a library until now. */
bool location_hits_was_known(
    struct replay *replay, int number, const char *location, struct failure *failure);

/* Whether the code at an address is loaded where the program stands; gdb, which waits for the
 * library of a name, does not wait for that of an address (0: there is none to look at). False with
 * *failure filled. */
bool location_hits_is_loaded(struct replay *replay, const char *location,
    unsigned long long address, struct failure *failure);

/* Stops at which a condition or a value could not be read. The reasons of all would fill an answer.
 */
struct hits_unread {
	long long count;
	struct moment first;
	char why[200]; /* at the first */
};

enum hit_kind { HIT_MEANT, HIT_OTHER, HIT_UNREAD, HIT_REFUSED };

/* Call this at a stop there. HIT_OTHER: the condition does not hold. HIT_UNREAD: it cannot be
 * read there, and *unread counts it. HIT_REFUSED: it may not be evaluated at all, or is nothing
 * that can hold, and *failure is filled. */
enum hit_kind location_hits_judge(struct replay *replay, const char *condition,
    struct hits_unread *unread, struct failure *failure);

/* Call this at one that could not be read. */
void location_hits_count_unread(struct replay *replay, const char *why, struct hits_unread *unread);

/* "at 3 passes it could not be read: WHY, first at MOMENT"; NULL: it could be read at each. */
json_t *location_hits_tell_unread(struct replay *replay, const struct hits_unread *unread);

void expression_fail_shapeless(const char *expression, struct failure *failure);

/* Whether gdb refused to evaluate something because it would change the program or call it. Fills
 * *failure then. */
bool expression_is_harmful(const char *expression, const char *why, struct failure *failure);

#endif
