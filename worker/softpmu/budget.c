/*
 * Shares branches between the counters. A counter at c lets c - 1 branches pass: the one that would
 * make it 0 leaves the cache in front of the branch.
 */
#include "worker/softpmu/budget.h"

void budget_begin(struct budget *budget)
{
	budget->passed = 0;
	for (int i = 0; i < BUDGET_COUNTERS; i++)
		budget->loaded[i] = 0;
}

void budget_load(struct budget *budget, uint64_t *const counter[BUDGET_COUNTERS], uint64_t most)
{
	uint64_t used = budget->used[0] + budget->used[1] + 2;
	uint64_t least = most / 64 + 1, rest = most - 2 * least, first;

	/* Avoids products of large numbers: 32 bits of precision are enough for a share. */
	while (used >= 1ull << 16)
		used >>= 1, budget->used[0] >>= 1, budget->used[1] >>= 1;
	used = budget->used[0] + budget->used[1] + 2;
	first = rest / used * (budget->used[0] + 1);
	budget->loaded[0] = 1 + least + first;
	budget->loaded[1] = 1 + least + (rest - first);
	for (int i = 0; i < BUDGET_COUNTERS; i++) {
		*counter[i] = budget->loaded[i];
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
	return budget->passed;
}
