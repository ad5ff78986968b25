#ifndef WORKER_DIVISION_H
#define WORKER_DIVISION_H
/*
 * SIGFPE: by what the current instruction divides, and what that holds.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/session/replay.h"

/* Fills the fault with {divisor, value, operand, address, instruction}, as far as each is known. */
void division_find(struct replay *replay, unsigned long long pc, struct fault *fault);

#endif
