/*
 * The loop of every search. It asks gdb only for the stop itself. A visitor asks for more at the
 * few stops that it needs.
 */
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/run/sweep/scan.h"
#include "worker/session/selection.h"
#include "worker/breaks/places/stubs.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/fork_start.h"

static const json_t *watchpoint_of(const json_t *stop)
{
	static const char *const kinds[] = {"wpt", "hw-rwpt", "hw-awpt"};
	const json_t *point = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !point; i++)
		point = json_object_get(stop, kinds[i]);
	return point;
}

/* gdb reports old and new in the order in which it saw them, which is reversed when it runs
 * backward. */
struct hit scan_hit(const struct replay *replay, enum direction direction)
{
	const json_t *stop = gdb_last_stop(replay_gdb(replay)),
		     *value = json_object_get(stop, "value");
	const json_t *point = watchpoint_of(stop);
	struct hit hit = {.kind = stop_kind(replay), .watched = point != NULL};

	hit.breakpoint = mi_number(stop, "bkptno", 0);
	hit.number = point ? mi_number(point, "number", 0) : hit.breakpoint;
	hit.old = mi_text(value, direction == BACKWARD ? "new" : "old");
	hit.new = mi_text(value, direction == BACKWARD ? "old" : "new");
	if (hit.kind == STOP_SIGNAL)
		hit.signal = mi_text(stop, "signal-name");
	return hit;
}

static bool is_edge(enum stop_kind kind)
{
	switch (kind) {
	case STOP_START:
	case STOP_END:
	case STOP_EXITED:
	case STOP_EVENT:
		return true;
	case STOP_BREAKPOINT:
	case STOP_WATCHPOINT:
	case STOP_SIGNAL:
	case STOP_STEP:
	case STOP_FINISHED:
		return false;
	}
	return true;
}

static enum scan_end run(struct replay *replay, enum direction direction, int guard,
    long long limit, scan_visit *visit, void *context, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	for (long long i = 0; i < limit; i++) {
		struct hit hit;

		replay_moves(replay);
		if (!gdb_check(gdb,
			gdb_run(gdb, "-exec-continue%s", direction == BACKWARD ? " --reverse" : ""),
			ERROR_GDB_FAILED, NULL, failure))
			return SCAN_FAILED;
		if (gdb_was_interrupted(gdb)) {
			worker_fail_interrupted(replay_worker(replay), failure);
			return SCAN_FAILED;
		}
		fork_start_tell(replay, guard);
		selection_follow_stop(replay);
		if (stubs_stopped(replay))
			continue;
		hit = scan_hit(replay, direction);
		if (is_edge(hit.kind))
			return SCAN_EDGE;
		if (hit.kind == STOP_SIGNAL && replay_run(replay)->signals_pass)
			continue;
		switch (visit(context, replay, &hit, failure)) {
		case SCAN_ON:
			break;
		case SCAN_ENOUGH:
			return SCAN_FOUND;
		case SCAN_GIVE_UP:
			return SCAN_FAILED;
		}
	}
	failure_set(failure, ERROR_LIMIT, "search a shorter part of the recording",
	    "there were more than %lld stops on the way", limit);
	return SCAN_FAILED;
}

enum scan_end scan_run(struct replay *replay, enum direction direction, long long limit,
    scan_visit *visit, void *context, struct failure *failure)
{
	enum scan_end end;
	int guard;

	if (direction == BACKWARD && fork_start_is_here(replay))
		return SCAN_EDGE;
	guard = direction == BACKWARD ? fork_start_guard(replay) : 0;
	end = run(replay, direction, guard, limit, visit, context, failure);
	temporary_breakpoint_delete(replay, guard);
	return end;
}
