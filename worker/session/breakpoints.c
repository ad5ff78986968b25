/*
 * Sets, lists and removes what stops the program, and keeps it as data: an array of
 *	{number, gdb, kind: "breakpoint"|"watchpoint", what, condition?, temporary?, ignore_count?,
 *	 thread?, access?, by_location?, resolved?}
 * `gdb` is gdb's number in this worker; `resolved` the typed address a watchpoint stands on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/arguments.h"
#include "worker/serve/handlers.h"
#include "worker/session/breakpoints.h"
#include "worker/gdb/mi.h"
#include "worker/session/images.h"
#include "worker/session/names.h"
#include "worker/session/pending.h"
#include "worker/session/watchpoint.h"

#define NUMBERS_MAX (REPLAY_BREAKPOINTS_MAX * 8)

static json_t *find(const struct replay *replay, const char *key, long long number, size_t *at)
{
	json_t *entry;
	size_t i;

	json_array_foreach(replay->breakpoints, i, entry)
	{
		if (json_integer_value(json_object_get(entry, key)) == number) {
			if (at)
				*at = i;
			return entry;
		}
	}
	return NULL;
}

int breakpoints_client_number(const struct replay *replay, int gdb_number)
{
	json_t *entry = gdb_number ? find(replay, "gdb", gdb_number, NULL) : NULL;

	return (int)json_integer_value(json_object_get(entry, "number"));
}

const char *breakpoints_expression(const struct replay *replay, int gdb_number)
{
	return mi_text(gdb_number ? find(replay, "gdb", gdb_number, NULL) : NULL, "what");
}

bool breakpoints_are_conditional(const struct replay *replay)
{
	bool some = false;
	json_t *entry;
	size_t i;

	json_array_foreach(replay->breakpoints, i, entry)
	{
		if (!json_integer_value(json_object_get(entry, "gdb")) ||
		    json_is_true(json_object_get(entry, "disabled")))
			continue;
		if (json_is_true(json_object_get(entry, "temporary")) ||
		    json_object_get(entry, "ignore_count"))
			return false;
		some |= json_object_get(entry, "condition") || json_object_get(entry, "thread");
	}
	return some;
}

void breakpoints_explain(const struct replay *replay, struct failure *failure)
{
	static const char said[] = "Cannot insert breakpoint ";
	json_t *entry;

	if (strncmp(failure->message, said, sizeof(said) - 1) != 0)
		return;
	entry = find(replay, "gdb", strtol(failure->message + sizeof(said) - 1, NULL, 10), NULL);
	if (entry)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "rr_breakpoint_remove it, and set it again where that is mapped",
		    "breakpoint %d at %.200s keeps the program from running: nothing is mapped "
		    "there at this moment",
		    (int)json_integer_value(json_object_get(entry, "number")),
		    mi_text(entry, "what"));
}

void breakpoints_forget(struct replay *replay, int gdb_number)
{
	size_t at;

	if (gdb_number && find(replay, "gdb", gdb_number, &at))
		json_array_remove(replay->breakpoints, at);
}

static void switch_all(struct replay *replay, const char *command)
{
	char numbers[NUMBERS_MAX] = "";
	json_t *entry;
	size_t i, length = 0;

	json_array_foreach(replay->breakpoints, i, entry)
	{
		int number = (int)json_integer_value(json_object_get(entry, "gdb"));

		if (number && length + 16 < sizeof(numbers) &&
		    !json_is_true(json_object_get(entry, "disabled")))
			length += (size_t)snprintf(
			    numbers + length, sizeof(numbers) - length, " %d", number);
	}
	if (length)
		gdb_command(replay->gdb, NULL, "%s%s", command, numbers);
}

void breakpoints_suspend(struct replay *replay)
{
	if (replay->suspended++ == 0)
		switch_all(replay, "-break-disable");
}

void breakpoints_resume(struct replay *replay)
{
	if (--replay->suspended == 0)
		switch_all(replay, "-break-enable");
}

static bool has_room(struct replay *replay, struct failure *failure)
{
	if (json_array_size(replay->breakpoints) < REPLAY_BREAKPOINTS_MAX)
		return true;
	failure_set(failure, ERROR_LIMIT, "remove some with rr_breakpoint_remove",
	    "there are %d breakpoints already", REPLAY_BREAKPOINTS_MAX);
	return false;
}

/* What lies at an address of one image means nothing in another. */
static void bind_to_image(const struct replay *replay, json_t *entry)
{
	const char *what = mi_text(entry, "what");

	if (images_count(replay) > 1 && !json_object_get(entry, "image") &&
	    (strcmp(mi_text(entry, "kind"), "watchpoint") == 0 || what[strspn(what, " ")] == '*'))
		json_object_set_new(
		    entry, "image", json_integer(images_get(replay, images_at(replay))->event));
}

