/*
 * Blocks of memory by their addresses: those that the allocators named by the client have given,
 * and those of malloc in which they lie. No two of a set have a byte in common. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_POOLBLOCKS_H
#define RR_WARDEN_SOFTPMU_POOLBLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	POOLBLOCKS_LEVELS = 16,
	POOLBLOCKS_MAX = 1 << 24, /* of a set: about 2 GB of them */
	POOLBLOCK_NONE = 0xff,	  /* no name */
};

struct poolblock {
	uint64_t start, size;	/* as it was asked for */
	uint64_t site;		/* the return address of the call that made it */
	uint64_t made, dropped; /* the numbers of the calls; dropped 0: it is live */
	uint64_t pool;		/* the pool that they are of; 0: none */
	uint8_t name;		/* of the function that made it, see pools.h */
	bool judged;		/* its bytes are marked */
};

struct poolblocks_node;

/* Begins as {0}. */
struct poolblocks {
	struct poolblocks_node *next[POOLBLOCKS_LEVELS]; /* a skip list */
	uint64_t random;
	size_t count;
};

void poolblocks_free(struct poolblocks *set);

/* The last one that begins at the address or before it; NULL: none does. Valid until it is removed,
 * as all that these functions return. */
struct poolblock *poolblocks_before(const struct poolblocks *set, uint64_t address);

/* The first one that begins behind the address. */
struct poolblock *poolblocks_behind(const struct poolblocks *set, uint64_t address);

/* The one that begins there. */
struct poolblock *poolblocks_at(const struct poolblocks *set, uint64_t address);

/* The one with the byte there in it. */
struct poolblock *poolblocks_around(const struct poolblocks *set, uint64_t address);

/* The first one that has a byte of [start, end) in it, or begins at start with no byte. */
struct poolblock *poolblocks_first(const struct poolblocks *set, uint64_t start, uint64_t end);

/* There must be none with a byte of it, and none that begins with it. False: memory is short. */
bool poolblocks_add(struct poolblocks *set, const struct poolblock *block);

/* Removes the one that begins there, if there is one. */
void poolblocks_remove(struct poolblocks *set, uint64_t start);

/* Removes each that poolblocks_first finds in the range. */
void poolblocks_clear(struct poolblocks *set, uint64_t start, uint64_t end);

#endif
