/*
 * What rr watches, and need not see: tally.h, hushed.h and scan/accesslog.h know that.
 *
 * In the code cache, the debug registers that watch data are out of force while what is watched is
 * counted there: by scan/accesslog.h if that is in force, else by scan/changelog.h.
 */
#ifndef RR_WARDEN_SOFTPMU_SILENCE_H
#define RR_WARDEN_SOFTPMU_SILENCE_H

#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/scan/accesslog.h"
#include "worker/softpmu/scan/changelog.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"

/* Before a leg in the cache. True when the code there must be made anew. */
static inline bool silence_set(
    struct conditions *conditions, struct space *space, struct tracee *tracee)
{
	const bool anew = accesslog_set(conditions->accesses, space, tracee);

	return changelog_set(space, &conditions->tally, tracee) || anew;
}

/* The leg begins. 0, or -errno: the tracee has ended. */
static inline int silence_begin(
    struct conditions *conditions, struct space *space, struct tracee *tracee)
{
	return accesslog_is_in(space) ? accesslog_begin(conditions->accesses, space, tracee)
				      : changelog_begin(space, &conditions->tally, tracee);
}

/* The leg is over: the bytes and the registers are the program's own. */
static inline void silence_end(
    struct conditions *conditions, struct space *space, struct tracee *tracee)
{
	if (accesslog_is_in(space))
		accesslog_end(conditions->accesses, space, tracee);
	else
		changelog_end(space, &conditions->tally, tracee);
}

/* An int3 of that code asks. True if the tracee goes on behind it. */
static inline bool silence_answer(struct conditions *conditions, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs)
{
	struct space *space = tracee->space;

	return accesslog_is_in(space)
		   ? accesslog_answer(conditions->accesses, space, tracee, place, regs)
		   : changelog_answer(space, &conditions->tally, tracee, place, regs);
}

/* The tracee has hit these of rr's debug registers, bits 0 to 3, and stands at pc. */
static inline bool silence_hides(
    struct conditions *conditions, struct tracee *tracee, unsigned hits, uint64_t pc)
{
	if (accesslog_hides(conditions->accesses, tracee, hits, pc))
		return true;
	switch (tally_hit(&conditions->tally, tracee, hits, pc)) {
	case TALLY_SHOWS:
		return false;
	case TALLY_HIDES:
		return true;
	case TALLY_IS_NOT_ASKED:
		break;
	}
	return tracee->mode == RESUME_RUN &&
	       hushed_may_pass(&conditions->hushed, tracee->tid, &tracee->debug, hits);
}

#endif
