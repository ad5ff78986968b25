/*
 * Says what the comparison found. "Race" only where nothing can have ordered the accesses that we
 * do not see; and never that there can be none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/heap/guarded.h"
#include "worker/investigate/threads/race.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/sentence.h"

#define ROWS_BYTES    (16 * 1024)
#define ORDERS_SHOWN  4
#define THREADS_SHOWN 4
#define THREADS_ROWS  40
#define EXPRESSION_AT 120
#define WORDS_MAX     400

enum verdict { NO_ACCESS, ONE_THREAD, NO_CONFLICT, ORDERED, ATOMIC, UNKNOWN, RACE };

static const char *const verdicts[] = {[NO_ACCESS] = "no access",
    [ONE_THREAD] = "one thread",
    [NO_CONFLICT] = "ordered",
    [ORDERED] = "ordered",
    [ATOMIC] = "atomic",
    [UNKNOWN] = "unknown",
    [RACE] = "race"};

/* ---- Words ----------------------------------------------------------------------------------- */

static bool is_in(const unsigned char *set, size_t thread)
{
	return set[thread / 8] & 1 << thread % 8;
}

static void set_all(const struct race *race, unsigned char *set)
{
	for (size_t i = 0; i < race->count; i++)
		set[race->accesses[i].thread / 8] |=
		    (unsigned char)(1 << race->accesses[i].thread % 8);
}

static size_t size_of(const unsigned char *set)
{
	size_t count = 0;

	for (size_t i = 0; i < ORDER_THREADS_MAX; i++)
		count += is_in(set, i);
	return count;
}

/* "threads 12, 13 and 2 more" */
static void name_threads(const struct race *race, const unsigned char *set, char words[WORDS_MAX])
{
	size_t all = size_of(set), told = 0, most = all > THREADS_SHOWN ? THREADS_SHOWN - 1 : all;
	size_t length = (size_t)snprintf(words, WORDS_MAX, "thread%s", all == 1 ? "" : "s");

	for (size_t i = 0; i < ORDER_THREADS_MAX && told < most; i++) {
		if (!is_in(set, i))
			continue;
		length += (size_t)snprintf(words + length, WORDS_MAX - length, "%s %d",
		    told == 0	      ? ""
		    : told + 1 == all ? " and"
				      : ",",
		    race->threading->threads[i].tid);
		told++;
	}
	if (told < all)
		snprintf(words + length, WORDS_MAX - length, " and %zu more", all - told);
}

static const char *verb_of(const struct race_entry *access)
{
	switch (access->kind) {
	case ACCESS_KIND_WRITE:
		return "writes";
	case ACCESS_KIND_BOTH:
		return "reads and writes";
	case ACCESS_KIND_READ:
	case ACCESS_KIND_UNKNOWN:
		break;
	}
	return "reads";
}

static int tid_of(const struct race *race, const struct race_entry *access)
{
	return race->threading->threads[access->thread].tid;
}

static json_t *site_words(const struct race *race, size_t access)
{
	return where_words(race->accesses[access].where);
}

/* "without a common lock", or what the lock that they share does not do. */
static void name_lack(const struct race *race, const struct unordered_pair *pair, char *words)
{
	char name[THREADING_NAME_MAX];
	size_t common;
	bool reading;

	race_excluded(race, pair->first, pair->second, &common, &reading);
	if (common == ORDER_NONE) {
		snprintf(words, WORDS_MAX, "without a common lock");
		return;
	}
	threading_name(race->threading, common, name);
	snprintf(words, WORDS_MAX, "and hold %s%s", name, reading ? " only for reading" : "");
}

/* "threads 12 and 13 write counter at add (a.c:8) without a common lock" */
static json_t *tell_pair(const struct race *race, const struct unordered_pair *pair)
{
	const struct race_entry *first = &race->accesses[pair->first];
	const struct race_entry *second = &race->accesses[pair->second];
	json_auto_t *here = site_words(race, pair->first), *there = site_words(race, pair->second);
	char threads[WORDS_MAX], lack[WORDS_MAX];
	json_t *told;

	name_lack(race, pair, lack);
	name_threads(race, pair->threads, threads);
	if (json_equal(first->where, second->where))
		told = json_sprintf("%s %s %.*s at %s %s", threads,
		    pair->writes ? "write" : "read and write", EXPRESSION_AT,
		    race->args->expression, json_string_value(here), lack);
	else
		told = json_sprintf("thread %d %s %.*s at %s, thread %d %s it at %s, %s",
		    tid_of(race, first), verb_of(first), EXPRESSION_AT, race->args->expression,
		    json_string_value(here), tid_of(race, second), verb_of(second),
		    json_string_value(there), lack);
	return told;
}

