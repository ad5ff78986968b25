/*
 * How many branches may pass in the cache. A single counter would be a chain of loads and stores
 * that costs four to seven cycles per branch. So blocks take turns with several counters, which
 * share the budget in proportion to their recent use. The sum is exact at every moment. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_BUDGET_H
#define RR_WARDEN_SOFTPMU_BUDGET_H

#include <stdint.h>

enum {
	BUDGET_COUNTERS = 4,
	BUDGET_LEAST = BUDGET_COUNTERS, /* so that each lets one pass */
};

struct budget {
	uint64_t loaded[BUDGET_COUNTERS];
	uint64_t used[BUDGET_COUNTERS]; /* in the last million branches or so */
	uint64_t passed;		/* since it began, as of the last budget_read */
};

/* Begins: nothing has passed. */
void budget_begin(struct budget *budget);

/*
 * Shares `most` branches, at least BUDGET_LEAST. The translated code decrements a counter before
 * each branch and leaves at 0; this sets the counters so that no more branches can pass.
 */
void budget_load(struct budget *budget, uint64_t *const counter[BUDGET_COUNTERS], uint64_t most);

/* Branches counted since it began. Call it before each budget_load but the first. */
uint64_t budget_read(struct budget *budget, uint64_t *const counter[BUDGET_COUNTERS]);

#endif
