/*
 * The memory of the code cache: a memory file that is mapped into the recorded program and into rr,
 * so that translating is a write to memory.
 *
 * The data part lies in the low 2 GB, where 32-bit absolute addresses reach it from everywhere
 * without a register. The code parts lie near the code that they translate: one in low memory, one
 * below the program, one below the libraries, and one more wherever code runs that none of these
 * reaches. A copied instruction with an operand relative to rip then needs only a new 32-bit
 * displacement.
 *
 * The second byte of each slot's address is 0xcc. So a branch into the displacement of an
 * instruction that names a slot hits an int3, and the exits of the branch counter cost no code.
 */
#ifndef RR_WARDEN_SOFTPMU_ARENA_H
#define RR_WARDEN_SOFTPMU_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/cache/codepages.h"

enum {
	ARENA_FIRST_PARTS = 3, /* in one memory file with the data */
	ARENA_PARTS = 16,      /* translate/sequences.c notes one in four bits */
	ARENA_DATA_SIZE = 8 << 20,
	ARENA_CODE_SIZE = 16 << 20, /* a part; the first ones and the data: less than 64 MB */
	ARENA_STUBS = 1 << 20, /* bytes at a part's end: an int3 for each entry, by its number */
	ARENA_CODE_END = ARENA_CODE_SIZE - ARENA_STUBS,
	ARENA_CODE_START = 16, /* the first byte of each part is the int3 of failed look-ups */
	ARENA_TABLE_SIZE = 1 << 16,

	/* offsets in the data part */
	ARENA_ID = 0,
	ARENA_SLOT_RCX = 0xcc00,
	ARENA_SLOT_RAX = 0xcc08,
	ARENA_SLOT_SITE = 0xcc10,
	ARENA_SLOT_RETURN = 0xcc18,
	ARENA_SLOT_BELOW = 0xcc20,
	ARENA_SLOT_FLAGS = 0xcc28,
	ARENA_SLOT_RDX = 0xcc30,
	ARENA_SLOT_MARK = 0xcc38,
	ARENA_COUNTER = 0xcc40, /* and the next ones behind it */
	ARENA_SLOT_PASSES = 0xccc0,
	ARENA_SLOT_PASSED = 0xccc8, /* before those */
	ARENA_SLOT_KEY = 0xccd0,
	ARENA_SLOT_NEXT = 0xccd8,
	ARENA_SLOT_KEYS = 0xcce0, /* the number of the table of which some are known */
	ARENA_SLOT_VALUE = 0xcce8,
	ARENA_SLOT_GIVEN = 0xccf0,   /* the key of the next pass; 0: its own. See passways.h */
	ARENA_STACK = 0xcd00,	     /* of conditioncode.h */
	ARENA_SLOT_WATCHED = 0xcd80, /* these, and the two lists: see changelog.h */
	ARENA_SLOT_LEFT = 0xcd88,
	ARENA_SLOT_PENDING = 0xcd90,
	ARENA_SLOT_ROOM = 0xcd98,
	ARENA_SLOT_ADDRESS = 0xcda0, /* see translate/checkcode.h */
	ARENA_SLOT_TABLES = 0xcda8,  /* these, and the two lists: see translate/racecode.h */
	ARENA_SLOT_TURN = 0xcdb0,
	ARENA_SLOT_WORD = 0xcdb8,
	ARENA_SLOT_TOUCHES = 0xcdc0,
	ARENA_SLOT_TOUCH_ROOM = 0xcdc8,
	ARENA_SLOT_ONE_TURN = 0xcdd0,
	ARENA_SLOT_NOTED = 0xcdd8, /* see translate/accesscode.h */
	ARENA_LINES = 0x10000,	   /* passes of instructions, see legs/linecount.h */
	ARENA_KNOWN = 0x20000,	   /* keys, see passcount.h */
	ARENA_KNOWN_BITS = 10,
	ARENA_LOG = 0x30000, /* the keys of passes */
	ARENA_LOG_MAX = 8192,
	ARENA_CHANGED = 0x40000, /* the values of changes, inverted */
	ARENA_CHANGERS = 0x50000,
	ARENA_CHANGES_MAX = 8191,
	ARENA_TOUCHED = 0x60000, /* the addresses of accesses */
	ARENA_TOUCHERS = 0x70000,
	ARENA_TOUCHES_MAX = 8191,
	ARENA_SHADOW_BITS = 24,	 /* of an address in a segment */
	ARENA_SHADOWS = 0x80000, /* of segments of the heap, see scan/heapshadow.h */
	ARENA_TABLE = 0x100000,
	ARENA_WATCHED = 0x180000, /* see watches.h */
	ARENA_WRITTEN = 0x200000, /* and for what the code writes, of those and of the stacks */
	ARENA_STACKS = 0x280000,  /* of the stacks alone */
	ARENA_VALUES = 0x300000,  /* of the passes in ARENA_LOG */
	ARENA_LITERALS = 0x310000,
	ARENA_LITERALS_MAX = (ARENA_DATA_SIZE - ARENA_LITERALS) / 8,
};

struct arena_part {
	uint64_t address; /* in the program; 0: there is none */
	uint8_t *memory;  /* here; NULL: there is none, and it is none of the first */
};

struct arena {
	uint64_t id;   /* written at ARENA_ID */
	uint64_t data; /* the address of the data part in the program */
	uint8_t *memory;
	struct arena_part part[ARENA_PARTS];
};

/* Whether an arena can be where this one is in another program, and reach all of its code. */
bool arena_fits(const struct arena *arena, const struct mappings *mappings);

/*
 * Maps a new arena into the stopped tracee tid, whose registers are regs, where `like` is (NULL:
 * anywhere). Changes neither the registers nor anything else of the program. False if there is no
 * room, if a limit of rr's or the program's is near, or if the kernel refuses; *reason is then a
 * phrase that says why, or NULL: the tracee is being killed.
 */
bool arena_map(struct arena *arena, pid_t tid, const struct user_regs_struct *regs,
    const struct mappings *mappings, const struct arena *like, const char **reason);

/* Whether there is code at an address that no part reaches. */
bool arena_is_wanted_at(
    const struct arena *arena, const struct mappings *mappings, uint64_t address);

/*
 * Maps one more part, which reaches `code`, with the conditions of arena_map. False if no part is
 * left, nor a place; *lost if the tracee is being killed.
 */
bool arena_extend(struct arena *arena, pid_t tid, const struct user_regs_struct *regs,
    const struct mappings *mappings, uint64_t code, bool *lost);

/* Unmaps it from this process. The mappings in the program stay. */
void arena_unmap(struct arena *arena);

/* The id of the arena that tid has at this address of a data part, or 0. */
uint64_t arena_id_in(pid_t tid, uint64_t data);

/* The part that code at this address is translated into, or -1 when none is near enough. */
int arena_part_near(const struct arena *arena, uint64_t address);

/* The part that holds this address of the cache, or -1. */
int arena_part_at(const struct arena *arena, uint64_t address);

/* True when [start, end) touches what the arena occupies. */
bool arena_overlaps(const struct arena *arena, uint64_t start, uint64_t end);

static inline uint64_t *arena_slot(const struct arena *arena, uint32_t offset)
{
	return (uint64_t *)(arena->memory + offset);
}

static inline uint32_t arena_counter(unsigned i)
{
	return ARENA_COUNTER + 8 * i;
}

#endif
