/*
 * The Tasks extension: which calls become tasks, what a client learns about them, and how they end.
 */
#include <time.h>

#include "tests/unit/mcp/asking.h"

#define TASKS	"io.modelcontextprotocol/tasks"
#define TAKING	META_WITH("{\"extensions\":{\"" TASKS "\":{}}}")
#define HOLD	"\"name\":\"hold_call\",\"arguments\":{\"expression\":\"x\"},"
#define DATE	"2026-07-28T00:00:00.000Z"
#define FOREVER INT64_MAX

#define META_WITH(capabilities)                                                                    \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":" capabilities "}"

static char task_id[64];

static void asked_of_task(const char *method)
{
	char line[1024];

	snprintf(line, sizeof(line),
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"%s\",\"params\":{\"taskId\":\"%s\","
	    "\"inputResponses\":{}," TAKING "}}",
	    method, task_id);
	asked(line);
}

/* Makes a long call and waits until it has become a task. */
static void make_task(void)
{
	say(CALL("tools/call", HOLD TAKING));
	expect_silence();
	mcp_server_make_tasks(exchange.server, FOREVER);
	json_decref(answer);
	answer = hear();
	ck_assert_ptr_nonnull(answer);
	snprintf(task_id, sizeof(task_id), "%s", text_at(answer, "result/taskId"));
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A call becomes a task so many ms after it began, and not before. */
static void expect_task_after(int64_t setting, int64_t expected)
{
	mcp_server_free(exchange.server);
	exchange.handler.task_after_ms = setting;
	exchange.server = mcp_server_new(&exchange.handler);
	int64_t before = clock_ms();
	say(CALL("tools/call", HOLD TAKING));
	int64_t after = clock_ms(), due = mcp_server_next_task(exchange.server);
	ck_assert_int_ge(due, before + expected);
	ck_assert_int_le(due, after + expected);
	mcp_server_make_tasks(exchange.server, due - 1);
	expect_silence();
	mcp_server_make_tasks(exchange.server, due);
	json_decref(hear());
}

START_TEST(a_call_becomes_a_task_after_25_s_or_what_is_set)
{
	expect_task_after(0, 25000);
	expect_task_after(1000, 1000);
}

START_TEST(a_call_never_becomes_a_task_if_that_is_set)
{
	mcp_server_free(exchange.server);
	exchange.handler.task_after_ms = MCP_TASK_NEVER;
	exchange.server = mcp_server_new(&exchange.handler);
	say(CALL("tools/call", HOLD TAKING));
	/* a time would have to be one that fits into the owner's clock */
	ck_assert(mcp_server_next_task(exchange.server) == INT64_MAX);
	mcp_server_make_tasks(exchange.server, FOREVER);
	expect_silence();
}

START_TEST(discover_offers_the_extension)
{
	asked(CALL("server/discover", MODERN));
	ck_assert(
	    json_is_object(json_object_get(at(answer, "result/capabilities/extensions"), TASKS)));
}

START_TEST(a_call_that_takes_long_is_answered_with_a_task)
{
	make_task();
	ck_assert_str_eq(text_at(answer, "result/resultType"), "task");
	ck_assert_str_eq(text_at(answer, "result/status"), "working");
	ck_assert_uint_eq(strlen(task_id), 32);
	ck_assert_uint_eq(strlen(text_at(answer, "result/createdAt")), strlen(DATE));
	ck_assert(json_is_null(at(answer, "result/ttlMs")));
	ck_assert(json_is_integer(at(answer, "result/pollIntervalMs")));
	ck_assert_ptr_null(at(answer, "result/result"));
	ck_assert_uint_eq(mcp_server_in_flight(exchange.server), 0);
}

START_TEST(a_call_that_is_due_is_named_and_one_that_is_not_stays_a_call)
{
	ck_assert(mcp_server_next_task(exchange.server) == INT64_MAX);
	say(CALL("tools/call", HOLD TAKING));
	int64_t due = mcp_server_next_task(exchange.server);
	ck_assert(due < INT64_MAX);
	mcp_server_make_tasks(exchange.server, due - 1);
	expect_silence();
	mcp_server_make_tasks(exchange.server, due);
	answer = hear();
	ck_assert_ptr_nonnull(answer);
	ck_assert(mcp_server_next_task(exchange.server) == INT64_MAX);
}

START_TEST(without_the_extension_a_long_call_stays_a_call)
{
	say(CALL("tools/call", HOLD MODERN));
	ck_assert(mcp_server_next_task(exchange.server) == INT64_MAX);
	mcp_server_make_tasks(exchange.server, FOREVER);
	expect_silence();
	mcp_request_answer_text(exchange.held, json_pack("{s:s}", "given", "x"), NULL);
	answer = hear();
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	ck_assert_str_eq(text_at(answer, "result/structuredContent/given"), "x");
}

START_TEST(a_task_that_is_done_holds_what_the_call_would_have_answered)
{
	make_task();
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "working");
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	mcp_request_answer_text(exchange.held, json_pack("{s:s}", "given", "x"), NULL);
	expect_silence();
	for (int i = 0; i < 2; i++) { /* as often as the client likes */
		asked_of_task("tasks/get");
		ck_assert_str_eq(text_at(answer, "result/status"), "completed");
		ck_assert_str_eq(text_at(answer, "result/result/structuredContent/given"), "x");
		ck_assert(json_is_false(at(answer, "result/result/isError")));
		ck_assert(json_integer_value(at(answer, "result/ttlMs")) > 0);
	}
}

