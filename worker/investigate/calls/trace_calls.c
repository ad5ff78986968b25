/*
 * rr_trace_calls: every call of a function, or every time the program passes a line, as if somebody
 * had put a print there. The answer has a row for each of the first ones, and counts all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/calls/call_groups.h"
#include "worker/investigate/calls/caller.h"
#include "worker/investigate/calls/running_sum.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/returns.h"
#include "worker/investigate/search/search.h"
#include "worker/serve/handlers.h"
#include "worker/inspect/evaluate.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/values/values.h"

#define ROWS_BYTES	(20 * 1024) /* rows in an answer */
#define PASSES_MAX	20000	    /* stops at which we look; then we give up counting */
#define NO_MORE		1000000000
#define COUNT_WORDS_MAX 64
#define LAST_TRY	64 /* passes */
#define SUM_WORDS_MAX	300

struct trace_calls {
	const struct trace_calls_args *args;
	int number;		/* gdb's */
	struct moment earliest; /* as of location_hits_set */
	json_t *hits;
	struct call_groups groups;
	struct running_sum sum;
	size_t bytes;
	long long count;
	struct hits_unread unread;
	bool full;	    /* there are as many rows as the call asked for */
	bool tried;	    /* to count the rest without looking at it */
	long long next_try; /* at that pass */
	bool counts_inside; /* it is counted where the program runs, with this sum before */
	unsigned long long before;
	struct moment looked_up_to; /* the last pass that was looked at before */
	struct passes_way way;
	bool lost;	  /* it was counted beyond the end of the stretch, or may have been */
	bool only_counts; /* gdb skips the rest by itself, and counts them */
	long long others; /* of gdb's count: stops that were none, as at a stub */
	struct returns returns;
};

/* Who asks for groups reads no single calls, unless something is to be read at each. */
static bool wants_rows(const struct trace_calls_args *args)
{
	return !args->group_by || args->evaluate || args->returns;
}

/* Which rows end the search, because nothing is to be known of the passes behind them. */
static bool ends_at_limit(const struct trace_calls_args *args)
{
	return !args->count && !args->group_by && !args->sum;
}

/* There are as many rows as there are to be, and only their returns may be awaited. */
static bool is_at_limit(const struct trace_calls *calls)
{
	return calls->full && ends_at_limit(calls->args);
}

static enum scan_verdict on_or_enough(const struct trace_calls *calls)
{
	return is_at_limit(calls) && !calls->returns.count ? SCAN_ENOUGH : SCAN_ON;
}

static void add_arguments(struct replay *replay, json_t *row)
{
	json_t *frame = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), *args;

	values_complete(replay, replay_selected(replay)->number, 0, frame);
	args = frame_args(frame);
	if (args)
		json_object_set_new(row, "args", args);
}

/* {moment, tid, args?, caller, evaluated?, sum?}, and later {returned, events, back_at}. */
static void add_row(struct trace_calls *calls, struct replay *replay)
{
	const struct moment *now = replay_now(replay);
	json_t *row = json_pack("{s:o, s:i}", "moment", moment_name(replay, now), "tid", now->tid);
	char *text;

	if (calls->args->arguments)
		add_arguments(replay, row);
	json_object_set_new(row, "caller", caller_shown(replay, calls->args->skip));
	if (json_array_size(calls->args->evaluate))
		evaluate_beside(replay, row, calls->args->evaluate);
	if (calls->args->sum)
		json_object_set_new(row, "sum", running_sum_json(calls->sum.total));
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
	    .key = calls->groups.keyed.on ? calls->groups.keyed.key : NULL,
	    .by_value = calls->args->group_by && !call_groups_by_caller(calls->args),
	    .value = calls->groups.keyed.on ? calls->args->sum : NULL,
	    .end = search->bounded ? &search->bound : NULL};
	struct gdb *gdb = replay_gdb(replay);
	int number;

	gdb_must(gdb, NULL, "-break-disable %d", calls->number);
	number = counted_begin(replay, &counted, &search->guard, &calls->before);
	if (number) {
		temporary_breakpoint_delete(replay, calls->number);
		calls->number = number;
		calls->counts_inside = calls->tried = true;
		calls->looked_up_to = *replay_now(replay);
		passes_clear(replay, &calls->way);
	} else {
		gdb_must(gdb, NULL, "-break-enable %d", calls->number);
	}
	return calls->counts_inside;
}

/* Before libraries are loaded, gdb does not know all places: it is tried again, ever more seldom.
 */
static bool is_time_to_try(struct trace_calls *calls)
{
	if (calls->count < calls->next_try)
		return false;
	calls->next_try = 2 * calls->count;
	calls->tried = calls->count >= LAST_TRY;
	return true;
}

/* If only the number of the rest matters, rr or gdb counts it, unless the rest goes on beyond the
 * stretch. */
