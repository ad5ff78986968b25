/*
 * rr_breakpoint_set, _update, _remove and _list, and rr_watchpoint_set.
 */
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/serve/arguments/arguments.h"
#include "worker/serve/handlers.h"
#include "worker/breaks/places/absolute.h"
#include "worker/run/breakpoint_tools.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/judged.h"
#include "worker/breaks/placement.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/names/names.h"
#include "worker/breaks/places/pending.h"
#include "worker/breaks/places/stubs.h"
#include "worker/moment/state.h"
#include "worker/read/frames/holder.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/run/sweep/waiting.h"
#include "worker/breaks/watchpoint.h"
#include "worker/read/values/place.h"
#include "worker/session/images.h"
#include "worker/serve/sentence.h"

/* Bytes that one takes in the saved state, beside the client's texts. A watchpoint's condition can
 * be there twice; see judged.h. */
#define TEXT_REST_MAX (200 + JUDGED_LONGER_MAX)

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

static bool has_room(
    struct replay *replay, const char *what, const char *condition, struct failure *failure)
{
	if (replay_breakpoints(replay)->count < BREAKPOINTS_MAX)
		return state_has_room(
		    replay, TEXT_REST_MAX + length_of(what) + 2 * length_of(condition), failure);
	failure_set(failure, ERROR_LIMIT, "remove some with rr_breakpoint_remove",
	    "there are already %d breakpoints", BREAKPOINTS_MAX);
	return false;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static json_t *describe(const json_t *bkpt, int number, const char *location)
{
	const json_t *several = json_object_get(bkpt, "locations"), *place;
	char name[BRIEF_NAME_MAX];
	const char *full;
	json_t *json;

	stubs_hide(bkpt);
	place = mi_breakpoint_place(bkpt, 0);
	full = mi_text(place, "fullname");
	json = json_pack("{s:i,s:s}", "number", number, "location", location);
	if (pending_waits(place)) {
		json_object_set_new(json, "pending", json_true());
		return json;
	}
	if (mi_text(place, "func"))
		json_object_set_new(
		    json, "function", json_string(brief_name(mi_text(place, "func"), name)));
	if (full && mi_text(place, "line"))
		json_object_set_new(
		    json, "at", json_sprintf("%s:%s", full, mi_text(place, "line")));
	json_object_set_new(json, "address", json_string(mi_text(place, "addr")));
	if (json_integer_value(json_object_get(bkpt, "ways")) > 1)
		json_object_set(json, "places", json_object_get(bkpt, "ways"));
	if (json_array_size(several) > 1)
		json_object_set_new(
		    json, "places", json_integer((json_int_t)json_array_size(several)));
	return json;
}

/* `note` is told of one that waits, unless the client wants that whatever has it. */
static json_t *insert_now_or_later(struct replay *replay, struct breakpoint *wanted, bool later,
    char note[WAITING_NOTE_MAX], struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct failure unreturned = {0};
	json_t *bkpt = placement_set(replay, wanted, failure);

	if (bkpt)
		return bkpt;
	if (worker_goes_on(worker) && pending_is_likely(replay, wanted->what, later, failure)) {
		*failure = (struct failure){0};
		wanted->pending = true;
		return later || waiting_find(replay, wanted->what, note, failure)
			   ? placement_set(replay, wanted, failure)
			   : NULL;
	}
	if (worker_goes_on(worker) &&
	    waiting_find_elsewhere(replay, wanted->what, failure, note, &unreturned)) {
		*failure = (struct failure){0};
		wanted->pending = true;
		return placement_set(replay, wanted, failure);
	}
	if (unreturned.message[0])
		*failure = unreturned;
	if (failure->code == ERROR_INVALID_ARGUMENT && !worker->broken)
		names_explain(replay, wanted->what, wanted->condition, failure);
	return NULL;
}

json_t *breakpoint_set(
    struct replay *replay, struct breakpoint *wanted, bool later, struct failure *failure)
{
	json_t *bkpt = NULL, *result = NULL;
	char note[WAITING_NOTE_MAX] = "";
	const struct breakpoint *kept;

	if (!has_room(replay, wanted->what, wanted->condition, failure))
		return NULL;
	bkpt = insert_now_or_later(replay, wanted, later, note, failure);
	if (!bkpt)
		return NULL;
	if (placement_is_mapped(replay, bkpt, wanted->what,
		"set it at a moment when that address is mapped; rr_backtrace shows addresses of "
		"code",
		failure)) {
		kept = breakpoints_keep(replay, wanted, mi_number(bkpt, "number", 0), failure);
		result = kept ? describe(bkpt, kept->number, kept->what) : NULL;
		if (result && note[0])
			json_object_set_new(result, "note", json_string(note));
	}
	json_decref(bkpt);
	return result;
}

json_t *tool_breakpoint_set(
    struct replay *replay, const struct breakpoint_set_args *args, struct failure *failure)
{
	struct breakpoint wanted;
	json_t *result;
	long long thread;

	if (!argument_thread("thread", args->thread, 0, &thread, failure))
		return NULL;
	wanted = (struct breakpoint){
	    .what = copy(args->location),
	    .condition = copy(args->condition),
	    .temporary = args->temporary,
	    .ignore_count = args->ignore_count,
	    .thread = thread,
	};
	result = breakpoint_set(replay, &wanted, args->pending, failure);
	breakpoint_clear(&wanted);
	if (result)
		replay_changed(replay);
	return result;
}

/* In a process that was forked: notes which call a place on the stack belongs to. */
static void note_frame(struct replay *replay, struct breakpoint *wanted)
{
	struct holder holder;

	if (!wanted->resolved || !images_get(replay, 0)->forked ||
	    !holder_name(replay, strtoull(wanted->resolved, NULL, 0), &holder))
		return;
	wanted->frame_top = holder.top;
	wanted->frame_back = holder.back;
	wanted->frame_function = copy(holder.function);
}

json_t *tool_watchpoint_set(
    struct replay *replay, const struct watchpoint_set_args *args, struct failure *failure)
{
	const struct breakpoint *kept;
	struct breakpoint wanted;
	json_t *result = NULL;
	int number;

