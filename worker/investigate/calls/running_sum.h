#ifndef WORKER_RUNNING_SUM_H
#define WORKER_RUNNING_SUM_H
/*
 * The sum of an expression over the passes of a place, such as what each call adds to a reference
 * count. Only integers, so that it is exact.
 */
#include "worker/investigate/search/location_hits.h"

struct running_sum {
	long long total;
	struct hits_unread unread;
};

/* Reads the expression where the program stands and adds it. *added: the value, 0 where it cannot
 * be read, which is counted. False with *failure filled: it is no integer, may not be evaluated, or
 * the sum does not fit into 64 bits. */
bool running_sum_add(struct running_sum *sum, struct replay *replay, const char *expression,
    long long *added, struct failure *failure);

/* One step of a sum. False with *failure filled: it does not fit. */
bool running_sum_step(
    long long *total, long long added, const char *expression, struct failure *failure);

/* A sum as answers show it: a number, or a text where a number could lose digits on its way. */
json_t *running_sum_json(long long sum);

#endif
