/*
 * When to run an episode, and its account. It must leave the branch that overflows the counter, and
 * whatever rr watches, to the tracee.
 */
#include "worker/softpmu/episode.h"

#include "worker/softpmu/message.h"
#include "worker/softpmu/native.h"

enum {
	/* Then the tracee goes on itself for a moment, so that a pending signal gets its turn. */
	EPISODE_INSTRUCTIONS = 500 * 1000,
	EPISODE_SHORT = 16, /* does not pay: rest, and longer each time */
	REST_MAX = 31,
};

static bool native_is_there(struct softpmu *pmu)
{
	if (!pmu->native && !pmu->native_refused) {
		pmu->native = native_new();
		pmu->native_refused = !pmu->native;
		if (pmu->native_refused)
			message_warn("no memory that may be executed: rr will be slower; allow it "
				     "4 MB, and mmap with PROT_EXEC");
	}
	return pmu->native;
}

/* rr's watchpoints; false when one is on execution. */
static bool forbid_watched(const struct tracee *tracee, struct native_episode *episode)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		bool executes;

		if (!debug_registers_rr_watch(&tracee->debug, i, &episode->forbidden[i].start,
			&episode->forbidden[i].end, &executes) &&
		    executes)
			return false;
	}
	return true;
}

static void plan_rest(struct tracee *tracee, uint64_t instructions)
{
	if (instructions >= EPISODE_SHORT) {
		tracee->next_rest = 0;
		return;
	}
	tracee->next_rest = tracee->next_rest * 2 + 1;
	if (tracee->next_rest > REST_MAX)
		tracee->next_rest = REST_MAX;
	tracee->rest = tracee->next_rest;
}

void episode_run(struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs)
{
	struct counter *ticks = tracee->ticks;
	struct native_episode episode = {.tid = tracee->tid,
	    .keep_maps = tracee->keep_maps,
	    .most_branches = ticks->period ? ticks->left - 1 : UINT64_MAX,
	    .most_instructions = EPISODE_INSTRUCTIONS};

	if (tracee->rest > 0) {
		tracee->rest--;
		return;
	}
	if (!native_is_there(pmu) || !forbid_watched(tracee, &episode))
		return;
	native_run(pmu->native, &episode, regs);
	tracee->keep_maps = true;
	counter_add(ticks, episode.branches);
	pmu->totals.episodes++;
	pmu->totals.branches += episode.branches;
	pmu->totals.instructions += episode.instructions;
	plan_rest(tracee, episode.instructions);
}
