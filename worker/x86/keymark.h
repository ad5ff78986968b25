/*
 * Where no program has memory, behind tallymark.h's table: counted passes by a key. The condition
 * `KEY & *(unsigned long *)KEYMARK` of a breakpoint counts a pass as passmark.h's does, and under
 * KEY; `VALUE & *(unsigned long *)KEYMARK_VALUE` before it adds a value to the sum of that key. gdb
 * reads a part of the table at a time. See passkeys.h of the software PMU. And how keys of callers
 * are made: by rules for the code on the way, from return address to return address.
 */
#ifndef WORKER_KEYMARK_H
#define WORKER_KEYMARK_H

#include <stdbool.h>
#include <stdint.h>

#define KEYMARK	      0x7ffffffff0d8ull
#define KEYMARK_NEXT  0x7ffffffff0d0ull /* the sum before the pass that is wanted next */
#define KEYMARK_VALUE 0x7ffffffff0e0ull
#define KEYMARK_TABLE 0x7ffffffff940ull

enum {
	KEYS_MAX = 2048,
	KEYS_SHOWN = 48,
	KEY_DEPTH_MAX = 16, /* return addresses of which a key is made */
	STACK_RULES_MAX = 2048,

	KEYS_ON = 1,
	KEYS_LOST = 2,	   /* a pass may be counted nowhere, or a sum does not fit */
	KEYS_NEGATIVE = 4, /* a value had its highest bit set */
};

struct key_row {
	uint64_t key;
	uint64_t count;
	uint64_t last; /* the sum of passes with its last one */
	int64_t sum;   /* of the values */
};

struct key_table {
	uint64_t state;			/* of the bits above */
	uint64_t count;			/* of all keys */
	struct key_row row[KEYS_SHOWN]; /* those from QRRWarden.shown: on */
};

/* The key of several return addresses: that of all but the last, and the last. The key of one is
 * the address itself, which no key of several is. */
static inline uint64_t key_of_callers(uint64_t inner, uint64_t outer)
{
	const uint64_t mixed = (inner ^ outer << 17 ^ outer >> 47) * 0x9e3779b97f4a7c15ull;

	return (mixed ^ mixed >> 29) | 1ull << 63;
}

/* How the caller is found from an instruction, as its unwind information says ("Call Frame
 * Information" in DWARF 5, section 6.4). */
struct stack_rule {
	uint32_t above; /* bytes from the base up to behind the return address */
	uint32_t kept;	/* bytes from there down to the caller's rbp; 0: it is the same */
	bool by_rbp;	/* the base is rbp, not the stack pointer */
};

struct stack_place {
	uint64_t pc, sp, rbp;
};

/* From a frame to its caller's. read: a word at an address; false if it cannot. */
static inline bool stack_step_out(const struct stack_rule *rule, struct stack_place *place,
    bool (*read)(void *context, uint64_t address, uint64_t *word), void *context)
{
	const uint64_t behind = (rule->by_rbp ? place->rbp : place->sp) + rule->above;

	if (!read(context, behind - sizeof behind, &place->pc) ||
	    (rule->kept && !read(context, behind - rule->kept, &place->rbp)))
		return false;
	place->sp = behind;
	return true;
}

#endif
