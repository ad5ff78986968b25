/*
 * Describes a stop for an agent.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/judged.h"
#include "worker/breaks/places/inlined.h"
#include "worker/gdb/mi/mi.h"
#include "worker/run/catchpoint.h"
#include "worker/moment/crossing.h"
#include "worker/read/frames/frame.h"
#include "worker/session/images.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/values/values.h"
#include "sandbox/wire/scrub.h"
#include "worker/read/code/source.h"
#include "worker/run/stop.h"
#include "worker/run/sweep/unaccessed.h"
#include "worker/session/live_output.h"
#include "worker/session/selection.h"
#include "worker/session/stop_reason.h"
#include "worker/session/unended.h"
#include "worker/read/values/values.h"
#include "worker/serve/sentence.h"

#define VALUE_MAX 512 /* bytes shown of a value */
#define READ_NOTE                                                                                  \
	"the processor cannot watch reads alone, so this may be a write: rr_value_history with "   \
	"access read tells them apart"
#define OUTPUT_MAX 4096 /* bytes shown of the program's output */

void stop_add_note(json_t *stop, json_t *text)
{
	const char *before = mi_text(stop, "note");

	if (stop && text)
		json_object_set_new(stop, "note",
		    before ? json_sprintf("%s; %s", before, json_string_value(text))
			   : json_incref(text));
	json_decref(text);
}

static json_t *bounded(const char *text)
{
	return text ? scrub_json_middle(text, strlen(text), VALUE_MAX, NULL) : json_string("");
}

static void set_text(json_t *object, const char *name, const char *text)
{
	if (text)
		json_object_set_new(object, name, bounded(text));
}

static void add_source(struct replay *replay, json_t *json, const json_t *frame)
{
	const char *path = mi_text(frame, "fullname");
	int at = mi_number(frame, "line", 0);
	char doubt[SOURCE_DOUBT_MAX];

	json_object_set_new(json, "source", source_around(replay, path, at));
	if (at && source_doubt(replay, path, mi_address(frame, "addr"), doubt, sizeof(doubt))[0])
		json_object_set_new(json, "source_warning", json_string(doubt));
}

/* gdb reports old and new in the order in which it saw them, which is reversed when it runs
 * backward. */
static json_t *watch_json(
    struct replay *replay, const json_t *stop, enum direction direction, int *number)
{
	static const char *const kinds[] = {"wpt", "hw-rwpt", "hw-awpt"};
	const json_t *value = json_object_get(stop, "value"), *point = NULL;
	const char *old = mi_text(value, "old"), *new = mi_text(value, "new");
	const char *expression = NULL;
	json_t *watch = json_object();

	for (size_t i = 0; i < 3 && !point; i++)
		point = json_object_get(stop, kinds[i]);
	*number = point ? mi_number(point, "number", 0) : mi_number(stop, "wpnum", 0);
	expression = breakpoints_expression(replay, *number);
	set_text(watch, "expression", expression ? expression : mi_text(point, "exp"));
	if (old && new) {
		set_text(watch, "old", direction == BACKWARD ? new : old);
		set_text(watch, "new", direction == BACKWARD ? old : new);
	} else {
		set_text(watch, "new", new ? new : mi_text(value, "value"));
	}
	if (!point)
		json_object_set_new(watch, "out_of_scope", json_true());
	else if (direction == BACKWARD && old)
		json_object_set_new(watch, "side", json_string("before"));
	return watch;
}

/* As gdb, or a printer of the C++ library, shows one; a pointer shows a text with braces too. */
static bool is_structure(const char *value)
{
	return value[0] == '{' || (isalpha((unsigned char)value[0]) && strstr(value, " = {"));
}

static void add_unread(json_t *json, const char *why)
{
	json_object_set_new(json, "condition_unread",
	    json_sprintf("its condition may not hold, because it could not be read here: %s; "
			 "rr_breakpoint_update changes it",
		why));
}

/* gdb stops too where it cannot evaluate the condition, and where any byte of a structure is set.
 */
static void add_doubt(struct replay *replay, json_t *json, const char *condition)
{
	char why[256] = "";
	cleanup_free char *value = values_text(replay, condition, why, sizeof(why));

	if (value && is_structure(value))
		snprintf(why, sizeof(why), "it is a structure, which is neither true nor false");
	if (why[0] && !replay_worker(replay)->broken)
		add_unread(json, why);
}

/* After a run backward, the program stands before the write at which the condition was read. */
static void add_watch_doubt(struct replay *replay, json_t *json, const char *judged)
{
	cleanup_free char *why = judged_unread(replay, judged);

	if (why)
		add_unread(json, why);
}

/* The names that a client uses next are meant in the function in which it wanted to stop. */
static void select_function(
    struct replay *replay, const struct breakpoint *breakpoint, json_t *json)
{
	const int level = inlined_level(replay, breakpoint->what);

	if (level > 0 && selection_set_frame(replay, level))
		json_object_set_new(json, "selected_frame", json_integer(level));
}

static void add_cause(
    struct replay *replay, json_t *json, const json_t *stop, enum direction direction)
{
	const char *disposition = mi_text(stop, "disp");
	int gdb_number = mi_number(stop, "bkptno", 0), client = 0;
	const struct breakpoint *known;
	bool ends = disposition && strcmp(disposition, "del") == 0;

