/*
 * The names of moments: none is given twice, and a saved session knows what they stood for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session.h"
#include "tests/runner.h"
#include "worker/session/seen.h"

static struct moment at(long long event, unsigned long long pc, unsigned sum)
{
	return (struct moment){.event = event, .ticks = 500, .tid = 7, .pc = pc, .sum = sum};
}

static void expect_name(struct moment moment, const char *expected)
{
	json_auto_t *name = seen_name(replay, &moment);

	ck_assert_str_eq(json_string_value(name), expected);
}

static void expect_pc(struct moment moment, unsigned long long pc)
{
	const struct moment *found = seen_find(replay, &moment);

	ck_assert_uint_eq(found ? found->pc : 0, pc);
}

/* As another worker takes it over. */
static void save_and_restore(void)
{
	json_auto_t *saved = seen_save(replay);

	ck_assert_uint_le(json_string_length(saved), SEEN_SAVED_MAX);
	memset(replay->seen, 0, sizeof(replay->seen));
	replay->seen_next = 0;
	replay->seen_forgot = false;
	seen_restore(replay, saved);
}

static void name_many(long long count)
{
	for (long long i = 0; i < count; i++) {
		struct moment one = at(1000000 + i, 0x555555551000 + (unsigned long long)i, 1);
		json_decref(seen_name(replay, &one));
	}
}

static const struct {
	long long event;
	unsigned long long pc;
	unsigned sum;
	const char *name;
} named[] = {
    {20, 0x4010, 0xa, "20:500"},
    {20, 0x4014, 0xb, "20:500@4014"},
    {20, 0x4010, 0xc, "20:500@4010.c"},
    {20, 0x4014, 0xd, "20:500@4014.d"},
    {21, 0x4010, 0xc, "21:500"},
};
#define NAMED (sizeof(named) / sizeof(*named))

START_TEST(the_first_needs_no_instruction_and_each_other_has_a_name_of_its_own)
{
	for (size_t i = 0; i < 2 * NAMED; i++) /* twice: a name stays */
		expect_name(at(named[i % NAMED].event, named[i % NAMED].pc, named[i % NAMED].sum),
		    named[i % NAMED].name);
}
END_TEST

START_TEST(a_restored_session_knows_what_each_name_stood_for)
{
	expect_name(at(20, 0x4010, 0xa), "20:500");
	expect_name(at(20, 0x4014, 0xb), "20:500@4014");
	save_and_restore();
	expect_pc(at(20, 0, 0), 0x4010);
	expect_pc(at(21, 0, 0), 0);
	expect_name(at(20, 0x4014, 0xb), "20:500@4014");
	expect_name(at(20, 0x4010, 0xc), "20:500@4010.c");
	expect_name(at(22, 0x4010, 0xc), "22:500");
}
END_TEST

/* Whoever reads "20:500" in an earlier answer may mean what is forgotten. */
START_TEST(once_something_is_forgotten_new_names_are_full)
{
	expect_name(at(20, 0x4010, 0xa), "20:500");
	name_many(REPLAY_SEEN_MAX);
	expect_pc(at(20, 0, 0), 0);
	expect_name(at(20, 0x4014, 0xb), "20:500@4014.b");
	expect_name(at(1000000 + REPLAY_SEEN_MAX - 1, 0x555555551000 + REPLAY_SEEN_MAX - 1, 1),
	    "1004095:500");
}
END_TEST

START_TEST(what_is_saved_is_bounded_and_says_that_more_was_named)
{
	expect_name(at(20, 0x4010, 0xa), "20:500");
	name_many(REPLAY_SEEN_MAX / 2);
	save_and_restore();
	ck_assert_uint_gt(replay->seen_next, 100);
	expect_pc(at(20, 0, 0), 0);
	expect_pc(
	    at(1000000 + REPLAY_SEEN_MAX / 2 - 1, 0, 0), 0x555555551000 + REPLAY_SEEN_MAX / 2 - 1);
	expect_name(at(20, 0x4014, 0xb), "20:500@4014.b");
}
END_TEST

START_TEST(what_was_not_saved_by_a_session_is_left_out)
{
	json_auto_t *saved =
	    json_string(" 14:1f4:7:4010:a! nonsense :: 15:zz -1:1:1:1:1! 16:1:7:4020:b");

	seen_restore(replay, saved);
	expect_pc(at(20, 0, 0), 0x4010);
	expect_pc((struct moment){.event = 22, .ticks = 1, .pc = 0x4020}, 0x4020);
	expect_pc(at(21, 0, 0), 0);
	seen_restore(replay, NULL);
	ck_assert_uint_eq(replay->seen_next, 0);
}
END_TEST

static void begin(void)
{
	session_begin(SCRIPT({0}));
}

int main(void)
{
	const TTest *const tests[] = {
	    the_first_needs_no_instruction_and_each_other_has_a_name_of_its_own,
	    a_restored_session_knows_what_each_name_stood_for,
	    once_something_is_forgotten_new_names_are_full,
	    what_is_saved_is_bounded_and_says_that_more_was_named,
	    what_was_not_saved_by_a_session_is_left_out, NULL};

	return run_tests("seen", tests, begin, session_end);
}
