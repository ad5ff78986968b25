#ifndef WORKER_FAULT_FIND_H
#define WORKER_FAULT_FIND_H
/*
 * Finds what the current instruction did wrong. From its bytes, because rr provides no siginfo
 * without starting a diversion.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/session/replay.h"

/* At a signal that would end the program. Never names what cannot have failed. fault_clear in every
 * case. */
void fault_find(struct replay *replay, const char *signal, struct fault *fault);

#endif
