/*
 * The process passes the instruction again if it forks itself: the child's own pass is the one in
 * which the call returns 0. gdb must not stop at the others, because nothing would go on with its
 * step.
 */
#include "worker/moment/fork_start.h"

#include <stdio.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/mi.h"
#include "worker/moment/crossing.h"
#include "worker/session/images.h"
#include "worker/session/stop_reason.h"

bool fork_start_is_here(struct replay *replay)
{
	if (!crossing_is_at_first(replay))
		return false;
	stop_call_it(replay, "no-history");
	return true;
}

int fork_start_guard(struct replay *replay)
{
	char where[64];

	if (!images_at_forked(replay) || !replay_first_pc(replay))
		return 0;
	snprintf(where, sizeof(where), "-c \"$rax == 0\" *0x%llx", replay_first_pc(replay));
	return temporary_breakpoint_insert(replay, where);
}

void fork_start_tell(struct replay *replay, int guard)
{
	const json_t *stop = gdb_last_stop(replay_gdb(replay));

	if (guard && stop_kind(replay) == STOP_BREAKPOINT && mi_number(stop, "bkptno", 0) == guard)
		stop_call_it(replay, "no-history");
}
