/*
 * rr_catch and rr_breakpoint_update: stops at things without a line of their own, and changed
 * breakpoints. A restored session has both again.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define WORKER "rr-warden-worke" /* as comm cuts it */

static const char *const builds[] = {"containers", "containers_O2"};

static json_t *go_on(struct scene *scene, bool reverse)
{
	return client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse);
}

static void catch (struct scene *scene, const char *kind, const char *filter)
{
	client_tool_done(scene->client, "rr_catch", "{s:s, s:s}", "kind", kind, "filter", filter);
}

/* The worker dies; the call that finds it dead may fail, the next one is served. */
static void lose_worker(struct scene *scene)
{
	kill(census_find(client_pid(scene->client), WORKER, 0), SIGKILL);
	long long id = client_tool_send(scene->client, "rr_when", NULL);
	json_decref(client_wait(scene->client, id, HARNESS_TIMEOUT_S));
}

/* "throws bank::failure in parse at .../containers.cc:58" */
static void expect_told(
    const json_t *stop, const char *what, const char *function, const char *text)
{
	const char *told = answer_text(stop, "conclusion");
	char begin[120], end[120];

	snprintf(begin, sizeof(begin), "%s in %s", what, function);
	snprintf(end, sizeof(end), "tests/programs/containers.cc:%lld",
	    harness_line("containers.cc", text));
	ck_assert_msg(strncmp(told, begin, strlen(begin)) == 0, "%s", told);
	ck_assert_msg(strstr(told, end) != NULL, "%s, not %s", told, end);
}

START_TEST(an_exception_of_a_type_is_caught_where_it_is_thrown_in_both_directions)
{
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);

	client_tool_done(scene.client, "rr_catch", "{s:s}", "filter", "bank::failure");
	json_auto_t *stop = go_on(&scene, false);
	expect_text(stop, "reason", "breakpoint");
	expect_told(stop, "throws bank::failure", "parse", "/* of our own */");
	lose_worker(&scene);
	json_auto_t *end = go_on(&scene, false);
	expect_text(end, "reason", "end");
	json_auto_t *again = go_on(&scene, true);
	expect_told(again, "throws bank::failure", "parse", "/* of our own */");
	expect_text(again, "moment", answer_text(stop, "moment"));
}
END_TEST

START_TEST(a_filter_means_just_that_type)
{
	static const char *const types[] = {"int", "std::invalid_argument", "failure", "argument"};
	static const char *const told[] = {
	    "throws int in", "throws std::invalid_argument in", "throws bank::failure in", NULL};
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);

	for (size_t i = 0; i < 4; i++) {
		json_auto_t *set =
		    client_tool(scene.client, "rr_catch", "{s:s}", "filter", types[i]);
		json_t *stop = go_on(&scene, i % 2 == 1), *next;
		if (told[i] != NULL)
			ck_assert_ptr_eq(strstr(answer_text(stop, "conclusion"), told[i]),
			    answer_text(stop, "conclusion"));
		next = go_on(&scene, i % 2 == 1);
		ck_assert_str_ne(answer_text(next, "reason"), "breakpoint");
		client_tool_done(scene.client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number",
		    (json_int_t)answer_number(set, "number"));
		client_tool_done(
		    scene.client, "rr_goto", "{s:s}", "moment", i % 2 ? "start" : "end");
		json_decref(next);
		json_decref(stop);
	}
}
END_TEST

/* The caller of parse_or_zero sees 0: what went wrong, and where was it swallowed? */
START_TEST(a_swallowed_exception_is_seen_where_it_is_caught)
{
	static const char *const types[] = {
	    "catches bank::failure", "catches std::invalid_argument", "catches int"};
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);

	client_tool_done(scene.client, "rr_catch", "{s:s}", "kind", "catch");
	for (size_t i = 0; i < 3; i++) {
		json_auto_t *stop = go_on(&scene, false);
		char begin[100];
		snprintf(begin, sizeof(begin), "%s in parse_or_zero at", types[i]);
		ck_assert_ptr_eq(strstr(answer_text(stop, "conclusion"), begin),
		    answer_text(stop, "conclusion"));
	}
	json_auto_t *end = go_on(&scene, false);
	expect_text(end, "reason", "end");
}
END_TEST

START_TEST(a_library_is_caught_when_it_is_loaded)
{
	cleanup_scene struct scene scene = scene_open("plugin", NULL);

	catch (&scene, "load", "libm.so");
	expect_answer_within(go_on(&scene, false), "conclusion", "loads libm.so.6 in main at");
	expect_answer(
	    client_tool(scene.client, "rr_breakpoint_list", NULL), "breakpoints.0.catches", "load");
	json_decref(go_on(&scene, false));
	expect_answer_within(go_on(&scene, true), "conclusion", "loads libm.so.6 in main at");
}
END_TEST

