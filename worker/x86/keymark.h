/*
 * Where no program has memory, behind tallymark.h's table: counted passes by a key. The condition
 * `KEY & *(unsigned long *)KEYMARK` of a breakpoint counts a pass as passmark.h's does, and under
 * KEY; `VALUE & *(unsigned long *)KEYMARK_VALUE` before it adds a value to the sum of that key. gdb
 * reads a part of the table at a time. See passkeys.h of the software PMU.
 */
#ifndef WORKER_KEYMARK_H
#define WORKER_KEYMARK_H

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

#endif
