/*
 * rr_value_history: every access to a place in memory, in the order of the program. The answer has
 * a row for each of the first ones, and counts all of them by the code that made them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "sandbox/wire/tools.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/values/history_tally.h"
#include "worker/serve/handlers.h"
#include "worker/moment/excursion.h"
#include "worker/breaks/watchpoint.h"
#include "worker/breaks/places/absolute.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/code/mappings.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/values.h"

#define ROWS_BYTES    (20 * 1024) /* rows in an answer */
#define ACCESSES_MAX  20000	  /* then we give up counting */
#define VALUE_MAX     160	  /* bytes shown of a value */
#define EXPRESSION_AT 200
#define NOTHING	      "<unreadable>" /* what gdb prints for memory that is not mapped */

/* What its answer is about. */
static const char *verb_of(enum watch_access access)
{
	return access == WATCH_WRITE ? "change" : access == WATCH_READ ? "read" : "access";
}

/* "3 changes" */
static json_t *counted(long long count, const char *what)
{
	const char *many = strcmp(what, "access") == 0 ? "es" : "s";

	return json_sprintf("%lld %s%s", count, what, count == 1 ? "" : many);
}

static json_t *bounded(const char *text)
{
	return scrub_json_middle(text, strlen(text), VALUE_MAX, NULL);
}

/* Whether the call asked for this kind of access. */
static bool is_wanted(enum watch_access wanted, enum access_kind kind, bool changed)
{
	if (wanted == WATCH_WRITE)
		return changed;
	return wanted == WATCH_ACCESS || kind == ACCESS_KIND_READ || kind == ACCESS_KIND_BOTH ||
	       (kind == ACCESS_KIND_UNKNOWN && !changed);
}

static void add_change(json_t *access, const char *old, const char *new)
{
	json_object_set_new(access, "old", bounded(old));
	json_object_set_new(access, "new", bounded(new));
}

/* {tid, old, new}, or {tid, value, access} if it did not change. NULL: the call did not ask for it,
 * or it is no access: the memory was mapped or unmapped. */
static json_t *access_json(
    struct history *history, struct replay *replay, const struct hit *hit, enum access_kind kind)
{
	const json_t *told = json_object_get(gdb_last_stop(replay_gdb(replay)), "value");
	const char *value = hit->new ? hit->new : mi_text(told, "value");
	bool changed = hit->old && hit->new;
	json_t *json;

	if ((changed && (strcmp(hit->old, NOTHING) == 0 || strcmp(hit->new, NOTHING) == 0)) ||
	    !value || !is_wanted(history->args->access, kind, changed))
		return NULL;
	json = json_pack("{s:i}", "tid", replay_now(replay)->tid);
	if (history->args->access != WATCH_WRITE)
		json_object_set_new(json, "access", json_string(access_kind_words[kind]));
	if (changed)
		add_change(json, hit->old, hit->new);
	else
		json_object_set_new(json, "value", bounded(value));
	return json;
}

size_t history_find_writer(const struct history *history, const json_t *where)
{
	const json_t *writer;
	size_t i;

	json_array_foreach(history->writers, i,
	    writer) if (json_equal(json_object_get(writer, "frame"), where)) break;
	return i;
}

/* By kind: "read", "write" and so on. */
size_t history_count(struct history *history, struct replay *replay, json_t *where,
    enum access_kind kind, long long count)
{
	size_t which = history_find_writer(history, where);
	const char *key = access_kind_words[kind];
	json_t *writer;

	if (which >= HISTORY_WRITERS_MAX)
		return HISTORY_WRITERS_MAX;
	if (which == json_array_size(history->writers))
		json_array_append_new(
		    history->writers, json_pack("{s:O, s:o}", "frame", where, "first",
					  moment_name(replay, replay_now(replay))));
	writer = json_array_get(history->writers, which);
	json_object_set_new(
	    writer, key, json_integer(json_integer_value(json_object_get(writer, key)) + count));
	return which;
}

/* Counts an access under the code that made it. "last" comes at the end, because of many accesses
 * only few are named. */
static void add_writer(
    struct history *history, struct replay *replay, json_t *where, enum access_kind kind)
{
	size_t which = history_count(history, replay, where, kind, 1);

	if (which == HISTORY_WRITERS_MAX)
		return;
	position_take_sum(replay);
	history->last[which] = *replay_now(replay);
}

static void name_last(struct history *history, struct replay *replay)
{
	json_t *writer;
	size_t i;

	json_array_foreach(history->writers, i, writer)
	{
		if (!history->tally.keys[i].last_unknown)
			json_object_set_new(writer, "last", moment_name(replay, &history->last[i]));
	}
}

