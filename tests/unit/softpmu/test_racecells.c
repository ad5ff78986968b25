/*
 * Which accesses nothing orders: against a record of all of them, each with its thread's whole
 * clock. What is told must be unordered there; and where something is, something must be told.
 */
#include <check.h>
#include <stdint.h>

#include "worker/softpmu/races/racecells.h"
#include "tests/runner.h"

enum { THREADS = 3, PLACES = 2, GRANULES = 4, STEPS = 400, ROUNDS = 300, BASE = 0x1000 };

struct kept {
	unsigned thread;
	struct race_access access;
	uint32_t clock[THREADS + 1];
};

static struct raceclocks clocks;
static struct racecells cells;
static struct kept kept[STEPS + 1];
static size_t count;
static bool told[GRANULES];

static bool overlap(const struct race_access *a, const struct race_access *b)
{
	return a->start < b->start + b->size && b->start < a->start + a->size;
}

/* By the whole clocks: the earlier one is before the later one. */
static bool is_before(const struct kept *earlier, const struct kept *later)
{
	return later->clock[earlier->thread] >= earlier->clock[earlier->thread];
}

static bool is_race(const struct kept *earlier, const struct kept *later)
{
	return earlier->thread != later->thread && overlap(&earlier->access, &later->access) &&
	       (earlier->access.kind == RACE_WRITE || later->access.kind == RACE_WRITE) &&
	       !is_before(earlier, later);
}

static void see(void *context, const struct race_access *earlier, const struct race_access *later)
{
	const struct kept *one = &kept[earlier->number], *other = &kept[later->number];

	(void)context;
	ck_assert_uint_eq(later->number, count);
	ck_assert_uint_eq(one->access.start, earlier->start);
	ck_assert_uint_eq(one->access.size, earlier->size);
	ck_assert_uint_eq(one->access.kind, earlier->kind);
	ck_assert(is_race(one, other));
	told[(later->start - BASE) / RACECELL_BYTES] = true;
}

static void touch(unsigned thread, uint64_t start, uint32_t size, bool writes)
{
	count++;
	struct racestep step = {thread, {.number = count,
					    .pc = 0x400000 + count,
					    .start = start,
					    .size = size,
					    .kind = writes ? RACE_WRITE : RACE_READ}};

	kept[count] = (struct kept){.thread = thread, .access = step.access};
	for (unsigned i = 0; i <= THREADS; i++)
		kept[count].clock[i] = clocks.clock[thread][i];
	racecells_step(&cells, &clocks, &step, see, NULL);
}

static void begin(void)
{
	raceclocks_free(&clocks);
	racecells_free(&cells);
	count = 0;
	for (unsigned i = 0; i < GRANULES; i++)
		told[i] = false;
	raceclocks_add(&clocks, RACE_NOBODY);
	for (unsigned i = 1; i < THREADS; i++)
		ck_assert_uint_eq(raceclocks_add(&clocks, 0), i);
}

static void tear_down(void)
{
	raceclocks_free(&clocks);
	racecells_free(&cells);
}

static uint64_t state;

/* Below `most`; xorshift, the same each time. */
static unsigned pick(unsigned most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 32) % most;
}

/* parts: of eight bytes, too. */
static void step_randomly(bool parts)
{
	const unsigned thread = pick(THREADS);
	const uint64_t start = BASE + RACECELL_BYTES * (uint64_t)pick(GRANULES);

	if (pick(3) == 0)
		raceclocks_use(
		    &clocks, thread, 8 + 8 * (uint64_t)pick(PLACES), pick(2) == 0, pick(2) == 0);
	else if (parts)
		touch(thread, start + pick(5), 1u << pick(3), pick(2) == 0);
	else
		touch(thread, start, RACECELL_BYTES, pick(2) == 0);
}

START_TEST(what_is_told_is_unordered)
{
	state = 1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		begin();
		while (count < STEPS)
			step_randomly(true);
	}
}
END_TEST

START_TEST(where_something_is_unordered_something_is_told)
{
	state = 2;
	for (unsigned round = 0; round < ROUNDS; round++) {
		begin();
		while (count < 12)
			step_randomly(false);
		for (size_t i = 1; i <= count; i++) {
			for (size_t j = i + 1; j <= count; j++)
				ck_assert(!is_race(&kept[i], &kept[j]) ||
					  told[(kept[j].access.start - BASE) / RACECELL_BYTES]);
		}
	}
}
END_TEST

START_TEST(neighbours_do_not_race)
{
	begin();
	touch(1, BASE, 4, true);
	touch(2, BASE + 4, 4, true);
	touch(1, BASE + 8, 1, true);
	touch(2, BASE + 9, 1, true);
	ck_assert(!told[0] && !told[1]);
	touch(2, BASE + 3, 2, false);
	ck_assert(told[0]);
}
END_TEST

START_TEST(an_access_across_several_words_is_seen_in_each)
{
	begin();
	touch(1, BASE + 20, 4, true);
	touch(2, BASE, 32, false);
	ck_assert(told[0]); /* by the place where it begins */
}
END_TEST

START_TEST(memory_that_is_mapped_anew_has_no_past)
{
	begin();
	touch(1, BASE, 8, true);
	touch(1, BASE + 16, 8, true);
	racecells_forget(&cells, BASE, BASE + 8);
	touch(2, BASE, 8, true);
	ck_assert(!told[0]);
	touch(2, BASE + 16, 8, true);
	ck_assert(told[2]);
}
END_TEST

START_TEST(a_thread_without_a_maker_comes_after_all)
{
	begin();
	touch(1, BASE, 8, true);
	touch(raceclocks_add(&clocks, RACE_NOBODY), BASE, 8, true);
	ck_assert(!told[0]);
	touch(1, BASE, 8, true);
	ck_assert(told[0]);
}
END_TEST

START_TEST(too_many_threads_are_told)
{
	begin();
	while (clocks.threads < RACE_THREADS)
		raceclocks_add(&clocks, 0);
	ck_assert(!clocks.full);
	ck_assert_uint_eq(raceclocks_add(&clocks, 0), RACE_NOBODY);
	ck_assert(clocks.full);
}
END_TEST

/* What has no place of its own orders with all that have none. */
START_TEST(too_many_places_order_too_much_and_never_too_little)
{
	begin();
	for (uint64_t i = 1; i <= RACE_PLACES; i++)
		raceclocks_use(&clocks, 0, 16 * i, false, true);
	ck_assert(clocks.full);
	touch(1, BASE, 8, true);
	raceclocks_use(&clocks, 1, 1ull << 40, true, true);
	raceclocks_use(&clocks, 2, 1ull << 40, true, true);
	touch(2, BASE, 8, true);
	ck_assert(!told[0]);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_is_told_is_unordered,
	    where_something_is_unordered_something_is_told, neighbours_do_not_race,
	    an_access_across_several_words_is_seen_in_each, memory_that_is_mapped_anew_has_no_past,
	    a_thread_without_a_maker_comes_after_all, too_many_threads_are_told,
	    too_many_places_order_too_much_and_never_too_little, NULL};

	return run_tests("softpmu racecells", tests, begin, tear_down);
}
