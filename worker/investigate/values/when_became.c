/*
 * rr_when_became: the first moment at which something is true. One run forward, with a watchpoint
 * on everything that the predicate reads, finds it. If that cannot be watched, halving finds a
 * change from false to true, and the answer says that there may be others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/values/first_true.h"
#include "worker/investigate/values/predicate.h"
#include "worker/investigate/search/pin_variables.h"
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/search.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/moment/excursion.h"
#include "worker/session/images.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/read/names/scope.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/read/values/values.h"
#include "worker/breaks/watchpoint.h"
#include "worker/gdb/mi/says.h"
#include "worker/moment/moment_parse.h"

#define SHOWN "%.200s"

struct became {
	const char *predicate; /* the client's */
	char bound[PIN_TEXT_MAX];
	struct hushed_writes hushed;
	bool is_false; /* where the search began, it could be read and was not true */
	struct moment from, low, high; /* halving: false at from and low, true at high */
	long long evaluations;
	int watch;	  /* gdb's number */
	struct moment at; /* where it became true; valid if `frame` is set */
	json_t *frame;
	struct where_code code;
	unsigned long long local; /* an address on the stack that it reads; 0: none */
	char function[128];	  /* the function whose locals it reads; "": none */
	bool unsure;		  /* it reads locals, and their call was not found */
	enum pin_means means;
	bool always;	  /* it was true where the search began */
	json_t *cut;	  /* what search_tell says, in an object */
	bool empty;	  /* the stretch begins and ends at the same moment */
	bool read;	  /* it could be read at some moment ... */
	char unread[200]; /* ... and why not at others; "": it always could */
};

static enum truth lost(struct replay *replay, struct failure *failure)
{
	gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
	return TRUTH_REFUSED;
}

static void fail_unread(struct replay *replay, const char *why, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "names are looked up in the selected frame; rr_locals lists them", "%.200s", why);
	scope_explain(replay, failure);
}

/* Whether the predicate is true where the program stands. One that cannot be read there is not
 * true, but is no proof of the contrary either: became->unread tells of it. */
static enum truth ask(
    struct became *became, struct replay *replay, bool first, struct failure *failure)
{
	cleanup_free char *value = NULL;
	char why[sizeof(became->unread)] = "";
	enum truth truth = TRUTH_UNREAD;

	became->evaluations++;
	value = values_text(replay, became->bound, why, sizeof(why));
	if (value) {
		truth = expression_truth(replay, became->bound, value, why, sizeof(why));
		if (truth == TRUTH_REFUSED)
			expression_fail_shapeless(became->predicate, failure);
	} else if (replay_worker(replay)->broken) {
		truth = lost(replay, failure);
	} else if (expression_is_harmful(became->predicate, why, failure)) {
		truth = TRUTH_REFUSED;
	} else if (first && !gdb_says(why, SAYS_UNREADABLE) && !gdb_says(why, SAYS_BY_ZERO)) {
		fail_unread(replay, why, failure);
		truth = TRUTH_REFUSED;
	}
	if (truth == TRUTH_UNREAD)
		snprintf(became->unread, sizeof(became->unread), "%s", why);
	became->read = became->read || truth == TRUTH_NO || truth == TRUTH_YES;
	return truth;
}

/* Between low and high, event by event: rr can stop at most events. */
static bool halve(struct became *became, struct replay *replay, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	const struct moment *now = replay_now(replay);
	long long top = became->high.event;
	double share = 0;

	while (top - became->low.event > 1) {
		long long middle = became->low.event + (top - became->low.event) / 2;

		if (worker->interrupt) {
			worker_fail_interrupted(worker, failure);
			return false;
		}
		if (!position_go_event(replay, middle, failure))
			return false;
		top = middle;
		if (now->event >= became->high.event)
			continue;
		position_take_sum(replay);
		switch (ask(became, replay, false, failure)) {
		case TRUTH_REFUSED:
			return false;
		case TRUTH_YES:
			became->high = *now;
			break;
		case TRUTH_UNREAD:
		case TRUTH_NO:
			became->low = *now;
			top = became->high.event;
			break;
		}
		share += (100 - share) / 4;
		worker_progress(worker, share, 100, "halving the stretch");
	}
	return true;
}

static void find_here(struct became *became, struct replay *replay)
{
	position_take_sum(replay);
	became->at = *replay_now(replay);
	became->frame = where_behind(replay, &became->code);
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct became *became = context;

	if (!hit->watched || hit->number != became->watch || !hit->new)
		return SCAN_ON;
	switch (expression_truth(
	    replay, became->bound, hit->new, became->unread, sizeof(became->unread))) {
	case TRUTH_YES:
		break;
	case TRUTH_NO:
		became->read = true;
		return SCAN_ON;
	case TRUTH_UNREAD:
		return SCAN_ON;
	case TRUTH_REFUSED:
		expression_fail_shapeless(became->predicate, failure);
		return SCAN_GIVE_UP;
	}
	find_here(became, replay);
	return SCAN_ENOUGH;
}

