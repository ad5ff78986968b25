/*
 * rr_trace_calls: every call of a function, or every time the program passes a line, as if somebody
 * had put a print there. The answer has a row for each of the first ones, and counts all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/calls/keyed_groups.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/returns.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/inspect/evaluate.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/moment_names.h"
#include "worker/read/values/values.h"

#define ROWS_BYTES   (20 * 1024) /* rows in an answer */
#define GROUPS_MAX   KEYED_GROUPS_MAX
#define GROUPS_BYTES (8 * 1024)
#define KEY_MAX	     120
#define PASSES_MAX   20000 /* stops at which we look; then we give up counting */
#define NO_MORE	     1000000000
#define BY_CALLER    "caller"

struct trace_calls {
	const struct trace_calls_args *args;
	int number; /* gdb's */
	json_t *hits, *groups;
	struct moment last[GROUPS_MAX]; /* of each group; its ticks are -1 where it is not known */
	struct keyed_groups keyed;
	size_t without_last; /* groups */
	size_t bytes, group_bytes;
	long long count, ungrouped;
	struct hits_unread unread;
	bool full;	    /* there are as many rows as the call asked for */
	bool tried;	    /* to count the rest without looking at it */
	bool counts_inside; /* it is counted where the program runs, with this sum before */
	unsigned long long before;
	struct moment looked_up_to; /* the last pass that was looked at before */
	struct passes_way way;
	bool lost;	  /* it was counted beyond the end of the stretch, or may have been */
	bool only_counts; /* gdb skips the rest by itself, and counts them */
	long long others; /* of gdb's count: stops that were none, as at a stub */
	struct returns returns;
};

static json_t *caller_words(struct replay *replay)
{
	json_t *where = where_from(replay, 1);
	json_t *words = where ? where_words(where) : json_string("no caller");

	json_decref(where);
	return words;
}

/* A value, or the reason why there is none, as "<Division by zero>". NULL with *failure filled if
 * the expression may not be evaluated. *decides: see where_caller. */
static json_t *key_of(const struct trace_calls *calls, struct replay *replay,
    unsigned long long *decides, struct failure *failure)
{
	char *value = NULL, *type = NULL, why[KEY_MAX] = "", refusal[KEY_MAX + 4];
	const char *told = refusal, *by = calls->args->group_by;
	json_t *key = NULL;

	*decides = 0;
	if (strcmp(by, BY_CALLER) == 0) {
		key = where_caller(replay, decides);
		return key ? key : json_string("no caller");
	}
	if (values_read(replay, by, &value, &type, why, sizeof(why)) == 0 && value)
		told = value;
	else
		snprintf(refusal, sizeof(refusal), "<%s>", why);
	if (value || !expression_is_harmful(by, why, failure))
		key = scrub_json_middle(told, strlen(told), KEY_MAX, NULL);
	free(value);
	free(type);
	return key;
}

/* {key, count, first}, and "last" at the end: of many passes only few are named. */
static bool add_group(struct trace_calls *calls, struct replay *replay, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	unsigned long long decides;
	json_t *key = key_of(calls, replay, &decides, failure), *group, *found = NULL;
	size_t i, which = GROUPS_MAX;

	if (!key)
		return false;
	json_array_foreach(calls->groups, i, group)
	{
		if (json_equal(json_object_get(group, "key"), key)) {
			found = group;
			which = i;
		}
	}
	if (!found && i < GROUPS_MAX && calls->group_bytes < GROUPS_BYTES) {
		which = i;
		found = json_pack(
		    "{s:O, s:i, s:o}", "key", key, "count", 0, "first", moment_name(replay, now));
		json_array_append_new(calls->groups, found);
		calls->group_bytes += json_string_length(key) + 80;
	}
	if (found) {
		json_object_set_new(found, "count",
		    json_integer(json_integer_value(json_object_get(found, "count")) + 1));
		position_take_sum(replay);
		calls->last[which] = *now;
	} else {
		calls->ungrouped++;
	}
	keyed_groups_look(&calls->keyed, replay, which, decides);
	json_decref(key);
	return true;
}

static void name_last(struct trace_calls *calls, struct replay *replay)
{
	json_t *group;
	size_t i;

	json_array_foreach(calls->groups, i, group)
	{
		if (calls->last[i].ticks >= 0)
			json_object_set_new(group, "last", moment_name(replay, &calls->last[i]));
	}
}

/* The largest group first; those of one size as they came. */
static json_t *sorted_groups(const json_t *groups)
{
	json_t *sorted = json_array(), *group, *other;
	size_t i;

	json_array_foreach((json_t *)groups, i, group)
	{
		json_int_t count = json_integer_value(json_object_get(group, "count"));
		size_t at = json_array_size(sorted);

		while (at > 0 && (other = json_array_get(sorted, at - 1)) &&
		       json_integer_value(json_object_get(other, "count")) < count)
			at--;
		json_array_insert(sorted, at, group);
	}
	return sorted;
}