START_TEST(a_tool_that_fails_completes_its_task_with_the_error)
{
	make_task();
	mcp_request_fail(exchange.held, "timeout", "It took too long.", "Wait longer.", NULL);
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "completed");
	ck_assert(json_is_true(at(answer, "result/result/isError")));
	ck_assert_str_eq(text_at(answer, "result/result/structuredContent/code"), "timeout");
}

START_TEST(progress_becomes_the_tasks_message)
{
	make_task();
	mcp_request_progress(exchange.held, 5, 20, "attempt 5");
	expect_silence();
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/statusMessage"), "25%: attempt 5");
	mcp_request_progress(exchange.held, 6, -1, NULL);
	asked_of_task("tasks/get");
	ck_assert_ptr_null(at(answer, "result/statusMessage"));
}

START_TEST(a_cancelled_task_ends_its_call)
{
	make_task();
	asked_of_task("tasks/cancel");
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	ck_assert_ptr_null(at(answer, "result/taskId"));
	ck_assert_uint_eq(exchange.cancels, 1);
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "cancelled");
	ck_assert_ptr_null(at(answer, "result/result"));
	asked_of_task("tasks/cancel"); /* once more does no harm */
	ck_assert_ptr_nonnull(at(answer, "result"));
	ck_assert_uint_eq(exchange.cancels, 1);
}

START_TEST(cancelling_the_answered_request_leaves_the_task_alone)
{
	make_task();
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
	    "1}}");
	ck_assert_uint_eq(exchange.cancels, 0);
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "working");
}

START_TEST(an_update_is_acknowledged_and_changes_nothing)
{
	make_task();
	asked_of_task("tasks/update");
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "working");
}

enum { METHODS = 3 };
static const char *const methods[METHODS] = {"tasks/get", "tasks/update", "tasks/cancel"};

START_TEST(a_task_that_is_not_there_is_an_invalid_parameter)
{
	snprintf(task_id, sizeof(task_id), "00000000000000000000000000000000");
	for (int i = 0; i < METHODS; i++) {
		asked_of_task(methods[i]);
		ck_assert_int_eq(number_at(answer, "error/code"), -32602);
	}
}

START_TEST(a_client_without_the_extension_gets_at_no_task)
{
	char line[512];

	make_task();
	for (int i = 0; i < METHODS; i++) {
		snprintf(line, sizeof(line),
		    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"%s\",\"params\":{\"taskId\":"
		    "\"%s\"," MODERN "}}",
		    methods[i], task_id);
		asked(line);
		ck_assert_int_eq(number_at(answer, "error/code"), -32021);
		ck_assert(json_is_object(json_object_get(
		    at(answer, "error/data/requiredCapabilities/extensions"), TASKS)));
	}
	ck_assert_uint_eq(exchange.cancels, 0);
}

START_TEST(a_client_without_the_extension_cannot_listen_to_tasks)
{
	refused(CALL("subscriptions/listen", "\"notifications\":{\"taskIds\":[\"x\"]}," MODERN),
	    -32021);
	asked(CALL("subscriptions/listen", "\"notifications\":{\"taskIds\":[\"x\"]}," TAKING));
	ck_assert_str_eq(text_at(answer, "method"), "notifications/subscriptions/acknowledged");
	ck_assert_ptr_null(at(answer, "params/notifications/taskIds"));
}

/* Nobody fetches the tasks: further calls stay calls, and no task is forgotten early. */
START_TEST(tasks_are_bounded_and_none_is_lost)
{
	char first[64];
	unsigned made = 0;

	make_task();
	snprintf(first, sizeof(first), "%s", task_id);
	for (int i = 0; i < 400; i++) {
		mcp_request_answer_text(exchange.held, json_object(), NULL);
		json_decref(hear()); /* of a call that stayed one */
		say(CALL("tools/call", HOLD TAKING));
		mcp_server_make_tasks(exchange.server, mcp_server_next_task(exchange.server));
		json_t *told = hear();
		made += told != NULL;
		json_decref(told);
	}
	ck_assert_uint_eq(made, 255);
	snprintf(task_id, sizeof(task_id), "%s", first);
	asked_of_task("tasks/get");
	ck_assert_str_eq(text_at(answer, "result/status"), "completed");
}

START_TEST(the_end_of_the_server_cancels_its_tasks)
{
	make_task();
	close_and_drop();
	ck_assert_uint_eq(exchange.cancels, 1);
	exchange_open();
}

int main(void)
{
	const TTest *const tests[] = {discover_offers_the_extension,
	    a_call_becomes_a_task_after_25_s_or_what_is_set,
	    a_call_never_becomes_a_task_if_that_is_set,
	    a_call_that_takes_long_is_answered_with_a_task,
	    a_call_that_is_due_is_named_and_one_that_is_not_stays_a_call,
	    without_the_extension_a_long_call_stays_a_call,
	    a_task_that_is_done_holds_what_the_call_would_have_answered,
	    a_tool_that_fails_completes_its_task_with_the_error, progress_becomes_the_tasks_message,
	    a_cancelled_task_ends_its_call, cancelling_the_answered_request_leaves_the_task_alone,
	    an_update_is_acknowledged_and_changes_nothing,
	    a_task_that_is_not_there_is_an_invalid_parameter,
	    a_client_without_the_extension_gets_at_no_task,
	    a_client_without_the_extension_cannot_listen_to_tasks,
	    tasks_are_bounded_and_none_is_lost, the_end_of_the_server_cancels_its_tasks, NULL};

	return run_tests("tasks", tests, exchange_open, close_and_drop);
}
