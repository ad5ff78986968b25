/*
 * The moment of an answer means one instruction, in every session: also where the same code runs
 * again with the same event and ticks. What can mean several is refused, wherever a moment can be
 * given, and the refusal names them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	  "same_moment"
#define STOPS_MAX 64
#define STEPS	  14 /* of the string instruction, and behind it */

struct stopped {
	char *moment;
	json_t *values;
};

struct path {
	struct stopped stops[STOPS_MAX];
	size_t count;
};

static json_t *values_here(struct scene *scene)
{
	json_t *answer = client_tool(scene->client, "rr_evaluate", "{s:s, s:[s,s,s,s,s]}",
	    "session", scene->session, "expressions", "$pc", "$sp", "$rcx", "$rdi", "passed");
	json_t *values = json_incref(answer_at(answer, "results"));

	json_decref(answer);
	return values;
}

static void keep(struct path *path, struct scene *scene, const json_t *stop)
{
	ck_assert_uint_lt(path->count, STOPS_MAX);
	path->stops[path->count++] =
	    (struct stopped){strdup(answer_text(stop, "moment")), values_here(scene)};
}

static void path_free(struct path *path)
{
	for (size_t i = 0; i < path->count; i++) {
		free(path->stops[i].moment);
		json_decref(path->stops[i].values);
	}
}

/* All passes of mark, in both threads. */
static void walk_breakpoints(struct scene *scene, struct path *path)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", "mark");
	for (;;) {
		json_auto_t *stop = client_tool(scene->client, "rr_continue", NULL);
		if (strcmp(answer_text(stop, "reason"), "end") == 0)
			break;
		if (strcmp(answer_text(stop, "reason"), "breakpoint") == 0)
			keep(path, scene, stop);
	}
	ck_assert_uint_gt(path->count, 20);
}

/* The string instruction, once for each repetition. */
static void walk_steps(struct scene *scene, struct path *path)
{
	scene_run_to(scene, "by_strings");
	for (int i = 0; i < 2; i++)
		client_tool_done(scene->client, "rr_next", NULL);
	for (int i = 0; i < STEPS; i++) {
		json_auto_t *stop =
		    client_tool(scene->client, "rr_step", "{s:s}", "unit", "instruction");
		keep(path, scene, stop);
	}
}

static void expect_different_names(const struct path *path)
{
	for (size_t i = 0; i < path->count; i++)
		for (size_t j = 0; j < i; j++)
			ck_assert_msg(strcmp(path->stops[i].moment, path->stops[j].moment) != 0,
			    "stops %zu and %zu are both %s", j, i, path->stops[i].moment);
}

/* In a session that has seen none of them, from the last to the first; of three, one. */
static void expect_found_again(const struct path *path)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	for (size_t i = path->count; i-- > 0;) {
		if (i % 3 != 1)
			continue;
		json_auto_t *stop =
		    client_tool(scene.client, "rr_goto", "{s:s}", "moment", path->stops[i].moment);
		expect_text(stop, "moment", path->stops[i].moment);
		json_auto_t *values = values_here(&scene);
		cleanup_free char *found = answer_show(values);
		cleanup_free char *meant = answer_show(path->stops[i].values);
		ck_assert_msg(strcmp(found, meant) == 0, "%s: %s where %s was expected",
		    path->stops[i].moment, found, meant);
	}
}

START_TEST(each_pass_has_a_name_that_leads_back_to_it)
{
	static void (*const walks[])(struct scene *, struct path *) = {
	    walk_breakpoints, walk_steps};
	struct scene scene = scene_open(PROGRAM, NULL);
	struct path path = {0};

	walks[_i](&scene, &path);
	scene_close(&scene);
	expect_different_names(&path);
	expect_found_again(&path);
	path_free(&path);
}
END_TEST

/* Searches, which stand nowhere when they answer, name the same moments as a run. */
START_TEST(a_search_names_the_moments_that_a_run_does)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	struct path path = {0};

	json_auto_t *calls = client_tool(
	    scene.client, "rr_trace_calls", "{s:s, s:i}", "location", "mark", "limit", 200);
	json_auto_t *groups = client_tool(
	    scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "mark", "group_by", "number");
	json_auto_t *writes = client_tool(
	    scene.client, "rr_value_history", "{s:s, s:i}", "expression", "passed", "limit", 200);
	walk_breakpoints(&scene, &path);
	ck_assert_uint_eq(answer_count(calls, "hits"), path.count);
	for (size_t i = 0; i < path.count; i++)
		expect_text(
		    json_array_get(answer_at(calls, "hits"), i), "moment", path.stops[i].moment);
	size_t first = 0; /* the groups come by their size */
	for (size_t i = 0; i < answer_count(groups, "groups"); i++)
		first +=
		    strcmp(answer_text(json_array_get(answer_at(groups, "groups"), i), "first"),
			path.stops[0].moment) == 0;
	ck_assert_uint_eq(first, 1);
	for (size_t i = 1; i < answer_count(writes, "changes"); i += 8) {
		const char *moment =
		    answer_text(json_array_get(answer_at(writes, "changes"), i), "moment");
		expect_answer(client_tool(scene.client, "rr_goto", "{s:s}", "moment", moment),
		    "moment", moment);
	}
	path_free(&path);
}
END_TEST

#define CLAIMS "[{\"moment\":\"%s\",\"expression\":\"passed\",\"value\":\"1\"}]"

