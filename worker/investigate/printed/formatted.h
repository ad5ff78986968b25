#ifndef WORKER_FORMATTED_H
#define WORKER_FORMATTED_H
/*
 * Finds the code that put a byte into a buffer before the buffer was written out.
 */
#include "worker/session/replay.h"

enum formatted {
	FORMATTED_FOUND, /* found: the program stands before the instruction that wrote the byte */
	FORMATTED_CONSTANT, /* the byte lies in read-only memory: it came with the program */
	FORMATTED_BEFORE,   /* nothing wrote it since the process, or its program, began */
	FORMATTED_FAILED,   /* *failure is filled */
};

/* Searches backward from where the program stands. Unless it finds the writer, it leaves the
 * program at any moment. */
enum formatted formatted_find(
    struct replay *replay, unsigned long long address, struct failure *failure);

#endif
