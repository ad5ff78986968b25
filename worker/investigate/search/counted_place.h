#ifndef WORKER_COUNTED_PLACE_H
#define WORKER_COUNTED_PLACE_H
/*
 * The passes of one instruction in a stretch, counted in a run of its own.
 */
#include "worker/investigate/search/search.h"

/* Begins again where the stretch begins, and runs to its end. No breakpoint may be enabled but the
 * guard. False: interrupted, or they cannot be counted here; nothing is known then. */
bool counted_place(struct search *search, unsigned long long address, long long *count);

#endif