static void count_only(struct trace_calls *calls, struct replay *replay, struct search *search)
{
	const bool ends_well = !search->bounded || search->guard;

	if (!calls->full || calls->tried || calls->args->group_by || calls->args->sum ||
	    !ends_well || calls->returns.count || !is_time_to_try(calls))
		return;
	if (!(calls->args->returns && calls->args->condition) &&
	    count_inside(calls, replay, search))
		return;
	if (!calls->tried)
		return;
	/* gdb would skip that many of each. */
	if (calls->args->condition ||
	    ways_has(&gdb_exchange(replay_gdb(replay))->ways, calls->number))
		return;
	calls->others = gdb_count(calls, replay) - calls->count;
	/* If gdb refuses, it goes on to stop at each of them, and they are counted there. */
	calls->only_counts = gdb_command(replay_gdb(replay), NULL, "-break-after %d %d",
				 calls->number, NO_MORE) == GDB_DONE;
}

static bool begin_keys(struct trace_calls *calls, struct replay *replay)
{
	const struct trace_calls_args *args = calls->args;
	struct keyed_groups *keyed = &calls->groups.keyed;

	if (!args->group_by)
		return keyed_groups_begin_sum(keyed, replay, calls->count, args->sum);
	return keyed_groups_begin(keyed, replay, calls->count,
	    call_groups_by_caller(args) ? NULL : args->group_by, args->sum);
}

/* Calls in groups, or a sum, of which no rows are wanted any more. */
static void count_by_key(struct trace_calls *calls, struct replay *replay, struct search *search)
{
	const struct trace_calls_args *args = calls->args;
	const bool ends_well = !search->bounded || search->guard;

	if (calls->tried || !ends_well || args->returns || (!args->group_by && !args->sum) ||
	    (!calls->full && wants_rows(args)) || !is_time_to_try(calls))
		return;
	if (!begin_keys(calls, replay) || !count_inside(calls, replay, search))
		keyed_groups_end(&calls->groups.keyed);
}

struct visit {
	struct trace_calls *calls;
	struct search *search;
};

/* A pass that is asked for. */
static enum scan_verdict take(struct trace_calls *calls, struct replay *replay,
    struct search *search, struct failure *failure)
{
	const struct trace_calls_args *args = calls->args;
	long long value = 0;

	calls->count++;
	if (args->sum && !running_sum_add(&calls->sum, replay, args->sum, &value, failure))
		return SCAN_GIVE_UP;
	if (!calls->full && wants_rows(args))
		add_row(calls, replay);
	if (is_at_limit(calls))
		return on_or_enough(calls);
	count_only(calls, replay, search);
	if (args->group_by) {
		if (!call_groups_add(&calls->groups, replay, args, value, failure))
			return SCAN_GIVE_UP;
	} else if (args->sum) {
		keyed_groups_look(
		    &calls->groups.keyed, replay, KEYED_GROUPS_MAX, &(struct decides){0});
	}
	count_by_key(calls, replay, search);
	return calls->count < PASSES_MAX ? SCAN_ON : SCAN_ENOUGH;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct visit *visit = context;
	struct trace_calls *calls = visit->calls;

	if (returns_take(&calls->returns, replay, hit) || hit->breakpoint != calls->number)
		return on_or_enough(calls);
	if (calls->args->returns)
		returns_pass(&calls->returns, replay);
	if (is_at_limit(calls))
		return on_or_enough(calls);
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
	return take(calls, replay, visit->search, failure);
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

/* "10 times", or "the first 10 times" where more may follow. */
static void tell_count(const struct trace_calls *calls, char words[COUNT_WORDS_MAX])
{
	if (is_at_limit(calls) && calls->count == 1)
		snprintf(words, COUNT_WORDS_MAX, "the first time");
	else
		snprintf(words, COUNT_WORDS_MAX, "%s%lld time%s",
		    is_at_limit(calls) ? "the first " : "", calls->count,
		    calls->count == 1 ? "" : "s");
}

static json_t *conclude(const struct trace_calls *calls)
{
	const struct trace_calls_args *args = calls->args;
	const char *first = wants_rows(args)
				? mi_text(json_array_get(calls->hits, 0), "moment")
				: mi_text(json_array_get(calls->groups.rows, 0), "first");
	const char *condition = args->condition ? args->condition : "";
	char count[COUNT_WORDS_MAX], sum[SUM_WORDS_MAX] = "";

	if (!calls->count)
		return conclude_none(calls, condition);
	tell_count(calls, count);
	if (args->sum && calls->sum.unread.count < calls->count)
		snprintf(
		    sum, sizeof(sum), "; the sum of %.200s is %lld", args->sum, calls->sum.total);
	return json_sprintf("%s through %.200s%s%.200s, first at %s%s", count, args->location,
	    condition[0] ? " where " : "", condition, first, sum);
}

/* How much there is beside the rows, and how to get it. */
static void tell_rest(const struct trace_calls *calls, enum search_end end, json_t *answer)
{
	long long told = (long long)json_array_size(calls->hits);
	const char *last = mi_text(json_array_get(calls->hits, (size_t)told - 1), "moment");

	if (is_at_limit(calls))
		json_object_set_new(answer, "more",
		    json_sprintf("it ended with %lld row%s: from=%s shows the next ones, and "
				 "count=true counts all",
			told, told == 1 ? "" : "s", last));
	else if (calls->count > told && wants_rows(calls->args))
		json_object_set_new(answer, "more",
		    json_sprintf("%lld more are counted; from=%s shows the next ones",
			calls->count - told, last));
	if (end == SEARCH_WHOLE && calls->groups.without_last)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("the time is over: all calls are counted, but the last ones of "
				 "%zu groups were not found; give a longer deadline",
			calls->groups.without_last));
	if (end == SEARCH_ENOUGH && !is_at_limit(calls))
		json_object_set_new(answer, "cut_off",
		    json_sprintf("it stopped counting at %d: narrow it with condition, from and to",
			PASSES_MAX));
}

