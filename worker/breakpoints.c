/*
 * Sets, lists and removes what stops the program, and keeps it as data: an array of
 *	{number, gdb, kind: "breakpoint"|"watchpoint", what, condition?, temporary?, ignore_count?,
 *	 thread?, access?, by_location?, resolved?}
 * `gdb` is gdb's number in this worker; `resolved` the typed address a watchpoint stands on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/arguments.h"
#include "worker/breakpoints.h"
#include "worker/mi.h"
#include "worker/names.h"
#include "worker/state.h"

#define NUMBERS_MAX (REPLAY_BREAKPOINTS_MAX * 8)

static const char *const accesses[] = {"write", "read", "access", NULL};

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

void breakpoints_explain(const struct replay *replay, struct op_reply *reply)
{
	static const char said[] = "Cannot insert breakpoint ";
	json_t *entry;

	if (strncmp(reply->message, said, sizeof(said) - 1) != 0)
		return;
	entry = find(replay, "gdb", strtol(reply->message + sizeof(said) - 1, NULL, 10), NULL);
	if (entry)
		op_fail(reply, ERROR_INVALID_ARGUMENT,
		    "rr_breakpoint_remove it, and set it again where that is mapped",
		    "breakpoint %d at %.200s keeps the program from running: nothing is mapped "
		    "there at this moment",
		    (int)json_integer_value(json_object_get(entry, "number")),
		    mi_text(entry, "what"));
}

void breakpoints_forget(struct replay *replay, int gdb_number)
{
	size_t at;

	if (find(replay, "gdb", gdb_number, &at))
		json_array_remove(replay->breakpoints, at);
}

static void switch_all(struct replay *replay, const char *command)
{
	char numbers[NUMBERS_MAX] = "";
	json_t *entry;
	size_t i, length = 0;

	json_array_foreach(replay->breakpoints, i, entry)
	{
		if (length + 16 < sizeof(numbers) &&
		    !json_is_true(json_object_get(entry, "disabled")))
			length += (size_t)snprintf(numbers + length, sizeof(numbers) - length,
			    " %d", (int)json_integer_value(json_object_get(entry, "gdb")));
	}
	if (length)
		gdb_command(replay->gdb, NULL, "%s%s", command, numbers);
}

void breakpoints_suspend(struct replay *replay)
{
	switch_all(replay, "-break-disable");
}

void breakpoints_resume(struct replay *replay)
{
	switch_all(replay, "-break-enable");
}

static bool has_room(struct replay *replay, struct op_reply *reply)
{
	if (json_array_size(replay->breakpoints) < REPLAY_BREAKPOINTS_MAX)
		return true;
	op_fail(reply, ERROR_LIMIT, "remove some with rr_breakpoint_remove",
	    "there are %d breakpoints already", REPLAY_BREAKPOINTS_MAX);
	return false;
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
	json_object_set_new(
	    json, "function", json_string(mi_text(place, "func") ? mi_text(place, "func") : "??"));
	if (full)
		json_object_set_new(json, "file", json_string(full));
	if (mi_text(place, "line"))
		json_object_set_new(json, "line", json_integer(mi_number(place, "line", 0)));
	if (mi_text(place, "addr"))
		json_object_set_new(json, "address", json_string(mi_text(place, "addr")));
	if (json_array_size(several) > 1)
		json_object_set_new(
		    json, "places", json_integer((json_int_t)json_array_size(several)));
	return json;
}

/* Sets what the entry says; returns what gdb made of it, or NULL with the reply failed. */
static json_t *insert(struct replay *replay, const json_t *entry, struct op_reply *reply)
{
	char location[GDB_QUOTED_MAX], condition[GDB_QUOTED_MAX] = "", options[128] = "";
	const char *text = mi_text(entry, "what"), *when = mi_text(entry, "condition");
	long long ignore = json_integer_value(json_object_get(entry, "ignore_count"));
	long long thread = json_integer_value(json_object_get(entry, "thread"));
	json_t *results = NULL, *bkpt;
	enum gdb_outcome outcome;

	if (!gdb_quote(location, "location", text, reply) ||
	    (when && !gdb_quote(condition, "condition", when, reply)))
		return NULL;
	snprintf(options, sizeof(options), "%s",
	    json_is_true(json_object_get(entry, "temporary")) ? " -t" : "");
	if (ignore)
		snprintf(options + strlen(options), 40, " -i %lld", ignore);
	if (thread)
		snprintf(options + strlen(options), 40, " -p %lld", thread);
	outcome = gdb_command(replay->gdb, &results, "-break-insert%s%s%s %s", options,
	    when ? " -c " : "", condition, location);
	if (!gdb_check(replay->gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, reply)) {
		json_decref(results);
		return NULL;
	}
	bkpt = json_incref(json_object_get(results, "bkpt"));
	json_decref(results);
	return bkpt;
}

static json_t *entry_of(json_t *args, const char *kind, const char *what)
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

