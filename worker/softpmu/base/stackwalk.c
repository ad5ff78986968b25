/*
 * Must never guess: without a rule, the walk ends.
 */
#include "worker/softpmu/base/stackwalk.h"

#include <string.h>

#include "worker/softpmu/base/memory.h"

/* Where the rule for pc is, or belongs. */
static size_t find(const struct stack_rules *rules, uint64_t pc)
{
	size_t low = 0, high = rules->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rules->row[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct stack_rules *rules, size_t at, uint64_t pc)
{
	return at < rules->count && rules->row[at].pc == pc;
}

void stack_rules_add(struct stack_rules *rules, uint64_t pc, const struct stack_rule *rule)
{
	const size_t at = find(rules, pc);

	if (is_at(rules, at, pc) || rules->count == STACK_RULES_MAX)
		return;
	memmove(&rules->row[at + 1], &rules->row[at], (rules->count - at) * sizeof rules->row[0]);
	rules->row[at].pc = pc;
	rules->row[at].rule = *rule;
	rules->count++;
}

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
	return memory_read_word(*(pid_t *)context, address, word);
}

bool stackwalk_out(const struct stack_rules *rules, pid_t tid, struct stack_place *place)
{
	const size_t at = find(rules, place->pc);

	return is_at(rules, at, place->pc) &&
	       stack_step_out(&rules->row[at].rule, place, read_word, &tid);
}