enum look { LOOK_FOUND, LOOK_NONE, LOOK_CUT, LOOK_UNABLE, LOOK_FAILED };

/* Only when the program is about to run does gdb find out that a watchpoint does not fit. */
static enum look judge(
    const struct became *became, const struct replay *replay, enum search_end end)
{
	switch (end) {
	case SEARCH_ENOUGH:
	case SEARCH_WHOLE:
		return became->frame ? LOOK_FOUND : LOOK_NONE;
	case SEARCH_CUT:
		return LOOK_CUT;
	case SEARCH_FAILED:
		break;
	}
	return replay_worker(replay)->broken ? LOOK_FAILED : LOOK_UNABLE;
}

/* gdb deletes a watchpoint whose expression it cannot compute, as with a division by zero, and runs
 * on. */
static bool is_set(struct replay *replay, int number)
{
	json_auto_t *results = NULL;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	return mi_breakpoint_row(mi_breakpoints(results), number) != NULL;
}

static void tell_cut(struct became *became, const struct search *search)
{
	became->cut = json_object();
	search_tell(search, SEARCH_CUT, became->cut);
}

static enum look watch_for(struct became *became, struct search *search, struct failure *failure)
{
	struct replay *replay = search->replay;
	enum search_end end = SEARCH_FAILED;
	bool gave_up;

	if (predicate_may_grow(became->predicate))
		return LOOK_UNABLE;

	became->watch = watchpoint_insert(replay, became->bound, WATCH_WRITE, false, NULL, failure);
	if (became->watch) {
		if (became->is_false)
			hushed_writes_begin(&became->hushed, replay);
		end = search_run(search, see, became, failure);
		hushed_writes_end(&became->hushed, replay);
	}
	gave_up = end == SEARCH_WHOLE && !is_set(replay, became->watch);
	temporary_breakpoint_delete(replay, became->watch);
	if (end == SEARCH_CUT)
		tell_cut(became, search);
	return gave_up ? LOOK_UNABLE : judge(became, replay, end);
}

static bool holds(void *context, struct replay *replay)
{
	cleanup_failure struct failure ignored = {0};

	return ask(context, replay, false, &ignored) == TRUTH_YES;
}

/* Without a stop at each write. LOOK_UNABLE: not here. */
static enum look count_for(struct became *became, struct search *search, struct failure *failure)
{
	if (!became->is_false || !became->hushed.place.size)
		return LOOK_UNABLE;
	switch (first_true_find(search, &became->hushed, holds, became, failure)) {
	case FIRST_TRUE_FOUND:
		find_here(became, search->replay);
		return LOOK_FOUND;
	case FIRST_TRUE_NONE:
		return LOOK_NONE;
	case FIRST_TRUE_CUT:
		tell_cut(became, search);
		return LOOK_CUT;
	case FIRST_TRUE_UNKNOWN:
	case FIRST_TRUE_FAILED:
		break;
	}
	return search_again(search, &search->from, failure) ? LOOK_UNABLE : LOOK_FAILED;
}

/* The first change to true, in a stretch that begins where it is false or means nothing. */
static enum look look(struct became *became, struct replay *replay, const struct moment stretch[2],
    struct failure *failure)
{
	struct search search = {.replay = replay};
	struct failure unable = {0};
	enum look seen = LOOK_FAILED;

	if (search_begin(&search, replay, stretch, failure)) {
		became->empty = search_is_empty(&search);
		seen = count_for(became, &search, &unable);
		if (seen == LOOK_UNABLE)
			seen = watch_for(became, &search, &unable);
	}
	search_end(&search);
	if (seen == LOOK_FAILED && unable.message[0])
		*failure = unable;
	return seen;
}

static json_t *answer_found(const struct became *became, struct replay *replay)
{
	json_auto_t *words = where_words(became->frame), *at = moment_name(replay, &became->at);
	json_t *answer = json_pack("{s:o, s:O, s:i, s:O}", "conclusion",
	    json_sprintf(SHOWN " became true for the first time at %s, in %s", became->predicate,
		json_string_value(at), json_string_value(words)),
	    "moment", at, "tid", became->at.tid, "frame", became->frame);

	if (became->always)
		json_object_set_new(answer, "assumed",
		    json_sprintf("that it was true by chance when the call of %s began: a local "
				 "has no value of its own there",
			became->function));
	return answer;
}

