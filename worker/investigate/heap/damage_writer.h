#ifndef WORKER_DAMAGE_WRITER_H
#define WORKER_DAMAGE_WRITER_H
/*
 * Where malloc aborts, because what it has read of its own data is wrong: who wrote that.
 */
#include "worker/session/replay.h"

struct damage_writer {
	unsigned long long word; /* the address of what was overwritten */
	struct moment moment;	 /* right before the write */
	json_t *by;		 /* "fill (a.c:8)" */
};

/*
 * From the abort back to the check that failed, and from there to the last write by code that is
 * not malloc's own to what the check read. The program then stands right before that write. False
 * if there is none, or if it cannot be known; the program then stands anywhere. `own` is a block
 * that the program may write, because it hands it to malloc in this call; 0: none. Must be called
 * within an excursion. The caller releases `by`.
 */
bool damage_find_writer(
    struct replay *replay, unsigned long long own, struct damage_writer *writer);

/* Where the function of malloc begins which is innermost on the stack; 0: none is. `takes`: only
 * one that takes a block. */
unsigned long long damage_entry(struct replay *replay, bool takes);

#endif
