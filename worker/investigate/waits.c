/*
 * Finds what a thread waits for from its stack and its system call: the C library's function shows
 * the kind of object, and the first argument of futex its address. Without the library's symbols,
 * reports only the function.
 */
#include "worker/investigate/waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/gdb/mi.h"
#include "worker/investigate/threading.h"
#include "worker/session/frame.h"
#include "worker/session/frames.h"

#define THREADS_MAX   64
#define FRAMES_LOOKED 16
#define FRAMES_BYTES  8000
#define NAME_MAX_SIZE 120
#define CYCLE_MAX     2000
#define SYSCALL_BYTES 0x050f /* the instruction, as a number */
#define OWNER_OFFSET  8	     /* of a mutex of glibc: lock, count, owner */

enum wait_kind { WAIT_NONE, WAIT_MUTEX, WAIT_JOIN, WAIT_OTHER };

static const struct {
	const char *function; /* part of the function's name */
	enum wait_kind kind;
	const char *what;
} kinds[] = {
    {"pthread_mutex_lock", WAIT_MUTEX, "mutex"},
    {"pthread_mutex_timedlock", WAIT_MUTEX, "mutex"},
    {"pthread_clockjoin", WAIT_JOIN, "thread"},
    {"pthread_join", WAIT_JOIN, "thread"},
    {"pthread_timedjoin", WAIT_JOIN, "thread"},
    {"pthread_cond_", WAIT_OTHER, "condition"},
    {"pthread_rwlock_", WAIT_OTHER, "rwlock"},
    {"pthread_barrier_wait", WAIT_OTHER, "barrier"},
    {"sem_wait", WAIT_OTHER, "semaphore"},
    {"sem_timedwait", WAIT_OTHER, "semaphore"},
};

struct waiter {
	int tid, holder;	       /* holder 0: not known */
	char what[NAME_MAX_SIZE + 16]; /* "mutex left" */
};

static bool read_number(
    struct replay *replay, int thread, const char *expression, unsigned long long *number)
{
	json_t *results = NULL;
	const char *value = NULL;

	if (gdb_command(replay->gdb, &results,
		"-data-evaluate-expression --thread %d --frame 0 \"%s\"", thread,
		expression) == GDB_DONE)
		value = mi_text(results, "value");
	if (value)
		*number = strtoull(value, NULL, 0);
	json_decref(results);
	return value != NULL;
}

static int kind_of(const json_t *frames)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const char *function = mi_text(frame, "function");
		for (int kind = 0; function && kind < (int)(sizeof(kinds) / sizeof(*kinds)); kind++)
			if (strstr(function, kinds[kind].function))
				return kind;
	}
	return -1;
}

/* Whether the thread is inside the system call. While it enters or leaves the call, the arguments
 * do not show what it waits for. */
static bool is_in_futex(struct replay *replay, int thread)
{
	unsigned long long call, bytes;

	return read_number(replay, thread, "(unsigned long)$orig_rax", &call) &&
	       call == SYS_futex &&
	       read_number(replay, thread, "(unsigned long)*(unsigned short *)($pc - 2)", &bytes) &&
	       bytes == SYSCALL_BYTES;
}

/* The object to which the thread's futex belongs. */
static void look_at(struct replay *replay, int thread, int kind, struct waiter *waiter)
{
	unsigned long long address, holder = 0;
	char name[NAME_MAX_SIZE], expression[64];

	if (!is_in_futex(replay, thread) ||
	    !read_number(replay, thread, "(unsigned long)$rdi", &address) || !address)
		return;
	snprintf(expression, sizeof(expression), "*(int *)%llu",
	    address + (kinds[kind].kind == WAIT_MUTEX ? OWNER_OFFSET : 0));
	if (kinds[kind].kind != WAIT_OTHER && read_number(replay, thread, expression, &holder))
		waiter->holder = (int)holder;
	if (kinds[kind].kind == WAIT_JOIN) {
		snprintf(
		    waiter->what, sizeof(waiter->what), "the end of thread %d", waiter->holder);
		return;
	}
	/* The futex of a mutex is its first word; that of a condition is somewhere inside it. */
	threading_name_address(replay, address, kinds[kind].kind == WAIT_OTHER, name, sizeof(name));
	snprintf(waiter->what, sizeof(waiter->what), "%s %s", kinds[kind].what, name);
}