static bool set_integer(json_t *entry, json_t *args, const char *name, struct op_reply *reply)
{
	long long value;

	if (!argument_integer(args, name, 0, 0, 1000000000, &value, reply))
		return false;
	if (value)
		json_object_set_new(entry, name, json_integer(value));
	else
		json_object_del(entry, name);
	return true;
}

/* gdb's message does not say whether it is about the location or about the condition. */
static void suggest(struct replay *replay, const json_t *entry, struct op_reply *reply)
{
	if (strncmp(reply->message, "No line ", 8) == 0)
		op_hint(reply, "rr_source_lines shows the lines there are");
	else if (mi_text(entry, "condition") && strncmp(reply->message, "Function ", 9) != 0 &&
		 strncmp(reply->message, "No source file", 14) != 0)
		op_hint(reply,
		    "the condition is looked up where the location lies, with the names there");
	else
		names_suggest(replay, mi_text(entry, "what"), reply);
}

/* A bare address is set wherever it may lie; rr cannot stop where nothing is mapped. */
static bool is_mapped(
    struct replay *replay, const json_t *bkpt, const char *location, struct op_reply *reply)
{
	const char *address = mi_text(bkpt, "addr");

	if (location[strspn(location, " ")] != '*' || !address ||
	    gdb_command(replay->gdb, NULL, "-data-read-memory-bytes %s 1", address) != GDB_REFUSED)
		return true;
	gdb_command(replay->gdb, NULL, "-break-delete %d", mi_number(bkpt, "number", 0));
	op_fail(reply, ERROR_INVALID_ARGUMENT,
	    "set it at a moment where that is mapped; rr_backtrace gives addresses of code",
	    "nothing is mapped at %s at this moment", address);
	return false;
}

void breakpoints_set(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *location = replay ? argument_required(args, "location", reply) : NULL;
	json_t *entry, *bkpt = NULL;

	if (!location || !has_room(replay, reply))
		return;
	entry = entry_of(args, "breakpoint", location);
	if (set_integer(entry, args, "ignore_count", reply) &&
	    set_integer(entry, args, "thread", reply))
		bkpt = insert(replay, entry, reply);
	if (bkpt && is_mapped(replay, bkpt, location, reply)) {
		reply->result =
		    describe(bkpt, remember(replay, entry, mi_number(bkpt, "number", 0)), location);
		state_send(replay);
	} else if (!bkpt && reply->code == ERROR_INVALID_ARGUMENT && !worker->broken) {
		suggest(replay, entry, reply);
	}
	json_decref(bkpt);
	json_decref(entry);
}

/* The typed address an expression lives at, for setting the watchpoint again later: the names in
 * the expression may mean something else, or nothing, by then. */
static json_t *resolve(struct replay *replay, const char *expression)
{
	char quoted[GDB_QUOTED_MAX], text[REPLAY_EXPRESSION_MAX + 64];
	json_t *results = NULL, *resolved = NULL;
	const char *address, *space;

	snprintf(text, sizeof(text), "(void *) &(%s)", expression);
	if (mi_quote(quoted, sizeof(quoted), text) > 0 &&
	    gdb_command(replay->gdb, &results,
		"-data-evaluate-expression --thread %d --frame %d %s", replay->thread,
		replay->frame, quoted) == GDB_DONE) {
		address = mi_text(results, "value");
		space = address ? strchr(address, ' ') : NULL;
		if (address)
			resolved = json_stringn(
			    address, space ? (size_t)(space - address) : strlen(address));
	}
	json_decref(results);
	return resolved;
}

static bool is_hardware(const json_t *bkpt)
{
	const char *type = mi_text(bkpt, "type");

	return type && (strncmp(type, "hw ", 3) == 0 || strncmp(type, "read ", 5) == 0 ||
			   strncmp(type, "acc ", 4) == 0);
}

int breakpoints_watch(struct replay *replay, const char *expression, const char *access,
    bool location, const char *condition, struct op_reply *reply)
{
	static const char *const verbs[] = {"watch", "rwatch", "awatch"};
	char command[GDB_QUOTED_MAX / 2], quoted[GDB_QUOTED_MAX];
	int length, verb = 0, number;

	for (int i = 0; accesses[i]; i++)
		if (access && strcmp(access, accesses[i]) == 0)
			verb = i;
	length = snprintf(command, sizeof(command), "%s%s %s%s%s", verbs[verb],
	    location ? " -l" : "", expression, condition ? " if " : "", condition ? condition : "");
	if (length < 0 || (size_t)length >= sizeof(command)) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "the expression is too long");
		return 0;
	}
	if (!gdb_quote(quoted, "expression", command, reply))
		return 0;
	gdb_forget_created(replay->gdb);
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, NULL,
		    "-interpreter-exec --thread %d --frame %d console %s", replay->thread,
		    replay->frame, quoted),
		ERROR_INVALID_ARGUMENT,
		"give an expression that has an address in the selected frame, or one of the form "
		"*(TYPE *) ADDRESS",
		reply))
		return 0;
	number = mi_number(gdb_created_breakpoint(replay->gdb), "number", 0);
	if (number && is_hardware(gdb_created_breakpoint(replay->gdb)))
		return number;
	if (number)
		gdb_command(replay->gdb, NULL, "-break-delete %d", number);
	op_fail(reply, ERROR_UNSUPPORTED, "watch a part of it: at most 8 bytes each, 4 at a time",
	    "%.200s cannot be watched by the hardware, and watching by single steps takes hours",
	    expression);
	return 0;
}

