/*
 * Finds what a thread waits for from its stack and its system call: the C library's function shows
 * the kind of object, and the first argument of futex a word inside it. A futex of nobody's known
 * function is a lock that the program made itself; who holds it is never guessed.
 */
#include "worker/investigate/threads/waits.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/threads/initializer.h"
#include "worker/investigate/threads/threading.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"

#define FRAMES_LOOKED 16
#define FRAMES_BYTES  8000
#define CYCLE_MAX     2000
#define SYSCALL_BYTES 0x050f /* the instruction, as a number */
#define STACK_WORDS   96     /* where a wait for a condition has its notes */

/* Offsets in the objects of glibc. */
#define MUTEX_OWNER    8
#define RWLOCK_PHASE   8
#define RWLOCK_WRITERS 12
#define RWLOCK_WRITER  24
#define BARRIER_ROUND  4
#define BARRIER_OUT    16

#define PHASE_WORD_MAX 3 /* of a rwlock's phase; the count of its readers is larger meanwhile */

enum wait_kind {
	WAIT_MUTEX,
	WAIT_JOIN,
	WAIT_CONDITION,
	WAIT_CONDITION_END, /* for its last waiter */
	WAIT_RWLOCK,
	WAIT_BARRIER,
	WAIT_SEMAPHORE,
	WAIT_SPINLOCK,
	WAIT_ONCE,
	WAIT_STATIC,
	WAIT_UNKNOWN,
};

static const char *const words[] = {
    [WAIT_MUTEX] = "mutex",
    [WAIT_JOIN] = "thread",
    [WAIT_CONDITION] = "condition",
    [WAIT_CONDITION_END] = "the last waiter of a condition",
    [WAIT_RWLOCK] = "rwlock",
    [WAIT_BARRIER] = "barrier",
    [WAIT_SEMAPHORE] = "semaphore",
    [WAIT_SPINLOCK] = "spinlock",
    [WAIT_ONCE] = "pthread_once of",
    [WAIT_STATIC] = "the initialization of",
};

/* Part of the function's name. */
static const struct {
	const char *function;
	enum wait_kind kind;
} kinds[] = {
    {"pthread_mutex_lock", WAIT_MUTEX},
    {"pthread_mutex_cond_lock", WAIT_MUTEX},
    {"pthread_mutex_timedlock", WAIT_MUTEX},
    {"pthread_mutex_clocklock", WAIT_MUTEX},
    {"mtx_lock", WAIT_MUTEX},
    {"mtx_timedlock", WAIT_MUTEX},
    {"pthread_clockjoin", WAIT_JOIN},
    {"pthread_join", WAIT_JOIN},
    {"pthread_timedjoin", WAIT_JOIN},
    {"thrd_join", WAIT_JOIN},
    {"pthread_cond_destroy", WAIT_CONDITION_END},
    {"pthread_cond_", WAIT_CONDITION},
    {"cnd_wait", WAIT_CONDITION},
    {"cnd_timedwait", WAIT_CONDITION},
    {"pthread_rwlock_", WAIT_RWLOCK},
    {"pthread_barrier_", WAIT_BARRIER},
    {"sem_wait", WAIT_SEMAPHORE},
    {"sem_timedwait", WAIT_SEMAPHORE},
    {"sem_clockwait", WAIT_SEMAPHORE},
    {"pthread_spin_lock", WAIT_SPINLOCK},
    {"pthread_once", WAIT_ONCE},
    {"call_once", WAIT_ONCE},
    {INITIALIZER_ACQUIRE, WAIT_STATIC},
};

struct waiter {
	int tid, holder; /* holder 0: not known */
	bool for_static; /* for the initialization of a static variable */
	char what[THREADING_ADDRESS_NAME_MAX + 80]; /* "mutex left" */
};

/* Of the library's functions that the program's own code called, down to its frame `own`. */
static enum wait_kind kind_of(const json_t *frames, const json_t *own)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const char *function = mi_text(frame, "function");

		if (frame == own)
			break;
		for (size_t kind = 0; function && kind < sizeof(kinds) / sizeof(*kinds); kind++)
			if (strstr(function, kinds[kind].function) &&
			    (kinds[kind].kind != WAIT_SPINLOCK || i == 0))
				return kinds[kind].kind;
	}
	return WAIT_UNKNOWN;
}

