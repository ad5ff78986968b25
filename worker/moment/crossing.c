/*
 * Crosses an exec, which rr cannot do: running forward, it never gets past an exec of the debugged
 * process (and dies at one that a thread called); running backward, it stops after it.
 */
#include "worker/breaks/breakpoints.h"
#include "worker/moment/crossing.h"
#include "worker/session/images.h"
#include "worker/session/launch/launch.h"
#include "worker/session/relatives.h"

bool crossing_enter(struct replay *replay, size_t number, struct failure *failure)
{
	if (number == images_at(replay))
		return true;
	breakpoints_leave(replay);
	replay_next_rr(replay);
	if (!launch_image(replay, number, failure)) {
		replay_worker(replay)->broken = true;
		return false;
	}
	/* The client set them in its own process. */
	if (!relatives_is_away(replay))
		breakpoints_enter(replay);
	return true;
}

static const struct image *next_image(const struct replay *replay)
{
	size_t next = images_at(replay) + 1;

	return next < images_count(replay) ? images_get(replay, next) : NULL;
}

void crossing_await(struct replay *replay)
{
	const struct image *next = next_image(replay);

	gdb_expect_end(replay_gdb(replay), next && next->by_thread);
}

bool crossing_is_reached(const struct replay *replay, long long event)
{
	const struct image *next = next_image(replay);

	return next && (gdb_has_lost_rr(replay_gdb(replay)) || event >= next->event);
}

bool crossing_is_passed(const struct replay *replay)
{
	const struct image *next = next_image(replay);

	return next && replay_now(replay)->event > next->event;
}

bool crossing_is_behind(const struct replay *replay)
{
	const struct moment *now = replay_now(replay);

	return images_at(replay) > 0 && now->event == images_start(replay) &&
	       now->pc == replay_first_pc(replay);
}

bool crossing_is_at_first(const struct replay *replay)
{
	const struct moment *now = replay_now(replay);

	/* The process runs the instruction again if it forks itself, but has branched by then. */
	return images_at_forked(replay) && now->tid == replay_pid(replay) && now->ticks == 0 &&
	       now->pc == replay_first_pc(replay);
}

bool crossing_is_at_fork(const struct replay *replay)
{
	const struct forked_by *by = images_forked_by(replay);

	return by->pid && by->call.pc && crossing_is_at_first(replay);
}
