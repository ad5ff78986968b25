/*
 * What orders the steps of threads: the clocks agree with a search through all ways from step to
 * step, in runs made of random steps; and what threads hold is what they took and did not give up.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/investigate/threads/order.h"

#define THREADS 5
#define OBJECTS 4
#define STEPS	160
#define RUNS	200

enum kind {
	ACCESS,
	SEND,
	SEND_READER,
	RECEIVE,
	RECEIVE_ALL, /* from readers, too */
	CLEAR,
	PASS, /* to another thread, whose next step is PASSED */
	PASSED,
	PERHAPS,
	AFTER_ALL,
	KINDS
};

struct step {
	enum kind kind;
	size_t thread, object, other, point;
};

struct run {
	struct step steps[STEPS];
	size_t count;
	bool sure[STEPS][STEPS], perhaps[STEPS][STEPS];
};

static bool is_cleared(const struct run *run, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++)
		if (run->steps[i].kind == CLEAR && run->steps[i].object == run->steps[from].object)
			return true;
	return false;
}

/* Whether the first step leads to the second one, which is later, in one go. */
static bool leads(const struct run *run, size_t i, size_t j)
{
	const struct step *a = &run->steps[i], *b = &run->steps[j];
	bool receives = b->kind == RECEIVE_ALL || (b->kind == RECEIVE && a->kind == SEND);

	if (a->kind == CLEAR || b->kind == CLEAR)
		return false;
	if (a->thread == b->thread || (a->kind == PASS && b->kind == PASSED && j == i + 1))
		return true;
	return (a->kind == SEND || a->kind == SEND_READER) && receives && a->object == b->object &&
	       !is_cleared(run, i, j);
}

static bool leads_perhaps(const struct run *run, size_t i, size_t j)
{
	const struct step *a = &run->steps[i], *b = &run->steps[j];

	return leads(run, i, j) || (a->kind == PERHAPS && b->kind == PERHAPS) ||
	       (b->kind == AFTER_ALL && a->kind != CLEAR);
}

static void find_ways(struct run *run)
{
	for (size_t a = run->count; a-- > 0;) {
		for (size_t b = a + 1; b < run->count; b++) {
			run->sure[a][b] |= leads(run, a, b);
			run->perhaps[a][b] |= leads_perhaps(run, a, b);
			for (size_t c = b + 1; c < run->count; c++) {
				run->sure[a][c] |= run->sure[a][b] && run->sure[b][c];
				run->perhaps[a][c] |= run->perhaps[a][b] && run->perhaps[b][c];
			}
		}
	}
}

static void tell(struct order *order, struct step *step)
{
	switch (step->kind) {
	case ACCESS:
		step->point = order_point(order, step->thread);
		break;
	case SEND:
	case SEND_READER:
		order_send(order, step->thread, step->object, step->kind == SEND_READER);
		break;
	case RECEIVE:
	case RECEIVE_ALL:
		order_receive(order, step->thread, step->object, step->kind == RECEIVE_ALL);
		break;
	case CLEAR:
		order_clear(order, step->object);
		break;
	case PASS:
		order_pass(order, step->thread, step->other, step->object);
		break;
	case PERHAPS:
		order_perhaps(order, step->thread);
		break;
	case AFTER_ALL:
		order_perhaps_after_all(order, step->thread);
		break;
	case PASSED:
	case KINDS:
		break;
	}
}

/* The same numbers every time. */
static unsigned long long state = 1;

static size_t below(size_t limit)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)(state >> 33) % limit;
}

static void make(struct run *run, struct order *order)
{
	static const enum kind often[] = {ACCESS, ACCESS, ACCESS, ACCESS, SEND, SEND, RECEIVE,
	    SEND_READER, RECEIVE_ALL, PASS, PERHAPS, CLEAR, AFTER_ALL};

	while (run->count + 1 < STEPS) {
		struct step *step = &run->steps[run->count++];

		step->kind = often[below(sizeof(often) / sizeof(*often))];
		step->thread = below(THREADS);
		step->object = below(OBJECTS);
		step->other = (step->thread + 1 + below(THREADS - 1)) % THREADS;
		tell(order, step);
		if (step->kind == PASS)
			run->steps[run->count++] = (struct step){PASSED, step->other, 0, 0, 0};
	}
}

static struct order *begin(void)
{
	struct order *order = order_new();

	ck_assert_ptr_nonnull(order);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_uint_eq(order_add_thread(order), i);
	for (size_t i = 0; i < OBJECTS; i++)
		ck_assert_uint_eq(order_add_object(order), i);
	return order;
}

