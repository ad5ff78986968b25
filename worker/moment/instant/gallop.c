/*
 * Must never take a place for the moment: it only chooses where to look next.
 */
#include "worker/moment/instant/gallop.h"

#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"

#define PASSES_FIRST 8	/* from which the ticks of one are estimated */
#define PASSES_LEFT  16 /* so few stop, each of them */

struct gallop gallop_begin(struct replay *replay, int number, unsigned long long pc)
{
	struct gallop gallop = {.number = number};

	if (!passes_sum(replay, &gallop.sum) || !passes_begin_once(replay, pc))
		gallop.number = 0;
	return gallop;
}

/* How many are left, about; 0: it is not known. */
static long long estimate(const struct gallop *gallop, long long now, long long wanted)
{
	if (gallop->passes < PASSES_FIRST || now <= gallop->first || now >= wanted)
		return 0;
	return (long long)((double)(wanted - now) / (double)(now - gallop->first) *
			   (double)gallop->passes);
}

static void set_condition(struct gallop *gallop, struct replay *replay, long long skipped)
{
	const unsigned long long number = gallop->sum + (unsigned long long)skipped;
	char condition[PASSES_CONDITION_MAX];
	cleanup_setting struct gdb_setting language =
	    gdb_setting_begin(replay_gdb(replay), "language", "c");

	if (!gallop->cleared)
		passes_clear(replay, &gallop->way);
	gallop->cleared = true;
	if (!passes_condition(condition, NULL, NULL, &number) ||
	    gdb_command(replay_gdb(replay), NULL, "-break-condition %d %s", gallop->number,
		condition) != GDB_DONE)
		gallop->number = 0;
}

/* What gdb steps over is not counted. */
static void note(struct gallop *gallop, unsigned long long sum)
{
	gallop->passes += 1 + (long long)(sum - gallop->sum);
	gallop->sum = sum;
}

void gallop_set(struct gallop *gallop, struct replay *replay, const struct moment *to)
{
	const bool same_task = to->tid == 0 || replay_now(replay)->tid == to->tid;
	unsigned long long sum;
	long long left;

	if (!gallop->number || (!gallop->begun && !same_task))
		return;
	if (!passes_sum(replay, &sum)) {
		gallop->number = 0;
		return;
	}
	if (gallop->begun) {
		note(gallop, sum);
	} else {
		gallop->begun = true;
		gallop->first = replay_now(replay)->ticks;
	}
	left = same_task ? estimate(gallop, replay_now(replay)->ticks, to->ticks) : 0;
	if (left > PASSES_LEFT)
		set_condition(gallop, replay, left / 2);
	else if (gallop->cleared)
		gdb_must(replay_gdb(replay), NULL, "-break-condition %d", gallop->number);
}

void gallop_end(struct gallop *gallop, struct replay *replay)
{
	passes_restore(replay, &gallop->way);
}
