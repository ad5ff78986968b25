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

/* In the order in which they come; the first was never thrown. */
static const struct {
	const char *told, *function;
} passed_on[] = {
    {"makes, without a throw, an exception_ptr of std::future_error", "drop"},
    {"throws again std::future_error", "ask"},
    {"throws std::runtime_error", "fail"},
    {"throws again std::runtime_error", "ask"},
    {"throws std::runtime_error", "fail"},
    {"throws again std::runtime_error", "pass"},
    {"throws std::runtime_error", "fail"},
    {"throws std::_Nested_exception<std::logic_error>", "nest"},
    {"throws again std::runtime_error", "unnest"},
};

static void expect_passed_on(const json_t *stop, size_t i)
{
	char begin[120];

	snprintf(begin, sizeof(begin), "%s in %s at ", passed_on[i].told, passed_on[i].function);
	ck_assert_ptr_eq(
	    strstr(answer_text(stop, "conclusion"), begin), answer_text(stop, "conclusion"));
}

START_TEST(an_exception_that_is_passed_on_is_caught_where_it_is_made_and_thrown_again)
{
	cleanup_scene struct scene scene = scene_open("passed_on", NULL);
	const size_t count = sizeof(passed_on) / sizeof(*passed_on);

	client_tool_done(scene.client, "rr_catch", NULL);
	client_tool_done(scene.client, "rr_catch", "{s:s}", "kind", "rethrow");
	for (size_t i = 0; i < count; i++) {
		json_auto_t *stop = go_on(&scene, false);
		expect_passed_on(stop, i);
	}
	json_auto_t *end = go_on(&scene, false);
	expect_text(end, "reason", "end");
	json_auto_t *back = go_on(&scene, true);
	expect_passed_on(back, count - 1);
}
END_TEST

START_TEST(a_filter_finds_an_exception_that_was_never_thrown)
{
	cleanup_scene struct scene scene = scene_open("passed_on", NULL);

	client_tool_done(scene.client, "rr_catch", "{s:s}", "filter", "future_error");
	json_auto_t *stop = go_on(&scene, false);
	expect_passed_on(stop, 0);
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

/* The number of the moment that a row begins with. */
static char *moment_of(const json_t *row)
{
	const char *text = json_string_value(row);

	return strndup(text, strcspn(text, " "));
}

START_TEST(a_system_call_is_named_by_the_moments_just_before_it)
{
	static const char expression[] =
	    "*(unsigned short *)$pc == 0x050f && ($rax == 1 || $orig_rax == 1)";
	cleanup_scene struct scene scene = scene_open("straight", NULL);
	json_auto_t *answer = client_tool(
	    scene.client, "rr_catch", "{s:s, s:s}", "kind", "syscall", "filter", "write");

	expect_within(answer, "conclusion", "called write 1 time; the next one: ");
	expect_within(answer, "calls.0", ": write(0x1, ");
	cleanup_free char *moment = moment_of(answer_at(answer, "calls.0"));
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", moment);
	expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", expression),
	    "value", "1");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer_within(client_tool(scene.client, "rr_catch", "{s:s, s:s}", "kind", "syscall",
				 "filter", "write"),
	    "conclusion", "the next one: none");
	expect_answer_within(client_tool_fails(scene.client, "rr_catch", "not_found", "{s:s, s:s}",
				 "kind", "syscall", "filter", "sendfile"),
	    "hint", "write");
}
END_TEST

START_TEST(what_cannot_be_caught_is_refused_or_needs_no_catching)
{
	cleanup_scene struct scene scene = scene_open("exec_self", NULL);

	json_auto_t *execs = client_tool(scene.client, "rr_catch", "{s:s}", "kind", "exec");
	ck_assert_uint_gt(answer_count(execs, "images"), 1);
	client_tool_refused(scene.client, "rr_catch", "invalid_argument", "{s:s}", "filter",
	    "a\") || $_streq(\"\"");
	client_tool_refused(scene.client, "rr_catch", "not_allowed", "{s:s}", "filter", "$_shell");
}
END_TEST

/* ---- Both directions ------------------------------------------------------------------------- */

#define CATCHABLE   "catchable"
#define CAUGHT_MAX  16
#define CAUGHT_TEXT 200

/* The stops of a run, in the order of time. */
struct caught {
	char told[CAUGHT_MAX][CAUGHT_TEXT]; /* the conclusion, or the signal; and the ticks */
	size_t count;
};

static void keep(struct caught *caught, const json_t *stop)
{
	const json_t *signal = answer_at(stop, "signal");

	ck_assert_uint_lt(caught->count, CAUGHT_MAX);
	/* Backward, a signal stops before its event. */
	snprintf(caught->told[caught->count++], CAUGHT_TEXT, "%.150s at %lld",
	    signal ? json_string_value(signal) : answer_text(stop, "conclusion"),
	    answer_ticks(stop, "moment"));
}

static void run_to_edge(struct scene *scene, bool reverse, struct caught *caught)
{
	caught->count = 0;
	for (;;) {
		json_auto_t *stop = go_on(scene, reverse);

		if (strcmp(answer_text(stop, "reason"), reverse ? "start" : "end") == 0)
			return;
		keep(caught, stop);
	}
}

/* What is told of a run, apart from a library's second function that does the same for the first.
 */
