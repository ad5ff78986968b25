/*
 * Which block an address belongs to that is in no live one, and what is told of the rest.
 */
#include <check.h>
#include <stddef.h>

#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/scan/heapblocks.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "tests/runner.h"

static struct heapblocks blocks;

static void set_up(void)
{
	blocks = (struct heapblocks){0};
}

static void tear_down(void)
{
	heapblocks_free(&blocks);
}

static void add(uint64_t start, uint64_t size, uint64_t made, uint64_t dropped)
{
	const struct heapblock block = {
	    .start = start, .size = size, .made = made, .dropped = dropped};

	ck_assert(heapblocks_add(&blocks, &block));
}

static uint64_t near(uint64_t address, enum heapblocks_where where)
{
	const struct heapblock *block = heapblocks_near(&blocks, address, where);

	return block ? block->made : 0;
}

START_TEST(a_block_is_found_by_where_it_begins)
{
	for (uint64_t i = 1; i <= 10000; i++)
		add(i * 16, 8, i, 0);
	ck_assert_uint_eq(heapblocks_find(&blocks, 16 * 777)->made, 777);
	ck_assert_ptr_null(heapblocks_find(&blocks, 8));
	ck_assert_ptr_null(heapblocks_find(&blocks, 0));
	add(16 * 777, 24, 20000, 0);
	ck_assert_uint_eq(heapblocks_find(&blocks, 16 * 777)->made, 20000);
	ck_assert_uint_eq(blocks.used, 10000);
}
END_TEST

START_TEST(an_address_behind_a_block_is_of_that_block)
{
	add(0x1000, 20, 1, 0);
	add(0x1020, 40, 2, 0);
	ck_assert_uint_eq(near(0x1014, HEAPBLOCKS_BESIDE), 1);
	ck_assert_uint_eq(near(0x101f, HEAPBLOCKS_BESIDE), 2);
	ck_assert_uint_eq(near(0x1050, HEAPBLOCKS_BESIDE), 2);
	ck_assert_uint_eq(near(0x1001, HEAPBLOCKS_IN_LIVE), 1);
	ck_assert_uint_eq(near(0x80000000, HEAPBLOCKS_BESIDE), 0);
}
END_TEST

/* Memory that was handed out again leaves older blocks in the table. */
START_TEST(of_freed_blocks_the_last_one_is_meant)
{
	add(0x1000, 400, 1, 5);
	add(0x1010, 300, 6, 9);
	add(0x1020, 16, 10, 0);
	ck_assert_uint_eq(near(0x1040, HEAPBLOCKS_IN_FREED), 6);
	ck_assert_uint_eq(near(0x1004, HEAPBLOCKS_IN_FREED), 1);
	ck_assert_uint_eq(near(0x1030, HEAPBLOCKS_BESIDE), 10);
}
END_TEST

START_TEST(a_live_block_is_meant_rather_than_a_freed_one_beside_it)
{
	add(0x1000, 24, 1, 5);
	add(0x1020, 24, 2, 0);
	ck_assert_uint_eq(near(0x1018, HEAPBLOCKS_BESIDE), 2);
}
END_TEST

START_TEST(a_set_of_addresses_takes_half_of_its_room)
{
	uint64_t set[16] = {0};
	size_t count = 0;

	for (uint64_t i = 1; i <= 8; i++)
		ck_assert(addressset_add(set, 16, &count, i << 40));
	ck_assert(!addressset_add(set, 16, &count, 77));
	ck_assert(!addressset_add(set, 16, &count, 3ull << 40));
	ck_assert(addressset_has(set, 16, 8ull << 40));
	ck_assert(!addressset_has(set, 16, 77));
	ck_assert(!addressset_has(set, 16, 0));
}
END_TEST

/* A shadow that is not mapped has room for no segment. */
START_TEST(heap_without_room_for_its_shadow_is_told_of)
{
	static struct heapcheck check;
	uint64_t state = 0;
	const uint64_t at = CHECKMARK + offsetof(struct check_table, state);

	heapcheck_take(&check, "QRRWarden.check:b,1");
	ck_assert(heapcheck_read(&check, -1, at, &state, sizeof state));
	ck_assert_uint_eq(state, CHECK_ON);
	heapshadow_mark(&check.shadow, 0x1000, 0x2000, SHADOW_OUTSIDE);
	ck_assert(heapcheck_read(&check, -1, at, &state, sizeof state));
	ck_assert_uint_eq(state, CHECK_ON | CHECK_NO_SHADOW);
	heapcheck_end(&check);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_block_is_found_by_where_it_begins,
	    an_address_behind_a_block_is_of_that_block, of_freed_blocks_the_last_one_is_meant,
	    a_live_block_is_meant_rather_than_a_freed_one_beside_it,
	    a_set_of_addresses_takes_half_of_its_room, heap_without_room_for_its_shadow_is_told_of,
	    NULL};

	return run_tests("softpmu heapblocks", tests, set_up, tear_down);
}
