/*
 * Shares branches between the counters. A counter at c lets c - 1 branches pass: the one that would
 * make it 0 leaves the cache in front of the branch.
 */
#include "worker/softpmu/cache/budget.h"

enum {
	RECENT = 1 << 20,    /* branches */
	UNUSED_SHARE = 1024, /* a counter that was not used of late gets this part of the budget */
};

void budget_begin(struct budget *budget)
{
	budget->passed = 0;
	for (int i = 0; i < BUDGET_COUNTERS; i++)
		budget->loaded[i] = 0;
}

/* rest * part / whole, of which the last two are at most about RECENT */
static uint64_t share_of(uint64_t rest, uint64_t part, uint64_t whole)
{
	return rest / whole * part + rest % whole * part / whole;
}

void budget_load(struct budget *budget, uint64_t *const counter[BUDGET_COUNTERS], uint64_t most)
{
	uint64_t least = most / UNUSED_SHARE + 1, rest = most - BUDGET_COUNTERS * least;
	uint64_t whole = 0, left = rest;

	for (int i = 0; i < BUDGET_COUNTERS; i++)
		whole += budget->used[i] + 1;
	for (int i = 0; i < BUDGET_COUNTERS; i++) {
		uint64_t share = share_of(rest, budget->used[i] + 1, whole);

		budget->loaded[i] = 1 + least + share;
		left -= share;
	}
	budget->loaded[0] += left;
	for (int i = 0; i < BUDGET_COUNTERS; i++)
		*counter[i] = budget->loaded[i];
}

/* Lets what was long ago count for less. */
static void forget(struct budget *budget)
{
	uint64_t sum = 0;

	for (int i = 0; i < BUDGET_COUNTERS; i++)
		sum += budget->used[i];
	for (; sum > RECENT; sum /= 2) {
		for (int i = 0; i < BUDGET_COUNTERS; i++)
			budget->used[i] /= 2;
	}
}

uint64_t budget_read(struct budget *budget, uint64_t *const counter[BUDGET_COUNTERS])
{
	for (int i = 0; i < BUDGET_COUNTERS; i++) {
		/* Reads it once, because the program can write there, and none of its numbers may
		 * break rr. */
		uint64_t now = *(volatile uint64_t *)counter[i], loaded = budget->loaded[i];
		uint64_t passed = now < loaded ? loaded - now : 0;

		budget->passed += passed;
		budget->used[i] += passed;
		budget->loaded[i] = loaded - passed;
	}
	forget(budget);
	return budget->passed;
}
