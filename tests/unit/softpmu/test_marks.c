/*
 * What rr reads where no program has memory, and what it reads elsewhere, up to the end of all
 * addresses: gdb does so where an unwound stack pointer is 0.
 */
#include <check.h>
#include <stdint.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/scan/racecheck.h"
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
	uint64_t buffer[4];

	for (uint64_t before = 1; before <= sizeof buffer; before++) {
		ck_assert(!passkeys_read(&keys, 0 - before, buffer, sizeof buffer));
		ck_assert(!tally_read(&tally, -1, 0 - before, buffer, sizeof buffer));
		ck_assert(!racecheck_read(&races, -1, 0 - before, buffer, sizeof buffer));
	}
	ck_assert(passkeys_read(&keys, KEYMARK_TABLE, buffer, sizeof buffer));
	ck_assert_uint_eq(buffer[0], KEYS_ON);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_part_ends_where_the_whole_ends, the_last_bytes_of_all_addresses_are_no_mark, NULL};

	return run_tests("softpmu marks", tests, NULL, NULL);
}
