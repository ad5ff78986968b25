/*
 * Long calls, for a host that supports tasks: the call gets its answer at once, the recording goes
 * on, and its result waits for the host.
 */
#include <string.h>
#include <time.h>
#include "tests/e2e/scene.h"

#define TASKS "io.modelcontextprotocol/tasks"

/* The result of a request of revision 2026-07-28, from a client that supports tasks. */
static json_t *ask(struct client *client, const char *method, json_t *params)
{
	json_object_set_new(params, "_meta",
	    json_pack("{s:s, s:{s:{s:{}}}}", "io.modelcontextprotocol/protocolVersion",
		"2026-07-28", "io.modelcontextprotocol/clientCapabilities", "extensions", TASKS));
	json_auto_t *answer =
	    client_wait(client, client_send(client, method, params), HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(answer);
	json_t *result = json_incref(json_object_get(answer, "result"));
	ck_assert_ptr_nonnull(result);
	return result;
}

static json_t *ask_of_task(struct client *client, const char *method, const char *id)
{
	return ask(client, method, json_pack("{s:s}", "taskId", id));
}

/* Records `sleep SECONDS`, which is too long for a call; returns the task. */
static json_t *record_sleep(struct client *client, const char *seconds, const char *trace)
{
	json_t *task = ask(client, "tools/call",
	    json_pack("{s:s, s:{s:[s,s], s:s}}", "name", "rr_record", "arguments", "command",
		"/bin/sleep", seconds, "trace_dir", trace));
	expect_text(task, "resultType", "task");
	expect_text(task, "status", "working");
	return task;
}

/* Polls until the task is no longer at work. */
static json_t *end_of_task(struct client *client, const json_t *task)
{
	for (double until = harness_now() + HARNESS_TIMEOUT_S; harness_now() < until;) {
		json_t *now = ask_of_task(client, "tasks/get", answer_text(task, "taskId"));
		if (strcmp(answer_text(now, "status"), "working") != 0)
			return now;
		json_decref(now);
		nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
	}
	harness_fail("the task does not end");
}

static struct place open_raw(void)
{
	struct place place = {.folder = harness_scratch(0)};
	place.trace = harness_path(place.folder, "trace");
	place.client = client_start(&(struct client_options){
	    .raw = true, .args = (const char *const[]){"--task-after=5", NULL}});
	return place;
}

START_TEST(a_long_recording_is_a_task_with_the_recording_as_its_result)
{
	cleanup_place struct place place = open_raw();
	json_auto_t *task = record_sleep(place.client, "8", place.trace);
	expect_all(end_of_task(place.client, task), IS("status", "completed"),
	    NUMBER("result.structuredContent.exit_code", 0),
	    IS("result.structuredContent.trace_dir", place.trace));

	/* Quick calls get their answer as usual, for the same client. */
	expect_answer(ask(place.client, "tools/call",
			  json_pack("{s:s, s:{s:s}}", "name", "rr_ps", "arguments", "trace_dir",
			      place.trace)),
	    "resultType", "complete");
}
END_TEST

START_TEST(a_cancelled_task_ends_its_recording)
{
	struct place place = open_raw();
	json_auto_t *task = record_sleep(place.client, "100000", place.trace);
	json_decref(ask_of_task(place.client, "tasks/cancel", answer_text(task, "taskId")));
	expect_answer(end_of_task(place.client, task), "status", "cancelled");
	place_close(&place); /* by EOF, and nothing is left */
}
END_TEST

START_TEST(a_server_that_ends_takes_its_tasks_along)
{
	cleanup_place struct place place = open_raw();
	json_decref(record_sleep(place.client, "100000", place.trace));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_long_recording_is_a_task_with_the_recording_as_its_result,
	    a_cancelled_task_ends_its_recording, a_server_that_ends_takes_its_tasks_along, NULL};
	return scene_main("tasks", tests, (const char *const[]){NULL});
}
