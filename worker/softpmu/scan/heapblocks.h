/*
 * The blocks of a program's heap, as its calls of the allocator have made and freed them: by
 * address, live ones and freed ones. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_HEAPBLOCKS_H
#define RR_WARDEN_SOFTPMU_HEAPBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/x86/tallymark.h"

struct heapblock {
	uint64_t start;		   /* 0: no block */
	uint64_t size;		   /* as it was asked for */
	uint64_t site;		   /* the return address of the call that made it */
	struct check_ways_to ways; /* and who called there, see heapsites.h */
	uint64_t made, dropped;	   /* the numbers of the calls; dropped 0: it is live */
	uint64_t mapped_end;	   /* it has a mapping of its own, up to there; or 0 */
	bool reached;		   /* see heapreach.h */
};

struct heapblocks {
	struct heapblock *list; /* a hash table with open addresses */
	size_t room, used;
};

void heapblocks_free(struct heapblocks *blocks);

/* The block that begins there, live or freed; NULL: none has. Valid until the next is added. */
struct heapblock *heapblocks_find(const struct heapblocks *blocks, uint64_t start);

/* Adds it, or replaces the one that began there. False when memory is short. */
bool heapblocks_add(struct heapblocks *blocks, const struct heapblock *block);

enum heapblocks_where { HEAPBLOCKS_BESIDE, HEAPBLOCKS_IN_LIVE, HEAPBLOCKS_IN_FREED };

/* The block to which an address belongs: the live one with it in it; of the freed ones with it in
 * them, the one that was freed last; if there is none, the nearest one beside it. NULL: none is
 * near. Looks at all of them. */
const struct heapblock *heapblocks_near(
    const struct heapblocks *blocks, uint64_t address, enum heapblocks_where where);

/* Calls visit for each. */
void heapblocks_visit(const struct heapblocks *blocks,
    void (*visit)(void *context, const struct heapblock *block), void *context);

#endif