static json_t *answer_text(const char *format, const struct became *became)
{
	return json_pack("{s:o}", "conclusion", json_sprintf(format, became->predicate));
}

/* Not said to be false where it could not be read. */
static json_t *answer_never(const struct became *became)
{
	if (became->empty)
		return answer_text(SHOWN
		    " is not true at the moment that is both from and to, and nothing else was "
		    "searched: give the earlier moment as from, the later one as to",
		    became);
	if (became->read)
		return answer_text(SHOWN " was never true there", became);
	return json_pack("{s:o}", "conclusion",
	    json_sprintf(SHOWN " could never be read there, so it was never seen to be true: %s",
		became->predicate, became->unread));
}

/* For one that cannot be watched. */
static json_t *answer_unseen(const struct became *became)
{
	if (became->read)
		return answer_text(SHOWN
		    " is not true at either end of the stretch, and cannot be watched between "
		    "them: it may have been true for a while",
		    became);
	return json_pack("{s:o}", "conclusion",
	    json_sprintf(SHOWN
		" cannot be read at either end of the stretch, and cannot be watched "
		"between them: %s",
		became->predicate, became->unread));
}

/* The edge is known to lie between two events. */
static json_t *answer_between(const struct became *became, struct replay *replay)
{
	json_auto_t *low = moment_name(replay, &became->low);
	json_auto_t *high = moment_name(replay, &became->high);

	return json_pack("{s:o, s:O, s:s}", "conclusion",
	    json_sprintf(SHOWN " is false at %s and true at %s: it became true between them",
		became->predicate, json_string_value(low), json_string_value(high)),
	    "moment", high, "assumed",
	    "that it stays true once it is true: what it reads cannot be watched (registers, or "
	    "more than the processor has room for), so it was checked at single events only");
}

static json_t *answer_always(const struct became *became, struct replay *replay)
{
	json_auto_t *from = moment_name(replay, &became->from);

	return json_pack("{s:o, s:O}", "conclusion",
	    json_sprintf(SHOWN " is true at %s already, where the search begins", became->predicate,
		json_string_value(from)),
	    "moment", from);
}

static bool go_to_end(struct replay *replay, const struct moment *to, struct failure *failure)
{
	return to->event == REPLAY_EVENT_FAR ? position_go_end(replay, failure)
					     : moment_go_to(replay, to, failure);
}

/* For a predicate that cannot be watched. */
static json_t *find_by_halves(
    struct became *became, struct replay *replay, const struct moment *to, struct failure *failure)
{
	if (to->event == REPLAY_EVENT_FAR && images_at(replay) + 1 < images_count(replay)) {
		failure_set(failure, ERROR_UNSUPPORTED, "give a moment of this program as to",
		    "what " SHOWN " reads cannot be watched, and exec ends this program",
		    became->predicate);
		return NULL;
	}
	became->low = became->from;
	if (!go_to_end(replay, to, failure))
		return NULL;
	position_take_sum(replay);
	became->high = *replay_now(replay);
	switch (ask(became, replay, false, failure)) {
	case TRUTH_REFUSED:
		return NULL;
	case TRUTH_UNREAD:
	case TRUTH_NO:
		return answer_unseen(became);
	case TRUTH_YES:
		break;
	}
	return halve(became, replay, failure) ? answer_between(became, replay) : NULL;
}

/* Where the call begins to which locals belong, they have no value yet: then it counts when the
 * predicate becomes true after it was false. */
static json_t *find(struct became *became, struct replay *replay, const struct moment stretch[2],
    struct failure *failure)
{
	if (!moment_go_to(replay, &stretch[0], failure))
		return NULL;
	position_take_sum(replay);
	became->from = *replay_now(replay);
	switch (ask(became, replay, false, failure)) {
	case TRUTH_REFUSED:
		return NULL;
	case TRUTH_YES:
		became->always = true;
		if (!became->function[0])
			return answer_always(became, replay);
		break;
	case TRUTH_NO:
		became->is_false = true;
		break;
	case TRUTH_UNREAD:
		break;
	}
	switch (look(became, replay, stretch, failure)) {
	case LOOK_FOUND:
		return answer_found(became, replay);
	case LOOK_NONE:
		return became->always ? answer_always(became, replay) : answer_never(became);
	case LOOK_CUT:
		json_object_set_new(became->cut, "conclusion",
		    json_sprintf(
			SHOWN " was not true in the part that was searched", became->predicate));
		return json_incref(became->cut);
	case LOOK_UNABLE:
		return became->always ? answer_always(became, replay)
				      : find_by_halves(became, replay, &stretch[1], failure);
	case LOOK_FAILED:
		break;
	}
	return NULL;
}

