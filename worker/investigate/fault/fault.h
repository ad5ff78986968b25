#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H
/*
 * What the current instruction did wrong, at a fatal signal.
 */
#include <jansson.h>
#include <stdbool.h>

#define FAULT_SAID_MAX 2200
#define FAULT_HINT_MAX 300

struct fault {
	json_t *json; /* {address, access, mapping, operand, instruction}, or as division.h and
		       * departure.h have it; NULL: no instruction is known to have done it */
	char said[FAULT_SAID_MAX]; /* a phrase for the conclusion; "": none */
	char hint[FAULT_HINT_MAX]; /* what to do next; "": none */
	bool departed; /* the program stands where no code is: go back to who left the code */
	int stand_ins; /* so many frames only stand for their caller */
	bool called;   /* by a call, whose own frame stays */
	bool astray;   /* behind it, gdb cannot find the callers */
	bool lost;     /* in it, too */
	bool stack_full;
	unsigned long long overwritten; /* where a return address lay; 0: none was */
};

/* Releases what it holds. */
static inline void fault_clear(struct fault *fault)
{
	json_decref(fault->json);
	fault->json = NULL;
}

#endif
