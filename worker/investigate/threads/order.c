/*
 * Keeps every clock twice: with what certainly orders the threads, and with what may as well. Each
 * thread counts its own sends. A clock has, for each thread, the last of its sends that is
 * known to be over, and the object that told. A point is before another one if the later one's
 * clock has reached the earlier one's own count.
 */
#include "worker/investigate/threads/order.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	unsigned time;
	unsigned object; /* that told */
};

struct clock {
	size_t count; /* of threads; what lies beyond is 0 */
	struct entry *entries;
};

/* What is sure, and what may be. */
enum view { SURE, MAY, VIEWS };

struct clocks {
	struct clock in[VIEWS];
};

struct holding {
	struct order_held held[ORDER_HELD_MAX];
	size_t count;
};

struct thread {
	struct clocks clocks;
	struct holding holding;
	size_t point; /* ORDER_NONE: the next one is new */
};

struct object {
	struct clocks writers, readers;		      /* what they sent */
	unsigned char touched[ORDER_THREADS_MAX / 8]; /* by which threads, as a lock */
};

struct point {
	size_t thread;
	struct clocks clocks;
	struct order_held *held;
	size_t held_count;
};

struct order {
	struct thread threads[ORDER_THREADS_MAX];
	size_t thread_count;
	struct object *objects;
	size_t object_count, object_room;
	struct point *points;
	size_t point_count, point_room;
	struct clock perhaps; /* what was sent in ways that are not known */
	bool full;
};

struct order *order_new(void)
{
	return calloc(1, sizeof(struct order));
}

static void free_clocks(struct clocks *clocks)
{
	for (int view = 0; view < VIEWS; view++)
		free(clocks->in[view].entries);
}

void order_free(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->thread_count; i++)
		free_clocks(&order->threads[i].clocks);
	for (size_t i = 0; i < order->object_count; i++) {
		free_clocks(&order->objects[i].writers);
		free_clocks(&order->objects[i].readers);
	}
	for (size_t i = 0; i < order->point_count; i++) {
		free_clocks(&order->points[i].clocks);
		free(order->points[i].held);
	}
	free(order->perhaps.entries);
	free(order->objects);
	free(order->points);
	free(order);
}

