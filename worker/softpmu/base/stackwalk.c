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

		if (rules->rule[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct stack_rules *rules, size_t at, uint64_t pc)
{
	return at < rules->count && rules->rule[at].pc == pc;
}

void stack_rules_add(struct stack_rules *rules, const struct stack_rule *rule)
{
	const size_t at = find(rules, rule->pc);

	if (is_at(rules, at, rule->pc) || rules->count == STACK_RULES_MAX)
		return;
	memmove(&rules->rule[at + 1], &rules->rule[at], (rules->count - at) * sizeof *rule);
	rules->rule[at] = *rule;
	rules->count++;
}

bool stackwalk_out(const struct stack_rules *rules, pid_t tid, struct stack_place *place)
{
	const size_t at = find(rules, place->pc);
	const struct stack_rule *rule = &rules->rule[at];
	uint64_t behind, rbp = place->rbp;

	if (!is_at(rules, at, place->pc))
		return false;
	behind = (rule->by_rbp ? place->rbp : place->sp) + rule->above;
	if (!memory_read_word(tid, behind - sizeof behind, &place->pc) ||
	    (rule->kept && !memory_read_word(tid, behind - rule->kept, &rbp)))
		return false;
	place->sp = behind;
	place->rbp = rbp;
	return true;
}
