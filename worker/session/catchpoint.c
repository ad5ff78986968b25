/*
 * Knows which functions of the C++ runtime and the C library do what can be caught, and where these
 * functions find their arguments.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/serve/handlers.h"
#include "worker/session/breakpoint_tools.h"
#include "worker/session/catch_syscall.h"
#include "worker/session/catchpoint.h"
#include "worker/session/frame.h"
#include "worker/session/frames.h"
#include "worker/session/images.h"
#include "worker/session/signals.h"
#include "worker/session/symbol.h"

#define CALLS_MAX   3
#define PATTERN_MAX 512
#define FRAMES_MAX  40
#define BUDGET	    8000 /* bytes of frames that we read */

struct way {
	const char *calls[CALLS_MAX]; /* functions, one breakpoint each; empty: no breakpoint */
	const char *type;	      /* where an exception's std::type_info lies; else NULL */
	const char *does;	      /* said before what was caught */
};

/* By the C++ ABI: __cxa_throw(object, type_info, ...), and __cxa_begin_catch(header), with the
 * type_info 80 bytes before that header. */
static const struct way ways[] = {
    [CAUGHT_THROW] = {{"__cxa_throw"}, "(unsigned long) $rsi", "throws"},
    [CAUGHT_RETHROW] = {{"__cxa_rethrow"}, NULL, "throws again"},
    [CAUGHT_CATCH] = {{"__cxa_begin_catch"}, "*(unsigned long *) ($rdi - 80)", "catches"},
    [CAUGHT_SIGNAL] = {{NULL}, NULL, NULL},
    [CAUGHT_FORK] = {{"fork", "vfork", "posix_spawn"}, NULL, "starts a process"},
    [CAUGHT_EXEC] = {{NULL}, NULL, NULL},
    [CAUGHT_LOAD] = {{"dlopen"}, NULL, "loads"},
    [CAUGHT_SYSCALL] = {{NULL}, NULL, NULL},
};

/* ---- What is asked for ----------------------------------------------------------------------- */

static const struct {
	const char *name, *mangled;
} builtins[] = {{"int", "i"}, {"unsigned int", "j"}, {"unsigned", "j"}, {"long", "l"},
    {"unsigned long", "m"}, {"char", "c"}, {"bool", "b"}, {"double", "d"}, {"float", "f"},
    {"char const*", "PKc"}, {"const char*", "PKc"}, {"const char *", "PKc"}};

static bool is_plain(const char *text, const char *also)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(also, *text))
			return false;
	return true;
}

/* The pattern of a type's mangled name. std is St; every other name follows its length, which must
 * not match the end of a longer number. Ignores template arguments. */
static void pattern_of_type(const char *name, char *to, size_t size)
{
	size_t length = strcspn(name, "<"), used = 0;
	const char *end = name + length;

	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (strcmp(builtins[i].name, name) == 0) {
			snprintf(to, size, "%s$", builtins[i].mangled);
			return;
		}
	used = (size_t)snprintf(to, size, "(.*[^0-9])?");
	for (const char *at = name; at < end && used < size;) {
		int part = (int)strcspn(at, ":<");

		if (part == 3 && strncmp(at, "std", 3) == 0)
			used += (size_t)snprintf(to + used, size - used, "St");
		else if (part)
			used += (size_t)snprintf(to + used, size - used, "%d%.*s", part, part, at);
		at += part;
		at += strspn(at, ":");
	}
}

/* Turns a filter into a condition, "" without a filter; false with *failure filled. */
static bool condition_of(
    enum caught kind, const char *filter, char *to, size_t size, struct failure *failure)
{
	char pattern[PATTERN_MAX] = "";
	size_t used = 0;

	to[0] = '\0';
	if (!filter || kind == CAUGHT_FORK)
		return true;
	if (strlen(filter) > 100 || !is_plain(filter, "_:<>,*&()./+- ")) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "filter is a type for throw and catch, or part of a library's name for load; "
		    "at most 100 characters");
		return false;
	}
	if (ways[kind].type) {
		pattern_of_type(filter, pattern, sizeof(pattern));
		snprintf(
		    to, size, "$_regex(*(char **) (%s + 8), \"[*]?%s\")", ways[kind].type, pattern);
		return true;
	}
	if (kind == CAUGHT_RETHROW) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "leave filter out",
		    "a rethrown exception does not show its type");
		return false;
	}
	for (const char *at = filter; *at && used + 8 < sizeof(pattern); at++)
		used += (size_t)snprintf(pattern + used, sizeof(pattern) - used,
		    isalnum((unsigned char)*at) ? "%c" : "[%c]", *at);
	snprintf(to, size, "$rdi != 0 && $_regex((char *) $rdi, \".*%s.*\")", pattern);
	return true;
}

/* ---- Breakpoints ----------------------------------------------------------------------------- */

static bool is_wanted(const char *call, enum caught kind, const char *filter)
{
	return kind != CAUGHT_FORK || !filter || strcmp(call, filter) == 0;
}

static json_t *set_one(struct replay *replay, const char *call, const struct catch_args *args,
    const char *condition, struct failure *failure)
{
	struct breakpoint wanted = {
	    .what = strdup(call),
	    .condition = condition[0] ? strdup(condition) : NULL,
	    .catches = strdup(choices_caught[args->kind]),
	    .temporary = args->temporary,
	};
	json_t *set = breakpoint_set(replay, &wanted, true, failure);

	breakpoint_clear(&wanted);
	return set;
}

