/*
 * The names of moments lead back to the very instruction that they were given for: where many
 * instructions share event and ticks, where the same instruction passes several times, and in a
 * session that was brought back.
 */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define PROGRAM "straight"
#define CPLUS	"straight_calls"
#define STOPS	8
#define WORKER	"rr-warden-worke" /* as comm cuts it */

/* A stop of the program, as it was told. */
struct stop {
	char *moment, *address, *args;
};

static struct stop stop_of(const json_t *answer)
{
	const json_t *args = answer_at(answer, "frame.args");

	return (struct stop){
	    strdup(answer_text(answer, "moment")),
	    strdup(answer_text(answer, "frame.address")),
	    strdup(args ? json_string_value(args) : ""),
	};
}

static void forget(struct stop stop)
{
	free(stop.moment);
	free(stop.address);
	free(stop.args);
}

static json_t *go(const struct scene *scene, const char *moment)
{
	return client_tool(scene->client, "rr_goto", "{s:s}", "moment", moment);
}

static void expect_there(const struct scene *scene, const struct stop *wanted)
{
	json_auto_t *answer = go(scene, wanted->moment);
	struct stop stop = stop_of(answer);

	ck_assert_str_eq(stop.moment, wanted->moment);
	ck_assert_str_eq(stop.address, wanted->address);
	ck_assert_str_eq(stop.args, wanted->args);
	forget(stop);
}

/* The next stops of what is set. */
static void run(const struct scene *scene, struct stop stops[STOPS])
{
	for (int i = 0; i < STOPS; i++) {
		json_auto_t *answer = client_tool(scene->client, "rr_continue", NULL);
		stops[i] = stop_of(answer);
	}
	for (int i = 0; i < STOPS; i++)
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(stops[i].moment, stops[j].moment);
}

static void set_breakpoint(const struct scene *scene, const char *function)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", function);
}

static void end(struct scene *scene, struct stop stops[STOPS])
{
	for (int i = 0; i < STOPS; i++)
		forget(stops[i]);
	scene_close(scene);
}

static void kill_worker(const struct scene *scene)
{
	pid_t worker = census_find(client_pid(scene->client), WORKER, 0);

	ck_assert_int_gt(worker, 0);
	ck_assert_int_eq(kill(worker, SIGKILL), 0);
}

/* Brings the session back. The first call may still find out that the worker is dead. */
static json_t *call_restored(const struct scene *scene, const char *tool, json_t *args)
{
	for (;;) {
		long long id = client_tool_send(scene->client, tool, json_incref(args));
		json_auto_t *message = client_wait(scene->client, id, HARNESS_TIMEOUT_S);
		json_t *answer = json_incref(answer_at(message, "result.structuredContent"));

		if (answer_true(answer, "restored")) {
			json_decref(args);
			return answer;
		}
		expect_text(answer, "code", "worker_died");
		json_decref(answer);
	}
}

static const struct {
	const char *program, *function;
} passes[] = {{PROGRAM, "mark"}, {CPLUS, "Account::deposit"}};

/* Four calls in a row without a branch: one event, one number of ticks, one instruction. */
START_TEST(passes_of_one_instruction_have_names_of_their_own)
{
	struct scene scene = scene_open(passes[_i].program, NULL);
	struct stop stops[STOPS];

	set_breakpoint(&scene, passes[_i].function);
	run(&scene, stops);
	ck_assert_str_eq(stops[0].address, stops[1].address);
	for (int stop = STOPS - 1; stop >= 0; stop--)
		expect_there(&scene, &stops[stop]);
	end(&scene, stops);
}
END_TEST

/* The worker dies where the session stands at the third of its stops. */
static void lose_at_third(const struct scene *scene, struct stop stops[STOPS])
{
	run(scene, stops);
	json_decref(go(scene, stops[2].moment));
	kill_worker(scene);
}

START_TEST(a_session_that_was_brought_back_knows_what_it_named)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	struct stop stops[STOPS];

	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "value");
	lose_at_third(&scene, stops);
	expect_answer(call_restored(&scene, "rr_when", NULL), "moment", stops[2].moment);
	for (int i = 0; i < STOPS; i++)
		expect_there(&scene, &stops[i]);
	end(&scene, stops);
}
END_TEST

/* It comes back to the pass where it stood, not to the first one. */
START_TEST(a_session_is_brought_back_to_the_same_pass)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	struct stop stops[STOPS];

	set_breakpoint(&scene, "mark");
	lose_at_third(&scene, stops);
	expect_answer(
	    call_restored(&scene, "rr_evaluate", json_pack("{s:s}", "expression", "number")),
	    "value", "3");
	end(&scene, stops);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {passes_of_one_instruction_have_names_of_their_own, TIMES(passes)},
	    {a_session_that_was_brought_back_knows_what_it_named, 1},
	    {a_session_is_brought_back_to_the_same_pass, 1},
	    {NULL, 0},
	};

	return scene_main_loops("names", tests, (const char *const[]){PROGRAM, CPLUS, NULL});
}
