/*
 * The live blocks of a heap by the calls that made them: those whose calls came on one way belong
 * together. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_HEAPSITES_H
#define RR_WARDEN_SOFTPMU_HEAPSITES_H

#include "worker/softpmu/scan/heapblocks.h"

struct heapsites {
	struct check_site *list; /* those with the most bytes first */
	size_t count;
	uint64_t blocks, bytes; /* of all */
};

void heapsites_free(struct heapsites *sites);

struct heapsites_choice {
	uint64_t since; /* those made by calls with a number above this */
	unsigned kind;	/* by their ways of this kind, of CHECK_WAYS: 0 the far ones */
	bool lost;	/* only those that the program cannot reach, see heapreach.h */
};

/* False when memory is short. */
bool heapsites_collect(struct heapsites *sites, const struct heapblocks *blocks,
    const struct heapsites_choice *choice);

/* The ways to a call, of the words on the stack from its return address on: hashes of the first few
 * that may be return addresses. */
struct check_ways_to heapsites_ways(const uint64_t *words, size_t count,
    bool (*is_code)(void *context, uint64_t word), void *context);

#endif