/* ---- The pairs ------------------------------------------------------------------------------- */

static json_t *locks_of(const struct race *race, const struct race_entry *access)
{
	size_t count;
	const struct order_held *held =
	    order_point_held(race->threading->order, access->point, &count);
	json_t *locks = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(locks, threading_held_json(race->threading, &held[i]));
	return locks;
}

static bool is_visited(const struct race_entry *access, enum race_end end)
{
	return access->end[end].moment.tid != 0;
}

/* {moment?, tid, access, old?, new?, value?, frame, locks?}; what has a moment was gone to. */
static json_t *access_json(const struct race *race, struct race_example at)
{
	const struct race_entry *access = &race->accesses[at.access];
	const struct moment *moment = &access->end[at.end].moment;
	json_t *row = json_object();

	if (is_visited(access, at.end))
		json_object_set_new(row, "moment", moment_name(race->replay, moment));
	json_object_set_new(row, "tid", json_integer(tid_of(race, access)));
	json_object_set_new(row, "access", json_string(access_kind_words[access->kind]));
	if (access->end[at.end].values)
		json_object_update(row, access->end[at.end].values);
	answer_add_flag(row, "atomic", access->atomic);
	json_object_set(row, "frame", access->where);
	answer_add_list(row, "locks", locks_of(race, access));
	return row;
}

/* The surest first, then those with the most writes. */
static bool is_more(const struct unordered_pair *pair, const struct unordered_pair *than)
{
	long long sure = pair->count - pair->perhaps, other = than->count - than->perhaps;

	if ((sure > 0) != (other > 0))
		return sure > 0;
	return pair->writes > than->writes ||
	       (pair->writes == than->writes && pair->count > than->count);
}

size_t race_shown(const struct race *race, const struct unordered_pair *shown[RACE_PAIRS_SHOWN])
{
	size_t count = 0, i;

	for (size_t one = 0; one < race->site_count * race->site_count; one++) {
		const struct unordered_pair *pair = &race->pairs[one];

		if (!pair->count)
			continue;
		for (i = count; i > 0 && is_more(pair, shown[i - 1]); i--)
			if (i < RACE_PAIRS_SHOWN)
				shown[i] = shown[i - 1];
		if (i == RACE_PAIRS_SHOWN)
			continue;
		shown[i] = pair;
		count += count < RACE_PAIRS_SHOWN;
	}
	return count;
}

/* {count, not_known?, first, second}; not_known: of how many something may order them. */
static json_t *pair_json(const struct race *race, const struct unordered_pair *pair)
{
	const struct race_example first = {pair->first, RACE_LAST};
	const struct race_example second = {pair->second, RACE_FIRST};
	json_t *json = json_pack("{s:I, s:o, s:o}", "count", pair->count, "first",
	    access_json(race, first), "second", access_json(race, second));

	answer_add_count(json, "not_known", pair->perhaps);
	return json;
}

/* *left: how many pairs are not among them. */
static json_t *pairs_json(const struct race *race, size_t *left)
{
	const struct unordered_pair *shown[RACE_PAIRS_SHOWN];
	const size_t count = race_shown(race, shown);
	json_t *pairs = json_array();

	*left = 0;
	for (size_t i = 0; i < race->site_count * race->site_count; i++)
		*left += race->pairs[i].count > 0;
	*left -= count;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(pairs, pair_json(race, shown[i]));
	return pairs;
}

/* ---- The conclusion -------------------------------------------------------------------------- */

/* Memory that an allocator of the program's own handed out: it may have done so again between two
 * accesses, and then orders them by means of its own. The guard heap hands it out once. */
