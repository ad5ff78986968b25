/*
 * rr_check_races: each two accesses by different threads to the same memory, of which one writes
 * and which nothing orders.
 */
#include <stdlib.h>
#include "worker/investigate/code/where.h"
#include "worker/investigate/races/race_passes.h"
#include "worker/moment/excursion.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/serve/handlers.h"

/* ---- Words ----------------------------------------------------------------------------------- */

/* "write of 8 bytes at 0x4060" */
static json_t *say_access(const struct race_access *access)
{
	return json_sprintf("%s of %u byte%s at 0x%llx",
	    access->kind == RACE_READ ? "read" : "write", access->size,
	    access->size == 1 ? "" : "s", (unsigned long long)access->start);
}

/* "add (race.c:12)", or the instruction's address where nobody went there. */
static json_t *say_place(const struct race_side *side)
{
	return side->frame
		   ? where_words(side->frame)
		   : json_sprintf("the code at 0x%llx", (unsigned long long)side->access.pc);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static json_t *side_json(const struct race_side *side)
{
	json_t *json = json_pack("{s:o}", "access", say_access(&side->access));

	if (!side->frame) {
		json_object_set_new(json, "at", say_place(side));
		return json;
	}
	json_object_set(json, "moment", side->moment);
	json_object_set_new(json, "tid", json_integer(side->tid));
	json_object_set(json, "frame", side->frame);
	if (json_array_size(side->callers))
		json_object_set(json, "callers", side->callers);
	return json;
}

static json_t *finding_json(const struct race_found *found)
{
	json_t *json = side_json(&found->later);

	json_object_set_new(json, "variable", json_string(found->place.name));
	json_object_set_new(json, "earlier", side_json(&found->earlier));
	if (found->count > 1)
		json_object_set_new(json, "times", json_integer((json_int_t)found->count));
	if (found->low != found->high)
		json_object_set_new(
		    json, "addresses", json_sprintf("0x%llx to 0x%llx", found->low, found->high));
	return json;
}

/* [{variable, findings}] */
static json_t *sum_up(const json_t *findings)
{
	json_auto_t *sums = json_object();
	const char *name;
	json_t *list = json_array(), *count;
	const json_t *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		name = json_string_value(json_object_get(finding, "variable"));
		count = json_object_get(sums, name);
		json_object_set_new(sums, name, json_integer(json_integer_value(count) + 1));
	}
	json_object_foreach(sums, name, count) json_array_append_new(
	    list, json_pack("{s:s, s:O}", "variable", name, "findings", count));
	return list;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static json_t *conclude(const struct race_passes *passes)
{
	const struct race_found *first = &passes->list[0];
	json_auto_t *earlier = NULL, *later = NULL;
	json_t *conclusion;

	if (passes->before)
		return json_string(
		    "the time was over before races could be looked for: nothing was checked");
	if (passes->table.threads < 2 && passes->count == 0)
		return json_string("the program ran one thread only: nothing can race");
	if (passes->count == 0)
		return json_string("something orders all accesses of different threads to the same "
				   "memory: no race");
	earlier = say_place(&first->earlier);
	later = say_place(&first->later);
	conclusion =
	    json_sprintf("%llu %s that nothing orders; the first, of %s: a %s in %s and a %s "
			 "in %s",
		passes->all, passes->all == 1 ? "pair of accesses" : "pairs of accesses",
		first->place.name, first->earlier.access.kind == RACE_READ ? "read" : "write",
		json_string_value(earlier),
		first->later.access.kind == RACE_READ ? "read" : "write", json_string_value(later));
	return conclusion;
}

static json_t *say_checked(const struct race_passes *passes)
{
	const unsigned long long state = passes->table.state;

	return json_sprintf(
	    "%llu threads, ordered by their creation and end, and by %llu atomic operations (of "
	    "locks, conditions, barriers, the program's own). Not known: what a plain store and "
	    "load order that the program means as atomic, and what pipes, files and signals "
	    "order. Not looked at: what the kernel reads and writes%s%s%s%s",
	    (unsigned long long)passes->table.threads, (unsigned long long)passes->table.orders,
	    state & RACE_LOST ? "; there was no room for all, so there may be more" : "",
	    state & RACE_UNMAPPED ? "; a part of the recording, which has no room for the check"
				  : "",
	    state & RACE_ORPHANS
		? "; a thread whose maker is not known, which counts as made after all before it"
		: "",
	    passes->unsettled ? "; what orders threads did not settle, so a finding may be ordered"
			      : "");
}

static json_t *answer_of(const struct race_passes *passes)
{
	json_t *answer = json_pack("{s:o}", "conclusion", conclude(passes)), *list = json_array();

	for (size_t i = 0; i < passes->count; i++)
		json_array_append_new(list, finding_json(&passes->list[i]));
	if (passes->count) {
		json_object_set(answer, "findings", list);
		json_object_set_new(answer, "variables", sum_up(list));
	}
	json_decref(list);
	if (passes->before)
		json_object_set_new(
		    answer, "cut_off", json_string("the time is over: give a longer deadline"));
	else
		search_tell(&passes->search, passes->end, answer);
	if (passes->all > passes->count)
		json_object_set_new(answer, "more",
		    json_sprintf(
			"%llu more pairs: give a higher limit", passes->all - passes->count));
	if (passes->unfinished)
		json_object_set_new(answer, "unfinished",
		    json_string("the time was over before all accesses were looked at: give a "
				"longer deadline, or a lower limit"));
	json_object_set_new(answer, "checked", say_checked(passes));
	return answer;
}

json_t *tool_check_races(
    struct replay *replay, const struct check_races_args *args, struct failure *failure)
{
	struct race_passes *passes = calloc(1, sizeof(*passes));
	json_t *answer = NULL;
	struct moment stretch[2];

	if (!passes)
		return failure_no_memory(failure);
	passes->replay = replay;
	passes->most = args->limit < RACE_PASSES_PAIRS ? (size_t)args->limit : RACE_PASSES_PAIRS;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (search_stretch(replay, args->from, args->to, stretch, failure) &&
	    race_passes_find(passes, stretch, failure))
		answer = answer_of(passes);
	race_passes_free(passes);
	free(passes);
	return excursion_answer(&excursion, answer, failure);
}
