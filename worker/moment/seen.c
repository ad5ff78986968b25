/*
 * Names a moment so that the name means one instruction, in every session and at any time.
 */
#include "worker/moment/seen.h"

#include "worker/moment/instant.h"

static void take_sum(struct replay *replay, struct moment *moment)
{
	struct moment *now = &replay->moment;

	if (moment->sum || !moment->pc || now->event != moment->event ||
	    now->ticks != moment->ticks || now->pc != moment->pc || now->tid != moment->tid)
		return;
	if (!now->sum)
		now->sum = instant_sum(replay);
	moment->sum = now->sum;
}

json_t *seen_name(struct replay *replay, const struct moment *moment)
{
	struct moment exact = *moment;

	take_sum(replay, &exact);
	if (!exact.pc)
		return json_sprintf("%lld:%lld", exact.event, exact.ticks);
	if (!exact.sum)
		return json_sprintf("%lld:%lld@%llx", exact.event, exact.ticks, exact.pc);
	return json_sprintf("%lld:%lld@%llx.%x", exact.event, exact.ticks, exact.pc, exact.sum);
}
