/*
 * rr_record and rr_record_until with `test`: the framework's own filter picks it, and the answer
 * says what was added. tests/unit/worker/test_test_choice.c has each framework.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "named_tests"

static const char *const recorders[] = {"rr_record", "rr_record_until"};

START_TEST(one_test_is_picked_by_the_programs_own_filter)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);

	expect_all(client_tool(place.client, recorders[_i], "{s:[s, s], s:s}", "command", program,
		       "-v", "test", "Math.adds"),
	    IS("stdout", "[-v][--gtest_filter=Math.adds][]\n"),
	    IS("test", "GoogleTest: --gtest_filter=Math.adds"));
}
END_TEST

/* Without it, the words are the caller's. */
START_TEST(without_a_test_nothing_is_added)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);

	expect_all(client_tool(place.client, "rr_record", "{s:[s]}", "command", program),
	    IS("stdout", "[]\n"), ABSENT("test"));
}
END_TEST

START_TEST(a_program_without_a_known_framework_is_refused)
{
	cleanup_place struct place place = place_open();

	json_auto_t *failed = client_tool_fails(place.client, recorders[_i], "unsupported",
	    "{s:[s], s:s}", "command", "/bin/true", "test", "adds");
	expect_within(failed, "message", "which test framework");
	expect_within(failed, "hint", "filter into command");
}
END_TEST

/* Its trace ends with status 1, because the program has two words. */
START_TEST(the_command_line_tells_what_it_added)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program(PROGRAM);
	cleanup_free char *said = harness_path(folder, "said");

	harness_shell(
	    "cd '%s' && '%s' record-until -n 1 --no-chaos --trace-dir=trace --test=Math.adds "
	    "-- '%s' -v >'%s' 2>&1; test $? = 1",
	    folder, harness_server(), program, said);
	cleanup_free char *text = harness_file(said);
	ck_assert_msg(strstr(text, "Test picked by GoogleTest: --gtest_filter=Math.adds\n") != NULL,
	    "%s", text);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{one_test_is_picked_by_the_programs_own_filter, 2},
	    {without_a_test_nothing_is_added, 1},
	    {a_program_without_a_known_framework_is_refused, 2},
	    {the_command_line_tells_what_it_added, 1}, {NULL, 0}};

	return scene_main_loops("one_test", tests, (const char *const[]){NULL});
}
