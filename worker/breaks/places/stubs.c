/*
 * Recognises stubs by the name that gdb gives them: "<name(int)@plt>" as a place, and "name@plt" as
 * a frame's function.
 */
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/session/breakpoint.h"
#include "worker/session/stop_reason.h"
#include "worker/breaks/places/stubs.h"

static bool is_stub(const json_t *place)
{
	const char *at = mi_text(place, "at");

	return at && strstr(at, "@plt>") && !mi_text(place, "func");
}

/* A body without debug information has a place, but gdb names no function there. */
static bool has_body(const json_t *places)
{
	const json_t *place;
	size_t i;

	json_array_foreach(places, i, place) if (!is_stub(place)) return true;
	return false;
}

/* replay is NULL to leave gdb alone. */
static void remove_stubs(struct replay *replay, const json_t *bkpt)
{
	json_t *places = json_object_get(bkpt, "locations");

	if (!has_body(places))
		return;
	for (size_t i = json_array_size(places); i-- > 0;) {
		const json_t *place = json_array_get(places, i);

		if (!is_stub(place) || !mi_text(place, "number"))
			continue;
		if (replay)
			gdb_must(replay_gdb(replay), NULL, "-break-disable %s",
			    mi_text(place, "number"));
		json_array_remove(places, i);
	}
}

void stubs_hide(const json_t *bkpt)
{
	remove_stubs(NULL, bkpt);
}

void stubs_leave(struct replay *replay, const json_t *bkpt)
{
	remove_stubs(replay, bkpt);
}

bool stubs_stopped(struct replay *replay)
{
	static const char end[] = "@plt";
	const json_t *stop = gdb_last_stop(replay_gdb(replay)), *bkpt;
	const char *function = mi_text(json_object_get(stop, "frame"), "func");
	const char *at = function ? strstr(function, end) : NULL;
	struct breakpoint *breakpoint;
	json_t *results = NULL;
	bool others;

	if (!at || at[sizeof(end) - 1] || stop_kind(replay) != STOP_BREAKPOINT)
		return false;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	bkpt = mi_breakpoint_row(mi_breakpoints(results), mi_number(stop, "bkptno", 0));
	others = has_body(json_object_get(bkpt, "locations"));
	stubs_leave(replay, bkpt);
	json_decref(results);
	/* gdb has counted the stop. */
	breakpoint = breakpoint_by_gdb(replay_breakpoints(replay), mi_number(stop, "bkptno", 0));
	if (breakpoint && others)
		breakpoint->hits_before--;
	return others;
}
