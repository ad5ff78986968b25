/*
 * The blocks of original code that the cache knows: where each one's translation is, which jumps go
 * to it, and how it is found, switched off and brought back when the code below it changes.
 *
 * A block has an entry from the moment that something jumps to it. Until it is translated, jumps go
 * to its stub: an int3 at a place of its own, numbered like the entry, so that the stop tells where
 * the program wants to go. Translating it links all of them to its body.
 *
 * A body that was jumped to is never taken away. When the code of a block changes, its body begins
 * with an int3 again; when it is translated once more, with a jump to the new body. rr puts
 * breakpoints in and takes them out at every turn, so the last two translations are kept, each with
 * a hash of the code it was made from, and come back without translating.
 */
#ifndef RR_WARDEN_SOFTPMU_BLOCKS_H
#define RR_WARDEN_SOFTPMU_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/cache/arena.h"

enum {
	BLOCK_VARIANTS = 2,
	BLOCK_HEAD = 5,		      /* bytes of a body that a jump to another one takes */
	BLOCKS_MAX = ARENA_STUBS / 2, /* a stub has two bytes */
};

struct variant {
	uint32_t body;		  /* an offset in the part; 0: none */
	uint16_t length;	  /* of the original code */
	uint8_t head[BLOCK_HEAD]; /* the first bytes of the body when it is in force */
	uint64_t hash;		  /* of the original code */
};

struct block_entry {
	uint64_t original;
	uint32_t body;	 /* in force; 0: none */
	uint32_t lookup; /* the entry for jumps through the table; 0: none */
	uint32_t sites;	 /* jumps to its stub */
	uint8_t part;
	bool native;	/* its first instruction does not run in the cache */
	uint8_t latest; /* variant */
	struct variant variant[BLOCK_VARIANTS];
};

struct blocks;

/* No blocks yet; NULL when memory is short. The arena must outlive it. */
struct blocks *blocks_new(const struct arena *arena);
void blocks_free(struct blocks *blocks);

/* Forgets all. The code in the arena is void. */
void blocks_clear(struct blocks *blocks);

/*
 * Makes them the same as `from`, whose arena has the same addresses, with all bodies out of force.
 * The code of all parts must be copied before. False when memory is short.
 */
bool blocks_copy(struct blocks *blocks, const struct blocks *from);

/* The number of the entry for original code at this address: found, or added. 0 when full. */
uint32_t blocks_entry(struct blocks *blocks, uint64_t original, uint8_t part);

/* Valid until the next blocks_entry. */
struct block_entry *blocks_get(struct blocks *blocks, uint32_t number);

/* The entry whose stub is at this address of the cache, or 0. */
uint32_t blocks_at_stub(const struct blocks *blocks, uint64_t address);

/* The address that a jump to this entry from code in `part` has to go to now. */
uint64_t blocks_jump_address(const struct blocks *blocks, uint32_t number, uint8_t part);

/* The 32-bit displacement at this offset of the entry's part goes to its stub: link it later. */
bool blocks_add_site(struct blocks *blocks, uint32_t number, uint32_t offset);

/*
 * The entry has a body now, made from `length` bytes of code with this hash: jumps go there.
 * Call it when the body is written.
 */
bool blocks_set_body(
    struct blocks *blocks, uint32_t number, uint32_t body, uint16_t length, uint64_t hash);

/* Its first instruction cannot run in the cache as long as these bytes do not change. */
bool blocks_set_native(struct blocks *blocks, uint32_t number);

/* Code at [start, end) changes: no body made from it is in force any more. */
void blocks_invalidate(struct blocks *blocks, uint64_t start, uint64_t end);

/* The same, and none comes back: the same code is to be translated otherwise. */
void blocks_forget(struct blocks *blocks, uint64_t start, uint64_t end);

/* Puts variant i in force again: the caller has compared its code. */
void blocks_revive(struct blocks *blocks, uint32_t number, int i);

/* Bytes, by FNV-1a. */
uint64_t blocks_hash(const uint8_t *bytes, size_t length);

/* Entries there are, the first being unused. */
uint32_t blocks_count(const struct blocks *blocks);

#endif
