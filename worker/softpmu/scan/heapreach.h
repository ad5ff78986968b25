/*
 * Which live blocks the program can still reach: those whose address, or one inside of them, stands
 * in a register, in memory that is no heap, or in a block that it can reach. What only looks like
 * an address hides a leak; none is invented.
 */
#ifndef RR_WARDEN_SOFTPMU_HEAPREACH_H
#define RR_WARDEN_SOFTPMU_HEAPREACH_H

#include <sys/types.h>

#include "worker/softpmu/base/range.h"
#include "worker/softpmu/scan/heapblocks.h"

enum { HEAPREACH_THREADS = 256 };

struct heapreach_program {
	pid_t process;
	const pid_t *threads;
	size_t thread_count; /* at most HEAPREACH_THREADS */
	/* The heap's own memory: what stands there outside of blocks is the allocator's. */
	const struct range *heap;
	size_t heap_count;
};

/* Marks those blocks, at a stop. False: memory is short, or the program's cannot be read. */
bool heapreach_mark(struct heapblocks *blocks, const struct heapreach_program *program);

/* The pure part: the live blocks by address, and what of them was met. */
struct heapreach {
	struct heapblock **list;
	size_t count;
	struct heapblock **met; /* those whose words were not looked at yet */
	size_t met_count;
};

bool heapreach_begin(struct heapreach *reach, const struct heapblocks *blocks);
void heapreach_end(struct heapreach *reach);

/* A word of memory that the program can reach. */
void heapreach_meet(struct heapreach *reach, uint64_t word);

/* The block that has the byte there in it; NULL: none. */
struct heapblock *heapreach_find(const struct heapreach *reach, uint64_t address);

#endif