static void tell_sum(const struct trace_calls *calls, struct replay *replay, json_t *answer)
{
	json_t *unread = location_hits_tell_unread(replay, &calls->sum.unread);

	if (calls->args->sum && calls->sum.unread.count < calls->count)
		json_object_set_new(answer, "sum", running_sum_json(calls->sum.total));
	if (unread)
		json_object_set_new(answer, "sum_unread", unread);
}

static json_t *answer_of(
    struct trace_calls *calls, const struct search *search, enum search_end end)
{
	json_t *answer = json_object();
	json_t *unread = location_hits_tell_unread(search->replay, &calls->unread);

	json_object_set_new(answer, "conclusion", conclude(calls));
	if (!is_at_limit(calls))
		json_object_set_new(answer, "total", json_integer(calls->count));
	tell_sum(calls, search->replay, answer);
	if (json_array_size(calls->hits))
		json_object_set(answer, "hits", calls->hits);
	call_groups_tell(&calls->groups, search->replay, answer);
	if (unread)
		json_object_set_new(answer, "condition_unread", unread);
	if (!is_at_limit(calls) || end == SEARCH_CUT)
		search_tell(search, end, answer);
	tell_rest(calls, end, answer);
	return answer;
}

/* The sums of all that was counted. */
static bool add_sums(struct trace_calls *calls, const struct keyed_counts *counts)
{
	struct failure unfit = {0};
	bool fits = true;

	for (size_t i = 0; i <= KEYED_GROUPS_MAX && calls->args->sum && fits; i++)
		fits =
		    running_sum_step(&calls->sum.total, counts->sum[i], calls->args->sum, &unfit);
	return fits;
}

/* Of the calls that were counted by key. False: they do not fit. */
static bool add_keyed(struct trace_calls *calls, struct replay *replay, struct search *search,
    enum search_end end, unsigned long long sum)
{
	struct keyed_counts counts;
	bool fits;

	if (!keyed_groups_count(&calls->groups.keyed, replay, sum, &counts))
		return false;
	temporary_breakpoint_delete(replay, calls->number);
	calls->number = 0;
	fits = add_sums(calls, &counts);
	if (calls->args->group_by)
		fits = fits &&
		       call_groups_add_keyed(&calls->groups, calls->args, search, end, &counts);
	/* What was counted until an interrupt is the answer. */
	if (replay_worker(replay)->interrupt && !replay_worker(replay)->broken)
		replay_worker(replay)->half_read = false;
	return fits && (end != SEARCH_WHOLE || !calls->groups.without_last ||
			   replay_worker(replay)->interrupt);
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
	if (calls->groups.keyed.on && !add_keyed(calls, replay, search, end, sum)) {
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
	    search_begin_hits(&search, replay, stretch, calls->number, &calls->earliest, failure) &&
	    gdb_check(gdb, gdb_command(gdb, NULL, "-break-enable %d", calls->number),
		ERROR_GDB_FAILED, NULL, failure)) {
		if (args->returns)
			returns_begin(&calls->returns, replay);
		end = search_run(&search, see, &visit, failure);
	}
	if (end != SEARCH_FAILED && !add_counted(calls, replay, &search, end, failure))
		end = SEARCH_FAILED;
	passes_restore(replay, &calls->way);
	keyed_groups_end(&calls->groups.keyed);
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
static int set_breakpoint(struct trace_calls *calls, struct replay *replay, struct failure *failure)
{
	const struct trace_calls_args *args = calls->args;
	int number =
	    location_hits_set(replay, args->location, args->condition, &calls->earliest, failure);

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
	    .groups = {.rows = json_array()},
	    .tried = by_stops};
	calls->number = set_breakpoint(calls, replay, failure);
	if (calls->number)
		answer = search_all(calls, replay, failure);
	temporary_breakpoint_delete(replay, calls->number);
	json_decref(calls->hits);
	json_decref(calls->groups.rows);
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
