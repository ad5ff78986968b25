/*
 * Names a moment so that the name means one instruction, in every session and at any time.
 */
#include "worker/moment/instant/moment_names.h"

#include <stdio.h>
#include <stdlib.h>
#include "worker/gdb/mi/mi.h"
#include "worker/moment/instant/fingerprint.h"
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

json_t *moment_json(const struct moment *moment)
{
	char ticks[32], pc[32];

	snprintf(ticks, sizeof(ticks), "%lld", moment->ticks);
	snprintf(pc, sizeof(pc), "0x%llx", moment->pc);
	return json_pack("{s:I,s:s,s:i,s:s,s:I}", "event", (json_int_t)moment->event, "ticks",
	    ticks, "tid", moment->tid, "pc", pc, "sum", (json_int_t)moment->sum);
}

static long long integer_of(const json_t *json, const char *name)
{
	const json_t *value = json_object_get(json, name);

	if (json_is_integer(value))
		return json_integer_value(value);
	return json_is_string(value) ? strtoll(json_string_value(value), NULL, 0) : -1;
}

bool moment_from_json(const json_t *json, struct moment *moment)
{
	*moment = (struct moment){
	    .event = integer_of(json, "event"),
	    .ticks = integer_of(json, "ticks"),
	    .tid = (int)integer_of(json, "tid"),
	    .pc = mi_address(json, "pc"),
	    .sum = (unsigned)json_integer_value(json_object_get(json, "sum")),
	};
	return moment->event >= 0 && moment->ticks >= 0;
}