bool order_is_full(const struct order *order)
{
	return order->full;
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static bool make_room(struct order *order, struct clock *clock, size_t count)
{
	struct entry *entries;

	if (count <= clock->count)
		return true;
	entries = reallocarray(clock->entries, count, sizeof(*entries));
	if (!entries) {
		order->full = true;
		return false;
	}
	memset(entries + clock->count, 0, (count - clock->count) * sizeof(*entries));
	clock->entries = entries;
	clock->count = count;
	return true;
}

/* With ORDER_NONE, keeps which object told. */
static void join(struct order *order, struct clock *clock, const struct clock *other, size_t object)
{
	if (!other->entries || !make_room(order, clock, other->count) || !clock->entries)
		return;
	for (size_t i = 0; i < other->count; i++) {
		if (clock->entries[i].time >= other->entries[i].time)
			continue;
		clock->entries[i] = other->entries[i];
		if (object != ORDER_NONE)
			clock->entries[i].object = (unsigned)object;
	}
}

static void join_all(
    struct order *order, struct clocks *clocks, const struct clocks *other, size_t object)
{
	for (int view = 0; view < VIEWS; view++)
		join(order, &clocks->in[view], &other->in[view], object);
}

/* What the thread does from now on is not known to those that it has sent to. */
static void advance(struct thread *thread, size_t number)
{
	for (int view = 0; view < VIEWS; view++)
		thread->clocks.in[view].entries[number].time++;
}

static unsigned time_of(const struct clock *clock, size_t thread)
{
	return thread < clock->count ? clock->entries[thread].time : 0;
}

/* ---- Threads and objects --------------------------------------------------------------------- */

size_t order_add_thread(struct order *order)
{
	size_t number = order->thread_count;
	struct thread *thread = &order->threads[number];

	if (number == ORDER_THREADS_MAX) {
		order->full = true;
		return ORDER_NONE;
	}
	thread->point = ORDER_NONE;
	for (int view = 0; view < VIEWS; view++)
		if (!make_room(order, &thread->clocks.in[view], number + 1))
			return ORDER_NONE;
	advance(thread, number);
	order->thread_count++;
	return number;
}

/* A bigger room for rows of that size; NULL: out of memory. */
static void *grow(struct order *order, void *rows, size_t count, size_t *room, size_t size)
{
	void *bigger;

	if (count < *room)
		return rows;
	bigger = reallocarray(rows, *room ? *room * 2 : 64, size);
	if (!bigger) {
		order->full = true;
		return NULL;
	}
	*room = *room ? *room * 2 : 64;
	return bigger;
}

size_t order_add_object(struct order *order)
{
	struct object *objects;

	if (order->object_count == ORDER_OBJECTS_MAX) {
		order->full = true;
		return ORDER_NONE;
	}
	objects =
	    grow(order, order->objects, order->object_count, &order->object_room, sizeof(*objects));
	if (!objects)
		return ORDER_NONE;
	order->objects = objects;
	objects[order->object_count] = (struct object){0};
	return order->object_count++;
}

static bool is_known(const struct order *order, size_t thread, size_t object)
{
	return thread < order->thread_count && object < order->object_count;
}

/* Its next step belongs to a new point. */
static struct thread *step(struct order *order, size_t thread)
{
	order->threads[thread].point = ORDER_NONE;
	return &order->threads[thread];
}

void order_send(struct order *order, size_t thread, size_t object, bool as_reader)
{
	struct thread *sender;
	struct object *to;

	if (!is_known(order, thread, object))
		return;
	sender = step(order, thread);
	to = &order->objects[object];
	join_all(order, as_reader ? &to->readers : &to->writers, &sender->clocks, ORDER_NONE);
	advance(sender, thread);
}

void order_receive(struct order *order, size_t thread, size_t object, bool from_readers)
{
	struct thread *receiver;

	if (!is_known(order, thread, object))
		return;
	receiver = step(order, thread);
	join_all(order, &receiver->clocks, &order->objects[object].writers, object);
	if (from_readers)
		join_all(order, &receiver->clocks, &order->objects[object].readers, object);
}

void order_clear(struct order *order, size_t object)
{
	if (object >= order->object_count)
		return;
	for (int view = 0; view < VIEWS; view++) {
		order->objects[object].writers.in[view].count = 0;
		order->objects[object].readers.in[view].count = 0;
	}
}

void order_pass(struct order *order, size_t from, size_t to, size_t object)
{
	if (!is_known(order, from, object) || to >= order->thread_count || from == to)
		return;
	join_all(order, &step(order, to)->clocks, &order->threads[from].clocks, object);
	advance(step(order, from), from);
}

void order_perhaps(struct order *order, size_t number)
{
	struct thread *thread;

	if (number >= order->thread_count)
		return;
	thread = step(order, number);
	join(order, &thread->clocks.in[MAY], &order->perhaps, ORDER_NONE);
	join(order, &order->perhaps, &thread->clocks.in[MAY], ORDER_NONE);
	advance(thread, number);
}

void order_perhaps_after_all(struct order *order, size_t number)
{
	for (size_t i = 0; number < order->thread_count && i < order->thread_count; i++) {
		if (i == number)
			continue;
		join(order, &step(order, number)->clocks.in[MAY], &order->threads[i].clocks.in[MAY],
		    ORDER_NONE);
		advance(step(order, i), i);
	}
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static struct order_held *find_held(struct holding *holding, size_t object)
{
	for (size_t i = 0; i < holding->count; i++)
		if (holding->held[i].object == object)
			return &holding->held[i];
	return NULL;
}

void order_hold(struct order *order, size_t thread, size_t object, bool shared, size_t taking)
{
	struct holding *holding;
	struct order_held *held;

	if (!is_known(order, thread, object))
		return;
	holding = &step(order, thread)->holding;
	held = find_held(holding, object);
	order->objects[object].touched[thread / 8] |= (unsigned char)(1 << thread % 8);
	if (held)
		held->depth++;
	else if (holding->count == ORDER_HELD_MAX)
		order->full = true;
	else
		holding->held[holding->count++] = (struct order_held){object, taking, 1, shared};
}

bool order_drop(
    struct order *order, size_t thread, size_t object, bool whole, struct order_held *held)
{
	struct holding *holding;
	struct order_held *found;

	if (!is_known(order, thread, object))
		return false;
	holding = &step(order, thread)->holding;
	found = find_held(holding, object);
	if (!found)
		return false;
	if (held)
		*held = *found;
	if (!whole && --found->depth > 0)
		return true;
	memmove(found, found + 1,
	    (size_t)(holding->held + holding->count - (found + 1)) * sizeof(*found));
	holding->count--;
	return true;
}

size_t order_holder(const struct order *order, size_t object)
{
	for (size_t i = 0; i < order->thread_count; i++)
		for (size_t j = 0; j < order->threads[i].holding.count; j++)
			if (order->threads[i].holding.held[j].object == object)
				return i;
	return ORDER_NONE;
}

const struct order_held *order_held(const struct order *order, size_t thread, size_t *count)
{
	*count = order->threads[thread].holding.count;
	return order->threads[thread].holding.held;
}

/* ---- Points ---------------------------------------------------------------------------------- */

static bool copy_to(struct order *order, struct point *point, const struct thread *thread)
{
	size_t count = thread->holding.count;

	join_all(order, &point->clocks, &thread->clocks, ORDER_NONE);
	point->held = calloc(count ? count : 1, sizeof(*point->held));
	if (!point->held) {
		order->full = true;
		return false;
	}
	memcpy(point->held, thread->holding.held, count * sizeof(*point->held));
	point->held_count = count;
	return !order->full;
}

size_t order_point(struct order *order, size_t number)
{
	struct thread *thread = &order->threads[number];
	struct point *points;

	if (thread->point != ORDER_NONE)
		return thread->point;
	points =
	    grow(order, order->points, order->point_count, &order->point_room, sizeof(*points));
	if (!points)
		return ORDER_NONE;
	order->points = points;
	points[order->point_count] = (struct point){.thread = number};
	thread->point = order->point_count++;
	return copy_to(order, &points[thread->point], thread) ? thread->point : ORDER_NONE;
}

const struct order_held *order_point_held(const struct order *order, size_t point, size_t *count)
{
	*count = order->points[point].held_count;
	return order->points[point].held;
}

enum order_known order_between(
    const struct order *order, size_t earlier, size_t later, size_t *object)
{
	const struct point *a = &order->points[earlier], *b = &order->points[later];
	size_t thread = a->thread;

	*object = ORDER_NONE;
	if (thread == b->thread)
		return ORDER_SURE;
	if (time_of(&b->clocks.in[SURE], thread) >= time_of(&a->clocks.in[SURE], thread)) {
		*object = b->clocks.in[SURE].entries[thread].object;
		return ORDER_SURE;
	}
	return time_of(&b->clocks.in[MAY], thread) >= time_of(&a->clocks.in[MAY], thread)
		   ? ORDER_PERHAPS
		   : ORDER_NOTHING;
}

static void add_held(struct order *order, struct point *point, const struct order_held *held)
{
	struct order_held *more;

	for (size_t i = 0; i < point->held_count; i++)
		if (point->held[i].object == held->object)
			return;
	more = reallocarray(point->held, point->held_count + 1, sizeof(*more));
	if (!more) {
		order->full = true;
		return;
	}
	more[point->held_count++] = *held;
	point->held = more;
}

void order_held_before(
    struct order *order, size_t thread, size_t object, bool shared, size_t taking)
{
	const struct order_held held = {object, taking, 1, shared};
	unsigned char *touched;

	if (!is_known(order, thread, object))
		return;
	touched = &order->objects[object].touched[thread / 8];
	if (*touched & 1 << thread % 8)
		return;
	*touched |= (unsigned char)(1 << thread % 8);
	for (size_t i = 0; i < order->point_count; i++)
		if (order->points[i].thread == thread)
			add_held(order, &order->points[i], &held);
}
