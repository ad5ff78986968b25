#ifndef WORKER_GUARDHEAP_LAYOUT_H
#define WORKER_GUARDHEAP_LAYOUT_H
/*
 * What the guard heap knows of its blocks, outside of them. The worker reads it out of a recorded
 * program's memory, so both sides have the layout from here. Plain data, no pointers.
 */
#include <stdint.h>

#define GUARDHEAP_MAGIC	 0x3170616568647267ULL /* "grdheap1" */
#define GUARDHEAP_SYMBOL "rr_warden_guardheap"
#define GUARDHEAP_FILE	 "guardheap.so"
#define GUARDHEAP_PAGE	 4096ULL
#define GUARDHEAP_UNIT	 16ULL /* bytes of the shared part for which it has one owner */
/* Many programs (python among them) keep a flag in the lowest bit of a pointer. */
#define GUARDHEAP_ALIGN	    2
#define GUARDHEAP_SLACK_MAX 64 /* bytes on each side that are checked at the free */

/* Variables of the recorded program's environment. None is the beginning of another one: `rr record
 * -v` of rr 5.6 removes all that begin with the name that it sets. */
#define GUARDHEAP_MODE_VARIABLE	 "RR_WARDEN_HEAP_MODE"	/* guard or guard_before */
#define GUARDHEAP_COUNT_VARIABLE "RR_WARDEN_HEAP_COUNT" /* a file for struct guardheap_count */
#define GUARDHEAP_ALIGN_VARIABLE "RR_WARDEN_HEAP_ALIGN" /* at least that alignment: 1 to 16 */
#define GUARDHEAP_LIMIT_VARIABLE "RR_WARDEN_HEAP_LIMIT" /* guarded blocks at a time */

enum guardheap_mode {
	GUARDHEAP_END,	 /* a block ends at a page without access */
	GUARDHEAP_BEFORE /* a block begins at one */
};

enum guardheap_state { GUARDHEAP_UNUSED, GUARDHEAP_LIVE, GUARDHEAP_FREED };

/* Why the guard heap stopped the program. */
enum guardheap_verdict {
	GUARDHEAP_FINE,
	GUARDHEAP_DOUBLE_FREE,
	GUARDHEAP_INSIDE,  /* free of an address in a block that is not its beginning */
	GUARDHEAP_FOREIGN, /* free of what is no block */
	GUARDHEAP_DAMAGED  /* bytes beside the block were written */
};

struct guardheap_block {
	uint64_t address, size; /* as the program asked for it */
	uint64_t allocated;	/* serial, written last when a block is handed out */
	uint64_t freed;		/* serial, written last when it is taken back; 0: it was not */
	uint64_t allocated_by, freed_by; /* return addresses of the calls */
	uint32_t place;			 /* guarded: its first page; shared: its first unit */
	uint32_t room;			 /* as many pages without the guard, or units */
	uint32_t next;			 /* in the queue of freed blocks */
	uint8_t state, guarded;
	uint16_t unused;
};

/* Numbers of blocks begin at 1; an owner 0 is none, or the same as that of the page before. */
struct guardheap_table {
	uint64_t magic;
	uint64_t mode;
	uint64_t blocks; /* address of block 0 */
	uint64_t count, count_max;
	/* Addresses. An owner is a uint32_t: for each page, resp. for each unit. */
	uint64_t guarded, guarded_next, guarded_end, guarded_owners;
	uint64_t shared, shared_next, shared_end, shared_owners;
	uint64_t serial;			 /* of the last allocation or free */
	uint64_t live, live_max, live_large_max; /* guarded blocks that are in use */
	uint64_t verdict, wrong_address, wrong_block;
	uint64_t align; /* at least */
};

/* What the processes of a recording did with it in all. */
struct guardheap_count {
	uint64_t magic;
	uint64_t processes, blocks;
	uint64_t unguarded; /* blocks that share pages */
	uint64_t reused;    /* times that memory of a freed block was handed out again */
	uint64_t others;    /* processes with an allocator of their own */
};

#endif