static bool is_of_other_malloc(const struct race *race)
{
	struct symbol symbol;

	return race->heap && allocator_malloc(race->replay) == ALLOCATOR_MALLOC_OTHER &&
	       !guarded_is_there(race->replay) && !symbol_at(race->replay, race->address, &symbol);
}

static void add_doubts(struct race *race)
{
	struct threading *threading = race->threading;

	if (race->mixed)
		threading_doubt(threading,
		    json_string("some of the accesses are atomic, so the others may be too"));
	if (!threading->found)
		threading_blind(threading,
		    json_string("none of the C library's functions for threads were found, so no "
				"lock is seen"));
	if (threading->partly || order_is_full(threading->order))
		threading_blind(
		    threading, json_string("not all locks could be followed: there are too many"));
	if (is_of_other_malloc(race))
		threading_blind(threading,
		    json_string("the program has a malloc of its own, and where that hands the "
				"memory out again is not seen"));
	if (race->shared)
		threading_blind(threading,
		    json_string("other processes map this memory too, and do not show here"));
}

static enum verdict judge(struct race *race)
{
	unsigned char threads[ORDER_THREADS_MAX / 8] = {0};

	set_all(race, threads);
	if (!race->count)
		return NO_ACCESS;
	if (size_of(threads) == 1)
		return ONE_THREAD;
	if (!race->unordered)
		return order_is_full(race->threading->order) ? UNKNOWN
		       : race->conflicts		     ? ORDERED
							     : NO_CONFLICT;
	if (race->atomic_type)
		return ATOMIC;
	add_doubts(race);
	return race->racing && !race->threading->blind ? RACE : UNKNOWN;
}

/* "mutex lock (40 pairs), pthread_create (2 pairs)" */
static void name_orders(const struct race *race, char *words, size_t size)
{
	size_t length = 0, told = 0, best;
	char name[THREADING_NAME_MAX];
	long long creations[2] = {0};

	words[0] = '\0';
	/* Each call of pthread_create has an object of its own. */
	for (size_t i = 0; i < race->threading->object_count; i++) {
		if (race->threading->objects[i].kind != THREADING_CREATION)
			continue;
		creations[0] += race->by[i];
		race->by[i] = 0;
		creations[1] = (long long)i;
	}
	if (creations[0])
		race->by[creations[1]] = creations[0];
	for (; told < ORDERS_SHOWN && length < size; told++) {
		best = 0;
		for (size_t i = 1; i < race->threading->object_count; i++)
			if (race->by[i] > race->by[best])
				best = i;
		if (!race->threading->object_count || !race->by[best])
			break;
		threading_name(race->threading, best, name);
		length += (size_t)snprintf(words + length, size - length, "%s%s (%lld pair%s)",
		    told ? ", " : "", name, race->by[best], race->by[best] == 1 ? "" : "s");
		race->by[best] = 0;
	}
}

static json_t *tell_ordered(struct race *race, const char *threads)
{
	char orders[WORDS_MAX];

	name_orders(race, orders, sizeof(orders));
	return json_sprintf("in this run, all %lld accesses of %.*s by %s were ordered, by %s%s",
	    race->total, EXPRESSION_AT, race->args->expression, threads, orders,
	    race->has_overtaken
		? "; but one thread wrote it between another one's read and write: see overtaken"
		: "");
}

static json_t *tell_unordered(struct race *race, enum verdict verdict)
{
	const struct unordered_pair *shown[RACE_PAIRS_SHOWN] = {NULL};
	json_auto_t *pair = race_shown(race, shown) ? tell_pair(race, shown[0]) : NULL;
	const char *reason = json_string_value(json_array_get(race->threading->reasons, 0));

	if (verdict == RACE)
		return json_sprintf("%s: %lld of %lld accesses are not ordered",
		    json_string_value(pair), race->racing, race->total);
	if (verdict == ATOMIC)
		return json_sprintf("%.*s is atomic, so this is no data race: %s, and %lld of %lld "
				    "accesses are not ordered",
		    EXPRESSION_AT, race->args->expression, json_string_value(pair), race->unordered,
		    race->total);
	return json_sprintf("not known whether this is a race: %s, and nothing that is "
			    "seen orders %lld of %lld accesses, but %s",
	    json_string_value(pair), race->unordered, race->total, reason);
}