/* Takes our keys over from what was asked for, numbers it and remembers it. */
static int remember(struct replay *replay, json_t *entry, int gdb_number)
{
	int number = (int)json_integer_value(json_object_get(entry, "number"));

	if (!number)
		number = replay->next_breakpoint++;
	else if (number >= replay->next_breakpoint)
		replay->next_breakpoint = number + 1;
	json_object_set_new(entry, "number", json_integer(number));
	json_object_set_new(entry, "gdb", json_integer(gdb_number));
	bind_to_image(replay, entry);
	json_array_append(replay->breakpoints, entry);
	return number;
}

static json_t *describe(const json_t *bkpt, int number, const char *location)
{
	const json_t *place = bkpt, *several = json_object_get(bkpt, "locations");
	const char *full;
	json_t *json;

	if (json_array_size(several))
		place = json_array_get(several, 0);
	full = mi_text(place, "fullname");
	json = json_pack("{s:i,s:s}", "number", number, "location", location);
	if (pending_waits(place)) {
		json_object_set_new(json, "pending", json_true());
		return json;
	}
	if (mi_text(place, "func"))
		json_object_set_new(json, "function", json_string(mi_text(place, "func")));
	if (full && mi_text(place, "line"))
		json_object_set_new(
		    json, "at", json_sprintf("%s:%s", full, mi_text(place, "line")));
	if (mi_text(place, "addr"))
		json_object_set_new(json, "address", json_string(mi_text(place, "addr")));
	if (json_array_size(several) > 1)
		json_object_set_new(
		    json, "places", json_integer((json_int_t)json_array_size(several)));
	return json;
}

/*
 * The condition of an entry, with the thread in it. gdb's own way to stop one thread only goes by
 * its number of the thread, and forgets the breakpoint wherever rr starts anew; the base of the
 * thread's own storage is the same for as long as the thread lives.
 */
static bool condition_of(
    struct replay *replay, const json_t *entry, char *to, size_t size, struct failure *failure)
{
	const char *when = mi_text(entry, "condition"), *storage;
	long long tid = json_integer_value(json_object_get(entry, "thread"));
	int number = tid ? selection_number(replay, (int)tid) : 0;
	json_t *results = NULL;

	snprintf(to, size, "%s", when ? when : "");
	if (!tid)
		return true;
	if (!number) {
		failure_set(failure, ERROR_NOT_FOUND, "set it at a moment when the thread lives",
		    "there is no thread %lld at this moment", tid);
		return false;
	}
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, &results,
		    "-data-evaluate-expression --thread %d --frame 0 \"(long)$fs_base\"", number),
		ERROR_UNSUPPORTED, "set it for all threads", failure))
		return false;
	storage = mi_text(results, "value");
	snprintf(to, size, "(long)$fs_base == %s%s%s%s", storage ? storage : "0",
	    when ? " && (" : "", when ? when : "", when ? ")" : "");
	json_decref(results);
	return true;
}

