/*
 * Runs from the start of the image to here, and stops at the functions that take and give locks.
 */
#include "worker/investigate/threads/lock_history.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/search/search.h"
#include "worker/investigate/threads/lock_calls.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/return_ticket.h"
#include "worker/session/stop_reason.h"
#include "worker/serve/clock.h"

/* So many are followed whatever a clock says: the answer must not hang on how busy the machine is.
 */
#define STOPS_SURE 500
#define STOPS_MAX  4000
#define CYCLE_MAX  4000

#define RWLOCK_PREFERENCE 48 /* of a rwlock of glibc: whom it prefers */

struct history {
	struct threading *threading;
	long long stops;
	double began; /* a clock's seconds */
	struct lock_patience patience;
};

static bool has_patience(const struct history *history)
{
	double spent = clock_seconds() - history->began, most = history->patience.most;

	if (history->stops >= STOPS_MAX || (most > 0 && spent > most))
		return false;
	return history->stops < STOPS_SURE || spent < history->patience.usual;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct history *history = context;

	(void)failure;
	threading_take(history->threading, hit);
	history->stops++;
	return has_patience(history) && !gdb_must_stop(replay_gdb(replay)) ? SCAN_ON : SCAN_ENOUGH;
}

/* ---- Who waits for whom ---------------------------------------------------------------------- */

/* Who reads under a rwlock and waits to write waits for itself. The calls that try, or that give up
 * after a time, do not. */
static bool can_wait_for_itself(const struct threading_call *call)
{
	return strcmp(call->function->name, "pthread_rwlock_wrlock") == 0;
}

static bool takes(const struct threading_call *call, size_t object)
{
	return call->active && call->function->act == THREADING_TAKE && call->object == object;
}

