/*
 * Sets breakpoints at the functions and where calls of them return, and hands the stops on.
 */
#include "worker/investigate/threads/threading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/code/auxv.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/names/symbol.h"

static const struct threading_function functions[] = {
    {"pthread_create", THREADING_CREATE, THREADING_CREATION},
    {"pthread_join", THREADING_AWAIT, THREADING_JOIN},
    {"pthread_tryjoin_np", THREADING_AWAIT, THREADING_JOIN},
    {"pthread_timedjoin_np", THREADING_AWAIT, THREADING_JOIN},
    {"pthread_clockjoin_np", THREADING_AWAIT, THREADING_JOIN},
    {"pthread_mutex_lock", THREADING_TAKE, THREADING_MUTEX},
    {"pthread_mutex_trylock", THREADING_TAKE, THREADING_MUTEX},
    {"pthread_mutex_timedlock", THREADING_TAKE, THREADING_MUTEX},
    {"pthread_mutex_clocklock", THREADING_TAKE, THREADING_MUTEX},
    {"pthread_mutex_unlock", THREADING_GIVE, THREADING_MUTEX},
    {"pthread_rwlock_rdlock", THREADING_SHARE, THREADING_RWLOCK},
    {"pthread_rwlock_tryrdlock", THREADING_SHARE, THREADING_RWLOCK},
    {"pthread_rwlock_timedrdlock", THREADING_SHARE, THREADING_RWLOCK},
    {"pthread_rwlock_clockrdlock", THREADING_SHARE, THREADING_RWLOCK},
    {"pthread_rwlock_wrlock", THREADING_TAKE, THREADING_RWLOCK},
    {"pthread_rwlock_trywrlock", THREADING_TAKE, THREADING_RWLOCK},
    {"pthread_rwlock_timedwrlock", THREADING_TAKE, THREADING_RWLOCK},
    {"pthread_rwlock_clockwrlock", THREADING_TAKE, THREADING_RWLOCK},
    {"pthread_rwlock_unlock", THREADING_GIVE, THREADING_RWLOCK},
    {"pthread_spin_lock", THREADING_TAKE, THREADING_SPINLOCK},
    {"pthread_spin_trylock", THREADING_TAKE, THREADING_SPINLOCK},
    {"pthread_spin_unlock", THREADING_GIVE, THREADING_SPINLOCK},
    {"sem_wait", THREADING_RECEIVE, THREADING_SEMAPHORE},
    {"sem_trywait", THREADING_RECEIVE, THREADING_SEMAPHORE},
    {"sem_timedwait", THREADING_RECEIVE, THREADING_SEMAPHORE},
    {"sem_clockwait", THREADING_RECEIVE, THREADING_SEMAPHORE},
    {"sem_post", THREADING_SEND, THREADING_SEMAPHORE},
    {"pthread_cond_wait", THREADING_WAIT, THREADING_CONDITION},
    {"pthread_cond_timedwait", THREADING_WAIT, THREADING_CONDITION},
    {"pthread_cond_clockwait", THREADING_WAIT, THREADING_CONDITION},
    {"pthread_cond_signal", THREADING_SIGNAL, THREADING_CONDITION},
    {"pthread_cond_broadcast", THREADING_SIGNAL, THREADING_CONDITION},
    {"pthread_barrier_wait", THREADING_MEET, THREADING_BARRIER},
    {"pthread_once", THREADING_RUN_ONCE, THREADING_ONCE},
    {"__cxa_guard_acquire", THREADING_RECEIVE, THREADING_STATIC},
    {"__cxa_guard_release", THREADING_SEND, THREADING_STATIC},
    {"syscall", THREADING_FUTEX, THREADING_SEMAPHORE},
};

#define FUNCTION_COUNT (sizeof(functions) / sizeof(*functions))

_Static_assert(FUNCTION_COUNT <= THREADING_FUNCTIONS_MAX, "a breakpoint for each function");

/* ---- Where it stops -------------------------------------------------------------------------- */

static int stop_at(
    struct replay *replay, const struct threading_function *function, unsigned long long address)
{
	char where[80], condition[40] = "";

	if (function->act == THREADING_FUTEX)
		snprintf(condition, sizeof(condition), "-c \"$rdi == %d\" ", SYS_futex);
	snprintf(where, sizeof(where), "%s*%llu", condition, address);
	return temporary_breakpoint_insert(replay, where);
}

