/*
 * What rr reads where no program has memory, and what it reads elsewhere, up to the end of all
 * addresses: gdb does so where an unwound stack pointer is 0.
 */
#include <check.h>
#include <stdint.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/legs/linecount.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/softpmu/traps/passkeys.h"
#include "worker/softpmu/traps/tally.h"
#include "worker/x86/keymark.h"
#include "worker/x86/tallymark.h"
#include "tests/runner.h"

START_TEST(a_part_ends_where_the_whole_ends)
{
	ck_assert(address_is_part(0x1000, 8, 0x1000, 8));
	ck_assert(address_is_part(0x1004, 4, 0x1000, 8));
	ck_assert(!address_is_part(0x1004, 5, 0x1000, 8));
	ck_assert(!address_is_part(0xfff, 1, 0x1000, 8));
	ck_assert(!address_is_part(UINT64_MAX - 7, 8, 0x1000, 8));
	ck_assert(!address_is_part(UINT64_MAX - 7, 16, 0x1000, 8));
	ck_assert(!address_is_part(0x1000, UINT64_MAX, 0x1000, 8));
}
END_TEST

START_TEST(the_last_bytes_of_all_addresses_are_no_mark)
{
	static struct passkeys keys = {.state = KEYS_ON};
	static struct tally tally = {.table.state = TALLY_ON};
	static struct racecheck races = {.table.state = RACE_ON};
	static struct linecount lines = {.table.state = LINES_ON};
	uint64_t buffer[4];

	for (uint64_t before = 1; before <= sizeof buffer; before++) {
		ck_assert(!passkeys_read(&keys, 0 - before, buffer, sizeof buffer));
		ck_assert(!tally_read(&tally, -1, 0 - before, buffer, sizeof buffer));
		ck_assert(!racecheck_read(&races, -1, 0 - before, buffer, sizeof buffer));
		ck_assert(!linecount_read(&lines, -1, 0 - before, buffer, sizeof buffer));
	}
	ck_assert(passkeys_read(&keys, KEYMARK_TABLE, buffer, sizeof buffer));
	ck_assert_uint_eq(buffer[0], KEYS_ON);
}
END_TEST

/* Who asks sees by the number of them that some were not taken. */
START_TEST(instructions_to_count_are_taken_in_their_order)
{
	static const struct {
		const char *packets[2];
		uint64_t count;
	} rows[] = {{{"QRRWarden.lines:a,10,20,30"}, 3},
	    {{"QRRWarden.lines:a,10,20", "QRRWarden.lines:a,21,ffffffffff600000"}, 4},
	    {{"QRRWarden.lines:a,10,10"}, 1}, {{"QRRWarden.lines:a,20,10,30"}, 2},
	    {{"QRRWarden.lines:a"}, 0}, {{"QRRWarden.lines:a,"}, 1}, {{"QRRWarden.lines:a,zz"}, 1},
	    {{"QRRWarden.lines:p,ffffffffffffffff"}, 0}};
	static struct linecount lines;
	struct line_table table;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		linecount_take(&lines, 0, "QRRWarden.lines:b");
		for (size_t j = 0; j < 2 && rows[i].packets[j]; j++)
			linecount_take(&lines, 0, rows[i].packets[j]);
		ck_assert(linecount_read(&lines, -1, LINEMARK, &table, sizeof table));
		ck_assert_uint_eq(table.state, LINES_ON);
		ck_assert_uint_eq(table.count, rows[i].count);
	}
	linecount_take(&lines, 0, "");
	ck_assert(!linecount_read(&lines, -1, LINEMARK, &table, sizeof table));
	linecount_take(&lines, 0, "QRRWarden.lines:a,10"); /* nothing was begun */
	ck_assert(!linecount_read(&lines, -1, LINEMARK, &table, sizeof table));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_part_ends_where_the_whole_ends,
	    the_last_bytes_of_all_addresses_are_no_mark,
	    instructions_to_count_are_taken_in_their_order, NULL};

	return run_tests("softpmu marks", tests, NULL, NULL);
}
