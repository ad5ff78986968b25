/*
 * Sets one breakpoint in gdb, with its condition, and without its stubs. Never for a watchpoint.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/breaks/conditional.h"
#include "worker/breaks/places/inlined.h"
#include "worker/breaks/places/jit_code.h"
#include "worker/breaks/places/pending.h"
#include "worker/breaks/placement.h"
#include "worker/breaks/places/stubs.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/places/written.h"
#include "worker/serve/begins.h"
#include "worker/session/breakpoint.h"
#include "worker/session/selection.h"

/*
 * The condition of a breakpoint, including its thread. gdb's own thread-specific breakpoints use
 * gdb's thread numbers, and gdb forgets them whenever rr restarts. The base of a thread's own
 * storage stays the same as long as the thread lives.
 */
static bool condition_of(struct replay *replay, const struct breakpoint *breakpoint, char *to,
    size_t size, struct failure *failure)
{
	const char *when = breakpoint->condition, *storage;
	long long tid = breakpoint->thread;
	int number = tid ? selection_number(replay, (int)tid) : 0;
	json_t *results = NULL;
	bool has_storage;

	snprintf(to, size, "%s", when ? when : "");
	if (!tid)
		return true;
	if (!number) {
		failure_set(failure, ERROR_NOT_FOUND, "set it at a moment when the thread exists",
		    "there is no thread %lld at this moment", tid);
		return false;
	}
	if (!gdb_check(replay_gdb(replay),
		gdb_command(replay_gdb(replay), &results,
		    "-data-evaluate-expression --thread %d --frame 0 $fs_base", number),
		ERROR_UNSUPPORTED, "set it for all threads", failure))
		return false;
	storage = mi_text(results, "value");
	has_storage = storage && strtoull(storage, NULL, 0) != 0;
	if (has_storage)
		snprintf(to, size, "$fs_base == %s%s%s%s", storage, when ? " && (" : "",
		    when ? when : "", when ? ")" : "");
	else
		failure_set(failure, ERROR_UNSUPPORTED,
		    "go to a later moment, for instance to main, and set it there; or set it for "
		    "all threads",
		    "thread %lld has just begun, and has nothing yet by which it differs from "
		    "others",
		    tid);
	json_decref(results);
	return has_storage;
}

bool placement_condition(struct replay *replay, const struct breakpoint *breakpoint,
    struct condition_written *written, struct failure *failure)
{
	char when[REPLAY_EXPRESSION_MAX + 128];
	struct breakpoint wanted = *breakpoint;

	*written = (struct condition_written){0};
	if (!condition_of(replay, breakpoint, when, sizeof(when), failure))
		return false;
	wanted.condition = when;
	if (breakpoint->is_ours) {
		*written = (struct condition_written){strdup(when), "auto"};
		return written->text != NULL;
	}
	return !when[0] || written_condition(replay, &wanted, written, failure);
}

/* At that place, with the condition `when` if it is not NULL. */
static json_t *insert(struct replay *replay, const struct breakpoint *breakpoint, const char *when,
    struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	char location[GDB_QUOTED_MAX], options[64] = "";
	char condition[GDB_QUOTED_MAX] = "", arguments[2 * GDB_QUOTED_MAX + 80];
	json_t *results = NULL, *bkpt = NULL;
	enum gdb_outcome outcome;

	if (!gdb_quote(location, "location", breakpoint->what ? breakpoint->what : "", failure) ||
	    (when && !gdb_quote(condition, "condition", when, failure)))
		return NULL;
	snprintf(options, sizeof(options), "%s", breakpoint->temporary ? " -t" : "");
	if (breakpoint->ignore_count)
		snprintf(options + strlen(options), 40, " -i %lld", breakpoint->ignore_count);
	if (breakpoint->pending)
		strlcat(options, " -f", sizeof(options));
	snprintf(arguments, sizeof(arguments), "%s%s%s -- %s", options, when ? " -c " : "",
	    condition, location);
	outcome = gdb_command(gdb, &results, "-break-insert%s", arguments);
	if (gdb_check(gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, failure)) {
		stubs_leave(replay, json_object_get(results, "bkpt"));
		bkpt = jit_code_in_hardware(replay, results, arguments);
	}
	json_decref(results);
	return bkpt ? conditional_in_hardware(replay, breakpoint, bkpt, when ? when : "", arguments)
		    : NULL;
}

