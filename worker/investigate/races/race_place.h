#ifndef WORKER_RACE_PLACE_H
#define WORKER_RACE_PLACE_H
/*
 * What two threads have both touched.
 */
#include "worker/session/replay.h"

#define RACE_PLACE_NAME 300

struct race_place {
	char name[RACE_PLACE_NAME]; /* "bank::first.balance", "at 0x1234" */
	bool named;
	bool atomic; /* its type, or the code that touches it, says so */
};

/* pcs: of the two accesses. */
struct race_place race_place_find(
    struct replay *replay, unsigned long long address, const unsigned long long pcs[2]);

#endif
