/*
 * The question of an int3 in the code cache where passes are counted, see passcount.h: the
 * condition may hold, or the code does not know the key of the pass, or finds the log full.
 */
#ifndef RR_WARDEN_SOFTPMU_COUNTEDPASS_H
#define RR_WARDEN_SOFTPMU_COUNTEDPASS_H

#include <stdint.h>
#include <sys/user.h>

struct conditions;
struct tracee;

/* Takes what the leg has counted so far. trap: where the int3 is; there: the program's registers.
 * Returns where to go on in the cache; 0: rr and gdb judge the pass. */
uint64_t countedpass_answer(struct conditions *conditions, const struct tracee *tracee,
    uint64_t trap, const struct user_regs_struct *there);

#endif
