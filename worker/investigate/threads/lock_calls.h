#ifndef WORKER_LOCK_CALLS_H
#define WORKER_LOCK_CALLS_H
/*
 * How often a program takes a mutex, counted where it runs: in one pass, without a stop.
 */
#include "worker/session/replay.h"

/* Calls in the whole run of the image; -1: not known, because they cannot be counted here. Must be
 * called within an excursion; the program stands anywhere then. */
long long lock_calls_count(struct replay *replay);

#endif