/* Sets what the entry says; returns what gdb made of it, or NULL with *failure filled. */
static json_t *insert(struct replay *replay, const json_t *entry, struct failure *failure)
{
	char location[GDB_QUOTED_MAX], when[REPLAY_EXPRESSION_MAX + 128], options[64] = "";
	char condition[GDB_QUOTED_MAX] = "";
	long long ignore = json_integer_value(json_object_get(entry, "ignore_count"));
	json_t *results = NULL, *bkpt;
	enum gdb_outcome outcome;

	if (!gdb_quote(location, "location", mi_text(entry, "what"), failure) ||
	    !condition_of(replay, entry, when, sizeof(when), failure) ||
	    (when[0] && !gdb_quote(condition, "condition", when, failure)))
		return NULL;
	snprintf(options, sizeof(options), "%s",
	    json_is_true(json_object_get(entry, "temporary")) ? " -t" : "");
	if (ignore)
		snprintf(options + strlen(options), 40, " -i %lld", ignore);
	if (json_is_true(json_object_get(entry, "pending")))
		strlcat(options, " -f", sizeof(options));
	outcome = gdb_command(replay->gdb, &results, "-break-insert%s%s%s %s", options,
	    when[0] ? " -c " : "", condition, location);
	if (!gdb_check(replay->gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, failure)) {
		json_decref(results);
		return NULL;
	}
	bkpt = json_incref(json_object_get(results, "bkpt"));
	json_decref(results);
	return bkpt;
}

static json_t *entry_of(const json_t *args, const char *kind, const char *what)
{
	static const char *const kept[] = {"condition", "temporary", "ignore_count", "thread"};
	json_t *entry = json_pack("{s:s,s:s}", "kind", kind, "what", what), *value;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		value = json_object_get(args, kept[i]);
		if (value && !json_is_null(value) &&
		    !(json_is_string(value) && !json_string_value(value)[0]))
			json_object_set(entry, kept[i], value);
	}
	return entry;
}

static void set_integer(json_t *entry, const char *name, long long value)
{
	if (value)
		json_object_set_new(entry, name, json_integer(value));
	else
		json_object_del(entry, name);
}

/* gdb's message does not say whether it is about the location or about the condition. */
static void suggest(struct replay *replay, const json_t *entry, struct failure *failure)
{
	if (strncmp(failure->message, "No line ", 8) == 0)
		failure_set_hint(failure, "rr_source_lines shows the lines there are");
	else if (mi_text(entry, "condition") && strncmp(failure->message, "Function ", 9) != 0 &&
		 strncmp(failure->message, "No source file", 14) != 0)
		failure_set_hint(failure,
		    "the condition is looked up where the location lies, with the names there");
	else
		names_suggest(replay, mi_text(entry, "what"), failure);
}

/* A bare address is set wherever it may lie; rr cannot stop where nothing is mapped. */
static bool is_mapped(
    struct replay *replay, const json_t *bkpt, const char *location, struct failure *failure)
{
	const char *address = mi_text(bkpt, "addr");

	if (location[strspn(location, " ")] != '*' || !address ||
	    gdb_command(replay->gdb, NULL, "-data-read-memory-bytes %s 1", address) != GDB_REFUSED)
		return true;
	gdb_command(replay->gdb, NULL, "-break-delete %d", mi_number(bkpt, "number", 0));
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "set it at a moment where that is mapped; rr_backtrace gives addresses of code",
	    "nothing is mapped at %s at this moment", address);
	return false;
}

static json_t *insert_now_or_later(
    struct replay *replay, json_t *entry, bool later, struct failure *failure)
{
	json_t *bkpt = insert(replay, entry, failure);

	if (bkpt || replay->worker->broken || replay->worker->interrupt ||
	    !pending_is_likely(replay, mi_text(entry, "what"), later, failure))
		return bkpt;
	*failure = (struct failure){0};
	json_object_set_new(entry, "pending", json_true());
	return insert(replay, entry, failure);
}

json_t *tool_breakpoint_set(
    struct worker *worker, const struct breakpoint_set_args *args, struct failure *failure)
{
	struct replay *replay = replay_of(worker, failure);
	json_t *entry, *bkpt, *result = NULL;
	long long thread;

	if (!replay || !has_room(replay, failure) ||
	    !argument_thread("thread", args->thread, 0, &thread, failure))
		return NULL;
	entry = entry_of(args->given, "breakpoint", args->location);
	set_integer(entry, "ignore_count", args->ignore_count);
	set_integer(entry, "thread", thread);
	bkpt = insert_now_or_later(replay, entry, args->pending, failure);
	if (bkpt && is_mapped(replay, bkpt, args->location, failure)) {
		result = describe(
		    bkpt, remember(replay, entry, mi_number(bkpt, "number", 0)), args->location);
		replay_changed(replay);
	} else if (!bkpt && failure->code == ERROR_INVALID_ARGUMENT && !worker->broken) {
		suggest(replay, entry, failure);
	}
	json_decref(bkpt);
	json_decref(entry);
	return result;
}

