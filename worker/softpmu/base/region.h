/*
 * A region: the code that may run from one address until one of a few stops is reached, with the
 * number of conditional branches passed known at every instruction in it. It is a cut through the
 * control flow graph: every path from the root meets a stop, and no instruction can be reached with
 * two different counts, so that wherever the tracee is found the ticks are exact.
 */
#ifndef RR_WARDEN_SOFTPMU_REGION_H
#define RR_WARDEN_SOFTPMU_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/x86/decode.h"

enum {
	REGION_STOPS = 4, /* debug registers of the processor */
	REGION_SPANS = 40,
	REGION_NODES = 24,
	REGION_BYTES = 2048, /* code a region may cover */
};

/* What a region is built for; part of its key in the cache. */
struct region_key {
	uint64_t root;
	uint8_t stops;	       /* available debug registers, 1 to REGION_STOPS */
	uint8_t lookahead;     /* may pass conditional branches */
	uint8_t syscall_stops; /* the resume request stops at syscalls by itself */
};

struct region_span {
	uint64_t start, end; /* [start, end) */
	uint8_t count;	     /* branches passed when executing here */
	uint8_t unread;	     /* no bytes to compare */
};

struct region {
	struct region_key key;
	bool runnable; /* false: let the hardware step the first instruction */
	bool leads;    /* the root is itself an ending: `ending` tells how to go on */
	struct ending ending;
	uint8_t max_count;
	uint8_t stops;
	uint64_t stop[REGION_STOPS];
	unsigned pins; /* the cache keeps it while a tracee runs in it */
	unsigned spans;
	uint16_t length; /* of code, behind the spans */
	uint8_t *code;
	struct region_span span[];
};

/*
 * Builds the region, which the caller frees; NULL when out of memory. writable: the program can
 * write to this code, so no region continues after a write to memory.
 */
struct region *region_build(
    const struct region_key *key, bool writable, code_reader reader, void *context);

/* The branches passed when the tracee stands at rip, or -1 if rip is not in the region. */
int region_count_at(const struct region *region, uint64_t rip);

#endif