static const struct {
	const char *kind, *filter;
	const char *told[7];
} caught_both_ways[] = {
    {"throw", NULL, {"throws int in fail", "throws std::length_error in fail"}},
    {"throw", "std::length_error", {"throws std::length_error in fail"}},
    {"rethrow", NULL, {"throws again in fail", "throws again in fail"}},
    {"catch", NULL,
	{"catches int in fail", "catches int in swallow", "catches std::length_error in fail",
	    "catches std::length_error in swallow"}},
    {"catch", "int", {"catches int in fail", "catches int in swallow"}},
    {"signal", "SIGUSR1", {"SIGUSR1", "SIGUSR1"}},
    {"fork", NULL,
	{"starts a process in start_by_fork", "starts a process in start_by_vfork",
	    "starts a process in start_by_spawn", "starts a process in start_by_fork",
	    "starts a process in start_by_vfork", "starts a process in start_by_spawn"}},
    {"fork", "fork", {"starts a process in start_by_fork", "starts a process in start_by_fork"}},
    {"fork", "vfork", {"starts a process in start_by_vfork", "starts a process in start_by_vfork"}},
    {"fork", "posix_spawn",
	{"starts a process in start_by_spawn", "starts a process in start_by_spawn"}},
    {"load", NULL, {"loads libm.so.6 in load", "loads librt.so.1 in load"}},
    {"load", "librt", {"loads librt.so.1 in load"}},
};

static void expect_in_order(const struct caught *caught, const char *const *told)
{
	bool loads = strncmp(told[0], "loads ", 6) == 0;
	size_t at = 0;

	for (size_t i = 0; i < caught->count; i++) {
		bool again = loads && at &&
			     strncmp(caught->told[i], told[at - 1], strlen(told[at - 1])) == 0;

		if (again)
			continue;
		ck_assert_msg(told[at] != NULL, "and %s", caught->told[i]);
		ck_assert_msg(strncmp(caught->told[i], told[at], strlen(told[at])) == 0,
		    "%s, not %s", caught->told[i], told[at]);
		at++;
	}
	ck_assert_msg(told[at] == NULL, "no %s", told[at]);
}

START_TEST(what_is_caught_on_the_way_there_is_caught_on_the_way_back)
{
	cleanup_scene struct scene scene = scene_open(CATCHABLE, NULL);
	struct caught there, back;
	json_t *args = json_pack("{s:s, s:s*}", "kind", caught_both_ways[_i].kind, "filter",
	    caught_both_ways[_i].filter);

	json_decref(client_tool_result(
	    scene.client, client_tool_send(scene.client, "rr_catch", args), HARNESS_TIMEOUT_S));
	run_to_edge(&scene, false, &there);
	expect_in_order(&there, caught_both_ways[_i].told);
	run_to_edge(&scene, true, &back);
	ck_assert_uint_eq(back.count, there.count);
	for (size_t i = 0; i < there.count; i++)
		ck_assert_str_eq(back.told[i], there.told[there.count - 1 - i]);
}
END_TEST

/* The moments at which a run stops for an exec, in the order in which it comes to them. */
static size_t run_over_execs(struct scene *scene, bool reverse, char moments[CAUGHT_MAX][64])
{
	size_t count = 0;

	for (;;) {
		json_auto_t *stop = go_on(scene, reverse);
		const char *reason = answer_text(stop, "reason");

		if (strcmp(reason, reverse ? "start" : "end") == 0)
			return count;
		ck_assert_str_eq(reason, "exec");
		ck_assert_uint_lt(count, CAUGHT_MAX);
		snprintf(moments[count++], 64, "%s", answer_text(stop, "moment"));
	}
}

/* rr_continue stops at every exec without being asked to. */
START_TEST(an_exec_stops_in_both_directions)
{
	cleanup_scene struct scene scene = scene_open("exec_self", NULL);
	char back[CAUGHT_MAX][64], there[CAUGHT_MAX][64];
	json_auto_t *execs = client_tool(scene.client, "rr_catch", "{s:s}", "kind", "exec");
	size_t count = answer_count(execs, "images") - 1;

	expect_within(execs, "note", "rr_continue stops at every exec by itself");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	ck_assert_uint_eq(run_over_execs(&scene, true, back), count);
	ck_assert_uint_eq(run_over_execs(&scene, false, there), count);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(back[i], there[count - 1 - i]);
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
	const struct looped tests[] = {
	    {an_exception_of_a_type_is_caught_where_it_is_thrown_in_both_directions, TIMES(builds)},
	    {a_filter_means_just_that_type, TIMES(builds)},
	    {a_swallowed_exception_is_seen_where_it_is_caught, TIMES(builds)},
	    {an_exception_that_is_passed_on_is_caught_where_it_is_made_and_thrown_again, 1},
	    {a_filter_finds_an_exception_that_was_never_thrown, 1},
	    {a_library_is_caught_when_it_is_loaded, 1},
	    {a_fork_is_caught_in_the_process_that_forks, 1},
	    {a_signal_that_was_passed_over_stops_and_stops_again_after_a_loss, 1},
	    {a_system_call_is_named_by_the_moments_just_before_it, 1},
	    {what_cannot_be_caught_is_refused_or_needs_no_catching, 1},
	    {what_is_caught_on_the_way_there_is_caught_on_the_way_back, TIMES(caught_both_ways)},
	    {an_exec_stops_in_both_directions, 1},
	    {a_breakpoint_is_switched_off_and_on_and_keeps_its_number, 1},
	    {a_condition_is_set_changed_kept_where_the_new_one_is_wrong_and_taken_off, 1},
	    {NULL, 0},
	};

	return scene_main_loops("catch", tests,
	    (const char *const[]){"containers", "containers_O2", "plugin", "fork_tree",
		"signals_timer", "exec_self", "straight", "passed_on", CATCHABLE, NULL});
}
