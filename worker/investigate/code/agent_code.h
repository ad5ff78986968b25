#ifndef WORKER_AGENT_CODE_H
#define WORKER_AGENT_CODE_H
/*
 * An expression as gdb compiles it for whoever is to evaluate it without gdb ("Agent Expressions"
 * in gdb's manual).
 */
#include "worker/session/replay.h"

#define AGENT_CODE_BYTES 512

/* What an expression reads of memory, if that is one place at an address of its own. size 0: it is
 * not, or nobody knows. */
struct agent_place {
	unsigned long long address, size;
};

/* Compiles an expression in the selected frame, with the frame's registers as they are now: so a
 * local stays the same variable elsewhere. Writes the code in hexadecimal. False if gdb cannot
 * compile it, or if it is too long. */
bool agent_code_make(struct replay *replay, const char *expression,
    char code[2 * AGENT_CODE_BYTES + 1], struct agent_place *place);

#endif