/* By default, a predicate with a local is asked about in that local's own call. */
static bool choose_stretch(struct became *became, struct replay *replay,
    const struct when_became_args *args, struct moment stretch[2], struct failure *failure)
{
	enum lifetime_known known;
	struct frame_lifetime life = {0};

	became->function[0] = '\0';
	became->unsure = false;
	if (!became->local || args->from || args->to)
		return true;
	known = frame_lifetime_find(replay, became->local, &life, failure);
	became->unsure = known == LIFETIME_UNSURE;
	if (known != LIFETIME_KNOWN)
		return known != LIFETIME_FAILED;
	memcpy(stretch, life.stretch, sizeof(life.stretch));
	snprintf(became->function, sizeof(became->function), "%s", life.function);
	return true;
}

static json_t *add_notes(const struct became *became, json_t *answer)
{
	if (!answer)
		return NULL;
	if (became->means == PIN_OBJECTS)
		json_object_set_new(answer, "meaning",
		    json_string("its members are those of the objects that its pointers point to "
				"at this moment"));
	if (became->function[0])
		json_object_set_new(answer, "note",
		    json_sprintf("searched in this call of %s only, where the locals in it live",
			became->function));
	else if (became->unsure)
		json_object_set_new(answer, "note",
		    json_string("a local in it lies on a stack, which other calls use too: narrow "
				"it with from and to"));
	json_object_set_new(answer, "evaluations", json_integer(became->evaluations));
	return answer;
}

static bool can_change(const char *predicate, struct failure *failure)
{
	if (predicate_reads(predicate))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "name what can change, as in list->count > 100",
	    SHOWN " reads nothing of the program, so it never becomes true or false", predicate);
	return false;
}

/* Binds the predicate and asks it where the session stands; false with *failure filled. */
static bool begin(
    struct became *became, struct replay *replay, enum pin_means means, struct failure *failure)
{
	became->means = means;
	if (!pin_variables(
		replay, became->predicate, means, became->bound, &became->local, failure) ||
	    ask(became, replay, true, failure) == TRUTH_REFUSED)
		return false;
	if (means == PIN_VARIABLES)
		hushed_writes_make(&became->hushed, replay, became->predicate);
	return true;
}

static json_t *answer_of(struct became *became, struct replay *replay,
    const struct when_became_args *args, struct moment stretch[2], struct failure *failure)
{
	return choose_stretch(became, replay, args, stretch, failure)
		   ? find(became, replay, stretch, failure)
		   : NULL;
}

/* True in no time: the predicate became true when its locals got their values, arguments say. */
static bool is_true_at_once(const struct became *became)
{
	return became->always || (became->frame && became->at.event == became->from.event &&
				     became->at.ticks == became->from.ticks);
}

/* A pointer that is a local tells nothing about the time before its call, but the object to which
 * it points was there. */
static json_t *answer_about_objects(struct became *became, struct excursion *excursion,
    const struct when_became_args *args, json_t *answer)
{
	struct replay *replay = excursion->replay;
	struct moment stretch[2];
	struct became objects = {
	    .predicate = became->predicate, .evaluations = became->evaluations};
	cleanup_failure struct failure ignored = {0};
	json_t *better = NULL;

	if (answer && became->function[0] && became->means == PIN_VARIABLES &&
	    is_true_at_once(became) && return_ticket_use(replay, &excursion->from, &ignored) &&
	    search_stretch(replay, args->from, args->to, stretch, &ignored) &&
	    begin(&objects, replay, PIN_OBJECTS, &ignored) &&
	    strcmp(objects.bound, became->bound) != 0)
		better = answer_of(&objects, replay, args, stretch, &ignored);
	if (!better)
		return answer;
	json_decref(answer);
	json_decref(became->frame);
	json_decref(became->cut);
	where_forget(&became->code);
	*became = objects;
	return better;
}

json_t *tool_when_became(
    struct replay *replay, const struct when_became_args *args, struct failure *failure)
{
	struct became became = {.predicate = args->predicate};
	struct moment stretch[2];
	struct failure first = {0}, ignored = {0};
	json_t *answer;

	if (!can_change(args->predicate, failure) ||
	    !search_stretch(replay, args->from, args->to, stretch, failure))
		return NULL;
	if (!begin(&became, replay, PIN_VARIABLES, &first) &&
	    !begin(&became, replay, PIN_OBJECTS, &ignored)) {
		json_decref(ignored.details);
		*failure = first;
		return NULL;
	}
	json_decref(first.details);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = answer_of(&became, replay, args, stretch, failure);
	answer = add_notes(&became, answer_about_objects(&became, &excursion, args, answer));
	json_decref(became.frame);
	json_decref(became.cut);
	where_forget(&became.code);
	return excursion_answer(&excursion, answer, failure);
}