/* Of glibc: such a rwlock lets nobody read who comes after one that waits to write. */
static bool is_behind_writers(const struct threading *threading, size_t object)
{
	const struct threading_object *known = &threading->objects[object];
	unsigned preference;

	return known->kind == THREADING_RWLOCK &&
	       accessed_whole(threading->replay, known->address + RWLOCK_PREFERENCE, &preference,
		   sizeof(preference)) &&
	       preference == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* Whether `thread` waits to read behind `other`, which waits to write. */
static bool waits_behind(const struct threading *threading, size_t thread, size_t other)
{
	const struct threading_call *call = &threading->threads[thread].call;

	return thread != other && call->active && call->function->act == THREADING_SHARE &&
	       takes(&threading->threads[other].call, call->object) &&
	       is_behind_writers(threading, call->object);
}

/* Whether `thread` waits for `other`: for a lock that this one holds, or for its end. */
static bool waits_for(const struct threading *threading, size_t thread, size_t other)
{
	const struct threading_call *call = &threading->threads[thread].call;
	const struct order_held *held;
	size_t count;

	if (!call->active || (thread == other && !can_wait_for_itself(call)))
		return false;
	if (call->function->act == THREADING_AWAIT)
		return threading->threads[other].self == call->argument;
	if (call->function->act != THREADING_TAKE && call->function->act != THREADING_SHARE)
		return false;
	held = order_held(threading->order, other, &count);
	for (size_t i = 0; i < count; i++)
		if (held[i].object == call->object)
			return call->function->act == THREADING_TAKE || !held[i].shared;
	return false;
}

struct chain {
	size_t threads[ORDER_THREADS_MAX];
	size_t length;
	bool seen[ORDER_THREADS_MAX];
};

/* Follows from the chain's last thread whom it waits for, until one comes again. The recursion is
 * as deep as there are threads. */
static bool find_cycle(const struct threading *threading, struct chain *chain)
{
	size_t last = chain->threads[chain->length - 1];

	for (size_t i = 0; i < threading->thread_count; i++) {
		if (!waits_for(threading, last, i) && !waits_behind(threading, last, i))
			continue;
		if (i == chain->threads[0])
			return true;
		if (chain->seen[i])
			continue;
		chain->seen[i] = true;
		chain->threads[chain->length++] = i;
		if (find_cycle(threading, chain))
			return true;
		chain->length--;
	}
	return false;
}

/* "mutex left", "the end of thread 12". Whether it is a thread. */
static bool name_awaited(
    const struct threading *threading, const struct threading_call *call, char *name)
{
	for (size_t i = threading->thread_count; i-- > 0;) {
		if (call->function->act != THREADING_AWAIT ||
		    threading->threads[i].self != call->argument)
			continue;
		snprintf(
		    name, THREADING_NAME_MAX, "the end of thread %d", threading->threads[i].tid);
		return true;
	}
	threading_name(threading, call->object, name);
	return false;
}

static char *tell_cycle(const struct threading *threading, const struct chain *chain)
{
	char text[CYCLE_MAX], name[THREADING_NAME_MAX];
	size_t length = (size_t)snprintf(
	    text, sizeof(text), "deadlock: thread %d", threading->threads[chain->threads[0]].tid);

	for (size_t i = 0; i < chain->length && length < sizeof(text); i++) {
		const struct threading_thread *thread = &threading->threads[chain->threads[i]];
		size_t at = chain->threads[i], next = chain->threads[(i + 1) % chain->length];
		char holder[64] = ""; /* who is to end need not be named twice */

		if (name_awaited(threading, &thread->call, name))
			;
		else if (next == at)
			snprintf(holder, sizeof(holder), ", held by itself");
		else
			snprintf(holder, sizeof(holder), ", %s thread %d",
			    waits_for(threading, at, next) ? "held by"
							   : "behind the waiting writer,",
			    threading->threads[next].tid);
		length += (size_t)snprintf(text + length, sizeof(text) - length,
		    " waits for %s%s%s", name, holder, i + 1 < chain->length ? ", which" : "");
	}
	return strdup(text);
}

char *lock_history_cycle(const struct threading *threading)
{
	struct chain *chain = NULL;
	char *told = NULL;

	for (size_t i = 0; i < threading->thread_count && !told; i++) {
		chain = calloc(1, sizeof(*chain));
		if (!chain)
			return NULL;
		chain->threads[0] = i;
		chain->length = 1;
		chain->seen[i] = true;
		if (find_cycle(threading, chain))
			told = tell_cycle(threading, chain);
		free(chain);
	}
	return told;
}

/* ---- The threads ----------------------------------------------------------------------------- */

static void add_wait(const struct threading *threading, size_t number, json_t *row)
{
	const struct threading_call *call = &threading->threads[number].call;
	char name[THREADING_NAME_MAX];

	if (!call->active || call->function->act == THREADING_CREATE)
		return;
	name_awaited(threading, call, name);
	if (!json_object_get(row, "waits_for")) {
		json_object_set_new(row, "waits_for", json_string(name));
		json_object_del(row, "in");
	}
	for (size_t i = 0; i < threading->thread_count; i++)
		if (!json_object_get(row, "held_by") && call->function->act != THREADING_AWAIT &&
		    waits_for(threading, number, i))
			json_object_set_new(
			    row, "held_by", json_integer(threading->threads[i].tid));
}

static void add_to(const struct threading *threading, json_t *row)
{
	json_int_t tid = json_integer_value(json_object_get(row, "tid"));
	const struct order_held *held;
	json_auto_t *holds = json_array();
	size_t number, count = 0;

	for (number = 0; number < threading->thread_count; number++)
		if (threading->threads[number].tid == tid)
			break;
	if (number < threading->thread_count) {
		held = order_held(threading->order, number, &count);
		for (size_t i = 0; i < count; i++)
			json_array_append_new(holds, threading_held_json(threading, &held[i]));
		add_wait(threading, number, row);
	}
	if (count)
		json_object_set(row, "holds", holds);
}

static void tell(const struct threading *threading, json_t *threads, char **cycle)
{
	json_t *row;
	size_t i;

	json_array_foreach(threads, i, row) add_to(threading, row);
	if (!*cycle)
		*cycle = lock_history_cycle(threading);
}

/* ---- The search ------------------------------------------------------------------------------ */

/* Whether it would not come to the end: each taking stops at the call and behind it. */
static bool are_too_many(struct replay *replay, const struct return_ticket *here)
{
	cleanup_failure struct failure unreached = {0};
	const bool too_many = 2 * lock_calls_count(replay) > STOPS_MAX;

	/* To the bound of the search. */
	return too_many || !return_ticket_use(replay, here, &unreached);
}

bool lock_history_add(struct replay *replay, struct lock_patience patience, json_t *threads,
    char **cycle, bool *whole, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct search search = {.replay = replay};
	struct history history = {.began = clock_seconds(), .patience = patience};
	cleanup_failure struct failure ignored = {0};
	struct return_ticket here = return_ticket_hold(replay);
	struct moment stretch[2];
	enum search_end end = SEARCH_FAILED;
	bool ok;

	if (!are_too_many(replay, &here) && search_stretch(replay, NULL, NULL, stretch, &ignored)) {
		stretch[1] = here.moment;
		if (search_begin(&search, replay, stretch, &ignored) &&
		    (history.threading = threading_begin(replay, true, &ignored)))
			end = search_run_many(&search, see, &history, &ignored);
	}
	if (history.threading)
		threading_clear(history.threading);
	search_end(&search);
	*whole = end == SEARCH_WHOLE && history.threading &&
		 !order_is_full(history.threading->order) && !history.threading->partly;
	if (*whole)
		tell(history.threading, threads, cycle);
	threading_free(history.threading);
	/* The stacks are told in any case, and the report says what is missing. */
	ok = !worker->broken && return_ticket_use(replay, &here, failure);
	return_ticket_release(replay, &here);
	worker->half_read &= !ok;
	return ok;
}
