/*
 * Who moves the session, and who comes back from a search, must agree: after a move, a search
 * leaves the session where the move ended, with the same frame, frames and values. A session that
 * no search has moved is the oracle.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "moves"

struct call {
	const char *tool, *arguments;
};

static const struct call movers[] = {
    {"rr_who_printed", "{\"text\":\"round: 3\",\"move\":true}"},
    {"rr_last_change", "{\"expression\":\"total\",\"move\":true}"},
    {"rr_last_time", "{\"location\":\"add\",\"move\":true}"},
    {"rr_crash_report", "{\"move\":true}"},
    {"rr_step", "{\"reverse\":true}"},
    {"rr_checkpoint_restore", "{\"checkpoint_id\":1}"},
};

static const struct call searches[] = {
    {"rr_last_change", "{\"expression\":\"total\"}"},
    {"rr_who_printed", "{\"text\":\"round: 1\"}"},
    {"rr_trace_calls", "{\"location\":\"add\"}"},
    {"rr_evaluate", "{\"expression\":\"1\",\"at\":\"start\"}"},
};

#define ROWS(array) (sizeof(array) / sizeof(*(array)))

static json_t *ask(struct scene *scene, const struct call *call)
{
	json_t *arguments = json_loads(call->arguments, 0, NULL);

	ck_assert_ptr_nonnull(arguments);
	return client_tool_result(scene->client,
	    client_tool_send(scene->client, call->tool, arguments), HARNESS_TIMEOUT_S);
}

/* Moment, frames, selected frame and values. */
static json_t *state_of(struct scene *scene)
{
	json_t *when = client_tool(scene->client, "rr_when", NULL);
	json_t *frames = client_tool(scene->client, "rr_backtrace", NULL);
	json_t *values = client_tool(
	    scene->client, "rr_evaluate", "{s:[s,s,s]}", "expressions", "total", "$pc", "$sp");
	json_t *state = json_pack("{s:O, s:O, s:O}", "moment", answer_at(when, "moment"), "frames",
	    answer_at(frames, "frames"), "values", answer_at(values, "results"));

	json_decref(when);
	json_decref(frames);
	json_decref(values);
	return state;
}

static void expect_state(
    const json_t *state, json_t *now, const struct call *mover, const struct call *search)
{
	cleanup_free char *expected = answer_show(state), *found = answer_show(now);

	ck_assert_msg(strcmp(expected, found) == 0, "%s %s, then %s: %s where %s was expected",
	    mover->tool, mover->arguments, search ? search->tool : "rr_goto", found, expected);
	json_decref(now);
}

/* The moves of one beginning, and what each led to. */
static void move_and_search(const char *from, json_t *states)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "say");

	for (int i = 0; i < 2; i++)
		scene_run_to(&scene, "say");
	client_tool_done(scene.client, "rr_checkpoint_save", NULL);
	for (size_t i = 0; i < ROWS(movers); i++) {
		client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", from);
		json_decref(ask(&scene, &movers[i]));
		json_t *state = state_of(&scene);
		for (size_t k = 0; k < ROWS(searches); k++) {
			json_decref(ask(&scene, &searches[k]));
			expect_state(state, state_of(&scene), &movers[i], &searches[k]);
		}
		json_array_append_new(states, state);
	}
}

/* Without what depends on the frame that a move selects. */
static json_t *plain(json_t *state)
{
	json_t *values = answer_at(state, "values");

	while (json_array_size(values) > 1)
		json_array_remove(values, 1);
	return state;
}

static void expect_in_a_session_of_its_own(const json_t *states)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_t *state;
	size_t i;

	json_array_foreach(states, i, state)
	{
		client_tool_done(
		    scene.client, "rr_goto", "{s:s}", "moment", answer_text(state, "moment"));
		expect_state(plain(state), plain(state_of(&scene)), &movers[i], NULL);
	}
}

START_TEST(a_search_leaves_the_session_where_a_move_ended)
{
	json_auto_t *states = json_array();

	move_and_search("end", states);
	expect_in_a_session_of_its_own(states);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_search_leaves_the_session_where_a_move_ended, NULL};

	return scene_main("moves", tests, (const char *const[]){PROGRAM, NULL});
}
