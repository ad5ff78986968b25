/*
 * SIGTRAPs that the program sent to itself while it blocks them. The kernel keeps one of a kind, so
 * it would forget ours if it had one of the program's. It has them only while rr sees the tracee;
 * while our legs run, we keep them here.
 */
#ifndef RR_WARDEN_SOFTPMU_HELDTRAP_H
#define RR_WARDEN_SOFTPMU_HELDTRAP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/traps/tracees.h"

/* A SIGTRAP waits in this queue that the processor raised, or else one that some program sent. */
bool heldtrap_is_pending(pid_t tid, enum trap_queue queue, bool by_processor);

/*
 * Takes what is pending for the tracee, which blocks SIGTRAP and stands in its own code with these
 * registers. False, with nothing taken, when that is not possible: then no trap may be raised in
 * it.
 */
bool heldtrap_take(
    struct tracees *tracees, struct tracee *tracee, const struct user_regs_struct *regs);

/*
 * Sends them again; the tracee blocks SIGTRAP. The kernel lets nobody else send all kinds, so some
 * say SI_QUEUE until heldtrap_correct sees them delivered. A program that reads one with
 * sigwaitinfo or signalfd sees that.
 */
void heldtrap_give_back(struct tracee *tracee);

/* If *info, which tid is about to get, is of a signal sent again: makes it what it was. */
void heldtrap_correct(struct tracees *tracees, pid_t tid, siginfo_t *info);

#endif