static void compare(const struct run *run, const struct order *order, long long counts[3])
{
	for (size_t a = 0; a < run->count; a++) {
		for (size_t b = a + 1; b < run->count; b++) {
			const struct step *one = &run->steps[a], *other = &run->steps[b];
			enum order_known known;
			size_t object;

			if (one->kind != ACCESS || other->kind != ACCESS)
				continue;
			known = order_between(order, one->point, other->point, &object);
			ck_assert_int_eq(known, run->sure[a][b]	     ? ORDER_SURE
						: run->perhaps[a][b] ? ORDER_PERHAPS
								     : ORDER_NOTHING);
			ck_assert_int_eq(object != ORDER_NONE,
			    known == ORDER_SURE && one->thread != other->thread);
			counts[known]++;
		}
	}
}

START_TEST(clocks_say_what_a_search_through_all_ways_finds)
{
	long long counts[3] = {0};

	for (int i = 0; i < RUNS; i++) {
		struct run *run = calloc(1, sizeof(*run));
		struct order *order = begin();

		make(run, order);
		find_ways(run);
		compare(run, order, counts);
		ck_assert(!order_is_full(order));
		order_free(order);
		free(run);
	}
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_gt(counts[i], 1000);
}
END_TEST

START_TEST(a_lock_is_held_until_it_was_given_up_as_often_as_it_was_taken)
{
	struct order *order = begin();
	struct order_held held;
	size_t count;

	order_hold(order, 0, 1, false, 7);
	order_hold(order, 0, 1, false, 8);
	order_hold(order, 0, 2, true, 9);
	size_t inside = order_point(order, 0);
	ck_assert(order_drop(order, 0, 1, false, &held));
	ck_assert_uint_eq(held.depth, 2);
	ck_assert_uint_eq(held.taking, 7);
	ck_assert_uint_eq(order_holder(order, 1), 0);
	ck_assert(order_drop(order, 0, 1, false, NULL));
	ck_assert_uint_eq(order_holder(order, 1), ORDER_NONE);
	ck_assert(!order_drop(order, 0, 1, false, NULL));
	ck_assert(!order_drop(order, 1, 2, false, NULL));
	/* The point keeps what was held there. */
	ck_assert_uint_eq(order_point_held(order, inside, &count)[1].object, 2);
	ck_assert_uint_eq(count, 2);
	order_held(order, 0, &count);
	ck_assert_uint_eq(count, 1);
	order_free(order);
}
END_TEST

START_TEST(a_lock_that_was_held_before_is_added_to_what_came_before)
{
	struct order *order = begin();
	size_t count, first = order_point(order, 0);

	order_held_before(order, 0, 3, false, ORDER_NONE);
	ck_assert_uint_eq(order_point_held(order, first, &count)[0].object, 3);
	ck_assert_uint_eq(count, 1);
	/* But not one that the thread took meanwhile. */
	order_hold(order, 0, 2, false, 1);
	ck_assert(order_drop(order, 0, 2, false, NULL));
	order_held_before(order, 0, 2, false, ORDER_NONE);
	order_point_held(order, first, &count);
	ck_assert_uint_eq(count, 1);
	order_free(order);
}
END_TEST

START_TEST(too_many_of_anything_are_told)
{
	struct order *order = begin();

	for (size_t i = THREADS; i < ORDER_THREADS_MAX; i++)
		ck_assert_uint_eq(order_add_thread(order), i);
	ck_assert(!order_is_full(order));
	ck_assert_uint_eq(order_add_thread(order), ORDER_NONE);
	ck_assert(order_is_full(order));
	order_free(order);
	order = begin();
	for (size_t i = OBJECTS; i < ORDER_HELD_MAX + 1; i++)
		order_add_object(order);
	for (size_t i = 0; i < ORDER_HELD_MAX; i++)
		order_hold(order, 0, i, false, 0);
	ck_assert(!order_is_full(order));
	order_hold(order, 0, ORDER_HELD_MAX, false, 0);
	ck_assert(order_is_full(order));
	order_free(order);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {clocks_say_what_a_search_through_all_ways_finds,
	    a_lock_is_held_until_it_was_given_up_as_often_as_it_was_taken,
	    a_lock_that_was_held_before_is_added_to_what_came_before, too_many_of_anything_are_told,
	    NULL};

	return run_tests("order", tests, NULL, NULL);
}