/* Every tool that takes a moment. %s is the moment. */
static const struct {
	const char *tool, *arguments;
} takers[] = {
    {"rr_goto", "{\"moment\":\"%s\"}"},
    {"rr_evaluate", "{\"expression\":\"passed\",\"at\":\"%s\"}"},
    {"rr_backtrace", "{\"at\":\"%s\"}"},
    {"rr_bookmark", "{\"name\":\"here\",\"moment\":\"%s\"}"},
    {"rr_value_history", "{\"expression\":\"passed\",\"from\":\"%s\"}"},
    {"rr_trace_calls", "{\"location\":\"mark\",\"to\":\"%s\"}"},
    {"rr_when_became", "{\"predicate\":\"passed == 20\",\"from\":\"%s\"}"},
    {"rr_race_scan", "{\"expression\":\"passed\",\"to\":\"%s\"}"},
    {"rr_verify_claims", "{\"claims\":" CLAIMS "}"},
};

static json_t *arguments_of(size_t taker, const char *moment)
{
	char text[400];
	json_t *arguments;

	snprintf(text, sizeof(text), takers[taker].arguments, moment);
	arguments = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(arguments);
	return arguments;
}

/* What it says of the moment. */
static json_t *refused(struct scene *scene, size_t taker, const char *moment)
{
	long long id =
	    client_tool_send(scene->client, takers[taker].tool, arguments_of(taker, moment));

	if (strcmp(takers[taker].tool, "rr_verify_claims") != 0)
		return client_tool_failure(
		    scene->client, id, "invalid_argument", HARNESS_TIMEOUT_S);
	json_auto_t *answer = client_tool_result(scene->client, id, HARNESS_TIMEOUT_S);
	expect_text(answer, "claims.0.verdict", "not checked");
	return json_pack("{s:s}", "message", answer_text(answer, "claims.0.error"));
}

START_TEST(what_can_mean_several_is_refused_with_all_of_them)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "mark");
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	const char *moment = answer_text(here, "moment");
	static const char ends[] = "@.";

	for (size_t i = 0; i < sizeof(takers) / sizeof(*takers); i++) {
		char shorter[80];

		snprintf(shorter, sizeof(shorter), "%.*s",
		    (int)(strchr(moment, ends[i % 2]) - moment), moment);
		json_auto_t *failure = refused(&scene, i, shorter);
		expect_within(failure, "message", "can mean several");
		if (ends[i % 2] == '.') /* of a bare name, each line has only its first */
			expect_within(failure, "message", moment);
		expect_same(json_incref(here), client_tool(scene.client, "rr_when", NULL));
	}
}
END_TEST

START_TEST(what_can_mean_only_one_is_taken_without_its_sum)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "by_jumps");
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	const char *moment = answer_text(here, "moment");
	char shorter[80];

	snprintf(shorter, sizeof(shorter), "%.*s", (int)(strchr(moment, '.') - moment), moment);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_answer(
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", shorter), "moment", moment);
}
END_TEST

/* An interrupt can stop rr where the exec that a session begins with is not counted as done yet. */
START_TEST(the_beginning_is_found_by_the_event_of_its_exec_too)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *start = client_tool(scene.client, "rr_when", NULL);
	json_t *registers = client_tool(scene.client, "rr_registers", NULL);
	cleanup_free char *before = NULL;

	ck_assert_ptr_nonnull(strchr(answer_text(start, "moment"), '@'));
	ck_assert(asprintf(&before, "%lld%s", answer_event(start, "moment") - 1,
		      strchr(answer_text(start, "moment"), ':')) > 0);
	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "main");
	expect_answer(client_tool(scene.client, "rr_goto", "{s:s}", "moment", before), "moment",
	    answer_text(start, "moment"));
	expect_same(registers, client_tool(scene.client, "rr_registers", NULL));
}
END_TEST

/* The same claims hold or fail in a new session, and in one that has been everywhere. */
START_TEST(claims_do_not_depend_on_what_the_session_did_before)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *claims = json_array();
	json_auto_t *calls =
	    client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", "mark");

	for (size_t i = 0; i < 3; i++) {
		const json_t *hit = json_array_get(answer_at(calls, "hits"), i);
		json_array_append_new(
		    claims, json_pack("{s:s, s:s, s:s}", "moment", answer_text(hit, "moment"),
				"expression", "number", "value", i == 1 ? "2" : "1"));
	}
	json_auto_t *here =
	    client_tool(scene.client, "rr_verify_claims", "{s:O}", "claims", claims);
	scene_close(&scene);
	scene = scene_open(PROGRAM, NULL);
	json_auto_t *there =
	    client_tool(scene.client, "rr_verify_claims", "{s:O}", "claims", claims);
	expect_within(here, "conclusion", "3 of 3 claims held");
	ck_assert(json_equal(answer_at(here, "claims"), answer_at(there, "claims")));
	scene_close(&scene);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{each_pass_has_a_name_that_leads_back_to_it, 2},
	    {a_search_names_the_moments_that_a_run_does, 1},
	    {what_can_mean_several_is_refused_with_all_of_them, 1},
	    {what_can_mean_only_one_is_taken_without_its_sum, 1},
	    {the_beginning_is_found_by_the_event_of_its_exec_too, 1},
	    {claims_do_not_depend_on_what_the_session_did_before, 1}, {0}};

	return scene_main_loops("exact", tests, (const char *const[]){PROGRAM, NULL});
}
