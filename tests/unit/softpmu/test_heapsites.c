/*
 * Live blocks by the ways to the calls that made them, and which of them can still be reached.
 */
#include <check.h>
#include <stdint.h>

#include "worker/softpmu/scan/heapreach.h"
#include "worker/softpmu/scan/heapsites.h"
#include "tests/runner.h"

static struct heapblocks blocks;
static struct heapsites sites;

static void set_up(void)
{
	blocks = (struct heapblocks){0};
	sites = (struct heapsites){0};
}

static void tear_down(void)
{
	heapblocks_free(&blocks);
	heapsites_free(&sites);
}

/* far and near: the farthest way, and all the others. */
static void add(uint64_t start, uint64_t size, uint64_t made, uint64_t far, uint64_t near)
{
	const struct heapblock block = {
	    .start = start, .size = size, .made = made, .ways.way = {far, near, near, near}};

	ck_assert(heapblocks_add(&blocks, &block));
}

static void collect(uint64_t since, unsigned kind, bool lost)
{
	ck_assert(
	    heapsites_collect(&sites, &blocks, &(struct heapsites_choice){since, kind, lost}));
}

START_TEST(blocks_of_one_way_are_one_site_and_most_bytes_come_first)
{
	add(0x1000, 10, 5, 1, 9);
	add(0x2000, 20, 3, 1, 9);
	add(0x3000, 500, 7, 2, 9);
	collect(0, 0, false);
	ck_assert_uint_eq(sites.count, 2);
	ck_assert_uint_eq(sites.blocks, 3);
	ck_assert_uint_eq(sites.bytes, 530);
	ck_assert_uint_eq(sites.list[0].bytes, 500);
	ck_assert_uint_eq(sites.list[1].blocks, 2);
	ck_assert_uint_eq(sites.list[1].first, 3);
	collect(0, 3, false);
	ck_assert_uint_eq(sites.count, 1);
	ck_assert_uint_eq(sites.list[0].first, 3);
	collect(4, 0, false);
	ck_assert_uint_eq(sites.blocks, 2);
	ck_assert_uint_eq(sites.bytes, 510);
}
END_TEST

START_TEST(a_freed_block_is_of_no_site)
{
	add(0x1000, 10, 1, 1, 9);
	heapblocks_find(&blocks, 0x1000)->dropped = 2;
	collect(0, 0, false);
	ck_assert_uint_eq(sites.count, 0);
	ck_assert_uint_eq(sites.bytes, 0);
}
END_TEST

static bool is_code(void *context, uint64_t word)
{
	(void)context;
	return word >= 0x400000 && word < 0x500000;
}

static struct check_ways_to ways_of(const uint64_t *words, size_t count)
{
	return heapsites_ways(words, count, is_code, NULL);
}

START_TEST(a_way_differs_by_the_code_on_the_stack_alone)
{
	const uint64_t one[] = {0x400010, 7, 0x400020, 0x400030, 0x400040, 1},
		       data[] = {0x400010, 8, 0x400020, 9, 0x400030, 0x400040},
		       far[] = {0x400010, 7, 0x400020, 0x400030, 0x400040, 0x400050},
		       near[] = {0x400010, 7, 0x400021, 0x400030, 0x400040, 1},
		       call[] = {0x700010, 7, 0x400020, 0x400030, 0x400040, 1};
	const struct check_ways_to ways = ways_of(one, 6);

	ck_assert_uint_eq(ways_of(data, 6).way[0], ways.way[0]);
	ck_assert_uint_ne(ways_of(far, 6).way[0], ways.way[0]);
	ck_assert_uint_eq(ways_of(far, 6).way[2], ways.way[2]);
	for (unsigned kind = 0; kind < CHECK_WAYS; kind++) {
		ck_assert_uint_ne(ways_of(near, 6).way[kind], ways.way[kind]);
		/* The call itself counts, whatever it looks like. */
		ck_assert_uint_ne(ways_of(call, 6).way[kind], ways.way[kind]);
		ck_assert_uint_ne(ways.way[kind], 0);
	}
}
END_TEST

START_TEST(a_block_is_reached_by_each_address_in_it_and_the_one_behind)
{
	static const struct {
		uint64_t word, reached;
	} rows[] = {{0x1000, 0x1000}, {0x1009, 0x1000}, {0x100a, 0x1000}, {0x100b, 0}, {0xfff, 0},
	    {0x2000, 0x2000}, {0x2001, 0}, {0x3000, 0}, {0, 0}, {UINT64_MAX, 0}};
	struct heapreach reach;

	add(0x1000, 10, 1, 1, 9);
	add(0x2000, 0, 2, 1, 9);
	add(0x3000, 8, 3, 1, 9);
	heapblocks_find(&blocks, 0x3000)->dropped = 4;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ck_assert(heapreach_begin(&reach, &blocks));
		heapreach_meet(&reach, rows[i].word);
		heapreach_meet(&reach, rows[i].word);
		ck_assert_uint_eq(reach.met_count, rows[i].reached != 0);
		if (rows[i].reached)
			ck_assert_uint_eq(reach.met[0]->start, rows[i].reached);
		collect(0, 0, true);
		ck_assert_uint_eq(sites.blocks, rows[i].reached ? 1 : 2);
		heapreach_end(&reach);
	}
}
END_TEST

START_TEST(an_end_that_is_another_beginning_is_of_the_other)
{
	struct heapreach reach;

	add(0x1000, 16, 1, 1, 9);
	add(0x1010, 16, 2, 1, 9);
	ck_assert(heapreach_begin(&reach, &blocks));
	ck_assert_uint_eq(heapreach_find(&reach, 0x1010)->made, 2);
	heapreach_end(&reach);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {blocks_of_one_way_are_one_site_and_most_bytes_come_first,
	    a_freed_block_is_of_no_site, a_way_differs_by_the_code_on_the_stack_alone,
	    a_block_is_reached_by_each_address_in_it_and_the_one_behind,
	    an_end_that_is_another_beginning_is_of_the_other, NULL};

	return run_tests("softpmu heapsites", tests, set_up, tear_down);
}
