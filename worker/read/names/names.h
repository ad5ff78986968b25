#ifndef WORKER_NAMES_H
#define WORKER_NAMES_H
/*
 * Names of the program that are similar to one that was not found, and other help with a location.
 */
#include "worker/session/replay.h"

/* Adds similar names of functions to the hint of a call that failed on `location`. Returns the
 * distance of the nearest, INT_MAX if there is none. */
int names_suggest(struct replay *replay, const char *location, struct failure *failure);

/* Adds names to the hint that are similar to one in an expression: variables of the selected frame
 * and of the program, or else functions. */
void names_suggest_variable(struct replay *replay, const char *name, struct failure *failure);

/* Adds a hint to a call that failed on `location`, with a condition or NULL: similar names, or
 * where to look. */
void names_explain(
    struct replay *replay, const char *location, const char *condition, struct failure *failure);

/* The edit distance of two names, at most `limit` (both at most 64 bytes; longer ones are limit).
 */
int names_distance(const char *a, const char *b, int limit);

#endif