	switch (stop_kind(replay)) {
	case STOP_WATCHPOINT:
		json_object_set_new(
		    json, "watch", watch_json(replay, stop, direction, &gdb_number));
		if (json_object_get(stop, "hw-rwpt"))
			stop_add_note(json, json_string(READ_NOTE));
		ends = strcmp(mi_text(stop, "reason"), "watchpoint-scope") == 0;
		break;
	case STOP_SIGNAL:
		set_text(json, "signal", mi_text(stop, "signal-name"));
		break;
	case STOP_FINISHED:
		set_text(json, "return_value", mi_text(stop, "return-value"));
		break;
	case STOP_BREAKPOINT:
	case STOP_STEP:
	case STOP_START:
	case STOP_END:
	case STOP_EXITED:
	case STOP_EVENT:
		break;
	}
	unaccessed_tell(replay, direction, json);
	known = breakpoint_by_gdb(replay_breakpoints(replay), gdb_number);
	client = known ? known->number : 0;
	if (known && !known->catches && !known->watches)
		select_function(replay, known, json);
	if (known && known->catches)
		catchpoint_tell(replay, known, json);
	else if (known && known->condition && !known->watches)
		add_doubt(replay, json, known->condition);
	else if (known && known->judged)
		add_watch_doubt(replay, json, known->judged);
	answer_add_count(json, "breakpoint", client);
	if (client && ends)
		breakpoints_forget(replay, gdb_number);
}

/* rr cannot go beyond the last event of a trace in which no task ends. */
static bool is_last(const struct replay *replay)
{
	return images_is_open(replay) && replay_now(replay)->event >= images_last_event(replay);
}

json_t *stop_describe(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct run *run = replay_run(replay);
	const struct selection *selected = replay_selected(replay);
	json_auto_t *stop = json_incref(gdb_last_stop(replay_gdb(replay)));
	json_t *json, *frame, *note;
	enum stop_kind kind = stop_kind(replay);
	bool ended = kind == STOP_END || kind == STOP_EXITED;

	/* gdb can inspect nothing after the process has exited, so go back to the last moment. */
	if (kind == STOP_EXITED && !position_go_end(replay, failure))
		return NULL;
	frame = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame");
	replay_stands(replay, replay_is_at_end(replay), kind == STOP_SIGNAL);
	if (!position_update(replay, failure))
		return NULL;
	replay_stands(replay, ended || position_is_end(replay), replay_is_at_signal(replay));
	if (kind == STOP_EVENT && gdb_was_interrupted(replay_gdb(replay)))
		reason = "interrupted";
	else if (kind == STOP_EVENT && replay_is_at_end(replay))
		reason = "end"; /* the program has not moved */
	else if (kind == STOP_START ||
		 (kind == STOP_EVENT && (run->crossed || direction == BACKWARD)))
		/* At the beginning of an image, rr before 5.9 reports no reason, and rr 5.9 that of
		 * the start. */
		reason = run->crossed || crossing_is_behind(replay) ? "exec" : "start";
	if (is_last(replay) && !replay_is_at_signal(replay))
		reason = "end";
	run->crossed = false;
	/* The stop is reached: an interrupt would only cut its description short. */
	gdb_shield(replay_gdb(replay), true);
	json = json_object();
	json_object_set_new(
	    json, "reason", json_string(reason && !ended ? reason : stop_kind_name(kind)));
	add_cause(replay, json, stop, direction);
	json_object_set_new(json, "tid", json_integer(selected->tid));
	if (selected->name[0])
		json_object_set_new(json, "thread_name", json_string(selected->name));
	values_complete(replay, selected->number, 0, frame);
	json_object_set_new(json, "frame", frame_finish(replay, frame_json(frame)));
	add_source(replay, json, frame);
	json_object_set_new(json, "moment", moment_name(replay, now));
	if (reason && strcmp(reason, "exec") == 0)
		json_object_set_new(json, "images", images_json(replay)); /* and which begins */
	note = replay_is_at_end(replay) || is_last(replay) ? unended_note(replay) : NULL;
	if (!note && replay_is_at_end(replay) && images_together(replay))
		note = json_sprintf("the other threads have ended: rr_goto %lld to see them all",
		    images_together(replay));
	stop_add_note(json, note);
	json_object_set_new(
	    json, "output", live_output_take(replay_output(replay), now->event, OUTPUT_MAX));
	gdb_shield(replay_gdb(replay), false);
	return json;
}

json_t *stop_answer(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	json_t *json = stop_describe(replay, direction, reason, failure);
	enum interrupt_reason interrupt = worker->interrupt;

	worker->half_read &= !json;
	if (!json || !gdb_was_interrupted(replay_gdb(replay)) || interrupt == INTERRUPT_ASKED ||
	    interrupt == INTERRUPT_NONE)
		return json;
	failure->details = json;
	failure_set(failure, interrupt == INTERRUPT_TIMEOUT ? ERROR_TIMEOUT : ERROR_CANCELLED,
	    interrupt == INTERRUPT_TIMEOUT
		? "continue from here, set a longer timeout, or set a nearer breakpoint"
		: "the session is at a valid stop, and can go on from here",
	    "%s; the program is now at %s",
	    interrupt == INTERRUPT_TIMEOUT ? "the command reached its time limit"
					   : "the command was cancelled",
	    mi_text(json, "moment"));
	return NULL;
}