json_t *tool_watchpoint_set(
    struct worker *worker, const struct watchpoint_set_args *args, struct failure *failure)
{
	struct replay *replay = replay_of(worker, failure);
	const char *access = choices_watch_access[args->access_type];
	json_t *entry, *resolved, *result;
	int gdb_number, number;

	if (!replay || !has_room(replay, failure))
		return NULL;
	gdb_number = watchpoint_insert(
	    replay, args->expression, access, args->location, args->condition, failure);
	if (!gdb_number)
		return NULL;
	entry = entry_of(args->given, "watchpoint", args->expression);
	json_object_set_new(entry, "access", json_string(access));
	json_object_set_new(entry, "by_location", json_boolean(args->location));
	resolved = args->location ? watchpoint_address(replay, args->expression) : NULL;
	if (resolved)
		json_object_set_new(entry, "resolved", resolved);
	number = remember(replay, entry, gdb_number);
	result = json_pack("{s:i,s:s,s:s}", "number", number, "expression", args->expression,
	    "access_type", access);
	if (resolved)
		json_object_set(result, "address", resolved);
	json_decref(entry);
	replay_changed(replay);
	return result;
}

json_t *tool_breakpoint_remove(
    struct worker *worker, const struct breakpoint_remove_args *args, struct failure *failure)
{
	struct replay *replay = replay_of(worker, failure);
	json_t *entry;
	size_t at;

	if (!replay)
		return NULL;
	entry = find(replay, "number", args->breakpoint_number, &at);
	if (!entry) {
		failure_set(failure, ERROR_NOT_FOUND, "rr_breakpoint_list shows those there are",
		    "there is no breakpoint %lld", args->breakpoint_number);
		return NULL;
	}
	/* gdb may have deleted it by itself: it is gone either way. */
	if (gdb_command(replay->gdb, NULL, "-break-delete %d",
		(int)json_integer_value(json_object_get(entry, "gdb"))) == GDB_LOST) {
		gdb_check(replay->gdb, GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
		return NULL;
	}
	json_array_remove(replay->breakpoints, at);
	replay_changed(replay);
	return json_pack("{s:I}", "removed", (json_int_t)args->breakpoint_number);
}

static const json_t *row_of(const json_t *rows, long long gdb_number)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *text = mi_text(row, "number");
		if (text && !strchr(text, '.') && mi_number(row, "number", 0) == gdb_number)
			return row;
	}
	return NULL;
}

/* gdb counts anew in each image. */
static json_int_t hits_of(const json_t *entry, const json_t *row)
{
	return json_integer_value(json_object_get(entry, "hits_before")) +
	       mi_number(row, "times", 0);
}

static json_t *list_one(const json_t *entry, const json_t *row)
{
	static const char *const kept[] = {
	    "kind", "condition", "temporary", "ignore_count", "thread", "access", "disabled"};
	int number = (int)json_integer_value(json_object_get(entry, "number"));
	const char *what = mi_text(entry, "what");
	bool watch = strcmp(mi_text(entry, "kind"), "watchpoint") == 0;
	json_t *json = watch ? json_pack("{s:i,s:s}", "number", number, "expression", what)
			     : describe(row, number, what);

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (json_object_get(entry, kept[i]))
			json_object_set(json, kept[i], json_object_get(entry, kept[i]));
	json_object_set_new(json, "hits", json_integer(hits_of(entry, row)));
	if (!json_integer_value(json_object_get(entry, "gdb")))
		json_object_set_new(json, "elsewhere", json_true());
	return json;
}

json_t *tool_breakpoint_list(
    struct worker *worker, const struct breakpoint_list_args *args, struct failure *failure)
{
	struct replay *replay = replay_of(worker, failure);
	json_t *results = NULL, *rows, *list, *entry;
	size_t i;

