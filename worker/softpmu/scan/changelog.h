/*
 * The changes of a tally (traps/tally.h) that the code cache counts while a leg runs, and what is
 * taken from it when the leg ends. The tables of watches.h are marked then, and the debug registers
 * that would stop at each change are out of force. See translate/changecode.h for the code.
 *
 * A change is noticed when the next store looks, or when the leg ends, and belongs to the last
 * store that looked: nothing else in a leg changes the bytes of a private mapping. So what the
 * kernel and rr write is not for it, nor is a change that rr has to see: before such a one the leg
 * ends, and the debug registers stop at it.
 *
 * LIMIT: a change by the push of a call is in the table under the call's target when a debug
 * register reports it, and under the address behind the call when it is counted here, after a
 * thousand of them. A history sees that its second run does not agree, and counts with stops.
 */
#ifndef RR_WARDEN_SOFTPMU_CHANGELOG_H
#define RR_WARDEN_SOFTPMU_CHANGELOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tally.h"
#include "worker/softpmu/traps/tracees.h"

/* Before a leg in the cache. True when the code there must be made anew, because it does not count
 * what is to be counted now, or counts in vain. The tally must outlive the space. */
bool changelog_set(struct space *space, struct tally *tally, const struct tracee *tracee);

/* The leg begins: counts in it, if that can be. 0, or -errno: the tracee has ended. */
int changelog_begin(struct space *space, struct tally *tally, struct tracee *tracee);

/* The leg is over: the bytes and the registers are the program's own. */
void changelog_end(struct space *space, struct tally *tally, struct tracee *tracee);

/*
 * An int3 of that code, at this place, asks about the store that comes now, or because the log is
 * full. True if the tracee, which has these registers, goes on in the cache behind it; else the
 * hardware does the store.
 */
bool changelog_answer(struct space *space, struct tally *tally, const struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs);

#endif
