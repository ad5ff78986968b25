#ifndef WORKER_COUNTED_H
#define WORKER_COUNTED_H
/*
 * Passes of a place that are counted where the program runs, without a stop of gdb or rr. Only the
 * software counter can do that; see worker/x86/passmark.h.
 */
#include "worker/session/replay.h"

/* Sets a breakpoint that counts each pass of the location at which the condition holds (NULL: each)
 * and stops only where gdb has to judge a pass, which is then not counted. Returns gdb's number, or
 * 0 if they cannot be counted so here. gdb hands a condition to rr only if no other breakpoint of
 * its own is at the place, so remove the one that was there before the program runs on. *before is
 * the sum at the beginning. */
int counted_begin(
    struct replay *replay, const char *location, const char *condition, unsigned long long *before);

/* The sum of all that was counted so far. False if it cannot be read. */
bool counted_sum(struct replay *replay, unsigned long long *sum);

#endif
