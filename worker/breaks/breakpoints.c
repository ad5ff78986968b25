/*
 * Keeps the client's breakpoints in gdb: changes them, disables them for internal runs, and sets
 * them again in another image or another worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/gdb/mi/warnings.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/judged.h"
#include "worker/breaks/placement.h"
#include "worker/breaks/registers.h"
#include "worker/session/images.h"
#include "worker/breaks/watchpoint.h"
#include "worker/read/values/place.h"
#include "worker/read/frames/holder.h"
#include "worker/session/selection.h"

#define NUMBERS_MAX (BREAKPOINTS_MAX * 8)

const char *breakpoints_expression(const struct replay *replay, int gdb_number)
{
	const struct breakpoint *breakpoint =
	    breakpoint_by_gdb(replay_breakpoints(replay), gdb_number);

	return breakpoint ? breakpoint->what : NULL;
}

static bool has_condition(const struct breakpoint *breakpoint)
{
	return breakpoint->condition || breakpoint->thread;
}

static bool watches(const struct breakpoint *breakpoint)
{
	return breakpoint->watches;
}

static bool watches_on_condition(const struct breakpoint *breakpoint)
{
	return breakpoint->watches && breakpoint->condition;
}

static bool is_any(const struct breakpoint *breakpoint)
{
	(void)breakpoint;
	return true;
}

static bool is_not_aside(const struct breakpoint *breakpoint)
{
	return !watches_on_condition(breakpoint);
}

static bool counts(const struct breakpoint *breakpoint)
{
	return breakpoint->temporary || breakpoint->ignore_count;
}

/* Whether this holds for any breakpoint that is set here. */
static bool any(const struct replay *replay, bool is_so(const struct breakpoint *))
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	for (size_t i = 0; i < list->count; i++)
		if (list->entries[i].gdb && !list->entries[i].disabled && is_so(&list->entries[i]))
			return true;
	return false;
}

bool breakpoints_have_condition(const struct replay *replay)
{
	return any(replay, has_condition);
}

bool breakpoints_stop(const struct replay *replay)
{
	const struct breakpoint_list *list = replay_breakpoints(replay);

	return !list->suspended && any(replay, list->aside ? is_not_aside : is_any);
}

bool breakpoints_watch(const struct replay *replay)
{
	return any(replay, watches);
}

bool breakpoints_watch_on_condition(const struct replay *replay)
{
	return any(replay, watches_on_condition);
}

bool breakpoints_count(const struct replay *replay)
{
	return any(replay, counts);
}

void breakpoints_explain(const struct replay *replay, struct failure *failure)
{
	static const char said[] = "Cannot insert breakpoint ";
	const struct breakpoint *breakpoint;

	if (strncmp(failure->message, said, sizeof(said) - 1) != 0)
		return;
	breakpoint = breakpoint_by_gdb(
	    replay_breakpoints(replay), strtol(failure->message + sizeof(said) - 1, NULL, 10));
	if (breakpoint)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "remove it with rr_breakpoint_remove, and set it again at a moment when that "
		    "address is mapped",
		    "breakpoint %d prevents the program from running, because nothing is mapped at "
		    "%.200s at this moment",
		    breakpoint->number, breakpoint->what);
}

void breakpoints_forget(struct replay *replay, int gdb_number)
{
	struct breakpoint_list *list = replay_breakpoints(replay);
	struct breakpoint *breakpoint = breakpoint_by_gdb(list, gdb_number);

	if (breakpoint)
		breakpoint_list_remove(list, breakpoint);
}

/* A condition can name what the program does not have at every moment. */
static void warn_unenabled(struct replay *replay)
{
	const char *log = gdb_log_text(replay_gdb(replay));
	char why[200], text[400];
	int number;

	while (!replay_worker(replay)->broken &&
	       (number = exchange_unenabled(&log, why, sizeof(why)))) {
		const struct breakpoint *breakpoint =
		    breakpoint_by_gdb(replay_breakpoints(replay), number);

		if (!breakpoint)
			continue;
		snprintf(text, sizeof(text),
		    "watchpoint %d stops nowhere from here on, because gdb cannot read it at this "
		    "moment (%s); rr_goto sets it again wherever gdb can",
		    breakpoint->number, why);
		warnings_add_own(&gdb_exchange(replay_gdb(replay))->warnings, text);
	}
}

static void switch_all(
    struct replay *replay, const char *command, bool (*only)(const struct breakpoint *))
{
	struct breakpoint_list *list = replay_breakpoints(replay);
	char numbers[NUMBERS_MAX] = "";
	size_t length = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct breakpoint *breakpoint = &list->entries[i];
		int number = breakpoint->gdb;