/* Who asks for groups reads no single calls, unless something is to be read at each. */
static bool wants_rows(const struct trace_calls_args *args)
{
	return !args->group_by || args->evaluate || args->returns;
}

static void add_evaluated(struct replay *replay, json_t *row, const json_t *expressions)
{
	if (json_array_size(expressions))
		evaluate_beside(replay, row, expressions);
}

/* {moment, tid, args?, caller, evaluated?}, and later {returned, events, back_at}. */
static void add_row(struct trace_calls *calls, struct replay *replay)
{
	const struct moment *now = replay_now(replay);
	json_t *frame = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), *row, *args;
	char *text;

	values_complete(replay, replay_selected(replay)->number, 0, frame);
	args = frame_args(frame);

	row = json_pack("{s:o, s:i}", "moment", moment_name(replay, now), "tid", now->tid);
	if (args)
		json_object_set_new(row, "args", args);
	json_object_set_new(row, "caller", caller_words(replay));
	add_evaluated(replay, row, calls->args->evaluate);
	text = json_dumps(row, JSON_COMPACT);
	/* The return values come on top. */
	calls->bytes += (text ? strlen(text) : 0) + (calls->args->returns ? 200 : 0);
	free(text);
	json_array_append(calls->hits, row);
	calls->full =
	    json_array_size(calls->hits) == (size_t)calls->args->limit || calls->bytes > ROWS_BYTES;
	if (calls->args->returns)
		returns_await(&calls->returns, replay, row);
	json_decref(row);
}

/* gdb's own count, since the search began. */
static long long gdb_count(const struct trace_calls *calls, struct replay *replay)
{
	json_t *results = NULL;
	long long count;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	count = mi_number(mi_breakpoint_row(mi_breakpoints(results), calls->number), "times", 0);
	json_decref(results);
	return count;
}

/* Whether the rest is counted where the program runs. If not, each of it goes on to stop. */
static bool count_inside(struct trace_calls *calls, struct replay *replay, struct search *search)
{
	const struct counted counted = {.location = calls->args->location,
	    .condition = calls->args->condition,
	    .key = calls->keyed.on ? calls->keyed.key : NULL,
	    .end = search->bounded ? &search->bound : NULL};
	struct gdb *gdb = replay_gdb(replay);
	int number;

	gdb_must(gdb, NULL, "-break-disable %d", calls->number);
	number = counted_begin(replay, &counted, &search->guard, &calls->before);
	if (number) {
		temporary_breakpoint_delete(replay, calls->number);
		calls->number = number;
		calls->counts_inside = true;
		calls->looked_up_to = *replay_now(replay);
		passes_clear(replay, &calls->way);
	} else {
		gdb_must(gdb, NULL, "-break-enable %d", calls->number);
	}
	return calls->counts_inside;
}

/* If only the number of the rest matters, rr or gdb counts it, unless the rest goes on beyond the
 * stretch. */
static void count_only(struct trace_calls *calls, struct replay *replay, struct search *search)
{
	const bool ends_well = !search->bounded || search->guard;

	if (!calls->full || calls->tried || calls->args->group_by || !ends_well ||
	    calls->returns.count)
		return;
	calls->tried = true;
	if (!(calls->args->returns && calls->args->condition) &&
	    count_inside(calls, replay, search))
		return;
	if (calls->args->condition)
		return;
	calls->others = gdb_count(calls, replay) - calls->count;
	/* If gdb refuses, it goes on to stop at each of them, and they are counted there. */
	calls->only_counts = gdb_command(replay_gdb(replay), NULL, "-break-after %d %d",
				 calls->number, NO_MORE) == GDB_DONE;
}

/* Calls by caller, of which no rows are wanted any more. */
static void count_groups(struct trace_calls *calls, struct replay *replay, struct search *search)
{
	const struct trace_calls_args *args = calls->args;
	const bool ends_well = !search->bounded || search->guard;

	if (calls->tried || !ends_well || args->returns || strcmp(args->group_by, BY_CALLER) != 0 ||
	    (!calls->full && wants_rows(args)))
		return;
	calls->tried = true;
	if (keyed_groups_begin(&calls->keyed, replay, calls->count) &&
	    !count_inside(calls, replay, search))
		calls->keyed.on = false;
}

