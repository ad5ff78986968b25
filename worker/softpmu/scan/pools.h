/*
 * The blocks of allocators that the client has named: pools and arenas of programs, see
 * heapcheck.h. Their memory is a block of malloc's, a mapping, static data or a frame of the stack,
 * which the check alone would take for one piece. It is judged by the blocks that the named
 * functions have given: what was in one that is freed is wrong, and so are the bytes close around
 * the blocks:
 *
 *   - between two blocks of one function, if these are few: the headers of an allocator
 *   - behind a block, a few that are in no other
 *
 * No more of the memory is: what else a program has there, nobody has said. So a program that gives
 * further pieces of that memory by functions that are not named has wrong findings: it has to name
 * all of them.
 *
 * From the call of a named function to its return, its thread may touch everything. Calls of others
 * within it count as well, but for blocks with a byte of the outer one's block.
 *
 * LIMIT: of a block on the stack, the frame around it has to be known by its return address, see
 * heapreturns.c; without that its surroundings are not judged.
 */
#ifndef RR_WARDEN_SOFTPMU_POOLS_H
#define RR_WARDEN_SOFTPMU_POOLS_H

#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/scan/poolblocks.h"

enum {
	POOLS_FUNCTIONS = 128,
	POOLS_FRAMES = 64,
	POOLS_GAP = 64,	   /* bytes between two blocks that are no program's */
	POOLS_BEHIND = 32, /* the same behind a block */
};

struct pool_function {
	uint64_t address;
	uint64_t gives; /* see check_pool_gives; 0: no block */
	uint8_t frees;	/* one more than the register with the block, or CHECK_POOL_ALL or
			   CHECK_POOL_ALL_GLOBAL; 0: it frees none */
	uint8_t name;	/* which of the client's */
};

/* Of the stack, with blocks in it. */
struct pool_frame {
	pid_t tid;
	uint64_t low, slot; /* the first block; where its return address is */
	uint64_t end;	    /* of the stack */
};

struct pools {
	struct pool_function function[POOLS_FUNCTIONS];
	size_t count;
	struct poolblocks blocks; /* that they have given */
	struct poolblocks chunks; /* malloc's live ones */
	/* Where blocks were that others took the place of before they were freed: somebody has
	 * freed them unseen, or may still do so. */
	struct poolblocks replaced;
	struct pool_frame frame[POOLS_FRAMES];
	size_t frames;
	struct range stack; /* a thread's, as it was looked up last */
};

/* ---- pools.c --------------------------------------------------------------------------------- */

/* A call has given the block, and stands behind its return with this stack pointer. */
void pools_give(struct heapcheck *check, const struct tracee *tracee, const struct poolblock *block,
    uint64_t sp);

/* It is freed by the call with this number. */
void pools_drop(struct heapcheck *check, struct poolblock *block, uint64_t number);

/* The same of all live ones of a pool; 0: those that are of none. */
void pools_drop_all(struct heapcheck *check, uint64_t pool, uint64_t number);

/* Whether a block may begin there, though no named function has given it. */
bool pools_may_be_block(struct heapcheck *check, uint64_t address);

/* It is in a live block of malloc's in which no named function has given one. */
bool pools_is_foreign(const struct pools *pools, uint64_t address);

/* The tracee's stack pointer is there now: the frames below are gone. */
void pools_note_stack(struct heapcheck *check, const struct tracee *tracee, uint64_t sp);

#endif
