#ifndef WORKER_FORMATTED_H
#define WORKER_FORMATTED_H
/*
 * Who put a byte into a buffer, before the buffer was written out.
 */
#include "worker/session/replay.h"

enum formatted {
	FORMATTED_FOUND,    /* the program stands before the instruction that did it */
	FORMATTED_CONSTANT, /* the byte lies where nothing can be written: it came with the program
			     */
	FORMATTED_BEFORE,   /* nothing did it since the process, or its program, began */
	FORMATTED_FAILED,   /* *failure is filled */
};

/* From where the program stands, back. It may stand anywhere afterwards, unless it was found. */
enum formatted formatted_find(
    struct replay *replay, unsigned long long address, struct failure *failure);

#endif
