/*
 * What each function does to the order of the threads and to the locks that they hold. A lock is
 * taken where the function returns, because the thread may wait in it; it is given up where the
 * function begins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/threads/threading_model.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"

#define MUTEX_KIND    16 /* of a mutex of glibc: where it says how it behaves */
#define MUTEX_BEHAVES 127
#define MUTEX_PLAIN   0
#define MUTEX_PATIENT 3	 /* PTHREAD_MUTEX_ADAPTIVE_NP */
#define RWLOCK_WRITER 24 /* of a rwlock of glibc: its writer's tid */
#define BARRIER_ROUND 4	 /* of a barrier of glibc: how many had come when it opened last */
#define BARRIER_COUNT 8	 /* and how many threads meet */
#define BARRIER_MAX   100000

static unsigned number_at(struct threading *threading, unsigned long long address)
{
	unsigned number;

	return accessed_whole(threading->replay, address, &number, sizeof(number)) ? number : 0;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

/* Before it is taken alone: who had it cannot have it any more, although we did not see the end. */
static void take_from_others(struct threading *threading, size_t thread, size_t object)
{
	size_t holder = order_holder(threading->order, object);

	if (holder == thread)
		return;
	for (; holder != ORDER_NONE && holder != thread;
	     holder = order_holder(threading->order, object))
		order_drop(threading->order, holder, object, true, NULL);
}

static void take(struct threading *threading, size_t thread, size_t object, bool shared,
    unsigned depth, json_t *where)
{
	size_t taking = threading_taking(threading, where);

	if (!shared)
		take_from_others(threading, thread, object);
	order_receive(threading->order, thread, object, !shared);
	for (unsigned i = 0; i < depth; i++)
		order_hold(threading->order, thread, object, shared, taking);
}

/* A mutex that its holder alone can give up: for others that is an error without effect. */
static bool is_strict(struct threading *threading, const struct threading_object *object)
{
	unsigned kind;

	if (object->kind != THREADING_MUTEX)
		return false;
	kind = number_at(threading, object->address + MUTEX_KIND) & MUTEX_BEHAVES;
	return kind != MUTEX_PLAIN && kind != MUTEX_PATIENT;
}

/* Gives up a lock that the thread was not seen to take. */
static void give_unseen(struct threading *threading, size_t thread, size_t object)
{
	const struct threading_object *known = &threading->objects[object];
	size_t holder = order_holder(threading->order, object);
	bool shared = known->kind == THREADING_RWLOCK &&
		      number_at(threading, known->address + RWLOCK_WRITER) !=
			  (unsigned)threading->threads[thread].tid;

	if (holder != ORDER_NONE && is_strict(threading, known))
		return;
	if (holder != ORDER_NONE && !shared)
		order_drop(threading->order, holder, object, true, NULL);
	else if (!threading->from_start && known->kind != THREADING_SPINLOCK)
		order_held_before(threading->order, thread, object, shared, ORDER_NONE);
	order_send(threading->order, thread, object, shared);
}

/* `whole`: however often it was taken. Returns how often that was. */
static unsigned give(struct threading *threading, size_t thread, size_t object, bool whole)
{
	struct order_held held = {0};

	if (!order_drop(threading->order, thread, object, whole, &held)) {
		give_unseen(threading, thread, object);
		return 1;
	}
	if (whole || held.depth == 1) {
		order_send(threading->order, thread, object, held.shared);
		threading_taking_over(threading, held.taking);
	}
	return held.depth;
}

/* ---- What has an effect at once -------------------------------------------------------------- */

/* Each thread that waits for the condition may be the one that wakes up. */
static void wake(struct threading *threading, size_t thread, unsigned long long condition)
{
	for (size_t i = 0; i < threading->thread_count; i++) {
		const struct threading_call *call = &threading->threads[i].call;

		if (call->active && call->function->act == THREADING_WAIT &&
		    call->argument == condition)
			order_send(threading->order, thread, call->object, false);
	}
}

static void meet(struct threading *threading, size_t thread, size_t number)
{
	struct threading_object *barrier = &threading->objects[number];
	unsigned count = number_at(threading, barrier->address + BARRIER_COUNT);
	/* Its first word counts all that have come. */
	unsigned before = number_at(threading, barrier->address) -
			  number_at(threading, barrier->address + BARRIER_ROUND);

	/* Those that came before the search began wait there, too. */
	if (!threading->from_start && !barrier->met && before < count)
		barrier->arrived = before;
	barrier->met = true;
	order_send(threading->order, thread, number, false);
	barrier->waiting[thread / 8] |= (unsigned char)(1 << thread % 8);
	barrier->arrived++;
	if (count == 0 || count > BARRIER_MAX) {
		threading_blind(
		    threading, json_string("how many threads meet at a barrier could not be read"));
		return;
	}
	if (barrier->arrived < count)
		return;
	for (size_t i = 0; i < threading->thread_count; i++)
		if (barrier->waiting[i / 8] & 1 << i % 8)
			order_receive(threading->order, i, number, false);
	memset(barrier->waiting, 0, sizeof(barrier->waiting));
	barrier->arrived = 0;
	order_clear(threading->order, number);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool stop_at_return(struct threading *threading, unsigned long long back)
{
	int number;

	for (size_t i = 0; i < threading->place_count; i++)
		if (threading->places[i].address == back)
			return true;
	number = threading->place_count < THREADING_PLACES_MAX
		     ? temporary_breakpoint_insert_at(threading->replay, back)
		     : 0;
	if (!number) {
		threading->partly = true;
		return false;
	}
	threading->places[threading->place_count].address = back;
	threading->places[threading->place_count++].number = number;
	return true;
}

static void end_call(struct threading_call *call)
{
	json_decref(call->where);
	*call = (struct threading_call){0};
}

/* What happens when the function returns a value. */
static void finish(
    struct threading *threading, size_t thread, struct threading_call *call, int returned)
{
	bool ok = returned == 0 || returned == EOWNERDEAD;

	switch (call->function->act) {
	case THREADING_TAKE:
	case THREADING_SHARE:
		if (ok)
			take(threading, thread, call->object,
			    call->function->act == THREADING_SHARE, 1, call->where);
		break;
	case THREADING_RECEIVE:
		if (ok)
			order_receive(threading->order, thread, call->object, true);
		break;
	case THREADING_WAIT:
		if (ok)
			order_receive(threading->order, thread, call->object, true);
		take(threading, thread, call->mutex, false, call->depth, call->where);
		break;
	case THREADING_CREATE:
		if (ok)
			threading_created(threading, call);
		break;
	case THREADING_AWAIT:
		if (ok)
			threading_joined(threading, thread, call);
		break;
	case THREADING_GIVE:
	case THREADING_SEND:
	case THREADING_SIGNAL:
	case THREADING_MEET:
	case THREADING_RUN_ONCE:
	case THREADING_FUTEX:
		break;
	}
	end_call(call);
}

/* The thread is in another function although this one did not return: it was cancelled, or left by
 * an exception or longjmp. A wait that ends so has its mutex again. */
static void leave_behind(struct threading *threading, size_t thread)
{
	struct threading_call *call = &threading->threads[thread].call;

	if (call->active && call->function->act == THREADING_WAIT)
		take(threading, thread, call->mutex, false, call->depth, call->where);
	end_call(call);
}

/* Who is still in the routine's function has run it, since another thread is through. */
static void pass_once(struct threading *threading, size_t thread, struct threading_call *call)
{
	for (size_t i = 0; i < threading->thread_count; i++) {
		const struct threading_call *other = &threading->threads[i].once;

		if (i != thread && other->active && other->first && other->object == call->object)
			order_pass(threading->order, i, thread, call->object);
	}
	order_receive(threading->order, thread, call->object, true);
	if (call->first)
		order_send(threading->order, thread, call->object, false);
	end_call(call);
}

/* The registers at a function's first instruction, and what the stack says. */
struct entered {
	unsigned long long first, second, stack, back;
};

static void begin_call(struct threading *threading, size_t thread,
    const struct threading_function *function, const struct entered *entered)
{
	struct threading_thread *here = &threading->threads[thread];
	bool once = function->act == THREADING_RUN_ONCE;
	struct threading_call *call = once ? &here->once : &here->call;

	if (!stop_at_return(threading, entered->back))
		return;
	end_call(call);
	*call = (struct threading_call){.active = true,
	    .function = function,
	    .argument = entered->first,
	    .back = entered->back,
	    .top = entered->stack + 8,
	    .moment = *replay_now(threading->replay),
	    .mutex = ORDER_NONE};
	call->where = once ? NULL : threading_caller(threading, entered->back);
	if (function->act == THREADING_CREATE) {
		threading_create(threading, thread, call);
		return;
	}
	call->object = threading_object(threading, function->kind,
	    function->act == THREADING_AWAIT ? 0 : entered->first,
	    function->act == THREADING_WAIT ? thread : ORDER_NONE);
	call->first = once && number_at(threading, entered->first) == 0;
	if (function->act != THREADING_WAIT)
		return;
	order_clear(threading->order, call->object);
	call->mutex = threading_object(threading, THREADING_MUTEX, entered->second, ORDER_NONE);
	if (call->mutex != ORDER_NONE)
		call->depth = give(threading, thread, call->mutex, true);
}

/* The program's own code asks the kernel to let threads wait: a lock of its own, most likely. */
static void doubt_futex(struct threading *threading, size_t thread, unsigned long long back)
{
	json_auto_t *where = threading_caller(threading, back);

	order_perhaps(threading->order, thread);
	threading_doubt(threading,
	    json_sprintf("%s calls futex itself, which may be a lock of the program's own",
		json_string_value(where)));
}

static void act(struct threading *threading, size_t thread,
    const struct threading_function *function, const struct entered *entered)
{
	size_t object;

	switch (function->act) {
	case THREADING_TAKE:
	case THREADING_SHARE:
	case THREADING_RECEIVE:
	case THREADING_WAIT:
	case THREADING_RUN_ONCE:
	case THREADING_CREATE:
	case THREADING_AWAIT:
		begin_call(threading, thread, function, entered);
		return;
	case THREADING_SIGNAL:
		wake(threading, thread, entered->first);
		return;
	case THREADING_FUTEX:
		doubt_futex(threading, thread, entered->back);
		return;
	case THREADING_GIVE:
	case THREADING_SEND:
	case THREADING_MEET:
		break;
	}
	object = threading_object(threading, function->kind, entered->first, ORDER_NONE);
	if (object == ORDER_NONE)
		return;
	if (function->act == THREADING_GIVE)
		give(threading, thread, object, false);
	else if (function->act == THREADING_SEND)
		order_send(threading->order, thread, object, false);
	else
		meet(threading, thread, object);
}

void threading_enter(struct threading *threading, const struct threading_function *function)
{
	size_t thread = threading_here(threading);
	unsigned long long numbers[4];
	struct threading_call *call;

	if (thread == ORDER_NONE ||
	    !threading_read(threading,
		"(unsigned long)$rdi, (unsigned long)$rsi, (unsigned long)$rsp, "
		"*(unsigned long *)$rsp",
		numbers, 4)) {
		threading->partly = true;
		return;
	}
	call = &threading->threads[thread].call;
	if (call->active && numbers[2] < call->top - 8) {
		/* Deeper on the stack: the C library calls itself, or a signal came. */
		if (function->act != THREADING_SEND)
			return;
	} else if (call->active) {
		leave_behind(threading, thread);
	}
	const struct entered entered = {numbers[0], numbers[1], numbers[2], numbers[3]};

	act(threading, thread, function, &entered);
}

void threading_leave(struct threading *threading)
{
	size_t thread = threading_here(threading);
	unsigned long long numbers[2], pc = replay_now(threading->replay)->pc;
	struct threading_thread *here;

	if (thread == ORDER_NONE)
		return;
	here = &threading->threads[thread];
	if ((!here->call.active || here->call.back != pc) &&
	    (!here->once.active || here->once.back != pc))
		return;
	if (!threading_read(threading, "(unsigned long)$rsp, (unsigned long)$rax", numbers, 2)) {
		threading->partly = true;
		return;
	}
	if (here->call.active && here->call.back == pc && here->call.top == numbers[0])
		finish(threading, thread, &here->call, (int)numbers[1]);
	else if (here->once.active && here->once.back == pc && here->once.top == numbers[0])
		pass_once(threading, thread, &here->once);
}
