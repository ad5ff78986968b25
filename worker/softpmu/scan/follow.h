/*
 * The parts of heapfollow.c: where undefined bits are, and where they were loaded.
 */
#ifndef RR_WARDEN_SOFTPMU_FOLLOW_H
#define RR_WARDEN_SOFTPMU_FOLLOW_H

#include "worker/softpmu/follow/undefined.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/x86/decode.h"

enum {
	FOLLOW_SKIPPED = 16,
	FOLLOW_SITES = 1 << 12, /* a power of two, as the following ones */
	FOLLOW_CARRIED = 1 << 12,
	FOLLOW_LOADS = 1 << 14,
};

#define FOLLOW_ROOM_MAX (1ull << 26) /* of a block or the stack, that is marked */

/* A thread that is followed. */
struct follow {
	struct follow *next;
	pid_t tid;
	uint64_t begun;	 /* the instruction that has loaded something undefined */
	uint64_t number; /* of the walk */
	unsigned steps;
	unsigned looked; /* the step before which it was seen that nothing is found there */
	struct undefined state;
	/* The instruction that was stepped last: */
	bool applied, jumps;
	uint8_t length;
	struct user_regs_struct before;
};

/* Where undefined bytes were loaded. */
struct follow_load {
	uint64_t pc, address, start, size;
	uint64_t block, block_size, made; /* in which they were; 0: in none */
	bool copied;			  /* others may have been copied there before */
};

/* Eight bytes of memory to which undefined ones were copied. */
struct follow_carried {
	uint64_t granule;
	uint64_t walk;
	uint16_t from;
};

struct heapfollow {
	struct range skip[FOLLOW_SKIPPED];
	size_t skips;
	struct follow *threads;
	uint64_t walks, steps;
	bool over; /* there were too many steps */
	struct follow_site {
		uint64_t pc, steps;
	} site[FOLLOW_SITES];
	struct follow_load load[FOLLOW_LOADS]; /* by a number, from 1; the oldest are replaced */
	uint16_t loads;
	struct follow_carried carried[FOLLOW_CARRIED];
};

struct follow_memory {
	struct heapcheck *check;
	struct tracee *tracee;
	struct undefined_memory memory;
	struct undefined_step step;
};

struct follow_step {
	struct follow_memory memory;
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
};

void follow_memory(struct follow_memory *memory, struct heapcheck *check, struct tracee *tracee);

bool follow_has_undefined(const struct heapcheck *check, uint64_t start, uint64_t size);

/* Nobody has written to [start, start + size). */
void follow_mark(struct heapcheck *check, uint64_t start, uint64_t size);

/* What is undefined there is so at its copy. */
void follow_copy(struct follow_memory *memory, uint64_t to, uint64_t from, uint64_t size);

/* False: it is known already. */
bool follow_report(struct heapcheck *check, enum check_kind kind, uint64_t pc, uint16_t from);

/* ---- Calls of the allocator, and others ------------------------------------------------------ */

/* A block was made there. Nobody has written to it. */
void follow_made(struct heapcheck *check, uint64_t start, uint64_t size);

/* What a block that is resized keeps. */
struct follow_kept {
	uint8_t *undefined;
	uint64_t size;
	bool all; /* the block is not known: all of it is defined */
};

/* argument: realloc's. Nothing is done where nothing is looked for. */
void follow_keep(struct heapcheck *check, const struct heapblock *old, const uint64_t argument[2],
    struct follow_kept *kept);
void follow_put_back(struct heapcheck *check, uint64_t start, struct follow_kept *kept);

/* The tracee stands where a function that writes to a file begins. */
enum heapcheck_verdict follow_meet_write(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs);

#endif
