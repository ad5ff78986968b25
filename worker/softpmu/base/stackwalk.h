/*
 * The callers of a place, from return address to return address, by rules for the code on the way.
 * A rule says what the code's unwind information says of one instruction: where the return address
 * lies, from the stack pointer or rbp, and where the caller's rbp is kept ("Call Frame Information"
 * in DWARF 5, section 6.4).
 */
#ifndef RR_WARDEN_SOFTPMU_STACKWALK_H
#define RR_WARDEN_SOFTPMU_STACKWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "worker/x86/keymark.h"

struct stack_rule {
	uint64_t pc;	/* of the innermost frame; a return address in all others */
	uint32_t above; /* bytes from the base up to behind the return address */
	uint32_t kept;	/* bytes from there down to the caller's rbp; 0: it is the same */
	bool by_rbp;	/* the base is rbp, not the stack pointer */
};

struct stack_rules {
	size_t count;
	struct stack_rule rule[STACK_RULES_MAX]; /* by pc */
};

/* Keeps a rule, if there is room. One that is known already stays as it is. */
void stack_rules_add(struct stack_rules *rules, const struct stack_rule *rule);

struct stack_place {
	uint64_t pc, sp, rbp;
};

/* From a frame of tracee tid to its caller's. False: there is no rule, or nothing to be read. */
bool stackwalk_out(const struct stack_rules *rules, pid_t tid, struct stack_place *place);

#endif
