#ifndef WORKER_POINTER_H
#define WORKER_POINTER_H
/*
 * The pointer that the current instruction followed into memory that it cannot access.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/read/code/mappings.h"
#include "worker/session/replay.h"
#include "worker/x86/operand.h"

/* Adds to the fault what the operand's pointer is called in the source line, and where it lies, if
 * that pointer itself is wrong: {pointer, pointer_at}, its words and a hint. */
void pointer_tell(struct replay *replay, const struct mappings *mappings,
    const struct memory_operand *operand, struct fault *fault);

#endif