static json_t *conclude(struct race *race, enum verdict verdict)
{
	unsigned char set[ORDER_THREADS_MAX / 8] = {0};
	const char *what = race->args->expression;
	char threads[WORDS_MAX];

	set_all(race, set);
	name_threads(race, set, threads);
	switch (verdict) {
	case NO_ACCESS:
		return json_sprintf(
		    "no access of %.*s (at 0x%llx) was seen", EXPRESSION_AT, what, race->address);
	case ONE_THREAD:
		return json_sprintf("in this run, only %s accessed %.*s: %lld times", threads,
		    EXPRESSION_AT, what, race->total);
	case NO_CONFLICT:
		return json_sprintf(
		    "in this run, none of the %lld accesses of %.*s by %s conflict: "
		    "at most one thread wrote it in each of its lives, or all "
		    "were atomic",
		    race->total, EXPRESSION_AT, what, threads);
	case ORDERED:
		return tell_ordered(race, threads);
	case UNKNOWN:
		if (!race->unordered)
			return json_string("not known: not all locks could be followed");
		return tell_unordered(race, verdict);
	case ATOMIC:
	case RACE:
		break;
	}
	return tell_unordered(race, verdict);
}

/* ---- The rows -------------------------------------------------------------------------------- */

/* Locks that the thread held at all its accesses. */
static json_t *always_held(const struct race *race, size_t thread, size_t first)
{
	size_t count, others, j;
	const struct order_held *held =
	    order_point_held(race->threading->order, race->accesses[first].point, &count);
	json_t *locks = json_array();
	char name[THREADING_NAME_MAX];

	for (size_t lock = 0; lock < count; lock++) {
		bool always = true;

		for (size_t i = first; always && i < race->count; i++) {
			const struct order_held *other;

			if (race->accesses[i].thread != thread)
				continue;
			other = order_point_held(
			    race->threading->order, race->accesses[i].point, &others);
			for (j = 0; j < others && other[j].object != held[lock].object; j++)
				;
			always = j < others;
		}
		threading_name(race->threading, held[lock].object, name);
		if (always)
			json_array_append_new(locks, json_string(name));
	}
	return locks;
}

/* {tid, reads?, writes?, always_holds?} of each thread; the last one names locks. */
static json_t *threads_json(const struct race *race)
{
	json_t *threads = json_array(), *row;

	for (size_t thread = 0; thread < race->threading->thread_count; thread++) {
		long long counts[2] = {0};
		size_t first = race->count;

		for (size_t i = 0; i < race->count; i++) {
			const struct race_entry *access = &race->accesses[i];

			if (access->thread != thread)
				continue;
			first = first == race->count ? i : first;
			if (access->kind != ACCESS_KIND_WRITE)
				counts[0] += access->count;
			if (access->kind == ACCESS_KIND_WRITE || access->kind == ACCESS_KIND_BOTH)
				counts[1] += access->count;
		}
		if (first == race->count || json_array_size(threads) == THREADS_ROWS)
			continue;
		row = json_pack("{s:i}", "tid", race->threading->threads[thread].tid);
		answer_add_count(row, "reads", counts[0]);
		answer_add_count(row, "writes", counts[1]);
		json_auto_t *locks = always_held(race, thread, first);
		if (json_array_size(locks))
			json_object_set_new(row, "always_holds", sentence_join(locks, "; "));
		json_array_append_new(threads, row);
	}
	return threads;
}

static json_t *accesses_json(const struct race *race)
{
	json_t *rows = json_array(), *row;
	size_t bytes = 0;
	char *text;

	for (size_t i = 0; i < race->count && i < (size_t)race->args->limit; i++) {
		row = access_json(race, (struct race_example){i, RACE_FIRST});
		text = json_dumps(row, JSON_COMPACT);
		bytes += text ? strlen(text) : 0;
		free(text);
		json_array_append_new(rows, row);
		if (bytes > ROWS_BYTES)
			break;
	}
	return rows;
}