/* As many rows as the call asked for and an answer can hold. */
static void add_row(struct history *history, struct replay *replay, json_t *access, json_t *where)
{
	char *text;

	if (history->full)
		return;
	json_object_set_new(access, "moment", moment_name(replay, replay_now(replay)));
	json_object_set(access, "frame", where);
	text = json_dumps(access, JSON_COMPACT);
	history->bytes += text ? strlen(text) : 0;
	free(text);
	json_array_append(history->changes, access);
	history->full = json_array_size(history->changes) == (size_t)history->args->limit ||
			history->bytes > ROWS_BYTES;
}

/* An access at replay_now(replay)-> */
static void add(
    struct history *history, struct replay *replay, json_t *access, enum access_kind kind)
{
	json_auto_t *where = where_behind(replay, &history->where);

	history->count++;
	add_row(history, replay, access, where);
	add_writer(history, replay, where, kind);
}

/* A change at an instruction that was seen before. */
static void add_noted(void *context, struct replay *replay, const char *old, const char *new)
{
	struct history *history = context;
	json_auto_t *access = NULL;

	if (history->count == ACCESSES_MAX)
		return;
	access = json_pack("{s:i}", "tid", replay_now(replay)->tid);
	add_change(access, old, new);
	add(history, replay, access, ACCESS_KIND_WRITE);
}

static enum scan_verdict see_stop(
    struct history *history, struct replay *replay, const struct hit *hit)
{
	enum access_kind kind = ACCESS_KIND_WRITE;
	json_auto_t *access = NULL;

	silent_hits_take(&history->hits, replay, add_noted, history);
	if (!hit->watched || hit->number != history->watch)
		return SCAN_ON;
	if (history->args->access != WATCH_WRITE)
		kind = access_kind_here(replay, &history->code, hit->old && hit->new);
	if (!(hit->old && hit->new) &&
	    !access_kind_touches(replay, &history->code, history->address, history->size))
		return SCAN_ON;
	access = access_json(history, replay, hit, kind);
	if (!access)
		return SCAN_ON;
	if (history->count < ACCESSES_MAX)
		add(history, replay, access, kind);
	if (where_known(&history->where, replay_now(replay)->pc))
		silent_hits_know(&history->hits, replay, hit->new);
	return history->count < ACCESSES_MAX ? SCAN_ON : SCAN_ENOUGH;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct history *history = context;
	enum scan_verdict verdict;

	(void)failure;
	if (history->tally.state == HISTORY_TALLIES)
		return history_tally_see(history, replay, hit);
	verdict = see_stop(history, replay, hit);
	if (verdict == SCAN_ON)
		history_tally_begin(history, replay);
	return verdict;
}

static void take_silent_hits(struct history *history, struct replay *replay)
{
	int number = silent_hits_make(&history->hits, replay, history->watched);

	if (!number)
		return;
	temporary_breakpoint_delete(replay, history->watch);
	history->watch = number;
}

/* Sets the watchpoint where the names of the expression mean what the client means, and disables it
 * until the stretch begins. */
static bool set_watch(struct history *history, struct replay *replay, struct failure *failure)
{
	place_expression(history->watched, history->args->expression, history->args->length);
	if (!ambiguous_statics_check(replay, history->watched, failure))
		return false;
	history->watch =
	    watchpoint_insert(replay, history->watched, history->args->access, true, NULL, failure);
	if (!history->watch)
		return false;
	history->is_bit_field = absolute_is_bit_field(replay, history->watched);
	if (history->args->access == WATCH_WRITE && !history->is_bit_field)
		take_silent_hits(history, replay);
	gdb_must(replay_gdb(replay), NULL, "-break-disable %d", history->watch);
	if (!place_find(replay, history->watched, &history->address, &history->size, failure))
		return false;
	history->unmapped = place_unmapped(replay, history->address, history->args->length);
	return true;
}

/* By default, a local's history is that of its own call. */
static bool choose_stretch(struct history *history, struct replay *replay, struct moment stretch[2],
    struct failure *failure)
{
	const struct value_history_args *args = history->args;

	if (!search_stretch(replay, args->from, args->to, stretch, failure))
		return false;
	history->known = LIFETIME_NONE;
	if (args->from || args->to)
		return true;
	history->known = frame_lifetime_find(replay, history->address, &history->life, failure);
	if (history->known == LIFETIME_KNOWN)
		memcpy(stretch, history->life.stretch, sizeof(history->life.stretch));
	return history->known != LIFETIME_FAILED;
}

/* "at 0x7ffe10, a local of work in the call from 12:30 to 14:99" */
static json_t *tell_place(const struct history *history, struct replay *replay)
{
	const struct frame_lifetime *life = &history->life;
	json_auto_t *from = NULL, *to = NULL;

	if (history->known != LIFETIME_KNOWN)
		return json_sprintf("at 0x%llx", history->address);
	from = moment_name(replay, &life->stretch[0]);
	to = life->stretch[1].event == REPLAY_EVENT_FAR ? json_string("the end")
							: moment_name(replay, &life->stretch[1]);
	return json_sprintf("at 0x%llx, which belongs to the call of %s from %s to %s",
	    history->address, life->function, json_string_value(from), json_string_value(to));
}