		if (number && !breakpoint->disabled && only(breakpoint) &&
		    length + 16 < sizeof(numbers))
			length += (size_t)snprintf(
			    numbers + length, sizeof(numbers) - length, " %d", number);
	}
	if (!length)
		return;
	gdb_must(replay_gdb(replay), NULL, "%s%s", command, numbers);
	warn_unenabled(replay);
}

void breakpoints_suspend(struct replay *replay)
{
	if (replay_breakpoints(replay)->suspended++ == 0)
		switch_all(replay, "-break-disable", is_any);
}

void breakpoints_resume(struct replay *replay)
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	if (--list->suspended == 0)
		switch_all(replay, "-break-enable", list->aside ? is_not_aside : is_any);
}

bool breakpoints_set_aside(struct replay *replay)
{
	if (!breakpoints_watch_on_condition(replay))
		return false;
	replay_breakpoints(replay)->aside = true;
	switch_all(replay, "-break-disable", watches_on_condition);
	return true;
}

void breakpoints_put_back(struct replay *replay)
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	if (!list->aside)
		return;
	list->aside = false;
	if (!replay_worker(replay)->broken && !list->suspended)
		switch_all(replay, "-break-enable", watches_on_condition);
}

/* Of the exec that began the program here, in this process or in one that it was forked from. */
static long long program_here(const struct replay *replay)
{
	return images_get(replay, images_at(replay))->program;
}

/* An address in one program means nothing in another. */
static void bind_to_program(const struct replay *replay, struct breakpoint *breakpoint)
{
	const char *what = breakpoint->what ? breakpoint->what : "";

	if (breakpoint->bound || (!breakpoint->watches && what[strspn(what, " ")] != '*'))
		return;
	breakpoint->bound = true;
	breakpoint->image = program_here(replay);
}

const struct breakpoint *breakpoints_keep(
    struct replay *replay, struct breakpoint *breakpoint, int gdb_number, struct failure *failure)
{
	const struct breakpoint *kept;

	breakpoint->gdb = gdb_number;
	bind_to_program(replay, breakpoint);
	kept = breakpoint_list_add(replay_breakpoints(replay), breakpoint);
	if (kept)
		return kept;
	if (gdb_number)
		gdb_must(replay_gdb(replay), NULL, "-break-delete %d", gdb_number);
	failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
	return NULL;
}

static bool obeyed(struct replay *replay, enum gdb_outcome outcome, struct failure *failure)
{
	return gdb_check(replay_gdb(replay), outcome, ERROR_INVALID_ARGUMENT,
	    "a condition is looked up where the breakpoint lies, a watchpoint's in the selected "
	    "frame",
	    failure);
}

/* Whether gdb could enable it at this moment. */
static bool is_enabled(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure)
{
	const char *log = gdb_log_text(replay_gdb(replay));
	char why[200];

	if (!exchange_unenabled(&log, why, sizeof(why)))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, "enable it at a moment when gdb can",
	    "gdb cannot read watchpoint %d at this moment: %s", breakpoint->number, why);
	return false;
}

bool breakpoints_switch(
    struct replay *replay, struct breakpoint *breakpoint, bool enabled, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	/* While all are suspended, breakpoints_resume will apply this. */
	if (breakpoint->gdb && !replay_breakpoints(replay)->suspended &&
	    (!obeyed(replay,
		 gdb_command(
		     gdb, NULL, "-break-%s %d", enabled ? "enable" : "disable", breakpoint->gdb),
		 failure) ||
		!is_enabled(replay, breakpoint, failure)))
		return false;
	breakpoint->disabled = !enabled;
	if (enabled && breakpoint->watches && !registers_make_room(replay, failure)) {
		gdb_must(gdb, NULL, "-break-disable %d", breakpoint->gdb);
		breakpoint->disabled = true;
		return false;
	}
	return true;
}

static bool has_ways(struct replay *replay, const struct breakpoint *breakpoint)
{
	return ways_has(&gdb_exchange(replay_gdb(replay))->ways, breakpoint->gdb);
}

bool breakpoints_ignore(
    struct replay *replay, struct breakpoint *breakpoint, long long count, struct failure *failure)
{
	if (has_ways(replay, breakpoint) && count) {
		failure_set(failure, ERROR_UNSUPPORTED, "give it a condition instead",
		    "breakpoint %d is at several ways into inlined code, and gdb would ignore that "
		    "many hits of each",
		    breakpoint->number);
		return false;
	}
	if (breakpoint->gdb && !obeyed(replay,
				   gdb_command(replay_gdb(replay), NULL, "-break-after %d %lld",
				       breakpoint->gdb, count),
				   failure))
		return false;
	breakpoint->ignore_count = count;
	return true;
}