bool waits_futex_waits(unsigned long long operation)
{
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
	       operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2 ||
	       operation == FUTEX_WAIT_REQUEUE_PI;
}

bool waits_in_futex(struct replay *replay, int thread)
{
	unsigned long long call, operation, bytes;

	return accessed_thread_number(replay, thread, "(unsigned long)$orig_rax", &call) &&
	       call == SYS_futex &&
	       accessed_thread_number(replay, thread, "(unsigned long)$rsi & 127", &operation) &&
	       waits_futex_waits(operation) &&
	       accessed_thread_number(
		   replay, thread, "(unsigned long)*(unsigned short *)($pc - 2)", &bytes) &&
	       bytes == SYSCALL_BYTES;
}

/* ---- The object in which the futex is -------------------------------------------------------- */

static unsigned word_at(struct replay *replay, unsigned long long address)
{
	unsigned word;

	return accessed_whole(replay, address, &word, sizeof(word)) ? word : 0;
}

/* Whether these words are what a wait for a condition notes on its stack: its number among the
 * waits for this condition, the condition and the mutex. */
static bool is_note(
    struct replay *replay, const unsigned long long *words_there, unsigned long long futex)
{
	unsigned long long condition = words_there[1], offset = futex - condition, waits;

	/* The second pair since glibc 2.41. */
	if (offset != 40 && offset != 44 && offset != 32 && offset != 36)
		return false;
	return condition % 8 == 0 && words_there[2] && words_there[2] % 8 == 0 &&
	       accessed_whole(replay, condition, &waits, sizeof(waits)) && words_there[0] < waits;
}

/* 0: not found. */
static unsigned long long condition_of(struct replay *replay, int thread, unsigned long long futex)
{
	unsigned long long stack, there[STACK_WORDS];

	if (!accessed_thread_number(replay, thread, "(unsigned long)$sp", &stack) ||
	    !accessed_whole(replay, stack, there, sizeof(there)))
		return 0;
	for (size_t i = 0; i + 2 < STACK_WORDS; i++)
		if (is_note(replay, &there[i], futex))
			return there[i + 1];
	return 0;
}

/* Its beginning; 0: not known. */
static unsigned long long object_of(
    struct replay *replay, int thread, enum wait_kind kind, unsigned long long futex)
{
	switch (kind) {
	case WAIT_CONDITION:
		return condition_of(replay, thread, futex);
	case WAIT_CONDITION_END:
		return 0;
	case WAIT_RWLOCK:
		if (futex % 8)
			return futex - RWLOCK_WRITERS;
		return word_at(replay, futex) <= PHASE_WORD_MAX ? futex - RWLOCK_PHASE : futex;
	case WAIT_BARRIER:
		return futex - (futex % 8 ? BARRIER_ROUND : BARRIER_OUT);
	case WAIT_MUTEX:
	case WAIT_JOIN:
	case WAIT_SEMAPHORE:
	case WAIT_SPINLOCK:
	case WAIT_ONCE:
	case WAIT_STATIC:
	case WAIT_UNKNOWN:
		break;
	}
	return futex;
}

static int holder_of(struct replay *replay, enum wait_kind kind, unsigned long long object)
{
	if (kind == WAIT_MUTEX)
		return (int)word_at(replay, object + MUTEX_OWNER);
	if (kind == WAIT_RWLOCK)
		return (int)word_at(replay, object + RWLOCK_WRITER);
	return kind == WAIT_JOIN ? (int)word_at(replay, object) : 0;
}

static void tell_object(struct replay *replay, int thread, enum wait_kind kind,
    unsigned long long futex, struct waiter *waiter)
{
	unsigned long long object = object_of(replay, thread, kind, futex);
	char name[THREADING_ADDRESS_NAME_MAX];

	threading_name_address(replay, object ? object : futex, false, name, sizeof(name));
	waiter->for_static = kind == WAIT_STATIC;
	waiter->holder = object ? holder_of(replay, kind, object) : 0;
	if (kind == WAIT_UNKNOWN)
		snprintf(waiter->what, sizeof(waiter->what),
		    "a futex of no known function, %s: who holds it cannot be known", name);
	else if (kind == WAIT_JOIN)
		snprintf(
		    waiter->what, sizeof(waiter->what), "the end of thread %d", waiter->holder);
	else
		snprintf(waiter->what, sizeof(waiter->what), "%s %s%s", words[kind],
		    object ? "" : "whose futex is ", threading_without_guard(name));
}

