/*
 * Names of functions are the program's: none may end the quotes around it in a line of Python.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/investigate/calls/inlined_pass.h"

#define HOSTILE "f'),print('"

static void set_up(void)
{
	session_begin(SCRIPT({0}));
	replay->taught.inlined = true;
}

static void tear_down(void)
{
	session_end();
}

START_TEST(no_frame_is_looked_for_by_a_name_with_quotes)
{
	ck_assert_int_eq(inlined_pass_level(replay, HOSTILE), -1);
}
END_TEST

START_TEST(no_place_is_judged_by_a_name_with_quotes)
{
	struct spot spots[] = {{.address = 0x1000}};
	struct function_code code = {.spots = spots, .count = 1};

	ck_assert(!inlined_pass_mark(replay, HOSTILE, &code));
	ck_assert(!spots[0].outside);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {no_frame_is_looked_for_by_a_name_with_quotes,
	    no_place_is_judged_by_a_name_with_quotes, NULL};

	return run_tests("inlined pass", tests, set_up, tear_down);
}
