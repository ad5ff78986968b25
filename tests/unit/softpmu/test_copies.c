/*
 * Which names copy, and which of their blocks overlap.
 */
#include <check.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "worker/softpmu/calls/copies.h"
#include "tests/runner.h"

START_TEST(a_name_is_known_with_and_without_checks)
{
	static const struct {
		const char *name;
		uint8_t copier;
	} rows[] = {{"memcpy", CHECK_MEMCPY}, {"__memcpy_chk", CHECK_MEMCPY},
	    {"mempcpy", CHECK_MEMPCPY}, {"__mempcpy", CHECK_MEMPCPY},
	    {"__strncat_chk", CHECK_STRNCAT}, {"__stpcpy", CHECK_STPCPY},
	    {"memmove", CHECK_NO_COPIER}, {"__memmove_chk", CHECK_NO_COPIER},
	    {"__memcpy", CHECK_NO_COPIER}, {"memcpy_chk", CHECK_NO_COPIER},
	    {"wmemcpy", CHECK_NO_COPIER}, {"", CHECK_NO_COPIER}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_msg(copies_number(rows[i].name) == rows[i].copier, "%s", rows[i].name);
}
END_TEST

static bool overlap(uint8_t copier, uint64_t from, uint64_t to, uint64_t size)
{
	return copies_overlap(copier, &(struct copies_call){to, size, from, size});
}

START_TEST(blocks_overlap_by_one_byte_or_more)
{
	ck_assert(overlap(CHECK_MEMCPY, 100, 109, 10));
	ck_assert(overlap(CHECK_MEMCPY, 109, 100, 10));
	ck_assert(!overlap(CHECK_MEMCPY, 100, 110, 10));
	ck_assert(!overlap(CHECK_MEMCPY, 110, 100, 10));
	ck_assert(!overlap(CHECK_MEMCPY, 100, 100, 10));
	ck_assert(!overlap(CHECK_MEMCPY, 100, 101, 0));
	ck_assert(overlap(CHECK_MEMCPY, 1 << 20, (1 << 20) + COPIES_NEAR + 1, 1 << 19));
}
END_TEST

START_TEST(strings_overlap_also_with_themselves_unless_they_are_far_apart)
{
	ck_assert(overlap(CHECK_STRCPY, 100, 100, 4));
	ck_assert(overlap(CHECK_STRCPY, 1 << 20, (1 << 20) + COPIES_NEAR - 1, 1 << 19));
	ck_assert(!overlap(CHECK_STRCPY, 1 << 20, (1 << 20) + COPIES_NEAR, 1 << 19));
	ck_assert(overlap(CHECK_STRCPY, (1 << 20) + COPIES_NEAR, 1 << 20, 1 << 19));
}
END_TEST

static struct copies_call call_of(uint8_t copier, const char *to, const char *from, uint64_t most)
{
	const struct user_regs_struct regs = {
	    .rdi = (uintptr_t)to, .rsi = (uintptr_t)from, .rdx = most};
	struct copies_call call = {0};

	ck_assert(copies_of(copier, getpid(), &regs, &call));
	return call;
}

/* The memory that is read is this process's own. */
START_TEST(a_string_is_read_up_to_its_end_or_the_most_that_is_asked_for)
{
	static char to[16] = "abcde", from[16] = "1234567";

	ck_assert_uint_eq(call_of(CHECK_MEMCPY, to, from, 3).source_size, 3);
	ck_assert_uint_eq(call_of(CHECK_STRCPY, to, from, 3).source_size, 8);
	ck_assert_uint_eq(call_of(CHECK_STRCPY, to, from, 3).destination_size, 8);
	ck_assert_uint_eq(call_of(CHECK_STRNCPY, to, from, 3).source_size, 3);
	ck_assert_uint_eq(call_of(CHECK_STRNCPY, to, from, 12).source_size, 8);
	ck_assert_uint_eq(call_of(CHECK_STRNCPY, to, from, 12).destination_size, 12);
	ck_assert_uint_eq(call_of(CHECK_STRCAT, to, from, 0).destination_size, 13);
	ck_assert_uint_eq(call_of(CHECK_STRNCAT, to, from, 2).destination_size, 8);
	ck_assert_uint_eq(call_of(CHECK_STRNCAT, to, from, 2).source_size, 2);
}
END_TEST

START_TEST(what_cannot_be_read_is_nothing)
{
	const struct user_regs_struct regs = {.rdi = 16, .rsi = 8};
	struct copies_call call;

	ck_assert(!copies_of(CHECK_STRCPY, getpid(), &regs, &call));
	ck_assert(!copies_of(CHECK_NO_COPIER, getpid(), &regs, &call));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_name_is_known_with_and_without_checks,
	    blocks_overlap_by_one_byte_or_more,
	    strings_overlap_also_with_themselves_unless_they_are_far_apart,
	    a_string_is_read_up_to_its_end_or_the_most_that_is_asked_for,
	    what_cannot_be_read_is_nothing, NULL};

	return run_tests("softpmu copies", tests, NULL, NULL);
}
