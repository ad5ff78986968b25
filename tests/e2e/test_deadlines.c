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

/* The moment from which a question that was cut off goes on, to be freed; NULL: it was not. */
static char *goes_on_from(const json_t *answer)
{
	static const char word[] = "from=";
	const char *said = json_string_value(json_object_get(answer, "cut_off"));
	const char *at = said ? strstr(said, word) : NULL;

	return at ? strndup(at + sizeof(word) - 1, strcspn(at + sizeof(word) - 1, ",")) : NULL;
}

static long long count_of(const json_t *answer, const char *text)
{
	const char *source = answer_text(answer, "source"), *at = strstr(source, text);

	ck_assert_ptr_nonnull(at);
	while (at > source && at[-1] != '\n')
		at--;
	return strtoll(at, NULL, 10);
}

/* What is counted up to there and what is counted from there on is all. */
START_TEST(a_count_of_lines_that_is_cut_off_goes_on_exactly_there)
{
	cleanup_scene struct scene scene = scene_open("busy 20", NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	json_auto_t *cut = client_tool(scene.client, "rr_lines_executed", "{s:s, s:i}", "location",
	    "mix", "deadline", DEADLINE_S);
	cleanup_free char *from = goes_on_from(cut);

	ck_assert_msg(from != NULL, "not cut off: %s", answer_show(cut));
	expect_same_gdb(scene.client, answer_text(end, "moment"));
	json_auto_t *rest = client_tool(
	    scene.client, "rr_lines_executed", "{s:s, s:s}", "location", "mix", "from", from);
	ck_assert_int_gt(count_of(cut, "return x;"), 0);
	ck_assert_int_eq(count_of(cut, "return x;") + count_of(rest, "return x;"), 20 * 300000);
	ck_assert_int_eq(count_of(cut, "x = x *") + count_of(rest, "x = x *"), 20 * 30000000);
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
	    a_count_of_lines_that_is_cut_off_goes_on_exactly_there,
	    a_search_backward_that_is_cut_off_leaves_gdb_alive, NULL};
	return scene_main("deadlines", tests, (const char *const[]){"busy", "busy 20", NULL});
}
