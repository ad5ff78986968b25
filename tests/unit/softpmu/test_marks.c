/*
 * What rr reads where no program has memory, and what it reads elsewhere, up to the end of all
 * addresses: gdb does so where an unwound stack pointer is 0.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

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

/* A stack as three calls leave it, the innermost one first: its frame has 16 bytes, that of its
 * caller is found by rbp, which it keeps. */
static uint64_t stack[16];

static struct user_regs_struct innermost(void)
{
	stack[2] = 0x2000;
	stack[3] = (uintptr_t)&stack[9]; /* the rbp of the third */
	stack[4] = 0x3000;
	stack[6] = 0x4000;
	return (struct user_regs_struct){
	    .rip = 0x1000, .rsp = (uintptr_t)stack, .rbp = (uintptr_t)&stack[3]};
}

static const char *const rules_of_stack[] = {
    "QRRWarden.rule:1000,18,0,0", "QRRWarden.rule:2000,10,10,1", "QRRWarden.rule:3000,10,0,0"};

START_TEST(a_key_is_made_of_as_many_callers_as_are_named)
{
	const uint64_t two = key_of_callers(0x2000, 0x3000), three = key_of_callers(two, 0x4000);
	const uint64_t named[] = {0x2000, two, three};
	const struct user_regs_struct regs = innermost();
	static struct passkeys keys;

	for (int depth = 1; depth <= 3; depth++) {
		uint64_t key = 0x2000;
		char packet[40];

		passkeys_take(&keys, "QRRWarden.keys:");
		ck_assert(!passkeys_find(&keys, getpid(), &regs, &key));
		snprintf(packet, sizeof packet, "QRRWarden.key:%llx",
		    (unsigned long long)named[depth - 1]);
		passkeys_take(&keys, packet);
		for (int i = 0; i < depth; i++) {
			ck_assert(depth == 1 || !passkeys_find(&keys, getpid(), &regs, &key));
			ck_assert_uint_eq(key, 0x2000);
			passkeys_take(&keys, rules_of_stack[i]);
		}
		ck_assert(passkeys_find(&keys, getpid(), &regs, &key));
		ck_assert_uint_eq(key, named[depth - 1]);
		key = 0x2008; /* the rules lead elsewhere */
		ck_assert(!passkeys_find(&keys, getpid(), &regs, &key));
		ck_assert_uint_eq(key, 0x2008);
	}
}
END_TEST

START_TEST(each_key_has_its_row_and_its_sum)
{
	static struct passkeys keys;
	struct key_table table;
	char packet[40];

	passkeys_take(&keys, "QRRWarden.keys:");
	for (uint64_t i = 0; i <= KEYS_MAX; i++) {
		snprintf(packet, sizeof packet, "QRRWarden.key:%llx", (unsigned long long)i << 12);
		passkeys_take(&keys, packet);
		passkeys_take(&keys, packet);
	}
	for (uint64_t i = 0; i < KEYS_MAX; i++)
		passkeys_count(&keys, i << 12, i, i);
	passkeys_count(&keys, 1 << 12, (uint64_t)-5, 7);
	passkeys_take(&keys, "QRRWarden.shown:1");
	ck_assert(passkeys_read(&keys, KEYMARK_TABLE, &table, sizeof table));
	ck_assert_uint_eq(table.count, KEYS_MAX);
	ck_assert_uint_eq(table.state, KEYS_ON | KEYS_NEGATIVE);
	ck_assert_uint_eq(table.row[0].key, 1 << 12);
	ck_assert_uint_eq(table.row[0].count, 2);
	ck_assert_uint_eq(table.row[0].last, 7);
	ck_assert_int_eq(table.row[0].sum, -4);
	ck_assert_int_eq(table.row[KEYS_SHOWN - 1].sum, KEYS_SHOWN);
	passkeys_count(&keys, 2 << 12, INT64_MAX, 8);
	ck_assert(passkeys_read(&keys, KEYMARK_TABLE, &table, sizeof table));
	ck_assert(table.state & KEYS_LOST);
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
	    a_key_is_made_of_as_many_callers_as_are_named, each_key_has_its_row_and_its_sum,
	    instructions_to_count_are_taken_in_their_order, NULL};

	return run_tests("softpmu marks", tests, NULL, NULL);
}