START_TEST(a_fork_is_caught_in_the_process_that_forks)
{
	cleanup_scene struct scene scene = scene_open("fork_tree", NULL);

	catch (&scene, "fork", "fork");
	expect_answer_within(go_on(&scene, false), "conclusion", "starts a process in main at");
	expect_answer_within(go_on(&scene, false), "conclusion", "starts a process in grow at");
	client_tool_refused(scene.client, "rr_catch", "invalid_argument", "{s:s, s:s}", "kind",
	    "fork", "filter", "clone");
}
END_TEST

START_TEST(a_signal_that_was_passed_over_stops_and_stops_again_after_a_loss)
{
	cleanup_scene struct scene scene = scene_open("signals_timer", NULL);

	catch (&scene, "signal", "SIGALRM");
	expect_answer(go_on(&scene, false), "signal", "SIGALRM");
	lose_worker(&scene);
	expect_answer(go_on(&scene, false), "signal", "SIGALRM");
	client_tool_refused(
	    scene.client, "rr_catch", "invalid_argument", "{s:s}", "kind", "signal");
}
END_TEST

START_TEST(what_cannot_be_caught_is_refused_or_needs_no_catching)
{
	cleanup_scene struct scene scene = scene_open("exec_self", NULL);

	expect_answer_within(client_tool_fails(scene.client, "rr_catch", "unsupported",
				 "{s:s, s:s}", "kind", "syscall", "filter", "write"),
	    "hint", "rr_breakpoint_set");
	json_auto_t *execs = client_tool(scene.client, "rr_catch", "{s:s}", "kind", "exec");
	ck_assert_uint_gt(answer_count(execs, "images"), 1);
	client_tool_refused(scene.client, "rr_catch", "invalid_argument", "{s:s}", "filter",
	    "a\") || $_streq(\"\"");
	client_tool_refused(scene.client, "rr_catch", "not_allowed", "{s:s}", "filter", "$_shell");
}
END_TEST

static json_t *update(struct scene *scene, const char *name, json_t *value)
{
	return client_tool(scene->client, "rr_breakpoint_update", "{s:i, s:o}", "breakpoint_number",
	    1, name, value);
}

START_TEST(a_breakpoint_is_switched_off_and_on_and_keeps_its_number)
{
	cleanup_scene struct scene scene = scene_open("containers", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "parse");
	expect_all(update(&scene, "enabled", json_false()), TRUE("disabled"));
	lose_worker(&scene);
	json_auto_t *end = go_on(&scene, false);
	expect_text(end, "reason", "end");
	json_decref(update(&scene, "enabled", json_true()));
	expect_all(go_on(&scene, true), NUMBER("breakpoint", 1), IS("frame.function", "parse"));
}
END_TEST

START_TEST(a_condition_is_set_changed_kept_where_the_new_one_is_wrong_and_taken_off)
{
	cleanup_scene struct scene scene = scene_open("containers", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "parse");
	json_decref(update(&scene, "condition", json_string("text[0] == '-'")));
	client_tool_refused(scene.client, "rr_breakpoint_update", "invalid_argument", "{s:i, s:s}",
	    "breakpoint_number", 1, "condition", "nobody == 1");
	json_t *stop = go_on(&scene, false);
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "text[0]"), "value",
	    "'-'");
	json_decref(stop);
	expect_all(update(&scene, "condition", json_string("")), ABSENT("condition"));
	json_decref(update(&scene, "ignore_count", json_integer(1)));
	stop = go_on(&scene, false); /* over the empty text */
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "text[0]"), "value",
	    "'+'");
	json_decref(stop);
	client_tool_refused(scene.client, "rr_breakpoint_update", "not_found", "{s:i, s:b}",
	    "breakpoint_number", 9, "enabled", 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_exception_of_a_type_is_caught_where_it_is_thrown_in_both_directions,
	    a_filter_means_just_that_type, a_swallowed_exception_is_seen_where_it_is_caught,
	    a_library_is_caught_when_it_is_loaded, a_fork_is_caught_in_the_process_that_forks,
	    a_signal_that_was_passed_over_stops_and_stops_again_after_a_loss,
	    what_cannot_be_caught_is_refused_or_needs_no_catching,
	    a_breakpoint_is_switched_off_and_on_and_keeps_its_number,
	    a_condition_is_set_changed_kept_where_the_new_one_is_wrong_and_taken_off, NULL};
	return scene_main_builds("catch", tests,
	    (const char *const[]){"containers", "containers_O2", "plugin", "fork_tree",
		"signals_timer", "exec_self", NULL},
	    2);
}