struct visit {
	struct trace_calls *calls;
	struct search *search;
};

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct visit *visit = context;
	struct trace_calls *calls = visit->calls;

	if (returns_take(&calls->returns, replay, hit) || hit->breakpoint != calls->number)
		return SCAN_ON;
	if (calls->args->returns)
		returns_pass(&calls->returns, replay);
	switch (location_hits_judge(replay, calls->args->condition, &calls->unread, failure)) {
	case HIT_REFUSED:
		return SCAN_GIVE_UP;
	case HIT_UNREAD:
		return calls->unread.count < PASSES_MAX ? SCAN_ON : SCAN_ENOUGH;
	case HIT_OTHER:
		return SCAN_ON;
	case HIT_MEANT:
		break;
	}
	calls->count++;
	if (!calls->full && wants_rows(calls->args))
		add_row(calls, replay);
	count_only(calls, replay, visit->search);
	if (calls->args->group_by) {
		if (!add_group(calls, replay, failure))
			return SCAN_GIVE_UP;
		count_groups(calls, replay, visit->search);
	}
	return calls->count < PASSES_MAX ? SCAN_ON : SCAN_ENOUGH;
}

/* A pass at which the condition could not be read may be one of those that are asked for. */
static json_t *conclude_none(const struct trace_calls *calls, const char *condition)
{
	if (calls->unread.count)
		return json_sprintf("nothing passed %.200s where %.200s was seen to hold; at %lld "
				    "pass%s it could not be read: %s",
		    calls->args->location, condition, calls->unread.count,
		    calls->unread.count == 1 ? "" : "es", calls->unread.why);
	return json_sprintf("nothing passed %.200s%s%.200s", calls->args->location,
	    condition[0] ? " where " : "", condition);
}

static json_t *conclude(const struct trace_calls *calls)
{
	const struct trace_calls_args *args = calls->args;
	const char *first = wants_rows(args) ? mi_text(json_array_get(calls->hits, 0), "moment")
					     : mi_text(json_array_get(calls->groups, 0), "first");
	const char *condition = args->condition ? args->condition : "";

	if (!calls->count)
		return conclude_none(calls, condition);
	return json_sprintf("%lld time%s through %.200s%s%.200s, first at %s", calls->count,
	    calls->count == 1 ? "" : "s", args->location, condition[0] ? " where " : "", condition,
	    first);
}

static json_t *answer_of(
    struct trace_calls *calls, const struct search *search, enum search_end end)
{
	long long told = (long long)json_array_size(calls->hits);
	const json_t *last = json_array_get(calls->hits, (size_t)told - 1);
	json_t *answer = json_object();
	json_t *unread = location_hits_tell_unread(search->replay, &calls->unread);

	name_last(calls, search->replay);
	json_object_set_new(answer, "conclusion", conclude(calls));
	json_object_set_new(answer, "total", json_integer(calls->count));
	if (told)
		json_object_set(answer, "hits", calls->hits);
	if (json_array_size(calls->groups))
		json_object_set_new(answer, "groups", sorted_groups(calls->groups));
	if (calls->ungrouped)
		json_object_set_new(answer, "ungrouped", json_integer(calls->ungrouped));
	if (unread)
		json_object_set_new(answer, "condition_unread", unread);
	search_tell(search, end, answer);
	if (calls->count > told && wants_rows(calls->args))
		json_object_set_new(answer, "more",
		    json_sprintf("%lld more are counted; from=%s shows the next ones",
			calls->count - told, mi_text(last, "moment")));
	if (end == SEARCH_WHOLE && calls->without_last)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("the time is over: all calls are counted, but the last ones of "
				 "%zu groups were not found; give a longer deadline",
			calls->without_last));
	if (end == SEARCH_ENOUGH)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("it stopped counting at %d: narrow it with condition, from and to",
			PASSES_MAX));
	return answer;
}

/* The groups of the calls that were counted, and the last ones of each. False: they do not fit. */
static bool add_keyed(struct trace_calls *calls, struct replay *replay, struct search *search,
    enum search_end end, unsigned long long sum)
{
	struct keyed_counts counts;
	const struct trace_calls_args *args = calls->args;
	bool fits = keyed_groups_count(&calls->keyed, replay, sum, &counts);
	json_t *group;
	size_t i;

	if (!fits)
		return false;
	json_array_foreach(calls->groups, i, group)
	{
		json_int_t looked = json_integer_value(json_object_get(group, "count"));

		json_object_set_new(group, "count", json_integer(looked + counts.count[i]));
	}
	calls->ungrouped += counts.count[GROUPS_MAX];
	temporary_breakpoint_delete(replay, calls->number);
	calls->number = 0;
	if (end == SEARCH_WHOLE)
		fits = keyed_groups_find_last(
		    &counts, search, args->location, args->condition, calls->last);
	for (i = 0; i < GROUPS_MAX; i++) {
		if (!counts.last[i])
			continue;
		calls->last[i].ticks = -1;
		calls->without_last++;
	}
	/* What was counted until an interrupt is the answer. */
	if (replay_worker(replay)->interrupt && !replay_worker(replay)->broken)
		replay_worker(replay)->half_read = false;
	return fits &&
	       (end != SEARCH_WHOLE || !calls->without_last || replay_worker(replay)->interrupt);
}

