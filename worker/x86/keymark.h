/*
 * Where no program has memory, behind tallymark.h's table: counted passes by a key. The condition
 * `KEY & *(unsigned long *)KEYMARK` of a breakpoint counts a pass as passmark.h's does, and under
 * KEY. gdb reads a part of the table at a time. See passkeys.h of the software PMU.
 */
#ifndef WORKER_KEYMARK_H
#define WORKER_KEYMARK_H

#include <stdint.h>

#define KEYMARK	      0x7ffffffff0d8ull
#define KEYMARK_NEXT  0x7ffffffff0d0ull /* the sum before the pass that is wanted next */
#define KEYMARK_TABLE 0x7ffffffff940ull

enum {
	KEYS_MAX = 256,
	KEYS_SHOWN = 64,

	KEYS_ON = 1,
	KEYS_LOST = 2, /* a pass may be counted nowhere */
};

struct key_row {
	uint64_t key;
	uint64_t count;
	uint64_t last; /* the sum with its last pass */
};

struct key_table {
	uint64_t state;			/* of the bits above */
	uint64_t count;			/* of all keys */
	struct key_row row[KEYS_SHOWN]; /* those from QRRWarden.keys: on */
};

#endif