static void look_at(struct replay *replay, int thread, enum wait_kind kind, struct waiter *waiter)
{
	unsigned long long address, operation;

	if (kind != WAIT_SPINLOCK && !waits_in_futex(replay, thread))
		return;
	if (!accessed_thread_number(replay, thread, "(unsigned long)$rdi", &address) || !address ||
	    !accessed_thread_number(replay, thread, "(unsigned long)$rsi & 127", &operation))
		return;
	/* A wait for a condition has a second one in it: for its mutex, which others may have taken
	 * meanwhile. A mutex's futex waits without a time. */
	if (kind == WAIT_CONDITION && operation != FUTEX_WAIT_BITSET &&
	    !condition_of(replay, thread, address))
		kind = WAIT_MUTEX;
	tell_object(replay, thread, kind, address, waiter);
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
	int number = mi_number(thread, "id", 0);
	enum wait_kind kind;
	json_t *json = json_pack("{s:i}", "tid", mi_tid(thread));
	json_t *frames = frames_from(replay, number, 0, FRAMES_LOOKED, FRAMES_BYTES), *own;
	const char *in;

	*waiter = (struct waiter){.tid = mi_tid(thread)};
	json_object_set_new(json, "name", json_string(mi_text(thread, "name")));
	own = frames_first_own(replay, frames);
	kind = kind_of(frames, own);
	in = own ? entered(frames, own) : NULL;
	look_at(replay, number, kind, waiter);
	if (waiter->what[0])
		json_object_set_new(json, "waits_for", json_string(waiter->what));
	else if (in)
		json_object_set_new(json, "in", json_string(in));
	if (waiter->holder && kind != WAIT_JOIN)
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
		char held[32] = ""; /* who is to end need not be named twice */

		if (at->holder == at->tid)
			snprintf(held, sizeof(held), ", held by itself");
		else if (strncmp(at->what, "the end of", strlen("the end of")) != 0)
			snprintf(held, sizeof(held), ", held by thread %d", at->holder);
		length += (size_t)snprintf(text + length, sizeof(text) - length,
		    " waits for %s%s%s", at->what, held, at->holder == first->tid ? "" : ", which");
		at = find(waiters, count, at->holder);
	} while (at && at != first && length < sizeof(text));
	return strdup(text);
}

/* Who initializes the static variables that threads wait for; that takes all stacks. */
static void find_initializers(
    struct replay *replay, const json_t *list, json_t *threads, struct waiter *waiters)
{
	json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		if (waiters[i].for_static && !replay_worker(replay)->interrupt)
			waiters[i].holder = initializer_of(
			    replay, list, mi_number(json_array_get(list, i), "id", 0));
		if (waiters[i].for_static && waiters[i].holder)
			json_object_set_new(thread, "held_by", json_integer(waiters[i].holder));
	}
}

json_t *waits_of_threads(struct replay *replay, size_t most, char **cycle, size_t *left)
{
	struct waiter *waiters = calloc(most, sizeof(*waiters));
	json_t *results = NULL, *threads = json_array(), *thread;
	size_t count = 0, i;

	*cycle = NULL;
	*left = 0;
	if (!waiters)
		return threads;
	gdb_must(replay_gdb(replay), &results, "-thread-info");
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		if (count == most || replay_worker(replay)->interrupt) {
			++*left;
			continue;
		}
		json_array_append_new(threads, thread_json(replay, thread, &waiters[count]));
		count++;
	}
	find_initializers(replay, json_object_get(results, "threads"), threads, waiters);
	for (i = 0; i < count && !*cycle; i++)
		if (is_in_cycle(waiters, count, &waiters[i]))
			*cycle = tell_cycle(waiters, count, &waiters[i]);
	json_decref(results);
	free(waiters);
	return threads;
}
