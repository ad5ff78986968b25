#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H
/*
 * What the current instruction did wrong, at a fatal signal. Found from its bytes, because rr
 * provides no siginfo without starting a diversion.
 */
#include <jansson.h>
#include "worker/x86/operand.h"
#include "worker/session/replay.h"

#define FAULT_SAID_MAX 2200
#define FAULT_HINT_MAX 300

struct fault {
	json_t *json; /* {address, access, mapping, operand, instruction}, or as division.h and
		       * departure.h have it; NULL: no instruction is known to have done it */
	char said[FAULT_SAID_MAX]; /* a phrase for the conclusion; "": none */
	char hint[FAULT_HINT_MAX]; /* what to do next; "": none */
	bool departed; /* the program stands where no code is: go back to who left the code */
	int stand_ins; /* so many frames only stand for their caller */
	bool astray;   /* behind it, gdb cannot find the callers */
	bool lost;     /* in it, too */
	bool stack_full;
};

/* At a signal that would end the program. Never names what cannot have failed. */
void fault_find(struct replay *replay, const char *signal, struct fault *fault);

/* Releases what it holds. */
void fault_clear(struct fault *fault);

#endif
