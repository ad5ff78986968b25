#ifndef WORKER_PASSES_H
#define WORKER_PASSES_H
/*
 * An internal breakpoint at a place that a client names, for one search, and whether what it
 * stopped at is meant: gdb stops as well where the condition cannot be evaluated.
 */
#include "worker/session/replay.h"

/* Sets it, disabled; gdb's number, or 0 with *failure filled. condition may be NULL. */
int passes_set(
    struct replay *replay, const char *location, const char *condition, struct failure *failure);

enum pass { PASS_MEANT, PASS_OTHER, PASS_REFUSED };

/* At a stop there. PASS_OTHER: the condition does not hold, or cannot be read there;
 * PASS_REFUSED: it may not be evaluated at all, and *failure is filled. */
enum pass passes_judge(struct replay *replay, const char *condition, struct failure *failure);

/* Whether an expression's value, as gdb prints it, is true. */
bool passes_is_true(const char *value);

/* Whether gdb refused to evaluate something because it changes or calls what it may not; *failure
 * is filled then. */
bool passes_is_harmful(const char *expression, const char *why, struct failure *failure);

#endif
