/*
 * Searches whose deadline comes long before their end: they say how much they have searched, and
 * the session goes on with the same gdb. No machine is fast enough to end them in time.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define DEADLINE_S 1

static long long ticks_of(const char *moment)
{
	return strtoll(strchr(moment, ':') + 1, NULL, 10);
}

/* "... searched up to 169:1148981@1139.5f (below 1%); ..." is about work, not about events. */
static void expect_share(const json_t *answer, long long all)
{
	const char *said = strstr(answer_text(answer, "cut_off"), "up to ");
	const char *share = said ? strchr(said, '(') : NULL;

	ck_assert_ptr_nonnull(share);
	const long long searched = ticks_of(said) * 100 / all;
	const long long told = strncmp(share, "(below", 6) == 0 ? 0 : strtoll(share + 1, NULL, 10);
	ck_assert_int_le(llabs(told - searched), 1);
}

/* Nothing had to restore the session, and it stands where it stood. */
static void expect_same_gdb(struct client *client, const char *moment)
{
	expect_all(client_tool(client, "rr_when", NULL), IS("moment", moment), ABSENT("restored"));
}

START_TEST(a_search_that_is_cut_off_tells_its_share_of_the_work)
{
	cleanup_scene struct scene scene = scene_open("busy", NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	const char *moment = answer_text(end, "moment");
	/* Fractions are gdb's own: it stops at each call to judge them. */
	json_auto_t *answer = client_tool(scene.client, "rr_trace_calls", "{s:s, s:i, s:s}",
	    "location", "mix", "deadline", DEADLINE_S, "condition", "x == 0.5");

	expect_share(answer, ticks_of(moment));
	expect_same_gdb(scene.client, moment);
}
END_TEST

/* In the run that tells which lines ran; in one of those that count the passes of one place; or,
 * after them, where each pass stops. */
START_TEST(a_count_of_lines_that_is_cut_off_says_so)
{
	static const int seconds[] = {DEADLINE_S, 8 * DEADLINE_S};
	cleanup_scene struct scene scene = scene_open("busy", NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		expect_all(client_tool(scene.client, "rr_lines_executed", "{s:s, s:i}", "location",
			       "mix", "deadline", seconds[i]),
		    HAS("cut_off", "the time is over"), HAS("cut_off", "to go on"));
		expect_same_gdb(scene.client, answer_text(end, "moment"));
	}
}
END_TEST

START_TEST(a_search_backward_that_is_cut_off_leaves_gdb_alive)
{
	cleanup_scene struct scene scene = scene_open("busy", NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");

	json_auto_t *answer = client_tool(scene.client, "rr_last_time", "{s:s, s:s, s:i}",
	    "location", "mix", "condition", "x == 0.5", "deadline", DEADLINE_S);
	expect_all(json_incref(answer), HAS("conclusion", "in the part that was searched"),
	    HAS("cut_off", "searched back to "),
	    HAS("cut_off", "%); to go on, give a longer deadline"));
	expect_same_gdb(scene.client, answer_text(end, "moment"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_search_that_is_cut_off_tells_its_share_of_the_work,
	    a_count_of_lines_that_is_cut_off_says_so,
	    a_search_backward_that_is_cut_off_leaves_gdb_alive, NULL};
	return scene_main("deadlines", tests, (const char *const[]){"busy", NULL});
}
