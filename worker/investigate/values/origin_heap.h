#ifndef WORKER_ORIGIN_HEAP_H
#define WORKER_ORIGIN_HEAP_H
/*
 * Whether a block of glibc's heap was handed out, or taken back, since its bytes were written:
 * then nobody set them in its present life. Each time, malloc writes to the word before the block,
 * or to its first one.
 */
#include "worker/investigate/code/allocator.h"
#include "worker/investigate/values/origin.h"
#include "worker/run/sweep/scan.h"

enum origin_life {
	LIFE_SAME,   /* no new life begins here */
	LIFE_NEW,    /* malloc handed it out */
	LIFE_FREED,  /* free took it back */
	LIFE_GROWN,  /* realloc made it larger where it is, and the bytes are behind its former end
		      */
	LIFE_COPIED, /* realloc handed it out, and did not copy to the bytes */
	LIFE_ZEROED, /* calloc handed it out */
	LIFE_LEFT,   /* a call that handed out another one cut it off, or joined it to others */
	LIFE_DOUBT,  /* realloc released it, or copied to it */
};

struct origin_block {
	unsigned long long address; /* 0: the bytes are in no block that could be found */
	int header, first;	    /* gdb's numbers of the watchpoints */
	int looks;
	enum origin_life life;
	char by[64]; /* the function that the program called: "malloc" */
};

/* Finds the block that holds the bytes, and watches it until origin_block_unwatch. */
void origin_block_watch(struct origin *origin, struct origin_block *block);
void origin_block_unwatch(struct origin *origin, struct origin_block *block);

bool origin_block_is_watched(const struct origin_block *block, int number);

/* At an access: whether a new life of the block begins. written: to the bytes themselves. */
bool origin_block_begins(
    struct origin *origin, struct origin_block *block, const struct hit *hit, bool written);

#endif