static void add_overtaken(const struct race *race, json_t *answer)
{
	static const char *const names[] = {"read", "other_write", "write"};
	json_t *overtaken;

	if (!race->has_overtaken)
		return;
	overtaken = json_pack("{s:I, s:s}", "count", race->overtaken_count, "meaning",
	    "if the write was computed from that read, the other thread's write was lost");
	for (size_t i = 0; i < 3; i++)
		json_object_set_new(overtaken, names[i], access_json(race, race->overtaken[i]));
	json_object_set_new(answer, "overtaken", overtaken);
}

static bool has_perhaps(const struct race *race)
{
	return race->unordered && json_array_size(race->threading->reasons) > 0;
}

static void add_limits(
    const struct race *race, enum verdict verdict, const struct search *search, json_t *answer)
{
	if (verdict == UNKNOWN || (verdict == RACE && has_perhaps(race)))
		json_object_set_new(
		    answer, "unknown", sentence_join(race->threading->reasons, "; "));
	if (verdict == RACE)
		json_object_set_new(answer, "limits",
		    json_string(
			"functions of the C library and atomic operations near the accesses "
			"were followed; an order by other means is not seen"));
	if (verdict == ORDERED || verdict == NO_CONFLICT)
		json_object_set_new(answer, "limits",
		    json_string("this is about this run only; another one may have another order"));
	if (race->bare && verdict == ORDERED)
		json_object_set_new(answer, "luck",
		    json_string("a lock that two accesses do not both hold ordered them: that is "
				"right where it hands the value over, and luck elsewhere"));
	if (!race->threading->from_start && verdict != NO_ACCESS)
		json_object_set_new(answer, "before",
		    json_string("of the locks that were taken before the search began, only those "
				"show that were given up in it"));
	if (race->local_known == LIFETIME_UNSURE)
		json_object_set_new(answer, "note",
		    json_string("this lies on a stack, which other calls use too: narrow it with "
				"from and to"));
	if (race->silence.unvisited && race->unordered)
		json_object_set_new(answer, "unvisited",
		    json_string("the time was over before it went to those that are shown without "
				"a moment or a value"));
	if (verdict == NO_ACCESS && race->unmapped)
		json_object_set(answer, "unmapped", race->unmapped);
	if (race->site_left)
		json_object_set_new(answer, "places",
		    json_sprintf("more than %d places in the code use it: pairs counts those that "
				 "came last together",
			RACE_SITES_MAX));
	if (race->is_bit_field)
		json_object_set_new(answer, "neighbours",
		    json_string("it is a bit-field: who writes another one in the same bytes "
				"writes this one too, so accesses of these are counted"));
	(void)search;
}

static void tell_enough(const struct race *race, const struct search *search, json_t *answer)
{
	json_auto_t *reached = moment_name(race->replay, &search->reached);

	json_object_set_new(answer, "cut_off",
	    json_sprintf("it stopped at %lld accesses: go on with from=%s", race->total,
		json_string_value(reached)));
}

json_t *race_answer(struct race *race, const struct search *search, enum search_end end)
{
	enum verdict verdict = judge(race);
	json_t *answer = json_object(), *rows, *pairs;
	size_t left;

	json_object_set_new(answer, "conclusion", conclude(race, verdict));
	json_object_set_new(answer, "verdict", json_string(verdicts[verdict]));
	json_object_set_new(answer, "total", json_integer(race->total));
	if (race->unordered) {
		json_object_set_new(answer, "unordered",
		    json_integer(verdict == RACE ? race->racing : race->unordered));
		pairs = pairs_json(race, &left);
		json_object_set_new(answer, "pairs", pairs);
		answer_add_count(answer, "more_pairs", (json_int_t)left);
	}
	add_overtaken(race, answer);
	if (race->count)
		json_object_set_new(answer, "threads", threads_json(race));
	rows = accesses_json(race);
	if (json_array_size(rows))
		json_object_set(answer, "accesses", rows);
	add_limits(race, verdict, search, answer);
	search_tell(search, end, answer);
	access_kind_tell(&race->code, search->replay, answer);
	if (race->total > (long long)json_array_size(rows))
		json_object_set_new(answer, "more",
		    json_sprintf("%lld more accesses are compared but not listed; limit or from "
				 "shows them",
			race->total - (long long)json_array_size(rows)));
	if (end == SEARCH_ENOUGH)
		tell_enough(race, search, answer);
	json_decref(rows);
	return answer;
}