static json_t *set_all(
    struct replay *replay, const struct catch_args *args, struct failure *failure)
{
	json_t *list = json_array(), *one;
	char condition[PATTERN_MAX + 100];

	if (!condition_of(args->kind, args->filter, condition, sizeof(condition), failure))
		goto failed;
	for (size_t i = 0; i < CALLS_MAX && ways[args->kind].calls[i]; i++) {
		const char *call = ways[args->kind].calls[i];

		if (!is_wanted(call, args->kind, args->filter))
			continue;
		one = set_one(replay, call, args, condition, failure);
		if (!one)
			goto failed;
		json_array_append_new(list, one);
	}
	if (json_array_size(list)) {
		one = json_incref(json_array_get(list, 0));
		if (json_array_size(list) == 1) {
			json_decref(list);
			return one;
		}
		json_decref(one);
		return json_pack("{s:o}", "breakpoints", list);
	}
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "filter is fork, vfork or posix_spawn for kind fork");
failed:
	json_decref(list);
	return NULL;
}

/* ---- What happens ---------------------------------------------------------------------------- */

/* The type's name, of the symbol "typeinfo for bank::failure"; "" if gdb knows none. */
static void read_type(struct replay *replay, const char *where, char *name, size_t size)
{
	static const char before[] = "typeinfo for ";
	struct symbol symbol;
	const char *type;

	name[0] = '\0';
	if (!symbol_of(replay, where, &symbol) ||
	    strncmp(symbol.name, before, sizeof(before) - 1) != 0)
		return;
	type = symbol.name + sizeof(before) - 1;
	snprintf(name, size, "%.*s", (int)strcspn(type, "@"), type);
}

static void read_library(struct replay *replay, char *name, size_t size)
{
	json_t *results = NULL;
	const char *value, *text;

	name[0] = '\0';
	if (gdb_command(replay->gdb, &results, "-data-evaluate-expression \"(char *) $rdi\"") ==
	    GDB_DONE) {
		value = mi_text(results, "value");
		text = value ? strchr(value, '"') : NULL;
		if (text)
			snprintf(name, size, "%.*s", (int)strcspn(text + 1, "\""), text + 1);
	}
	json_decref(results);
}

/* The program's own code from which this was called: "parse at containers.cc:58". */
static void describe_caller(struct replay *replay, char *text, size_t size)
{
	json_t *frames = frames_from(replay, replay->selected.number, 1, FRAMES_MAX, BUDGET);
	const json_t *own = frames_first_own(replay, frames);

	text[0] = '\0';
	if (own && mi_text(own, "function"))
		snprintf(text, size, " in %s at %s", mi_text(own, "function"),
		    mi_text(own, "at") ? mi_text(own, "at") : "??");
	json_decref(frames);
}

void catchpoint_tell(struct replay *replay, const struct breakpoint *breakpoint, json_t *stop)
{
	char about[200] = "", caller[600];
	size_t kind = 0;

	while (choices_caught[kind] && strcmp(choices_caught[kind], breakpoint->catches) != 0)
		kind++;
	if (!choices_caught[kind] || !ways[kind].does)
		return;
	if (ways[kind].type)
		read_type(replay, ways[kind].type, about, sizeof(about));
	else if (kind == CAUGHT_LOAD)
		read_library(replay, about, sizeof(about));
	describe_caller(replay, caller, sizeof(caller));
	json_object_set_new(stop, "conclusion",
	    json_sprintf("%s%s%s%s", ways[kind].does, about[0] ? " " : "", about, caller));
}

/* ---- The tool -------------------------------------------------------------------------------- */

static json_t *catch_signal(struct replay *replay, const char *filter, struct failure *failure)
{
	if (!filter) {
		failure_set(
		    failure, ERROR_INVALID_ARGUMENT, "e.g. SIGUSR1", "filter names the signal");
		return NULL;
	}
	if (!signals_stop_at(replay, filter, failure))
		return NULL;
	return json_pack("{s:s, s:s}", "kind", "signal", "note",
	    "it stops in both directions now; rr_signals with pass undoes it");
}

static json_t *catch_exec(const struct replay *replay)
{
	json_t *images = images_json(replay);

	return images ? json_pack("{s:s, s:s, s:o}", "kind", "exec", "note",
			    "rr_continue stops at every exec by itself", "images", images)
		      : json_pack("{s:s, s:s}", "kind", "exec", "note",
			    "this process has no other image: there is no exec to stop at");
}

json_t *tool_catch(struct replay *replay, const struct catch_args *args, struct failure *failure)
{
	json_t *result = NULL;

	switch (args->kind) {
	case CAUGHT_SYSCALL:
		return catch_syscall(replay, args->filter, failure);
	case CAUGHT_EXEC:
		return catch_exec(replay);
	case CAUGHT_SIGNAL:
		result = catch_signal(replay, args->filter, failure);
		break;
	case CAUGHT_THROW:
	case CAUGHT_RETHROW:
	case CAUGHT_CATCH:
	case CAUGHT_FORK:
	case CAUGHT_LOAD:
		result = set_all(replay, args, failure);
		break;
	}
	replay_changed(replay);
	return result;
}