/* Adds what was counted to what was looked at. If that is lost, there is no time left for it, or
 * all is to be done again: false with *failure filled. */
static bool add_counted(struct trace_calls *calls, struct replay *replay, struct search *search,
    enum search_end end, struct failure *failure)
{
	unsigned long long sum = 0;

	if (!calls->counts_inside)
		return true;
	calls->lost = !search_stayed_inside(search, end);
	if (calls->lost && end == SEARCH_CUT) {
		search->reached = calls->looked_up_to;
		return true;
	}
	if (calls->lost || !passes_sum(replay, &sum)) {
		failure_set(failure, ERROR_GDB_FAILED, "ask again about a smaller stretch",
		    calls->lost ? "what was counted may lie behind the stretch"
				: "what was counted cannot be read");
		return false;
	}
	calls->count += (long long)(sum - calls->before);
	if (calls->keyed.on && !add_keyed(calls, replay, search, end, sum)) {
		calls->lost = true;
		failure_set(failure, ERROR_GDB_FAILED, "ask again about a smaller stretch",
		    "what was counted by caller is not complete");
		return false;
	}
	return true;
}

static json_t *search_all(struct trace_calls *calls, struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct trace_calls_args *args = calls->args;
	enum search_end end = SEARCH_FAILED;
	struct search search = {.replay = replay};
	struct visit visit = {calls, &search};
	struct moment stretch[2];
	json_t *answer = NULL;

	if (search_stretch(replay, args->from, args->to, stretch, failure) &&
	    search_begin(&search, replay, stretch, failure) &&
	    gdb_check(gdb, gdb_command(gdb, NULL, "-break-enable %d", calls->number),
		ERROR_GDB_FAILED, NULL, failure)) {
		if (args->returns)
			returns_begin(&calls->returns, replay);
		end = search_run(&search, see, &visit, failure);
	}
	if (end != SEARCH_FAILED && !add_counted(calls, replay, &search, end, failure))
		end = SEARCH_FAILED;
	passes_restore(replay, &calls->way);
	keyed_groups_end(&calls->keyed);
	returns_end(&calls->returns, replay);
	if (end == SEARCH_WHOLE && !calls->count &&
	    !location_hits_was_known(replay, calls->number, args->location, failure))
		end = SEARCH_FAILED;
	if (end != SEARCH_FAILED) {
		if (calls->only_counts)
			calls->count = gdb_count(calls, replay) - calls->others;
		answer = answer_of(calls, &search, end);
	}
	search_end(&search);
	return answer;
}

/* Only a function returns. A line or an address does not say which function is meant. */
static bool is_whole(const struct trace_calls_args *args, struct failure *failure)
{
	if (!args->returns || (!strrchr(args->location, '*') &&
				  (!strchr(args->location, ':') || strstr(args->location, "::"))))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, "name the function, or leave returns out",
	    "%.200s is not a function, so nothing returns from it", args->location);
	return false;
}

/* To know which calls return, we must see all of them, so we evaluate the condition at each stop.
 */
static int set_breakpoint(
    const struct trace_calls_args *args, struct replay *replay, struct failure *failure)
{
	int number = location_hits_set(replay, args->location, args->condition, failure);

	if (number && args->returns && args->condition)
		gdb_must(replay_gdb(replay), NULL, "-break-condition %d", number);
	return number;
}

/* by_stops: counts nothing that it does not look at. */
static json_t *search_once(
    struct trace_calls *calls, struct replay *replay, bool by_stops, struct failure *failure)
{
	json_t *answer = NULL;

	*calls = (struct trace_calls){.args = calls->args,
	    .hits = json_array(),
	    .groups = json_array(),
	    .tried = by_stops,
	    .number = set_breakpoint(calls->args, replay, failure)};
	if (calls->number)
		answer = search_all(calls, replay, failure);
	temporary_breakpoint_delete(replay, calls->number);
	json_decref(calls->hits);
	json_decref(calls->groups);
	return answer;
}

json_t *tool_trace_calls(
    struct replay *replay, const struct trace_calls_args *args, struct failure *failure)
{
	struct trace_calls *calls;
	json_t *answer;

	if (!evaluate_may(args->evaluate, failure) || !is_whole(args, failure))
		return NULL;
	calls = calloc(1, sizeof(*calls));
	if (!calls) {
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		return NULL;
	}
	calls->args = args;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = search_once(calls, replay, false, failure);
	if (!answer && calls->lost && !replay_worker(replay)->broken &&
	    !replay_worker(replay)->interrupt) {
		json_decref(failure->details);
		*failure = (struct failure){0};
		answer = search_once(calls, replay, true, failure);
	}
	free(calls);
	return excursion_answer(&excursion, answer, failure);
}