/* The name of the library's function that the program's own code called. */
static const char *entered(const json_t *frames, const json_t *own)
{
	json_int_t level = json_integer_value(json_object_get(own, "level"));
	const json_t *frame;
	size_t i;

	json_array_foreach(
	    frames, i, frame) if (json_integer_value(json_object_get(frame, "level")) ==
				  level - 1) return mi_text(frame, "function");
	return NULL;
}

static json_t *thread_json(struct replay *replay, const json_t *thread, struct waiter *waiter)
{
	int number = mi_number(thread, "id", 0), kind;
	json_t *json = json_pack("{s:i}", "tid", mi_tid(thread));
	json_t *frames = frames_from(replay, number, 0, FRAMES_LOOKED, FRAMES_BYTES), *own;
	const char *in;

	*waiter = (struct waiter){.tid = mi_tid(thread)};
	if (mi_text(thread, "name"))
		json_object_set_new(json, "name", json_string(mi_text(thread, "name")));
	own = frames_first_own(replay, frames);
	kind = kind_of(frames);
	in = own ? entered(frames, own) : NULL;
	if (kind >= 0)
		look_at(replay, number, kind, waiter);
	if (waiter->what[0])
		json_object_set_new(json, "waits_for", json_string(waiter->what));
	else if (in)
		json_object_set_new(json, "in", json_string(in));
	if (kind >= 0 && kinds[kind].kind == WAIT_MUTEX && waiter->holder)
		json_object_set_new(json, "held_by", json_integer(waiter->holder));
	if (own) {
		frame_finish(replay, own);
		if (json_object_get(own, "function"))
			json_object_del(own, "address");
		json_object_set(json, "frame", own);
	}
	json_decref(frames);
	return json;
}

static const struct waiter *find(const struct waiter *waiters, size_t count, int tid)
{
	for (size_t i = 0; i < count; i++)
		if (waiters[i].tid == tid)
			return &waiters[i];
	return NULL;
}

/* Whether the chain of threads that wait for each other leads back to `first`. */
static bool is_in_cycle(const struct waiter *waiters, size_t count, const struct waiter *first)
{
	const struct waiter *at = first;

	for (size_t i = 0; i < count && at && at->holder; i++) {
		at = find(waiters, count, at->holder);
		if (at == first)
			return true;
	}
	return false;
}

/* "thread 13 waits for mutex right, which thread 14 holds, which waits for ..." */
static char *tell_cycle(const struct waiter *waiters, size_t count, const struct waiter *first)
{
	const struct waiter *at = first;
	char text[CYCLE_MAX];
	size_t length = (size_t)snprintf(text, sizeof(text), "deadlock: thread %d", first->tid);

	do {
		length += (size_t)snprintf(text + length, sizeof(text) - length,
		    " waits for %s, held by thread %d%s", at->what, at->holder,
		    at->holder == first->tid ? "" : ", which");
		at = find(waiters, count, at->holder);
	} while (at && at != first && length < sizeof(text));
	return strdup(text);
}

json_t *waits_of_threads(struct replay *replay, char **cycle)
{
	struct waiter waiters[THREADS_MAX];
	json_t *results = NULL, *threads = json_array(), *thread;
	size_t count = 0, i;

	*cycle = NULL;
	if (gdb_command(replay->gdb, &results, "-thread-info") == GDB_DONE) {
		json_array_foreach(json_object_get(results, "threads"), i, thread)
		{
			if (count == THREADS_MAX || replay->worker->interrupt)
				break;
			json_array_append_new(
			    threads, thread_json(replay, thread, &waiters[count]));
			count++;
		}
	}
	for (i = 0; i < count && !*cycle; i++)
		if (is_in_cycle(waiters, count, &waiters[i]))
			*cycle = tell_cycle(waiters, count, &waiters[i]);
	json_decref(results);
	return threads;
}