/* gdb reads a condition again whenever a library is loaded, in the language in which the breakpoint
 * was set: another one finds a mistake then, and gdb disables the breakpoint without a word. */
static bool set_anew(
    struct replay *replay, struct breakpoint *breakpoint, char *condition, struct failure *failure)
{
	struct breakpoint wanted = *breakpoint;
	json_t *results = NULL;
	bool is_set;

	wanted.condition = condition;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	is_set = placement_replace(replay, breakpoint, &wanted,
	    mi_breakpoint_row(mi_breakpoints(results), breakpoint->gdb), failure);
	json_decref(results);
	return is_set;
}

/* Uses one quoted command that takes the rest of its line literally, as -break-condition does. */
static bool set_there(struct replay *replay, const struct breakpoint *breakpoint, const char *when,
    struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	char command[REPLAY_EXPRESSION_MAX + 160], quoted[GDB_QUOTED_MAX];

	snprintf(command, sizeof(command), "condition %d %s", breakpoint->gdb, when);
	return gdb_quote(quoted, "condition", command, failure) &&
	       obeyed(replay,
		   gdb_command(replay_gdb(replay), NULL,
		       "-interpreter-exec --thread %d --frame %d console %s", selected->number,
		       selected->frame, quoted),
		   failure);
}

bool breakpoints_set_condition(struct replay *replay, struct breakpoint *breakpoint,
    const char *condition, struct failure *failure)
{
	struct condition_written written = {0};
	struct breakpoint wanted = *breakpoint;
	cleanup_free char *copy = condition ? strdup(condition) : NULL, *text = NULL;

	wanted.condition = copy;
	if (breakpoint->gdb && !placement_condition(replay, &wanted, &written, failure))
		return false;
	text = written.text;
	if (breakpoint->gdb && !(!breakpoint->watches && (condition_has_language(&written) ||
							     has_ways(replay, breakpoint))
				       ? set_anew(replay, breakpoint, copy, failure)
				       : set_there(replay, breakpoint, text ? text : "", failure)))
		return false;
	free(breakpoint->condition);
	breakpoint->condition = steal_pointer(&copy);
	if (breakpoint->gdb && breakpoint->watches)
		judged_adopt(replay, breakpoint, breakpoint->gdb);
	return true;
}

/* What becomes of a breakpoint's count; `hits` is what gdb says now. */
typedef void hits_taken(struct breakpoint *breakpoint, long long hits, int reached);

static void take_hits(struct replay *replay, hits_taken *take, int reached)
{
	json_t *results = NULL;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	for (size_t i = 0; i < replay_breakpoints(replay)->count; i++) {
		struct breakpoint *breakpoint = &replay_breakpoints(replay)->entries[i];
		const json_t *row = mi_breakpoint_row(mi_breakpoints(results), breakpoint->gdb);

		take(breakpoint, breakpoint_hits(breakpoint, row), reached);
	}
	json_decref(results);
}

static void count_hits(struct breakpoint *breakpoint, long long hits, int reached)
{
	(void)reached;
	breakpoint->hits_before = hits;
}

static void note_hits(struct breakpoint *breakpoint, long long hits, int reached)
{
	(void)reached;
	breakpoint->hits_noted = hits;
}

static void forget_hits(struct breakpoint *breakpoint, long long hits, int reached)
{
	bool one_more = reached && breakpoint->gdb == reached;

	breakpoint->hits_before += breakpoint->hits_noted + one_more - hits;
}

void breakpoints_count_hits(struct replay *replay)
{
	if (replay_breakpoints(replay)->count)
		take_hits(replay, count_hits, 0);
}

void breakpoints_note_hits(struct replay *replay)
{
	take_hits(replay, note_hits, 0);
}

void breakpoints_forget_hits(struct replay *replay, int reached)
{
	take_hits(replay, forget_hits, reached);
}

json_t *breakpoints_save(const struct replay *replay)
{
	struct breakpoint_list *list = replay_breakpoints(replay);
	json_t *saved = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(saved, breakpoint_json(&list->entries[i]));
	return saved;
}

/* In another frame, its names may mean something else. */
static int watch_again(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure)
{
	const char *what = breakpoint->what, *resolved = breakpoint->resolved;
	const char *condition = breakpoint->condition;
	char judged[JUDGED_CONDITION_MAX];
	cleanup_free char *now = resolved ? place_address(replay, what) : NULL;

	if (resolved && !(now && strcmp(now, resolved) == 0))
		what = breakpoint->absolute;
	if (breakpoint->judged && judged_condition(replay, breakpoint->judged, judged))
		condition = judged;
	if (what)
		return watchpoint_insert(
		    replay, what, breakpoint->access, breakpoint->by_location, condition, failure);
	failure_set(failure, ERROR_INVALID_ARGUMENT, "set it again where its names are known",
	    "%s does not mean the same here", breakpoint->what);
	return 0;
}

