/*
 * Which accesses of a thread have been noted already, since it began to run or ordered itself with
 * others last: a table for each kind and size of access, with a word for the low 16 bits of its
 * address. The program and rr have them mapped; the code in the cache looks there, see
 * translate/racecode.h. A word is ~(address + (turn << RACE_TURN_BIT)), or 0.
 */
#ifndef RR_WARDEN_SOFTPMU_RACETABLES_H
#define RR_WARDEN_SOFTPMU_RACETABLES_H

#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/base/racelayout.h"

struct racetables {
	uint8_t *memory; /* here; NULL: they are not mapped */
	uint64_t there;	 /* their address in the program */
};

/* Maps them into a stopped tracee, and here. False: neither has them. */
bool racetables_map(struct racetables *tables, pid_t tid, const struct user_regs_struct *regs);

/* Gives their memory back. The program keeps the mapping. */
void racetables_free(struct racetables *tables);
void racetables_clear(struct racetables *tables);

/* Whether this access was noted in this turn; from here on it is. */
bool racetables_note(
    struct racetables *tables, bool writes, unsigned size_log, uint64_t address, uint64_t turn);

#endif
