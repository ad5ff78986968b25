#ifndef WORKER_PASSES_H
#define WORKER_PASSES_H
/*
 * An internal breakpoint for one search, at a place that a client names. It also tells whether a
 * stop counts, because gdb stops even where it cannot evaluate the condition.
 */
#include "worker/session/replay.h"

/* Sets a disabled breakpoint. Returns gdb's number, or 0 with *failure filled. condition may be
 * NULL. */
int passes_set(
    struct replay *replay, const char *location, const char *condition, struct failure *failure);

enum pass { PASS_MEANT, PASS_OTHER, PASS_REFUSED };

/* Call this at a stop there. PASS_OTHER: the condition does not hold, or cannot be read there.
 * PASS_REFUSED: it may not be evaluated at all, and *failure is filled. */
enum pass passes_judge(struct replay *replay, const char *condition, struct failure *failure);

/* Whether an expression's value, as gdb prints it, is true. */
bool passes_is_true(const char *value);

/* Whether gdb refused to evaluate something because it would change the program or call it. Fills
 * *failure then. */
bool passes_is_harmful(const char *expression, const char *why, struct failure *failure);

#endif
