#ifndef WORKER_DEPARTURE_H
#define WORKER_DEPARTURE_H
/*
 * A program that leaves its code: which call, jump or return did it, where it went, and where the
 * address came from.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/read/code/mappings.h"
#include "worker/session/replay.h"
#include "worker/x86/operand.h"

/* At a program counter where no code is, without a look back: says no more than that, or that it
 * was a call. Sets `departed`. */
void departure_guess(struct replay *replay, const struct mappings *mappings, unsigned long long pc,
    struct fault *fault);

/* Whether the instruction at pc is a call, jump or return to what can be no address, which the
 * processor refuses before it leaves. */
bool departure_is_refused(struct replay *replay, const struct mappings *mappings,
    unsigned long long pc, const struct instruction *instruction, struct fault *fault);

/* From a program counter where no code is, back to the instruction that led there. False if it
 * cannot be found; the program then stands anywhere. Must be called within an excursion. */
bool departure_go_back(struct replay *replay);

/* There: fills the fault anew. `to` is the program counter where no code is. */
void departure_tell(struct replay *replay, unsigned long long to, struct fault *fault);

#endif
