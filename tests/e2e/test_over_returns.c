/*
 * rr_check_memory finds the first write over each return address, and none where a program leaves
 * calls in other ways than by returning.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PLAIN	  "over_returns"
#define OPTIMIZED "over_returns_O2"
#define RIGHT	  "over_returns -1"
#define RIGHT_O2  "over_returns_O2 -1"
#define CAUGHT	  "caught"
#define CAUGHT_O2 "caught_O2"

static json_t *check_all(struct scene *scene)
{
	return client_tool(scene->client, "rr_check_memory", "{s:i}", "limit", 100);
}

/* Who writes may be inlined. */
static void expect_three(const char *program)
{
	cleanup_scene struct scene scene = scene_open(program, NULL);

	expect_all(check_all(&scene), COUNT("findings", 3),
	    HAS("findings.0.what", ": over the return address of by_bytes"),
	    HAS("findings.0.frame.at", "over_returns.c:"),
	    HAS("findings.1.what", ": over the return address of by_copy"),
	    IS("findings.1.frame.function", "by_copy"), HAS("findings.2.what", "write of 8 bytes"),
	    HAS("findings.2.what", ": over the return address of by_a_callee"),
	    IS("findings.2.frame.function", "write_there"));
}

START_TEST(a_write_over_a_return_address_is_found_with_the_function_that_would_return)
{
	expect_three(PLAIN);
}
END_TEST

START_TEST(optimized_code_is_no_exception)
{
	expect_three(OPTIMIZED);
}
END_TEST

START_TEST(the_first_byte_is_what_is_found)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *answer = check_all(&scene);

	expect_within(answer, "findings.0.what", "write of 1 byte at 0x");
	client_tool_done(
	    scene.client, "rr_goto", "{s:s}", "moment", answer_text(answer, "findings.0.moment"));
	expect_all(client_tool(scene.client, "rr_backtrace", NULL), IS("frames.0.function", "fill"),
	    IS("frames.1.function", "by_bytes"), IS("frames.2.function", "main"));
}
END_TEST

/* longjmp, contexts that are left and begun anew, a signal, a hook; exceptions. */
START_TEST(calls_that_are_left_in_other_ways_are_no_findings)
{
	static const char *const programs[] = {RIGHT, RIGHT_O2, CAUGHT, CAUGHT_O2};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		cleanup_scene struct scene scene = scene_open(programs[i], NULL);

		expect_all(check_all(&scene), ABSENT("findings"), ABSENT("cut_off"),
		    HAS("conclusion", "no return address was written over"));
	}
}
END_TEST

START_TEST(a_check_of_return_addresses_changes_nothing)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_same_end(&scene, check_all);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_write_over_a_return_address_is_found_with_the_function_that_would_return,
	    optimized_code_is_no_exception, the_first_byte_is_what_is_found,
	    calls_that_are_left_in_other_ways_are_no_findings,
	    a_check_of_return_addresses_changes_nothing, NULL};

	return scene_main("over_returns", tests,
	    (const char *const[]){PLAIN, OPTIMIZED, RIGHT, RIGHT_O2, CAUGHT, CAUGHT_O2, NULL});
}