/* gdb's breakpoints at these addresses, as one: the first. NULL if one of them cannot be set. */
static json_t *insert_ways(struct replay *replay, const struct breakpoint *breakpoint,
    const char *when, const struct inlined *inlined)
{
	struct ways *ways = &gdb_exchange(replay_gdb(replay))->ways;
	struct breakpoint way = *breakpoint;
	struct failure ignored = {0};
	json_t *first = NULL;
	bool ok = true;

	for (size_t i = 0; i < inlined->count && ok; i++) {
		char where[32];
		json_t *bkpt;
		int number;

		snprintf(where, sizeof(where), "*0x%llx", inlined->at[i]);
		way.what = where;
		bkpt = insert(replay, &way, when, &ignored);
		number = mi_number(bkpt, "number", 0);
		ok = number && (!first || ways_add(ways, number, mi_number(first, "number", 0)));
		if (number && !ok)
			temporary_breakpoint_delete(replay, number);
		if (first)
			json_decref(bkpt);
		else
			first = bkpt;
	}
	if (first && !ok) {
		temporary_breakpoint_delete(replay, mi_number(first, "number", 0));
		json_decref(first);
		first = NULL;
	}
	json_decref(ignored.details);
	if (first)
		json_object_set_new(first, "ways", json_integer((json_int_t)inlined->count));
	return first;
}

/* Where the location is inlined code, its breakpoint is moved to where its passes begin. */
static json_t *move_to_ways(
    struct replay *replay, const struct breakpoint *breakpoint, const char *when, json_t *bkpt)
{
	struct inlined inlined = inlined_find(replay, breakpoint->what, bkpt);
	bool counts = breakpoint->temporary || breakpoint->ignore_count;
	json_t *moved = NULL;

	if (!inlined.count && !inlined.unknown)
		return bkpt;
	if (inlined.count > 1 && counts)
		snprintf(inlined.why, sizeof(inlined.why),
		    "there are %zu ways into it, and gdb counts each by itself", inlined.count);
	else if (inlined.count)
		moved = insert_ways(replay, breakpoint, when, &inlined);
	if (!moved) {
		if (!inlined.why[0])
			snprintf(inlined.why, sizeof(inlined.why),
			    "gdb set no breakpoint where its passes begin");
		inlined_warn(replay, breakpoint->what, &inlined);
		return bkpt;
	}
	temporary_breakpoint_delete(replay, mi_number(bkpt, "number", 0));
	json_decref(bkpt);
	return moved;
}

/*
 * By the name that people use, gdb finds a function of D by its symbol alone, and none of the
 * places where it was inlined. By the mangled name, which its debug information has, it finds them
 * all.
 */
static json_t *find_copies_in_d(
    struct replay *replay, const struct breakpoint *breakpoint, const char *when, json_t *bkpt)
{
	const char *mangled = mi_text(mi_breakpoint_place(bkpt, 0), "func");
	struct breakpoint all = *breakpoint;
	struct failure ignored = {0};
	json_t *found;

	if (!mangled || !begins(mangled, "_D") || begins(breakpoint->what, "_D") ||
	    strpbrk(breakpoint->what, "*:"))
		return bkpt;
	all.what = (char *)mangled;
	found = insert(replay, &all, when, &ignored);
	json_decref(ignored.details);
	if (!found)
		return bkpt;
	temporary_breakpoint_delete(replay, mi_number(bkpt, "number", 0));
	json_decref(bkpt);
	return found;
}

json_t *placement_set(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure)
{
	struct condition_written written = {0};
	cleanup_free char *when = NULL;
	json_t *bkpt;

	if (!placement_condition(replay, breakpoint, &written, failure))
		return NULL;
	when = written.text;
	cleanup_setting struct gdb_setting language =
	    condition_has_language(&written)
		? gdb_setting_begin(replay_gdb(replay), "language", "%s", written.language)
		: (struct gdb_setting){0};
	bkpt = insert(replay, breakpoint, when, failure);
	if (!bkpt || !breakpoint->what || pending_waits(bkpt))
		return bkpt;
	bkpt = find_copies_in_d(replay, breakpoint, when, bkpt);
	return move_to_ways(replay, breakpoint, when, bkpt);
}

bool placement_replace(struct replay *replay, struct breakpoint *breakpoint,
    const struct breakpoint *wanted, const json_t *row, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	long long hits = breakpoint_hits(breakpoint, row);
	json_t *bkpt = placement_set(replay, wanted, failure);
	int number = mi_number(bkpt, "number", 0);

	json_decref(bkpt);
	if (!number)
		return false;
	if (breakpoint->disabled || replay_breakpoints(replay)->suspended)
		gdb_must(gdb, NULL, "-break-disable %d", number);
	gdb_must(gdb, NULL, "-break-delete %d", breakpoint->gdb);
	breakpoint->gdb = number;
	breakpoint->hits_before = hits;
	return true;
}

bool placement_is_mapped(struct replay *replay, const json_t *bkpt, const char *location,
    const char *hint, struct failure *failure)
{
	const char *address = mi_text(bkpt, "addr");

	if (location[strspn(location, " ")] != '*' || !address ||
	    gdb_command(replay_gdb(replay), NULL, "-data-read-memory-bytes %s 1", address) !=
		GDB_REFUSED)
		return true;
	temporary_breakpoint_delete(replay, mi_number(bkpt, "number", 0));
	failure_set(failure, ERROR_INVALID_ARGUMENT, hint, "nothing is mapped at %s at this moment",
	    address);
	return false;
}
