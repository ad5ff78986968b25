/*
 * Names a moment so that the name means one instruction, in every session and at any time.
 */
#include "worker/moment/moment_names.h"

#include "worker/moment/fingerprint.h"
#include "worker/session/core.h"

static void take_sum(struct replay *replay, struct moment *moment)
{
	struct moment now = *replay_now(replay);

	if (moment->sum || !moment->pc || now.event != moment->event ||
	    now.ticks != moment->ticks || now.pc != moment->pc || now.tid != moment->tid)
		return;
	if (!now.sum) {
		now.sum = fingerprint_sum(replay);
		replay_arrived(replay, &now);
	}
	moment->sum = now.sum;
}

json_t *moment_name(struct replay *replay, const struct moment *moment)
{
	struct moment exact = *moment;

	if (replay_core(replay))
		return NULL;
	take_sum(replay, &exact);
	if (!exact.pc)
		return json_sprintf("%lld:%lld", exact.event, exact.ticks);
	if (!exact.sum)
		return json_sprintf("%lld:%lld@%llx", exact.event, exact.ticks, exact.pc);
	return json_sprintf("%lld:%lld@%llx.%x", exact.event, exact.ticks, exact.pc, exact.sum);
}
