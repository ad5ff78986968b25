/*
 * Knows which functions of the C++ runtime and the C library do what can be caught, and where these
 * functions find their arguments.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/serve/handlers.h"
#include "worker/run/breakpoint_tools.h"
#include "worker/run/catch_syscall.h"
#include "worker/run/catchpoint.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/session/breakpoint.h"
#include "worker/session/images.h"
#include "worker/moment/signals.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"

#define CALLS_MAX   3
#define PATTERN_MAX 512
#define FRAMES_MAX  40
#define BUDGET	    8000 /* bytes of frames that we read */

struct call {
	const char *function;
	const char *type;   /* where an exception's std::type_info lies; else NULL */
	const char *does;   /* said before what was caught */
	const char *unless; /* called by this one, which has a breakpoint itself; else NULL */
};

struct way {
	struct call calls[CALLS_MAX]; /* one breakpoint each; empty: no breakpoint */
	bool takes_type;	      /* a filter is an exception's type */
};

/*
 * By the C++ ABI: __cxa_throw(object, type_info, ...), and __cxa_begin_catch(header), with the
 * type_info 80 bytes before that header, which ends where the object begins. An exception that
 * travels in an exception_ptr, as through a future, is thrown by std::rethrow_exception(&pointer to
 * the object). One that std::make_exception_ptr put there was never thrown: libstdc++ makes it with
 * __cxa_init_primary_exception(object, type_info, ...), which __cxa_throw calls too.
 */
static const struct way ways[] = {
    [CAUGHT_THROW] = {{{"__cxa_throw", "(unsigned long) $rsi", "throws", NULL},
			  {"__cxa_init_primary_exception", "(unsigned long) $rsi",
			      "makes, without a throw, an exception_ptr of", "__cxa_throw"}},
	true},
    [CAUGHT_RETHROW] = {{{"__cxa_rethrow", NULL, "throws again", NULL},
			    {"std::rethrow_exception",
				"*(unsigned long *) (*(unsigned long *) $rdi - 112)",
				"throws again", NULL}},
	false},
    [CAUGHT_CATCH] = {{{"__cxa_begin_catch", "*(unsigned long *) ($rdi - 80)", "catches", NULL}},
	true},
    [CAUGHT_SIGNAL] = {{{NULL, NULL, NULL, NULL}}, false},
    [CAUGHT_FORK] = {{{"fork", NULL, "starts a process", NULL},
			 {"vfork", NULL, "starts a process", NULL},
			 {"posix_spawn", NULL, "starts a process", NULL}},
	false},
    [CAUGHT_EXEC] = {{{NULL, NULL, NULL, NULL}}, false},
    [CAUGHT_LOAD] = {{{"dlopen", NULL, "loads", NULL}}, false},
    [CAUGHT_SYSCALL] = {{{NULL, NULL, NULL, NULL}}, false},
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

static bool is_fit(enum caught kind, const char *filter, struct failure *failure)
{
	if (!filter || kind == CAUGHT_FORK)
		return true;
	if (kind == CAUGHT_RETHROW) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "leave filter out",
		    "a rethrown exception does not show its type");
		return false;
	}
	if (strlen(filter) <= 100 && is_plain(filter, "_:<>,*&()./+- "))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
	    "filter is a type for throw and catch, or part of a library's name for load; "
	    "at most 100 characters");
	return false;
}

/* What a filter asks for as a condition, "" without a filter. */
static void filter_of(
    enum caught kind, const struct call *call, const char *filter, char *to, size_t size)
{
	char pattern[PATTERN_MAX] = "";
	size_t used = 0;

	to[0] = '\0';
	if (!filter || kind == CAUGHT_FORK)
		return;
	if (ways[kind].takes_type) {
		pattern_of_type(filter, pattern, sizeof(pattern));
		snprintf(to, size, "$_regex(*(char **) (%s + 8), \"[*]?%s\")", call->type, pattern);
		return;
	}
	for (const char *at = filter; *at && used + 8 < sizeof(pattern); at++)
		used += (size_t)snprintf(pattern + used, sizeof(pattern) - used,
		    isalnum((unsigned char)*at) ? "%c" : "[%c]", *at);
	snprintf(to, size, "$rdi != 0 && $_regex((char *) $rdi, \".*%s.*\")", pattern);
}

/* "" if it always stops. */
static void condition_of(
    enum caught kind, const struct call *call, const char *filter, char *to, size_t size)
{
	char wanted[PATTERN_MAX + 100];

	filter_of(kind, call, filter, wanted, sizeof(wanted));
	if (call->unless)
		snprintf(to, size, "! $_caller_is(\"%s\")%s%s", call->unless,
		    wanted[0] ? " && " : "", wanted);
	else
		snprintf(to, size, "%s", wanted);
}

