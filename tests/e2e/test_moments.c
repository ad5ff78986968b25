/*
 * rr_when_became and rr_last_time: the first and the last moment at which something held, as in a
 * plain run forward.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"
#include "tests/e2e/sweep.h"

static const struct point points[] = {
    {"value", true},
    {"touch", false},
    {NULL, false},
};

enum { VALUE, TOUCH };

static void expect_at(const json_t *answer, const struct hit *hit)
{
	ck_assert_int_eq(answer_event(answer, "moment"), hit->at.event);
	ck_assert_int_eq(answer_ticks(answer, "moment"), hit->at.ticks);
	expect_number(answer, "tid", hit->at.tid);
}

static void expect_first(struct client *client, const struct sweep *sweep, long long above)
{
	char predicate[32];

	snprintf(predicate, sizeof(predicate), "value > %lld", above);
	json_t *answer = client_tool(client, "rr_when_became", "{s:s}", "predicate", predicate);
	for (size_t i = 0; i < sweep->hit_count; i++)
		if (sweep->hits[i].point == VALUE && strtoll(sweep->hits[i].new, NULL, 0) > above) {
			expect_at(answer, &sweep->hits[i]);
			json_decref(answer);
			return;
		}
	ck_abort_msg("the value never is more than %lld", above);
}

static void expect_last(struct client *client, const struct sweep *sweep, long long round)
{
	size_t last = sweep->hit_count;
	char condition[32];

	for (size_t i = 0; i < sweep->hit_count; i++)
		if (sweep->hits[i].point == TOUCH && sweep->hits[i].round == round)
			last = i;
	ck_assert_uint_lt(last, sweep->hit_count);
	snprintf(condition, sizeof(condition), "round == %lld", round);
	json_auto_t *answer = client_tool(
	    client, "rr_last_time", "{s:s, s:s}", "location", "touch", "condition", condition);
	expect_at(answer, &sweep->hits[last]);
}

START_TEST(first_and_last_moments_are_what_a_run_forward_shows)
{
	cleanup_place struct place place = place_replay("walks", "signals");
	struct sweep *sweep = sweep_make(place.client, points);

	for (long long above = 0; above < 9; above += 4)
		expect_first(place.client, sweep, above);
	for (long long round = 0; round < 6; round += 5)
		expect_last(place.client, sweep, round);
	sweep_free(sweep);
}
END_TEST

static json_t *became(struct scene *scene, const char *predicate)
{
	return client_tool(scene->client, "rr_when_became", "{s:s}", "predicate", predicate);
}

START_TEST(what_is_true_for_a_while_is_found_the_first_time)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	json_auto_t *answer = became(&scene, "flag == 1");
	json_auto_t *flags =
	    client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "flag");
	ck_assert_int_eq(answer_event(answer, "moment"), answer_event(flags, "changes.0.moment"));
	expect_line(answer, "frame", harness_line("histories", "flag = i % 4"));
	ck_assert_int_le(answer_number(answer, "evaluations"), 4);

	/* If the search begins where it is true, that moment is the answer. */
	expect_answer_within(became(&scene, "flag == 0"), "conclusion", "already");
	expect_answer_within(became(&scene, "flag == 7"), "conclusion", "never");
}
END_TEST

START_TEST(what_lies_behind_a_pointer_is_true_once_it_is_there)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	expect_answer(became(&scene, "block && block->sum > 20"), "frame.function", "add");
}
END_TEST

START_TEST(a_local_is_asked_about_in_its_own_call)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "local_work");
	scene_run_to(&scene, "local_work");
	json_auto_t *mine =
	    client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "mine");

	json_auto_t *answer = became(&scene, "mine == 103");
	ck_assert_int_eq(answer_event(answer, "moment"), answer_event(mine, "changes.2.moment"));
	ck_assert_int_eq(answer_ticks(answer, "moment"), answer_ticks(mine, "changes.2.moment"));
	expect_within(answer, "note", "local_work");
}
END_TEST

START_TEST(what_cannot_be_watched_is_halved_and_says_what_it_assumes)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	/* A register: the base of the thread's own storage, which the dynamic linker sets once. */
	json_auto_t *answer = became(&scene, "$fs_base != 0");
	cleanup_free char *shown = answer_show(answer);
	ck_assert_msg(answer_at(answer, "assumed") != NULL, "%s", shown);
	ck_assert_int_le(answer_number(answer, "evaluations"), 2 * 8 + 4); /* of 138 events */
}
END_TEST

START_TEST(the_last_time_is_sought_before_now_and_the_session_stays)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "half");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "half");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *points_before = client_tool(scene.client, "rr_breakpoint_list", NULL);

	json_t *answer = client_tool(scene.client, "rr_last_time", "{s:s, s:s, s:[s]}", "location",
	    "add", "condition", "amount < 5", "evaluate", "amount");
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(answer, "evaluated"), "amount")), "4");
	json_decref(answer);
	client_tool_refused(scene.client, "rr_last_time", "not_found", "{s:s}", "location", "half");
	client_tool_refused(scene.client, "rr_last_time", "not_found", "{s:s, s:s}", "location",
	    "add", "condition", "amount > 99");
	client_tool_refused(scene.client, "rr_last_time", "not_allowed", "{s:s, s:s}", "location",
	    "add", "condition", "amount = 3");
	client_tool_refused(
	    scene.client, "rr_last_time", "invalid_argument", "{s:s}", "location", "adds");
	json_t *after = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *points_after = client_tool(scene.client, "rr_breakpoint_list", NULL);
	ck_assert(json_equal(before, after));
	ck_assert(json_equal(points_before, points_after));
	json_decref(after);

	answer =
	    client_tool(scene.client, "rr_last_time", "{s:s, s:b}", "location", "add", "move", 1);
	after = client_tool(scene.client, "rr_when", NULL);
	expect_text(after, "moment", answer_text(answer, "moment"));
	json_decref(answer);
	json_decref(after);
}
END_TEST

START_TEST(a_predicate_that_changes_something_or_names_nothing_is_refused)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);
	static const struct {
		const char *predicate, *from, *to, *code, *said;
	} cases[] = {
	    {"phase++", "start", "end", "not_allowed", "changes the program"},
	    {"half(2.0) > 0", "start", "end", "not_allowed", "calls"},
	    {"nosuch > 3", "start", "end", "invalid_argument", "No symbol"},
	    {"phase >", "start", "end", "invalid_argument", "syntax"},
	    {"phase > 1", "end", "start", "invalid_argument", "nothing to search"},
	};

	json_t *before = client_tool(scene.client, "rr_when", NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_auto_t *failure = client_tool_fails(scene.client, "rr_when_became",
		    cases[i].code, "{s:s, s:s, s:s}", "predicate", cases[i].predicate, "from",
		    cases[i].from, "to", cases[i].to);
		ck_assert_msg(strstr(answer_text(failure, "message"), cases[i].said) != NULL,
		    "%s: %s", cases[i].predicate, answer_text(failure, "message"));
	}
	expect_same(before, client_tool(scene.client, "rr_when", NULL));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {first_and_last_moments_are_what_a_run_forward_shows,
	    what_is_true_for_a_while_is_found_the_first_time,
	    what_lies_behind_a_pointer_is_true_once_it_is_there,
	    a_local_is_asked_about_in_its_own_call,
	    what_cannot_be_watched_is_halved_and_says_what_it_assumes,
	    the_last_time_is_sought_before_now_and_the_session_stays,
	    a_predicate_that_changes_something_or_names_nothing_is_refused, NULL};
	const char *const programs[] = {"histories", NULL};

	return scene_main("moments", tests, programs);
}