	(void)args;
	if (!replay || !gdb_check(replay->gdb, gdb_command(replay->gdb, &results, "-break-list"),
			   ERROR_GDB_FAILED, NULL, failure))
		return NULL;
	rows = json_object_get(json_object_get(results, "BreakpointTable"), "body");
	list = json_array();
	json_array_foreach(replay->breakpoints, i, entry) json_array_append_new(
	    list, list_one(entry, row_of(rows, json_integer_value(json_object_get(entry, "gdb")))));
	json_decref(results);
	return json_pack("{s:o}", "breakpoints", list);
}

json_t *breakpoints_save(const struct replay *replay)
{
	json_t *saved = json_deep_copy(replay->breakpoints), *entry;
	size_t i;

	json_array_foreach(saved, i, entry) json_object_del(entry, "gdb");
	return saved;
}

static int set_again(struct replay *replay, const json_t *entry, struct failure *failure)
{
	const char *kind = mi_text(entry, "kind"), *resolved = mi_text(entry, "resolved");
	const char *what = mi_text(entry, "what");
	char again[REPLAY_EXPRESSION_MAX + 128];
	json_t *bkpt;
	int number;

	if (!kind || !what)
		return 0;
	if (strcmp(kind, "watchpoint") == 0) {
		/* typeof needs names only for their type; where the frame is another, the first
		 * word at the address stands for it. */
		snprintf(again, sizeof(again), resolved ? "*(__typeof__(%s) *) %s" : "%s", what,
		    resolved ? resolved : "");
		number = watchpoint_insert(replay, again, mi_text(entry, "access"), true,
		    mi_text(entry, "condition"), failure);
		if (number || !resolved)
			return number;
		snprintf(again, sizeof(again), "*(long *) %s", resolved);
		return watchpoint_insert(replay, again, mi_text(entry, "access"), true,
		    mi_text(entry, "condition"), failure);
	}
	bkpt = insert(replay, entry, failure);
	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	return number;
}

/* Whether it can be set in the image the session stands in. */
static bool belongs_here(const struct replay *replay, const json_t *entry)
{
	const json_t *image = json_object_get(entry, "image");

	return !image || json_integer_value(image) == images_get(replay, images_at(replay))->event;
}

void breakpoints_leave(struct replay *replay)
{
	json_t *results = NULL, *entry;
	const json_t *rows;
	size_t i;

	gdb_command(replay->gdb, &results, "-break-list");
	rows = json_object_get(json_object_get(results, "BreakpointTable"), "body");
	json_array_foreach(replay->breakpoints, i, entry)
	{
		long long number = json_integer_value(json_object_get(entry, "gdb"));

		if (!number)
			continue;
		json_object_set_new(
		    entry, "hits_before", json_integer(hits_of(entry, row_of(rows, number))));
		json_object_set_new(entry, "gdb", json_integer(0));
	}
	json_decref(results);
	/* Internal ones too: of the calls that set some, none goes on behind an exec. */
	gdb_command(replay->gdb, NULL, "-break-delete");
}

void breakpoints_enter(struct replay *replay)
{
	json_t *entry;
	size_t i;

	json_array_foreach(replay->breakpoints, i, entry)
	{
		struct failure absent = {0};

		/* At an image's first instruction its libraries are still to come. */
		if (strcmp(mi_text(entry, "kind"), "breakpoint") == 0)
			json_object_set_new(entry, "pending", json_true());
		if (belongs_here(replay, entry))
			json_object_set_new(
			    entry, "gdb", json_integer(set_again(replay, entry, &absent)));
	}
	if (replay->suspended)
		switch_all(replay, "-break-disable");
}

void breakpoints_restore(struct replay *replay, const json_t *saved)
{
	json_t *entry;
	size_t i;

	json_array_foreach(saved, i, entry)
	{
		struct failure lost = {0};
		bool here = belongs_here(replay, entry);
		int number = here ? set_again(replay, entry, &lost) : 0;
		if (number || !here)
			remember(replay, entry, number);
		else
			json_array_append_new(replay->warnings,
			    json_sprintf("breakpoint %d could not be set again: %s",
				(int)json_integer_value(json_object_get(entry, "number")),
				lost.message));
	}
}
