#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H
/*
 * What the instruction that the program stands at did wrong with memory. Found from its bytes,
 * because rr gives no siginfo without starting a diversion.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * {address, access, mapping, operand, instruction}, access being read, write or execute. NULL when
 * the instruction has no operand in memory, or did not do anything: a signal that was sent.
 */
json_t *fault_json(struct replay *replay);

#endif
