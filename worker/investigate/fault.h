#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H
/*
 * What the current instruction did wrong with memory. Found from its bytes, because rr provides no
 * siginfo without starting a diversion.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * {address, access, mapping, operand, instruction}, access being read, write or execute. NULL when
 * the instruction has no operand in memory, or did not do anything: a signal that was sent.
 */
json_t *fault_json(struct replay *replay);

#endif
