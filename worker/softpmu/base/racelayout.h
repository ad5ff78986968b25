/*
 * How the code in the cache notes accesses for races/racecheck.h: which tables it looks into, see
 * races/racetables.h, and what it writes into the log in the arena.
 */
#ifndef RR_WARDEN_SOFTPMU_RACELAYOUT_H
#define RR_WARDEN_SOFTPMU_RACELAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/x86/accesses.h"
#include "worker/x86/classify.h"

enum {
	RACE_SIZES = 7, /* 1 to 64 bytes, by their logarithm */
	RACE_TURN_BIT = 48,
	RACE_TABLE_BITS = 16 + 3,
	RACE_TABLES_SIZE = 2 * RACE_SIZES << RACE_TABLE_BITS,
	/* Of a word in the log beside an address: the instruction's, and above it */
	RACE_LOG_SIZE_BIT = 48, /* the logarithm of the size */
	RACE_LOG_KIND_BIT = 52, /* enum race_kind */
};

/* The offset of the table for such an access. */
static inline uint32_t racelayout_table(bool writes, unsigned size_log)
{
	return (uint32_t)((writes ? RACE_SIZES : 0) + size_log) << RACE_TABLE_BITS;
}

/* The logarithm of a size; RACE_SIZES: it has none here. */
static inline unsigned racelayout_size_log(uint32_t size)
{
	unsigned log = 0;

	while (log < RACE_SIZES && 1u << log != size)
		log++;
	return log;
}

/* What the code does about an access. */
enum race_look {
	RACE_LOOKS_AWAY,
	RACE_NOTES,	     /* once a turn */
	RACE_ORDERS,	     /* each time, and a new turn begins; as an atomic instruction */
	RACE_ORDERS_PLAINLY, /* the same, as a read or a write */
	RACE_ASKS,
};

struct racecheck;

typedef enum race_look race_looks(
    const struct racecheck *check, const struct classified *in, const struct access *access);

#endif