static int break_again(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure)
{
	json_t *bkpt = placement_set(replay, breakpoint, failure);
	int number;

	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	return number;
}

static int set_again(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure)
{
	int number = breakpoint->watches ? watch_again(replay, breakpoint, failure)
					 : break_again(replay, breakpoint, failure);

	if (number && breakpoint->disabled)
		gdb_must(replay_gdb(replay), NULL, "-break-disable %d", number);
	return number;
}

/* Whether it can be set in the session's present image. */
static bool belongs_here(const struct replay *replay, const struct breakpoint *breakpoint)
{
	return (!breakpoint->bound || breakpoint->image == program_here(replay)) &&
	       (!breakpoint->process || breakpoint->process == replay_pid(replay));
}

/* In the parent, before the fork: whether what it watches is the same variable. A scope's names
 * mean something else in another frame, and a slot of the stack that was not in use belongs to
 * another call, if to any. */
static bool is_inherited(struct replay *replay, const struct breakpoint *breakpoint)
{
	struct holder frame = {.top = breakpoint->frame_top, .back = breakpoint->frame_back};

	if (!breakpoint->watches || (breakpoint->resolved && !frame.top))
		return true;
	if (!breakpoint->resolved || !breakpoint->frame_function)
		return false;
	snprintf(frame.function, sizeof(frame.function), "%s", breakpoint->frame_function);
	return holder_is_here(replay, strtoull(breakpoint->resolved, NULL, 0), &frame);
}

void breakpoints_leave(struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL;

	gdb_must(gdb, &results, "-break-list");
	for (size_t i = 0; i < replay_breakpoints(replay)->count; i++) {
		struct breakpoint *breakpoint = &replay_breakpoints(replay)->entries[i];

		breakpoint->left = breakpoint->gdb != 0;
		if (!breakpoint->gdb)
			continue;
		breakpoint->hits_before = breakpoint_hits(
		    breakpoint, mi_breakpoint_row(mi_breakpoints(results), breakpoint->gdb));
		breakpoint->gdb = 0;
	}
	json_decref(results);
	/* Removes internal ones too, because no call that sets some continues after an exec. */
	gdb_must(gdb, NULL, "-break-delete");
}

void breakpoints_enter(struct replay *replay)
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	for (size_t i = 0; i < list->count; i++) {
		struct breakpoint *breakpoint = &list->entries[i];
		struct failure absent = {0};

		/* At the first instruction of an image, its libraries are not loaded yet. */
		breakpoint->pending |= !breakpoint->watches;
		if (belongs_here(replay, breakpoint))
			breakpoint->gdb = set_again(replay, breakpoint, &absent);
	}
	if (list->suspended)
		switch_all(replay, "-break-disable", is_any);
}

/* "2, 5": those that gdb had before and has not now. NULL: none. */
static char *list_lost(const struct breakpoint_list *list)
{
	char numbers[NUMBERS_MAX] = "";
	size_t length = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct breakpoint *breakpoint = &list->entries[i];

		if (breakpoint->left && !breakpoint->gdb && length + 16 < sizeof(numbers))
			length += (size_t)snprintf(numbers + length, sizeof(numbers) - length,
			    "%s%d", length ? ", " : "", breakpoint->number);
	}
	return length ? strdup(numbers) : NULL;
}

char *breakpoints_follow(struct replay *replay, long long child)
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	for (size_t i = 0; i < list->count; i++)
		if (!list->entries[i].process && !is_inherited(replay, &list->entries[i]))
			list->entries[i].process = child;
	breakpoints_enter(replay);
	return list_lost(list);
}

static void restore_one(struct replay *replay, struct breakpoint *breakpoint)
{
	struct failure lost = {0};
	bool here = belongs_here(replay, breakpoint);
	int number = here ? set_again(replay, breakpoint, &lost) : 0;

	if ((!here || number) && breakpoints_keep(replay, breakpoint, number, &lost))
		return;
	json_array_append_new(
	    replay_warnings(replay), json_sprintf("breakpoint %d could not be set again: %s",
					 breakpoint->number, lost.message));
}

void breakpoints_restore(struct replay *replay, const json_t *saved)
{
	json_t *entry;
	size_t i;

	json_array_foreach(saved, i, entry)
	{
		struct breakpoint breakpoint;

		if (breakpoint_from_json(entry, &breakpoint))
			restore_one(replay, &breakpoint);
		breakpoint_clear(&breakpoint);
	}
}