/* ---- Breakpoints ----------------------------------------------------------------------------- */

static bool is_wanted(const struct call *call, enum caught kind, const char *filter)
{
	return kind != CAUGHT_FORK || !filter || strcmp(call->function, filter) == 0;
}

static json_t *set_one(struct replay *replay, const struct call *call,
    const struct catch_args *args, struct failure *failure)
{
	char condition[PATTERN_MAX + 200];

	condition_of(args->kind, call, args->filter, condition, sizeof(condition));
	struct breakpoint wanted = {
	    .what = strdup(call->function),
	    .condition = condition[0] ? strdup(condition) : NULL,
	    .catches = strdup(choices_caught[args->kind]),
	    .temporary = args->temporary,
	};
	json_t *set = breakpoint_set(replay, &wanted, true, failure);

	breakpoint_clear(&wanted);
	return set;
}

/* The first one's fields, and all of them if there are several. */
static json_t *set_all(
    struct replay *replay, const struct catch_args *args, struct failure *failure)
{
	json_auto_t *list = json_array();
	json_t *one, *result;

	for (size_t i = 0; i < CALLS_MAX && ways[args->kind].calls[i].function; i++) {
		const struct call *call = &ways[args->kind].calls[i];

		if (!is_wanted(call, args->kind, args->filter))
			continue;
		one = set_one(replay, call, args, failure);
		if (!one)
			return NULL;
		json_array_append_new(list, one);
	}
	if (!json_array_size(list)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "filter is fork, vfork or posix_spawn for kind fork");
		return NULL;
	}
	result = json_copy(json_array_get(list, 0));
	if (json_array_size(list) > 1)
		json_object_set(result, "breakpoints", list);
	return result;
}

/* ---- What happens ---------------------------------------------------------------------------- */

/* The type's name, of the symbol "typeinfo for bank::failure"; "" if gdb knows none. */
static void read_type(struct replay *replay, const char *where, char *name, size_t size)
{
	struct symbol symbol;
	const char *type = symbol_of(replay, where, &symbol)
			       ? behind_beginning(symbol.name, "typeinfo for ")
			       : NULL;

	snprintf(name, size, "%.*s", type ? (int)strcspn(type, "@") : 0, type ? type : "");
}

static void read_library(struct replay *replay, char *name, size_t size)
{
	json_auto_t *results = NULL;
	const char *value, *text;

	name[0] = '\0';
	if (gdb_command(replay_gdb(replay), &results,
		"-data-evaluate-expression --thread %d --frame 0 --language c \"(char *) $rdi\"",
		replay_selected(replay)->number) == GDB_DONE) {
		value = mi_text(results, "value");
		text = value ? strchr(value, '"') : NULL;
		if (text)
			snprintf(name, size, "%.*s", (int)strcspn(text + 1, "\""), text + 1);
	}
}

/* The program's own code from which this was called: "parse at containers.cc:58". */
static void describe_caller(struct replay *replay, char *text, size_t size)
{
	json_auto_t *frames =
	    frames_from(replay, replay_selected(replay)->number, 1, FRAMES_MAX, BUDGET);
	const json_t *own = frames_first_own(replay, frames);

	text[0] = '\0';
	if (own && mi_text(own, "function"))
		snprintf(text, size, " in %s at %s", mi_text(own, "function"),
		    mi_text(own, "at") ? mi_text(own, "at") : "??");
}

static const struct call *call_of(const struct breakpoint *breakpoint)
{
	for (size_t kind = 0; kind < sizeof(ways) / sizeof(*ways); kind++)
		for (size_t i = 0; i < CALLS_MAX && ways[kind].calls[i].function; i++)
			if (strcmp(ways[kind].calls[i].function, breakpoint->what) == 0)
				return &ways[kind].calls[i];
	return NULL;
}

void catchpoint_tell(struct replay *replay, const struct breakpoint *breakpoint, json_t *stop)
{
	const struct call *call = call_of(breakpoint);
	char about[200] = "", caller[600];

	if (!call)
		return;
	if (call->type)
		read_type(replay, call->type, about, sizeof(about));
	else if (strcmp(call->function, "dlopen") == 0)
		read_library(replay, about, sizeof(about));
	describe_caller(replay, caller, sizeof(caller));
	json_object_set_new(stop, "conclusion",
	    json_sprintf("%s%s%s%s", call->does, about[0] ? " " : "", about, caller));
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
		result = is_fit(args->kind, args->filter, failure) ? set_all(replay, args, failure)
								   : NULL;
		break;
	}
	replay_changed(replay);
	return result;
}
