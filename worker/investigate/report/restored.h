#ifndef WORKER_RESTORED_H
#define WORKER_RESTORED_H
/*
 * A program that goes on with saved registers which are wrong: longjmp, siglongjmp, setcontext and
 * swapcontext, on x86-64. They have left their caller's stack where the crash is, so only at their
 * first instruction are the callers known, and where the registers were saved.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/session/replay.h"

struct restored {
	const char *name, *saved;	  /* "longjmp", "jmp_buf" */
	unsigned long long address, slot; /* of what was saved, and of the program counter in it */
	bool refused;			  /* by the C library, before the jump */
};

/* Whether it is worth looking for one of them behind the fault that the report tells. */
bool restored_may_be(const json_t *report, const struct fault *fault);

/* From a crash in one of them, or in what it calls, back to its first instruction. False if it is
 * none, or there is no way back; the program then stands anywhere. Must be called within an
 * excursion. */
bool restored_go_back(struct replay *replay, struct restored *restored);

/* There: makes the fault one of the caller. */
void restored_tell(struct replay *replay, const struct restored *restored, struct fault *fault);

/* Who wrote the address last; the caller's to free. Leaves the program anywhere. */
char *restored_writer(struct replay *replay, const struct restored *restored);

#endif