void watchpoints_set(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *expression = replay ? argument_required(args, "expression", reply) : NULL;
	bool location = argument_flag(args, "location", true);
	int access, gdb_number, number;
	json_t *entry, *resolved;

	if (!expression || !has_room(replay, reply))
		return;
	access = argument_choice(args, "access_type", accesses, 0, reply);
	if (access < 0)
		return;
	gdb_number = breakpoints_watch(replay, expression, accesses[access], location,
	    argument_text(args, "condition", NULL), reply);
	if (!gdb_number)
		return;
	entry = entry_of(args, "watchpoint", expression);
	json_object_set_new(entry, "access", json_string(accesses[access]));
	json_object_set_new(entry, "by_location", json_boolean(location));
	resolved = location ? resolve(replay, expression) : NULL;
	if (resolved)
		json_object_set_new(entry, "resolved", resolved);
	number = remember(replay, entry, gdb_number);
	reply->result = json_pack("{s:i,s:s,s:s,s:b}", "number", number, "expression", expression,
	    "access_type", accesses[access], "location", location);
	if (resolved)
		json_object_set(reply->result, "address", resolved);
	json_decref(entry);
	state_send(replay);
}

void breakpoints_remove(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	long long number;
	json_t *entry;
	size_t at;

	if (!replay || !argument_integer(args, "breakpoint_number", 0, 1, 1000000, &number, reply))
		return;
	entry = find(replay, "number", number, &at);
	if (!entry) {
		op_fail(reply, ERROR_NOT_FOUND, "rr_breakpoint_list shows those there are",
		    "there is no breakpoint %lld", number);
		return;
	}
	/* gdb may have deleted it by itself: it is gone either way. */
	if (gdb_command(replay->gdb, NULL, "-break-delete %d",
		(int)json_integer_value(json_object_get(entry, "gdb"))) == GDB_LOST) {
		gdb_check(replay->gdb, GDB_LOST, ERROR_GDB_FAILED, NULL, reply);
		return;
	}
	json_array_remove(replay->breakpoints, at);
	reply->result = json_pack("{s:I}", "removed", (json_int_t)number);
	state_send(replay);
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
	json_object_set_new(json, "hits", json_integer(mi_number(row, "times", 0)));
	return json;
}

void breakpoints_list(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	json_t *results = NULL, *rows, *list, *entry;
	size_t i;

	(void)args;
	if (!replay || !gdb_check(replay->gdb, gdb_command(replay->gdb, &results, "-break-list"),
			   ERROR_GDB_FAILED, NULL, reply))
		return;
	rows = json_object_get(json_object_get(results, "BreakpointTable"), "body");
	list = json_array();
	json_array_foreach(replay->breakpoints, i, entry) json_array_append_new(
	    list, list_one(entry, row_of(rows, json_integer_value(json_object_get(entry, "gdb")))));
	reply->result = json_pack("{s:o}", "breakpoints", list);
	json_decref(results);
}

json_t *breakpoints_save(const struct replay *replay)
{
	json_t *saved = json_deep_copy(replay->breakpoints), *entry;
	size_t i;

	json_array_foreach(saved, i, entry) json_object_del(entry, "gdb");
	return saved;
}

static int set_again(struct replay *replay, const json_t *entry, struct op_reply *reply)
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
		number = breakpoints_watch(replay, again, mi_text(entry, "access"), true,
		    mi_text(entry, "condition"), reply);
		if (number || !resolved)
			return number;
		snprintf(again, sizeof(again), "*(long *) %s", resolved);
		return breakpoints_watch(replay, again, mi_text(entry, "access"), true,
		    mi_text(entry, "condition"), reply);
	}
	bkpt = insert(replay, entry, reply);
	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	return number;
}

void breakpoints_restore(struct replay *replay, const json_t *saved)
{
	json_t *entry;
	size_t i;

	json_array_foreach(saved, i, entry)
	{
		struct op_reply lost = {0};
		int number = set_again(replay, entry, &lost);
		if (number)
			remember(replay, entry, number);
		else
			json_array_append_new(replay->warnings,
			    json_sprintf("breakpoint %d could not be set again: %s",
				(int)json_integer_value(json_object_get(entry, "number")),
				lost.message));
	}
}
