/*
 * What a debug trap was. The kernel takes that from the processor's debug status, DR6, and says it
 * with si_code. KVM on Intel's Sapphire and Emerald Rapids loses the status about 1.5 times in a
 * million traps: it is clear then, and the kernel takes the trap for one of int1 (TRAP_BRKPT), or
 * it is that of an earlier trap: a hit of a debug register looks like a step (TRAP_TRACE), or a
 * step like a hit (TRAP_HWBKPT).
 *
 * So where a leg began and where the tracee stands have to agree with si_code. Where they do not,
 * they are believed, and the kernel's siginfo and debug status are made what they should have been:
 * rr sees those, too.
 *
 * LIMIT: a step that says that it is one is believed, though the hit of a watchpoint for reads may
 * be missing beside it. rr itself compares what it watches for writes.
 */
#ifndef RR_WARDEN_SOFTPMU_TRAPCODE_H
#define RR_WARDEN_SOFTPMU_TRAPCODE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/user.h>

#include "worker/softpmu/traps/tracees.h"

/*
 * Has the instruction retired with which a step began? It moves the tracee or changes a register:
 * rcx, if it repeats. Only a conditional branch to itself need not do either. It has retired,
 * because nothing else stops a tracee there that says it was stepped.
 */
bool trapcode_has_stepped(const struct tracee *tracee, const struct user_regs_struct *regs);

/*
 * A leg of the tracee has ended with a SIGTRAP, with these registers. Corrects *info, which is the
 * stop's siginfo, and with it what the kernel has; of the registers at most the resume flag. To be
 * called once a stop.
 */
void trapcode_correct(const struct tracee *tracee, siginfo_t *info, struct user_regs_struct *regs);

#endif
