#ifndef WORKER_BACKTRACK_H
#define WORKER_BACKTRACK_H
/*
 * The stack as gdb has it, in which nothing is folded, and the way back to a place on it.
 */
#include "worker/run/sweep/scan.h"
#include "worker/session/replay.h"
#include "worker/x86/operand.h"

#define BACKTRACK_DEPTH 20

/* MI's frames of the selected thread, at most BACKTRACK_DEPTH, the innermost first; {level, addr,
 * func, ...}. Owned by the caller; NULL: not readable. */
json_t *backtrack_stack(struct replay *replay);

/* The direct call behind which that frame stands; 0: there is none. */
unsigned long long backtrack_call(struct replay *replay, const json_t *frame);

/* Back to the last time that the selected thread came to an address. False if it did not, or
 * something is in the way; the program then stands anywhere. Must be called within an excursion. */
bool backtrack_to(struct replay *replay, unsigned long long address);

/* As scan_run, back from here with the caller's breakpoints, past signals: for who makes no
 * difference between an edge and a failure. */
enum scan_end backtrack_scan(struct replay *replay, scan_visit *visit, void *context);

/* Whether the instruction that is about to run writes to these bytes, or may: what cannot be read
 * may. It is left in *instruction; zeros: it was not read. */
bool backtrack_writes(struct replay *replay, unsigned long long address, unsigned long long size,
    struct instruction *instruction);

#endif
