#ifndef WORKER_TRUTH_H
#define WORKER_TRUTH_H
/*
 * Whether an expression holds.
 */
#include "worker/session/replay.h"

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNREAD, TRUTH_REFUSED };

/* Whether an expression is true, of which gdb printed this value where the program stands.
 * TRUTH_UNREAD: it cannot be read there, and why[size] says why. TRUTH_REFUSED: a structure, an
 * array or a function is neither true nor false. */
enum truth expression_truth(
    struct replay *replay, const char *expression, const char *value, char *why, size_t size);

#endif