	if (!has_room(replay, args->expression, args->condition, failure) ||
	    !ambiguous_statics_check(replay, args->expression, failure))
		return NULL;
	number = watchpoint_insert(
	    replay, args->expression, args->access_type, args->location, args->condition, failure);
	if (!number)
		return NULL;
	wanted = (struct breakpoint){
	    .watches = true,
	    .what = copy(args->expression),
	    .condition = copy(args->condition),
	    .access = args->access_type,
	    .by_location = args->location,
	    .resolved = args->location ? place_address(replay, args->expression) : NULL,
	};
	wanted.absolute = absolute_expression(replay, args->expression, wanted.resolved);
	note_frame(replay, &wanted);
	judged_adopt(replay, &wanted, number);
	kept = breakpoints_keep(replay, &wanted, number, failure);
	if (kept) {
		result = json_pack("{s:i,s:s,s:s}", "number", kept->number, "expression",
		    kept->what, "access_type", choices_watch_access[kept->access]);
		json_object_set_new(result, "address", json_string(kept->resolved));
		replay_changed(replay);
	}
	breakpoint_clear(&wanted);
	return result;
}

static json_t *list_one(const struct breakpoint *breakpoint, const json_t *rows)
{
	static const char *const shown[] = {"kind", "condition", "catches", "disabled", "temporary",
	    "ignore_count", "thread", "access"};
	json_t *all = breakpoint_json(breakpoint), *json;
	const json_t *row = mi_breakpoint_row(rows, breakpoint->gdb);

	json = breakpoint->watches ? json_pack("{s:i,s:s}", "number", breakpoint->number,
					 "expression", breakpoint->what)
				   : describe(row, breakpoint->number, breakpoint->what);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		json_object_set(json, shown[i], json_object_get(all, shown[i]));
	json_object_set_new(json, "hits", json_integer(breakpoint_hits(breakpoint, row)));
	answer_add_flag(json, "elsewhere", !breakpoint->gdb);
	json_decref(all);
	return json;
}

/* The client's breakpoint of that number; NULL with *failure filled. */
static struct breakpoint *find(struct replay *replay, long long number, struct failure *failure)
{
	struct breakpoint *breakpoint = breakpoint_by_number(replay_breakpoints(replay), number);

	if (!breakpoint)
		failure_set(failure, ERROR_NOT_FOUND, "rr_breakpoint_list shows the breakpoints",
		    "there is no breakpoint %lld", number);
	return breakpoint;
}

static bool is_given(const json_t *given, const char *name)
{
	const json_t *value = json_object_get(given, name);

	return value && !json_is_null(value);
}

static bool update(struct replay *replay, struct breakpoint *breakpoint,
    const struct breakpoint_update_args *args, struct failure *failure)
{
	return (!is_given(args->given, "condition") ||
		   (state_has_room(replay, length_of(args->condition), failure) &&
		       breakpoints_set_condition(replay, breakpoint, args->condition, failure))) &&
	       (!is_given(args->given, "ignore_count") ||
		   breakpoints_ignore(replay, breakpoint, args->ignore_count, failure)) &&
	       (!is_given(args->given, "enabled") ||
		   breakpoints_switch(replay, breakpoint, args->enabled, failure));
}

json_t *tool_breakpoint_update(
    struct replay *replay, const struct breakpoint_update_args *args, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	struct breakpoint *breakpoint = find(replay, args->breakpoint_number, failure);
	json_t *results = NULL, *result = NULL;

	if (!breakpoint)
		return NULL;
	if (update(replay, breakpoint, args, failure) &&
	    gdb_check(
		gdb, gdb_command(gdb, &results, "-break-list"), ERROR_GDB_FAILED, NULL, failure))
		result = list_one(breakpoint, mi_breakpoints(results));
	json_decref(results);
	/* Changes that were made before another one was refused stay. */
	replay_changed(replay);
	return result;
}

json_t *tool_breakpoint_remove(
    struct replay *replay, const struct breakpoint_remove_args *args, struct failure *failure)
{
	struct breakpoint *breakpoint = find(replay, args->breakpoint_number, failure);

	if (!breakpoint)
		return NULL;
	/* gdb may already have deleted it by itself. */
	if (gdb_command(replay_gdb(replay), NULL, "-break-delete %d", breakpoint->gdb) ==
	    GDB_LOST) {
		gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
		return NULL;
	}
	breakpoint_list_remove(replay_breakpoints(replay), breakpoint);
	replay_changed(replay);
	return json_pack("{s:I}", "removed", (json_int_t)args->breakpoint_number);
}

json_t *tool_breakpoint_list(
    struct replay *replay, const struct breakpoint_list_args *args, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *list;

	(void)args;
	if (!gdb_check(
		gdb, gdb_command(gdb, &results, "-break-list"), ERROR_GDB_FAILED, NULL, failure))
		return NULL;
	list = json_array();
	for (size_t i = 0; i < replay_breakpoints(replay)->count; i++)
		json_array_append_new(list,
		    list_one(&replay_breakpoints(replay)->entries[i], mi_breakpoints(results)));
	json_decref(results);
	return json_pack("{s:o}", "breakpoints", list);
}
