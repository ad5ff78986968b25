/*
 * Crosses an exec, which rr cannot do: running forward, it never gets past an exec of the debugged
 * process (and dies at one that a thread called); running backward, it stops after it.
 */
#include "worker/breaks/breakpoints.h"
#include "worker/moment/crossing.h"
#include "worker/session/images.h"
#include "worker/session/launch.h"
#include "worker/session/relatives.h"

#define RR_NUMBER_MAX 2000 /* see position_hold */

bool crossing_enter(struct replay *replay, size_t number, struct failure *failure)
{
	if (number == images_at(replay))
		return true;
	breakpoints_leave(replay);
	replay->rr_number = (replay->rr_number + 1) % RR_NUMBER_MAX;
	if (!launch_image(replay, number, failure)) {
		replay->worker->broken = true;
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

	gdb_expect_end(replay->gdb, next && next->by_thread);
}

bool crossing_is_reached(const struct replay *replay, long long event)
{
	const struct image *next = next_image(replay);

	return next && (gdb_has_lost_rr(replay->gdb) || event >= next->event);
}

bool crossing_is_passed(const struct replay *replay)
{
	const struct image *next = next_image(replay);

	return next && replay->moment.event > next->event;
}

bool crossing_is_behind(const struct replay *replay)
{
	return images_at(replay) > 0 && replay->moment.event == images_start(replay) &&
	       replay->moment.pc == replay->first_pc;
}