static json_t *conclude(const struct history *history, struct replay *replay)
{
	const char *what = history->args->expression;
	json_auto_t *count = counted(history->count, verb_of(history->args->access)), *words = NULL;
	json_auto_t *place = tell_place(history, replay);
	const json_t *writer = json_array_get(history->writers, 0);
	size_t writers = json_array_size(history->writers);

	if (writers == 0)
		return json_sprintf("no %s of %.*s (%s) was seen", verb_of(history->args->access),
		    EXPRESSION_AT, what, json_string_value(place));
	if (writers > 1)
		return json_sprintf("%s of %.*s (%s), from %zu places", json_string_value(count),
		    EXPRESSION_AT, what, json_string_value(place), writers);
	words = where_words(json_object_get(writer, "frame"));
	return json_sprintf("%s of %.*s (%s), all by %s", json_string_value(count), EXPRESSION_AT,
	    what, json_string_value(place), json_string_value(words));
}

static void add_notes(const struct history *history, enum search_end end, json_t *answer)
{
	const json_t *last =
	    json_array_get(history->changes, json_array_size(history->changes) - 1);

	if (history->count > (long long)json_array_size(history->changes))
		json_object_set_new(answer, "more",
		    json_sprintf("%lld more are counted; from=%s shows the next ones",
			history->count - (long long)json_array_size(history->changes),
			mi_text(last, "moment")));
	if (end == SEARCH_ENOUGH)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("it stopped counting at %d, at %s", ACCESSES_MAX,
			mi_text(json_array_get(history->writers, 0), "last")));
	if (end == SEARCH_WHOLE && history->tally.late)
		json_object_set_new(answer, "cut_off",
		    json_string("the time was over before the last change of each place was looked "
				"up; all are counted"));
	if (history->is_bit_field && history->args->access != WATCH_WRITE)
		json_object_set_new(answer, "neighbours",
		    json_string("it is a bit-field: the program reads and writes it together with "
				"the other bit-fields in the same bytes, and accesses of these are "
				"counted too"));
	if (history->known == LIFETIME_UNSURE)
		json_object_set_new(answer, "note",
		    json_string("this lies on a stack, which other calls use too: narrow it with "
				"from and to"));
}

static json_t *answer_of(struct history *history, const struct search *search, enum search_end end)
{
	struct replay *replay = search->replay;
	json_t *answer = json_object();

	name_last(history, replay);
	json_object_set_new(answer, "conclusion", conclude(history, replay));
	json_object_set_new(answer, "total", json_integer(history->count));
	if (json_array_size(history->changes))
		json_object_set(answer, "changes", history->changes);
	if (json_array_size(history->writers) > 1 || history->full)
		json_object_set(answer, "by", history->writers);
	/* rr does not show what another process writes to shared memory. */
	if (mappings_sharing(replay, history->address) == 's')
		json_object_set_new(answer, "shared",
		    json_string("other processes map this memory too: their writes do not show "
				"here"));
	if (!history->count && history->unmapped)
		json_object_set(answer, "unmapped", history->unmapped);
	search_tell(search, end, answer);
	access_kind_tell(&history->code, search->replay, answer);
	add_notes(history, end, answer);
	return answer;
}

static json_t *search_all(struct history *history, struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	enum search_end end = SEARCH_FAILED;
	struct search search = {.replay = replay};
	struct moment stretch[2];
	json_t *answer = NULL;

	if (choose_stretch(history, replay, stretch, failure) &&
	    search_begin(&search, replay, stretch, failure) &&
	    gdb_check(gdb, gdb_command(gdb, NULL, "-break-enable %d", history->watch),
		ERROR_GDB_FAILED, NULL, failure)) {
		silent_hits_begin(&history->hits, replay, search.bounded ? search.to.event : 0);
		end = search_run(&search, see, history, failure);
		end = history_tally_finish(history, &search, end, see, failure);
		silent_hits_take(&history->hits, replay, add_noted, history);
	}
	if (end != SEARCH_FAILED)
		answer = answer_of(history, &search, end);
	search_end(&search);
	return answer;
}

json_t *tool_value_history(
    struct replay *replay, const struct value_history_args *args, struct failure *failure)
{
	struct history history = {.args = args};
	json_t *answer = NULL;

	history.changes = json_array();
	history.writers = json_array();
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (set_watch(&history, replay, failure)) {
		answer = search_all(&history, replay, failure);
		temporary_breakpoint_delete(replay, history.watch);
	}
	silent_hits_end(&history.hits, replay);
	json_decref(history.changes);
	json_decref(history.writers);
	json_decref(history.tally.writers);
	json_decref(history.unmapped);
	where_forget(&history.where);
	return excursion_answer(&excursion, answer, failure);
}
