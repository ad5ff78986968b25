/*
 * Keeps the threads. pthread_create tells which thread it made by its pthread_t, which is the base
 * of the new thread's fs segment.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/threads/threading_model.h"
#include "worker/investigate/threads/waits.h"
#include "worker/read/values/accessed.h"

static unsigned long long word_at(struct threading *threading, unsigned long long address)
{
	unsigned long long word;

	return accessed_whole(threading->replay, address, &word, sizeof(word)) ? word : 0;
}

/* Calls of pthread_create that are under way. */
static size_t find_maker(
    struct threading *threading, unsigned long long self, struct threading_call **call)
{
	size_t makers = 0;

	for (size_t i = 0; i < threading->thread_count; i++) {
		struct threading_call *one = &threading->threads[i].call;

		if (!one->active || one->function->act != THREADING_CREATE)
			continue;
		*call = one;
		makers++;
		if (self && word_at(threading, one->argument) == self)
			return 1;
	}
	return makers;
}

/* The object by which the thread's creation is ordered; ORDER_NONE: not known. */
static size_t find_birth(struct threading *threading, unsigned long long self)
{
	struct threading_call *call = NULL;

	for (size_t i = threading->made_count; self && i-- > 0;) {
		if (threading->made[i].self != self || threading->made[i].claimed)
			continue;
		threading->made[i].claimed = true;
		return threading->made[i].object;
	}
	/* Some C libraries tell who it is only after the thread began. */
	if (find_maker(threading, self, &call) != 1)
		return ORDER_NONE;
	call->first = true;
	return call->object;
}

static size_t add(struct threading *threading, int tid, unsigned long long self)
{
	size_t number = order_add_thread(threading->order);

	if (number == ORDER_NONE)
		return ORDER_NONE;
	threading->threads[number] = (struct threading_thread){.tid = tid, .self = self};
	threading->thread_count = number + 1;
	return number;
}

/* Of a thread without it, it is not known who made it, and that is told. */
static bool base_of(struct replay *replay, int number, unsigned long long *base)
{
	*base = 0;
	return accessed_thread_number(replay, number, "(unsigned long)$fs_base", base) &&
	       *base != 0;
}

/* Whether a thread stands in a function that waits for others, or in one of no known name. From
 * glibc 2.41 on, all calls that can be cancelled are made in one function. */
static bool is_waiting(struct replay *replay, const json_t *thread)
{
	static const char *const parts[] = {"futex", "lll_lock", "pthread_", "sem_", "mtx_", "cnd_",
	    "thrd_", "call_once", "__cxa_guard", "syscall", "??"};
	const char *name = mi_text(json_object_get(thread, "frame"), "func");

	if (name && strstr(name, "syscall_cancel"))
		return waits_in_futex(replay, mi_number(thread, "id", 0));
	for (size_t i = 0; name && i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return !name;
}

void threading_list(struct threading *threading)
{
	struct replay *replay = threading->replay;
	json_t *results = NULL, *thread;
	unsigned long long self;
	size_t i, number;

	gdb_must(replay_gdb(replay), &results, "-thread-info");
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		base_of(replay, mi_number(thread, "id", 0), &self);
		number = add(threading, mi_tid(thread), self);
		if (number != ORDER_NONE)
			threading->threads[number].waited =
			    !threading->from_start && is_waiting(replay, thread);
	}
	json_decref(results);
}

/* The thread has come out of a wait that began before the search: whom it waited for is not known.
 */
static void end_wait(struct threading *threading, size_t number)
{
	struct threading_thread *thread = &threading->threads[number];

	if (!thread->waited)
		return;
	thread->waited = false;
	order_perhaps_after_all(threading->order, number);
	threading_doubt(threading,
	    json_sprintf("thread %d waited for another one where the search begins, and for which "
			 "is not known: a search from the start knows",
		thread->tid));
}

size_t threading_here(struct threading *threading)
{
	int tid = replay_now(threading->replay)->tid;
	unsigned long long self;
	size_t number, birth;

	for (size_t i = 0; i < threading->thread_count; i++)
		if (threading->threads[i].tid == tid) {
			end_wait(threading, i);
			return i;
		}
	base_of(threading->replay, replay_selected(threading->replay)->number, &self);
	number = add(threading, tid, self);
	if (number == ORDER_NONE)
		return ORDER_NONE;
	birth = find_birth(threading, self);
	if (birth != ORDER_NONE) {
		order_receive(threading->order, number, birth, false);
		return number;
	}
	order_perhaps_after_all(threading->order, number);
	threading_doubt(threading,
	    json_sprintf(
		"it is not known who made thread %d: no call of pthread_create was seen", tid));
	return number;
}

void threading_create(struct threading *threading, size_t thread, struct threading_call *call)
{
	unsigned long long *self = &threading->threads[thread].self;

	/* The dynamic linker gives the first thread its own after it began. */
	if (!*self)
		base_of(threading->replay, replay_selected(threading->replay)->number, self);
	/* One object for each call, because others may be created meanwhile. */
	call->object =
	    threading_object(threading, THREADING_CREATION, threading->object_count + 1, thread);
	order_send(threading->order, thread, call->object, false);
}

void threading_created(struct threading *threading, const struct threading_call *call)
{
	unsigned long long self = word_at(threading, call->argument);
	size_t number = threading->made_count;

	if (number == ORDER_THREADS_MAX)
		return;
	threading->made[number].self = self;
	threading->made[number].object = call->object;
	threading->made[number].claimed = call->first;
	threading->made_count++;
}

void threading_joined(struct threading *threading, size_t thread, const struct threading_call *call)
{
	/* Of the threads with that pthread_t, which are used again, the last one is meant. If it
	 * did nothing that was seen, what came before it comes before the end of the join. */
	for (size_t i = threading->made_count; i-- > 0;) {
		if (threading->made[i].self != call->argument)
			continue;
		if (threading->made[i].claimed)
			break;
		order_receive(threading->order, thread, threading->made[i].object, false);
		return;
	}
	for (size_t i = threading->thread_count; i-- > 0;) {
		if (threading->threads[i].self != call->argument || i == thread)
			continue;
		order_pass(threading->order, i, thread, call->object);
		return;
	}
}
