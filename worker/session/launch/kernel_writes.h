#ifndef WORKER_KERNEL_WRITES_H
#define WORKER_KERNEL_WRITES_H
/*
 * What the kernel wrote into the memory of the session's process. An rr beside the session reads it
 * once; the session does not move.
 */
#include "worker/session/replay.h"
#include "worker/trace/dump/inputs.h"

struct kernel_writes {
	struct inputs inputs;
	struct thread *threads; /* of all processes, but the first ones */
	size_t thread_count;
	long long pid;	 /* of the present process */
	bool broken_off; /* rr did not come to the end of the trace */
};

/* Owned by the session; NULL with *failure filled. */
const struct kernel_writes *kernel_writes_learn(struct replay *replay, struct failure *failure);
void kernel_writes_free(struct kernel_writes *writes);

/* The process that a task belongs to. */
long long kernel_writes_process(const struct kernel_writes *writes, int tid);
/* Makes another process the present one; no effect before they are read. */
void kernel_writes_turn_to(struct replay *replay, long long pid);

/* Whether a task belongs to the present process, which is the session's by default. */
bool kernel_writes_is_ours(const struct kernel_writes *writes, int tid);

/* The last write of the kernel to any of these bytes at an event from `from` on and before `to`;
 * NULL: none. */
const struct input_range *kernel_writes_last(const struct kernel_writes *writes,
    unsigned long long address, unsigned size, long long from, long long to);

#endif
