/*
 * Blocks by their addresses, none of which have a byte in common.
 */
#include <check.h>

#include "worker/softpmu/scan/poolblocks.h"
#include "tests/runner.h"

static struct poolblocks set;

static void set_up(void)
{
	set = (struct poolblocks){0};
}

static void tear_down(void)
{
	poolblocks_free(&set);
}

static void add(uint64_t start, uint64_t size)
{
	const struct poolblock block = {.start = start, .size = size, .made = start / 16};

	ck_assert(poolblocks_add(&set, &block));
}

static uint64_t start_of(const struct poolblock *block)
{
	return block ? block->start : 0;
}

/* In an order that is neither up nor down. */
static void add_many(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		add(16 * (1 + i * 7919 % count), 10);
}

START_TEST(each_block_is_found_by_the_bytes_in_it)
{
	enum { MANY = 10007 };

	add_many(MANY);
	ck_assert_uint_eq(set.count, MANY);
	for (uint64_t i = 1; i <= MANY; i++) {
		ck_assert_uint_eq(start_of(poolblocks_at(&set, 16 * i)), 16 * i);
		ck_assert_uint_eq(start_of(poolblocks_around(&set, 16 * i + 9)), 16 * i);
		ck_assert_ptr_null(poolblocks_around(&set, 16 * i + 10));
		ck_assert_ptr_null(poolblocks_at(&set, 16 * i + 1));
	}
}
END_TEST

START_TEST(the_neighbours_of_an_address_are_those_beside_it)
{
	add_many(101);
	ck_assert_uint_eq(start_of(poolblocks_before(&set, 16 * 50 + 12)), 16 * 50);
	ck_assert_uint_eq(start_of(poolblocks_behind(&set, 16 * 50)), 16 * 51);
	ck_assert_uint_eq(start_of(poolblocks_before(&set, 16)), 16);
	ck_assert_ptr_null(poolblocks_before(&set, 15));
	ck_assert_uint_eq(start_of(poolblocks_behind(&set, 0)), 16);
	ck_assert_ptr_null(poolblocks_behind(&set, 16 * 101));
}
END_TEST

START_TEST(a_range_has_the_blocks_with_a_byte_of_it)
{
	add(0x1000, 0x20);
	add(0x1040, 0);
	add(0x1050, 0x10);
	ck_assert_uint_eq(start_of(poolblocks_first(&set, 0x101f, 0x1020)), 0x1000);
	ck_assert_ptr_null(poolblocks_first(&set, 0x1020, 0x1040));
	ck_assert_uint_eq(start_of(poolblocks_first(&set, 0x1020, 0x1041)), 0x1040);
	ck_assert_uint_eq(start_of(poolblocks_first(&set, 0x1040, 0x1040)), 0x1040);
	ck_assert_uint_eq(start_of(poolblocks_first(&set, 0x1041, 0x2000)), 0x1050);
	ck_assert_ptr_null(poolblocks_first(&set, 0x1060, 0x2000));
}
END_TEST

START_TEST(what_is_removed_is_gone_and_the_rest_is_not)
{
	enum { MANY = 1009 };

	add_many(MANY);
	for (uint64_t i = 1; i <= MANY; i += 2)
		poolblocks_remove(&set, 16 * i);
	poolblocks_remove(&set, 7);
	ck_assert_uint_eq(set.count, MANY / 2);
	for (uint64_t i = 1; i <= MANY; i++)
		ck_assert_uint_eq(start_of(poolblocks_at(&set, 16 * i)), i % 2 ? 0 : 16 * i);
	poolblocks_clear(&set, 16 * 100 + 9, 16 * 200 + 1);
	ck_assert_uint_eq(set.count, MANY / 2 - 51);
	ck_assert_ptr_null(poolblocks_at(&set, 16 * 100));
	ck_assert_ptr_null(poolblocks_at(&set, 16 * 200));
	ck_assert_ptr_nonnull(poolblocks_at(&set, 16 * 98));
	ck_assert_ptr_nonnull(poolblocks_at(&set, 16 * 202));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_block_is_found_by_the_bytes_in_it,
	    the_neighbours_of_an_address_are_those_beside_it,
	    a_range_has_the_blocks_with_a_byte_of_it, what_is_removed_is_gone_and_the_rest_is_not,
	    NULL};

	return run_tests("softpmu poolblocks", tests, set_up, tear_down);
}
