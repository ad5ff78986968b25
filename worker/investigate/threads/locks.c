/*
 * rr_locks: who holds and awaits which locks at a moment, since when, and what changed since
 * another one. Whoever makes locks of its own, of atomic operations or futexes, is not guessed at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/where.h"
#include "worker/investigate/threads/lock_history.h"
#include "worker/investigate/threads/locks_followed.h"
#include "worker/investigate/threads/waits.h"
#include "worker/moment/excursion.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/serve/begins.h"
#include "worker/serve/handlers.h"
#include "worker/serve/sentence.h"
#include "worker/trace/dump/grow.h"

#define THREADS_MAX ORDER_THREADS_MAX
#define WAITS_MAX   50 /* threads that wait for something else */

struct row {
	size_t object;
	json_t *holders, *waiters;
	long long since; /* the first event of these */
};

struct answering {
	struct locks_followed followed;
	bool growth;
	struct row *rows;
	size_t count;
	json_t *threads; /* as waits_of_threads tells them */
	json_t *waiting; /* those of them that wait for what is no row */
	char *cycle;
	size_t waits;	    /* threads that wait for a row */
	size_t kept, taken; /* since `from` */
};

static const struct threading *model(const struct answering *answering)
{
	return answering->followed.threading;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Each thread has an object of its own for a condition. */
static struct row *row_of(struct answering *answering, size_t number)
{
	const struct threading_object *objects = model(answering)->objects;
	struct row *list;

	for (size_t i = 0; i < answering->count; i++)
		if (objects[answering->rows[i].object].address == objects[number].address &&
		    objects[answering->rows[i].object].kind == objects[number].kind)
			return &answering->rows[i];
	list = grow_list(answering->rows, answering->count, sizeof(*list));
	if (!list)
		return NULL;
	answering->rows = list;
	list[answering->count] = (struct row){number, json_array(), json_array(), -1};
	return &list[answering->count++];
}

static void note_since(struct row *row, const struct moment *moment)
{
	if (row->since < 0 || moment->event < row->since)
		row->since = moment->event;
}

/* ---- Holders --------------------------------------------------------------------------------- */

/* "for 120 events, 45 ticks"; ticks are a thread's own. */
static json_t *how_long(const struct answering *answering, const struct lock_holding *holding)
{
	const struct threading *threading = model(answering);
	const struct moment *now = &answering->followed.reached, *then;
	char ticks[40] = "";

	if (holding->taking >= threading->taking_count)
		return json_string("since before the search began");
	then = &threading->takings[holding->taking].moment;
	if (now->tid == then->tid)
		snprintf(ticks, sizeof(ticks), ", %lld ticks", now->ticks - then->ticks);
	return json_sprintf("for %lld events%s", now->event - then->event, ticks);
}

static json_t *held_words(struct answering *answering, const struct lock_holding *holding)
{
	json_t *words = how_long(answering, holding);
	const bool kept = locks_is_kept(&answering->followed.before, holding);

	if (!answering->growth)
		return words;
	answering->kept += kept;
	answering->taken += !kept;
	return sentence_add(
	    words, json_string(kept ? ", all along since before `from`" : ", taken since `from`"));
}

static bool is_alive(const struct answering *answering, int tid)
{
	json_t *thread;
	size_t i;

	json_array_foreach(answering->threads, i, thread)
	{
		if (json_integer_value(json_object_get(thread, "tid")) == tid)
			return true;
	}
	return false;
}

/* {lock, tid, since, where, reading?} */
static json_t *holding_json(const struct answering *answering, const struct lock_holding *holding)
{
	const struct threading *threading = model(answering);
	const struct order_held held = {
	    .object = holding->object, .taking = holding->taking, .shared = holding->shared};
	json_t *json = threading_held_json(threading, &held);

	json_object_set_new(json, "tid", json_integer(threading->threads[holding->thread].tid));
	return json;
}

static void add_holders(struct answering *answering)
{
	const struct threading *threading = model(answering);
	const struct lock_holdings *held = &answering->followed.held;

	for (size_t i = 0; i < held->count; i++) {
		const struct lock_holding *holding = &held->list[i];
		struct row *row = row_of(answering, holding->object);
		json_auto_t *json = holding_json(answering, holding);

		json_object_del(json, "lock");
		json_object_set_new(json, "held", held_words(answering, holding));
		if (answering->threads &&
		    !is_alive(answering, threading->threads[holding->thread].tid))
			json_object_set_new(json, "note", json_string("this thread has ended"));
		if (row) {
			json_array_append(row->holders, json);
			if (holding->taking < threading->taking_count)
				note_since(row, &threading->takings[holding->taking].moment);
		}
	}
}

/* ---- Waiters --------------------------------------------------------------------------------- */

static bool is_held_by_another(const struct answering *answering, size_t thread, size_t object)
{
	const struct lock_holdings *held = &answering->followed.held;

	for (size_t i = 0; i < held->count; i++)
		if (held->list[i].object == object && held->list[i].thread != thread)
			return true;
	return false;
}

/* The object that a thread in a call waits for; ORDER_NONE: none of the kind. `blocked`: what it
 * waits for in words, or NULL if it does not stand in the kernel. */
static size_t awaited(const struct answering *answering, size_t thread, const char *blocked)
{
	const struct threading_call *call = &model(answering)->threads[thread].call;

	if (!call->active || call->object == ORDER_NONE)
		return ORDER_NONE;
	switch (call->function->act) {
	case THREADING_TAKE:
	case THREADING_SHARE:
		return blocked || is_held_by_another(answering, thread, call->object) ? call->object
										      : ORDER_NONE;
	case THREADING_WAIT:
		/* It was woken, and takes its mutex again. */
		if (blocked && begins(blocked, "mutex ") && call->mutex != ORDER_NONE)
			return call->mutex;
		return blocked ? call->object : ORDER_NONE;
	case THREADING_RECEIVE:
		return blocked && call->function->kind == THREADING_SEMAPHORE ? call->object
									      : ORDER_NONE;
	case THREADING_GIVE:
	case THREADING_SEND:
	case THREADING_SIGNAL:
	case THREADING_MEET:
	case THREADING_RUN_ONCE:
	case THREADING_CREATE:
	case THREADING_AWAIT:
	case THREADING_FUTEX:
		break;
	}
	return ORDER_NONE;
}

static void add_waiter(struct answering *answering, size_t thread, size_t object)
{
	const struct threading_thread *waiter = &model(answering)->threads[thread];
	struct row *row = row_of(answering, object);

	if (!row)
		return;
	json_array_append_new(
	    row->waiters, json_pack("{s:i, s:o, s:O*}", "tid", waiter->tid, "since",
			      moment_name(answering->followed.replay, &waiter->call.moment),
			      "where", waiter->call.where));
	note_since(row, &waiter->call.moment);
	answering->waits++;
}

/* A thread that waits for something else, or for what nobody can know. */
static void add_other(struct answering *answering, const json_t *thread)
{
	json_t *json, *words;

	if (!json_object_get(thread, "waits_for") ||
	    json_array_size(answering->waiting) >= WAITS_MAX)
		return;
	words =
	    json_object_get(thread, "frame") ? where_words(json_object_get(thread, "frame")) : NULL;
	json = json_pack("{s:O, s:O, s:O*, s:o*}", "tid", json_object_get(thread, "tid"),
	    "waits_for", json_object_get(thread, "waits_for"), "held_by",
	    json_object_get(thread, "held_by"), "where", words);
	json_array_append_new(answering->waiting, json);
}

static void add_waiters(struct answering *answering)
{
	const struct threading *threading = model(answering);
	json_t *thread;
	size_t i;

	json_array_foreach(answering->threads, i, thread)
	{
		const json_int_t tid = json_integer_value(json_object_get(thread, "tid"));
		size_t number = threading->thread_count, object = ORDER_NONE;

		/* The last one, because a number may be used again. */
		while (number > 0 && threading->threads[number - 1].tid != tid)
			number--;
		if (number > 0)
			object = awaited(answering, number - 1, mi_text(thread, "waits_for"));
		if (object != ORDER_NONE)
			add_waiter(answering, number - 1, object);
		else
			add_other(answering, thread);
	}
}

/* ---- The answer ------------------------------------------------------------------------------ */

static int by_waiters(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	const size_t waits = json_array_size(a->waiters), others = json_array_size(b->waiters);

	if (waits != others)
		return waits > others ? -1 : 1;
	return a->since < b->since ? -1 : a->since > b->since;
}

static json_t *row_json(const struct answering *answering, const struct row *row)
{
	char name[THREADING_NAME_MAX], address[32];
	json_t *json;

	threading_name(model(answering), row->object, name);
	snprintf(
	    address, sizeof(address), "0x%llx", model(answering)->objects[row->object].address);
	json = json_pack("{s:s, s:s}", "lock", name, "address", address);
	if (json_array_size(row->holders))
		json_object_set(json, "holders", row->holders);
	if (json_array_size(row->waiters))
		json_object_set(json, "waiters", row->waiters);
	return json;
}

static json_t *list_rows(const struct answering *answering, size_t limit, json_t **others)
{
	json_t *list = json_array();
	size_t left = answering->count > limit ? answering->count - limit : 0;

	for (size_t i = 0; i < answering->count && i < limit; i++)
		json_array_append_new(list, row_json(answering, &answering->rows[i]));
	*others = left ? json_sprintf("%zu %s", left, left == 1 ? "lock" : "locks") : NULL;
	return list;
}

/* What was given up since `from`; NULL: nothing. */
static json_t *list_released(const struct answering *answering, size_t limit, size_t *count)
{
	const struct lock_holdings *before = &answering->followed.before;
	json_auto_t *list = json_array();

	*count = 0;
	for (size_t i = 0; i < before->count; i++) {
		if (locks_is_kept(&answering->followed.held, &before->list[i]))
			continue;
		if (++*count <= limit)
			json_array_append_new(list, holding_json(answering, &before->list[i]));
	}
	return json_array_size(list) ? json_incref(list) : NULL;
}

/* Nothing can be said of locks that are taken where no breakpoint stands. */
static bool is_unknown(const struct answering *answering)
{
	return model(answering)->begun && !model(answering)->found;
}

static json_t *count_words(const struct answering *answering)
{
	size_t held = 0;

	for (size_t i = 0; i < answering->count; i++)
		held += json_array_size(answering->rows[i].holders) > 0;
	if (is_unknown(answering))
		return json_string(
		    "which locks are held cannot be known: no function of a C library that takes "
		    "locks was found");
	if (!held && !answering->waits)
		return json_string("no lock is held or waited for");
	if (!answering->waits)
		return json_sprintf("%zu %s held, and no thread waits for one", held,
		    held == 1 ? "lock is" : "locks are");
	return json_sprintf("%zu %s held, and %zu %s for locks", held,
	    held == 1 ? "lock is" : "locks are", answering->waits,
	    answering->waits == 1 ? "thread waits" : "threads wait");
}

static json_t *first_words(const struct answering *answering)
{
	const struct row *row = answering->rows;
	const json_t *holder = json_array_get(row->holders, 0);
	const char *where = mi_text(holder, "where");
	char name[THREADING_NAME_MAX];
	json_t *words;

	threading_name(model(answering), row->object, name);
	words = json_sprintf("; %s", name);
	if (holder)
		words = sentence_add(
		    words, json_sprintf(", held by thread %lld since %s%s%s",
			       (long long)json_integer_value(json_object_get(holder, "tid")),
			       mi_text(holder, "since"), where ? ", by " : "", where ? where : ""));
	if (json_array_size(row->waiters))
		words = sentence_add(words,
		    json_sprintf(": %zu %s for it", json_array_size(row->waiters),
			json_array_size(row->waiters) == 1 ? "thread waits" : "threads wait"));
	return words;
}

static json_t *conclude(const struct answering *answering, const json_t *moment, size_t released)
{
	json_t *words = json_sprintf("%s%sat %s ", answering->cycle ? answering->cycle : "",
	    answering->cycle ? "; " : "", json_string_value(moment));

	words = sentence_add(words, count_words(answering));
	if (answering->count)
		words = sentence_add(words, first_words(answering));
	if (answering->growth && answering->followed.passed)
		words = sentence_add(words,
		    json_sprintf("; since `from`: %zu held all along, %zu taken, %zu released",
			answering->kept, answering->taken, released));
	return words;
}

static json_t *doubts_of(const struct answering *answering)
{
	const struct threading *threading = model(answering);
	json_auto_t *list = json_copy(threading->reasons);

	if (threading->partly || order_is_full(threading->order))
		json_array_append_new(list,
		    json_string("not all calls were followed to their end: a lock may be missing, "
				"or not be held any more"));
	if (replay_is_from_fork(answering->followed.replay))
		json_array_append_new(
		    list, json_string("locks that were taken before the fork are not known"));
	return json_array_size(list) ? json_incref(list) : NULL;
}

static json_t *tell(struct answering *answering, size_t limit)
{
	json_t *moment = moment_name(answering->followed.replay, &answering->followed.reached);
	json_t *others, *list, *released, *answer;
	size_t gone;

	if (answering->count)
		qsort(answering->rows, answering->count, sizeof(*answering->rows), by_waiters);
	list = list_rows(answering, limit, &others);
	released = list_released(answering, limit, &gone);
	answer = json_pack(
	    "{s:o, s:o}", "conclusion", conclude(answering, moment, gone), "moment", moment);
	answer_add_list(answer, "locks", list);
	json_object_update_new(answer, json_pack("{s:o*, s:o*, s:o*}", "others", others, "released",
					   released, "doubts", doubts_of(answering)));
	if (json_array_size(answering->waiting))
		json_object_set(answer, "waiting", answering->waiting);
	if (answering->followed.end == SEARCH_CUT) {
		replay_worker(answering->followed.replay)->half_read = false;
		json_object_set_new(answer, "cut_off",
		    json_string("the time is over: these are the locks at a moment before the one "
				"that was asked for; give a longer deadline"));
	}
	return answer;
}

static json_t *answer_of(struct answering *answering, size_t limit)
{
	struct locks_followed *followed = &answering->followed;
	size_t left;

	if (!followed->threading)
		return json_pack("{s:s, s:s}", "conclusion", "nothing is known of the locks",
		    "cut_off",
		    "the time was over before the locks could be followed: give a longer deadline");
	answering->waiting = json_array();
	if (followed->end == SEARCH_WHOLE)
		answering->threads =
		    waits_of_threads(followed->replay, THREADS_MAX, &answering->cycle, &left);
	add_holders(answering);
	add_waiters(answering);
	if (!answering->cycle && followed->end == SEARCH_WHOLE)
		answering->cycle = lock_history_cycle(followed->threading);
	return tell(answering, limit);
}

static void answering_free(struct answering *answering)
{
	for (size_t i = 0; i < answering->count; i++) {
		json_decref(answering->rows[i].holders);
		json_decref(answering->rows[i].waiters);
	}
	free(answering->rows);
	free(answering->cycle);
	json_decref(answering->threads);
	json_decref(answering->waiting);
	locks_followed_free(&answering->followed);
}

json_t *tool_locks(struct replay *replay, const struct locks_args *args, struct failure *failure)
{
	struct answering answering = {.growth = args->from != NULL};
	json_t *here = moment_name(replay, replay_now(replay)), *answer = NULL;
	const char *at = args->at ? args->at : json_string_value(here);
	struct moment stretch[2];

	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (search_stretch(replay, args->from, at, stretch, failure) &&
	    locks_follow(
		&answering.followed, replay, args->from ? &stretch[0] : NULL, &stretch[1], failure))
		answer = answer_of(&answering, (size_t)args->limit);
	answering_free(&answering);
	json_decref(here);
	return excursion_answer(&excursion, answer, failure);
}