/* Stops at the functions, if they are in memory; see `found`. */
static void set(struct threading *threading)
{
	unsigned long long *addresses = threading->addresses;

	if (threading->found)
		return;
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		bool twice = false;

		addresses[i] = symbol_address(threading->replay, functions[i].name);
		/* Two names of one function: of spin_unlock and spin_init, for instance. */
		for (size_t j = 0; j < i; j++)
			twice |= addresses[j] == addresses[i];
		if (addresses[i] && !twice)
			threading->numbers[i] =
			    stop_at(threading->replay, &functions[i], addresses[i]);
		threading->found |= threading->numbers[i] != 0 &&
				    functions[i].act != THREADING_FUTEX &&
				    functions[i].kind != THREADING_STATIC;
	}
}

bool threading_is_function(const struct threading *threading, unsigned long long address)
{
	for (size_t i = 0; i < FUNCTION_COUNT; i++)
		if (address && threading->addresses[i] == address)
			return true;
	return false;
}

/* Where its own code begins, a program has its libraries in memory. */
static void stop_at_entry(struct threading *threading)
{
	unsigned long long address =
	    threading->found
		? 0
		: auxv_entry(threading->replay, "locks and threads of libraries were not followed");

	threading->entry = address ? temporary_breakpoint_insert_at(threading->replay, address) : 0;
	threading->begun = threading->entry == 0;
}

void threading_clear(struct threading *threading)
{
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		temporary_breakpoint_delete(threading->replay, threading->numbers[i]);
		threading->numbers[i] = 0;
	}
	temporary_breakpoint_delete(threading->replay, threading->entry);
	threading->entry = 0;
	for (size_t i = 0; i < threading->place_count; i++)
		temporary_breakpoint_delete(threading->replay, threading->places[i].number);
	threading->place_count = 0;
}

/* ---- Stops ----------------------------------------------------------------------------------- */

bool threading_take(struct threading *threading, const struct hit *hit)
{
	if (!hit->breakpoint)
		return false;
	if (hit->breakpoint == threading->entry) {
		set(threading);
		threading->begun = true;
		return true;
	}
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		if (threading->numbers[i] != hit->breakpoint)
			continue;
		threading_enter(threading, &functions[i]);
		return true;
	}
	for (size_t i = 0; i < threading->place_count; i++) {
		if (threading->places[i].number != hit->breakpoint)
			continue;
		threading_leave(threading);
		return true;
	}
	return false;
}

bool threading_take_here(struct threading *threading)
{
	const unsigned long long pc = replay_now(threading->replay)->pc;
	struct hit hit = {0};

	for (size_t i = 0; i < FUNCTION_COUNT && !hit.breakpoint; i++)
		if (pc && threading->addresses[i] == pc)
			hit.breakpoint = threading->numbers[i];
	for (size_t i = 0; i < threading->place_count && !hit.breakpoint; i++)
		if (threading->places[i].address == pc)
			hit.breakpoint = threading->places[i].number;
	return threading_take(threading, &hit);
}

void threading_look_at_guard(struct threading *threading, unsigned long long guard)
{
	size_t thread = threading_here(threading);
	size_t object = threading_object(threading, THREADING_STATIC, guard, ORDER_NONE);

	if (thread != ORDER_NONE && object != ORDER_NONE)
		order_receive(threading->order, thread, object, true);
}

/* ---- Its life -------------------------------------------------------------------------------- */

struct threading *threading_begin(struct replay *replay, bool from_start, struct failure *failure)
{
	struct threading *threading = calloc(1, sizeof(*threading));
	unsigned long long size = 0;

	if (!threading || !(threading->order = order_new())) {
		free(threading);
		return failure_no_memory(failure);
	}
	threading->replay = replay;
	threading->from_start = from_start;
	threading->taking_free = ORDER_NONE;
	threading->reasons = json_array();
	if (accessed_number(replay, "sizeof(void *)", &size) && size == 4) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_value_history with access=access lists who uses the value",
		    "the locks of 32-bit programs cannot be followed");
		threading_free(threading);
		return NULL;
	}
	threading_list(threading);
	set(threading);
	stop_at_entry(threading);
	return threading;
}

void threading_free(struct threading *threading)
{
	if (!threading)
		return;
	threading_clear(threading);
	for (size_t i = 0; i < threading->thread_count; i++)
		json_decref(threading->threads[i].call.where);
	for (size_t i = 0; i < threading->taking_count; i++)
		json_decref(threading->takings[i].where);
	for (size_t i = 0; i < threading->known_count; i++)
		json_decref(threading->known[i].where);
	free(threading->objects);
	free(threading->takings);
	json_decref(threading->reasons);
	order_free(threading->order);
	free(threading);
}
