/*
 * The callers of a place in a tracee, by the rules that the worker sends; see keymark.h.
 */
#ifndef RR_WARDEN_SOFTPMU_STACKWALK_H
#define RR_WARDEN_SOFTPMU_STACKWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/x86/keymark.h"

struct stack_rules {
	size_t count;
	struct {
		uint64_t pc; /* of the innermost frame; a return address in all others */
		struct stack_rule rule;
	} row[STACK_RULES_MAX]; /* by pc */
};

/* Keeps a rule, if there is room. One that is known already stays as it is. */
void stack_rules_add(struct stack_rules *rules, uint64_t pc, const struct stack_rule *rule);

/* From a frame of tracee tid to its caller's. False: there is no rule, or nothing to be read. */
bool stackwalk_out(const struct stack_rules *rules, pid_t tid, struct stack_place *place);

#endif
