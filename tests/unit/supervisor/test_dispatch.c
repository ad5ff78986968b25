/*
 * From a client's line to a session and back, through the real MCP core, without workers.
 */
#include "supervisor/dispatch.h"
#include "supervisor/redact/pattern.h"
#include "supervisor/redact/redactor.h"
#include "supervisor/tools.h"
#include "tests/runner.h"
#include "tests/unit/supervisor/fake_workers.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct {
	struct settings *settings;
	struct session_table *table;
	struct dispatch dispatch;
	struct mcp_handler handler;
	struct mcp_server *server;
	int id;
} world;

static int64_t now(void)
{
	return 1000 * DEADLINE_SECOND;
}

static void feed(const char *line)
{
	ck_assert(mcp_server_feed(world.server, line, strlen(line)));
	ck_assert(mcp_server_feed(world.server, "\n", 1));
}

/* The next line for the client, parsed; NULL if there is none. */
static json_t *next_line(void)
{
	const char *bytes;
	size_t length = mcp_server_output(world.server, &bytes);
	const char *end = length > 0 ? memchr(bytes, '\n', length) : NULL;
	json_t *json;

	if (end == NULL)
		return NULL;
	json = json_loadb(bytes, (size_t)(end - bytes), 0, NULL);
	ck_assert_ptr_nonnull(json);
	mcp_server_sent(world.server, (size_t)(end - bytes) + 1);
	return json;
}

static void set_up(void)
{
	struct session_ports ports = {.launch = workers_launch,
	    .send = workers_send,
	    .drop = workers_drop,
	    .answer = dispatch_answer,
	    .progress = dispatch_progress,
	    .client = &world.dispatch,
	    .now = now};

	memset(&world, 0, sizeof(world));
	workers_reset();
	ports.settings = world.settings = settings_new();
	world.table = session_table_new(&ports);
	world.dispatch = (struct dispatch){.settings = world.settings, .table = world.table};
	dispatch_handler(&world.dispatch, &world.handler);
	world.server = mcp_server_new(&world.handler);
	feed("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	     "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
	     "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
	feed("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	json_decref(next_line());
}

static void tear_down(void)
{
	end_table(world.table);
	mcp_server_free(world.server);
	settings_free(world.settings);
	workers_clear();
	json_decref(world.dispatch.trace_names);
	redactor_free(world.dispatch.redactor);
}

/* Sends a request; returns the answer's result, or NULL if there is none yet. */
static json_t *request(const char *method, const char *params)
{
	char line[2048];
	json_t *message, *result;

	snprintf(line, sizeof(line),
	    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}", ++world.id, method,
	    params);
	feed(line);
	message = next_line();
	result = json_incref(json_object_get(message, "result"));
	json_decref(message);
	return result;
}

static json_t *call(const char *tool, const char *arguments)
{
	char params[1024];

	snprintf(params, sizeof(params), "{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
	return request("tools/call", params);
}

static void check_field(const json_t *result, const char *key, const char *expected)
{
	const json_t *structured = json_object_get(result, "structuredContent");
	const char *got = json_string_value(json_object_get(structured, key));

	ck_assert_msg(got != NULL && strcmp(got, expected) == 0, "%s is %s, not %s", key,
	    got ? got : "absent", expected);
}

static void check_error(json_t *result, const char *code)
{
	ck_assert_ptr_nonnull(result);
	ck_assert(json_is_true(json_object_get(result, "isError")));
	check_field(result, "code", code);
	json_decref(result);
}

static void worker_says(const char *text)
{
	packet(workers.last, 0, 0, text);
}

static void launched(void)
{
	session_launched(workers.last, "");
}

static void open_session(void)
{
	json_t *message;

	ck_assert_ptr_null(call("rr_replay_start", "{\"trace_dir\":\"/t\"}"));
	launched();
	worker_says("{\"sandbox\":{\"level\":\"full\"}}");
	worker_says("{\"pid\":7}");
	message = next_line();
	ck_assert_ptr_nonnull(message);
	check_field(json_object_get(message, "result"), "session", "s1");
	json_decref(message);
}

START_TEST(without_a_session_a_session_tool_says_how_to_get_one)
{
	check_error(call("rr_continue", "{}"), "no_session");
	check_error(call("rr_continue", "{\"session\":\"s3\"}"), "no_session");
	check_error(call("rr_replay_stop", "{}"), "no_session");
	check_error(call("rr_interrupt", "{}"), "no_session");
}
END_TEST

START_TEST(a_session_opens_and_answers_with_its_name)
{
	json_t *message;

	open_session();
	ck_assert_ptr_null(call("rr_evaluate", "{\"expression\":\"x\",\"session\":\"s1\"}"));
	ck_assert_int_eq(workers.last_type, WIRE_OP_EVALUATE);
	ck_assert_ptr_null(json_object_get(json_object_get(workers.last_json, "args"), "session"));
	worker_says("{\"value\":\"3\"}");
	message = next_line();
	check_field(json_object_get(message, "result"), "value", "3");
	/* A single open session needs no name. */
	ck_assert_ptr_null(json_object_get(
	    json_object_get(json_object_get(message, "result"), "structuredContent"), "session"));
	json_decref(message);
}
END_TEST

START_TEST(a_trace_that_is_replayed_is_not_removed)
{
	ck_assert_ptr_null(call("rr_replay_start", "{\"trace_dir\":\"/t/crash-0\"}"));
	check_error(call("rr_rm", "{\"trace_dir\":\"crash-0\"}"), "not_allowed");
	check_error(call("rr_rm", "{\"trace_dir\":\"/t/crash-0\"}"), "not_allowed");
	ck_assert_ptr_null(call("rr_rm", "{\"trace_dir\":\"/t/crash-1\"}"));
}
END_TEST

START_TEST(a_crash_report_without_any_session_opens_one_on_the_newest_trace)
{
	ck_assert_ptr_null(call("rr_crash_report", "{}"));
	launched();
	worker_says("{}");
	ck_assert_int_eq(workers.last_type, WIRE_OP_REPLAY_START);
}
END_TEST

START_TEST(a_crash_report_on_a_trace_opens_a_session_first)
{
	json_t *message;

	ck_assert_ptr_null(call("rr_crash_report", "{\"trace_dir\":\"/t\",\"pid\":5}"));
	launched();
	worker_says("{}");
	ck_assert_int_eq(workers.last_type, WIRE_OP_REPLAY_START);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(json_object_get(workers.last_json, "args"), "pid")),
	    5);
	worker_says("{}");
	ck_assert_int_eq(workers.last_type, WIRE_OP_CRASH_REPORT);
	ck_assert_uint_eq(json_object_size(json_object_get(workers.last_json, "args")), 0);
	worker_says("{\"output\":\"\"}");
	message = next_line();
	check_field(json_object_get(message, "result"), "session", "s1");
	json_decref(message);
}
END_TEST

START_TEST(what_the_policy_forbids_is_not_done)
{
	char why[SETTINGS_WHY_MAX];

	open_session();
	check_error(call("rr_gdb_command", "{\"command\":\"info\"}"), "not_allowed");
	check_error(
	    call("rr_evaluate", "{\"expression\":\"f()\",\"allow_calls\":true}"), "not_allowed");
	settings_set(world.settings, SETTING_RECORD, "no", SOURCE_FLAG, why);
	check_error(call("rr_record", "{\"command\":[\"ls\"]}"), "not_allowed");
	ck_assert_uint_eq(session_count(world.table, WORKER_RECORD), 0);
}
END_TEST

START_TEST(sessions_are_bounded_by_the_policy)
{
	char why[SETTINGS_WHY_MAX];

	settings_set(world.settings, SETTING_SESSIONS, "1", SOURCE_FLAG, why);
	open_session();
	ck_assert_ptr_null(call("rr_continue", "{}")); /* an idle session would be closed */
	check_error(call("rr_replay_start", "{\"trace_dir\":\"/t\"}"), "limit");
}
END_TEST

START_TEST(recordings_and_queries_are_bounded)
{
	for (int i = 0; i < SESSION_JOBS_MAX; i++)
		ck_assert_ptr_null(call("rr_list_recordings", "{}"));
	check_error(call("rr_ps", "{\"trace_dir\":\"/t\"}"), "limit");
}
END_TEST

/* Its worker may take a while to end. */
START_TEST(a_job_that_was_answered_leaves_room_at_once)
{
	for (int i = 0; i < SESSION_JOBS_MAX; i++)
		ck_assert_ptr_null(call("rr_list_recordings", "{}"));
	launched();
	worker_says("{\"sandbox\":{\"level\":\"full\"}}");
	worker_says("{\"recordings\":[]}");
	json_decref(next_line());
	ck_assert_int_eq(workers.last_type, WIRE_STOP);
	ck_assert_int_eq(workers.drops, 0);
	ck_assert_ptr_null(call("rr_ps", "{\"trace_dir\":\"/t\"}"));
	check_error(call("rr_ps", "{\"trace_dir\":\"/t\"}"), "limit");
}
END_TEST

START_TEST(a_cancelled_call_is_not_answered)
{
	open_session();
	ck_assert_ptr_null(call("rr_continue", "{}"));
	feed("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	     "\"params\":{\"requestId\":2}}");
	ck_assert_int_eq(workers.last_type, WIRE_INTERRUPT);
	workers.last_type = WIRE_OP_CONTINUE;
	worker_says("{\"reason\":\"interrupted\"}");
	ck_assert_ptr_null(next_line());
}
END_TEST

START_TEST(rr_interrupt_names_what_it_asks_to_stop)
{
	json_t *result;

	open_session();
	ck_assert_ptr_null(call("rr_continue", "{}"));
	result = call("rr_interrupt", "{}");
	check_field(result, "conclusion",
	    "rr_continue was asked to stop; its own answer says where it stopped");
	json_decref(result);
	ck_assert_int_eq(workers.last_type, WIRE_INTERRUPT);
}
END_TEST

START_TEST(rr_status_shows_what_runs)
{
	open_session();
	ck_assert_ptr_null(call("rr_last_change", "{\"expression\":\"node->next\"}"));
	ck_assert_ptr_null(call("rr_record", "{\"command\":[\"/bin/sleep\",\"9\"]}"));
	ck_assert_ptr_null(call("rr_status", "{}"));
	launched();
	worker_says("{}");
	worker_says("{}");
	json_auto_t *message = next_line();
	const json_t *running = json_object_get(
	    json_object_get(json_object_get(message, "result"), "structuredContent"), "running");
	const json_t *search = json_array_get(running, 0), *recording = json_array_get(running, 1);
	ck_assert_uint_eq(json_array_size(running), 2);
	ck_assert_str_eq(json_string_value(json_object_get(search, "tool")), "rr_last_change");
	ck_assert_str_eq(json_string_value(json_object_get(search, "about")), "node->next");
	ck_assert_str_eq(json_string_value(json_object_get(search, "session")), "s1");
	ck_assert_str_eq(json_string_value(json_object_get(recording, "tool")), "rr_record");
	ck_assert_str_eq(json_string_value(json_object_get(recording, "about")), "/bin/sleep");
	ck_assert_ptr_null(json_object_get(recording, "session"));
	ck_assert(json_is_integer(json_object_get(recording, "seconds")));
}
END_TEST

START_TEST(rr_sessions_tells_trace_state_and_position)
{
	json_t *result, *session;

	open_session();
	ck_assert_ptr_null(call("rr_when", "{}"));
	workers.last_type = WIRE_STATE - 1;
	worker_says("{\"moment\":{\"event\":9,\"ticks\":\"31\",\"tid\":7},\"pid\":7}");
	workers.last_type = WIRE_OP_WHEN;
	worker_says("{\"event\":9}");
	json_decref(next_line());
	result = call("rr_sessions", "{}");
	session = json_array_get(
	    json_object_get(json_object_get(result, "structuredContent"), "sessions"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(session, "trace_dir")), "/t");
	ck_assert_str_eq(json_string_value(json_object_get(session, "state")), "ready");
	ck_assert_str_eq(json_string_value(json_object_get(session, "moment")), "9:31");
	json_decref(result);
}
END_TEST

START_TEST(traces_are_read_by_a_query_and_remembered_for_completion)
{
	json_t *message, *result, *values;

	ck_assert_ptr_null(request("resources/read", "{\"uri\":\"rr://traces\"}"));
	launched();
	worker_says("{}");
	ck_assert_int_eq(workers.last_type, WIRE_OP_LIST_RECORDINGS);
	worker_says("{\"recordings\":[{\"trace_dir\":\"/t/ls-0\"},{\"trace_dir\":\"/t/cat-1\"}]}");
	message = next_line();
	ck_assert_ptr_nonnull(json_object_get(json_object_get(message, "result"), "contents"));
	json_decref(message);
	result = request("completion/complete",
	    "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"rr://traces/{name}\"},"
	    "\"argument\":{\"name\":\"name\",\"value\":\"c\"}}");
	values = json_object_get(json_object_get(result, "completion"), "values");
	ck_assert_uint_eq(json_array_size(values), 1);
	ck_assert_str_eq(json_string_value(json_array_get(values, 0)), "cat-1");
	json_decref(result);
}
END_TEST

START_TEST(the_whole_list_of_tools_stays_small)
{
	json_auto_t *result = request("tools/list", "{}");

	ck_assert_uint_lt(json_dumpb(result, NULL, 0, JSON_COMPACT), TOOLS_LIST_MAX);
	ck_assert_uint_eq(json_array_size(json_object_get(result, "tools")), TOOL_COUNT);
}
END_TEST

/* A client of a server that has the settings as they are now. */
static void reconnect(void)
{
	mcp_server_free(world.server);
	dispatch_handler(&world.dispatch, &world.handler);
	world.server = mcp_server_new(&world.handler);
	feed("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	     "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
	     "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
	json_decref(next_line());
}

/* A server with this --tools, below the administrator's. */
static void restart_with(const char *ceiling, const char *tools)
{
	char why[SETTINGS_WHY_MAX], path[] = "/tmp/rr-warden-dispatch.XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(dprintf(fd, "[debugging]\ntools = %s\n", ceiling), 0);
	close(fd);
	ck_assert_msg(settings_load(world.settings, path, SOURCE_ADMIN, why) == 0, "%s", why);
	unlink(path);
	ck_assert_msg(
	    settings_set(world.settings, SETTING_TOOLS, tools, SOURCE_FLAG, why) == 0, "%s", why);
	reconnect();
}

static bool lists_tool(const char *name)
{
	json_auto_t *result = request("tools/list", "{}");
	json_t *tool;
	size_t i;

	json_array_foreach(json_object_get(result, "tools"), i, tool)
	{
		if (strcmp(json_string_value(json_object_get(tool, "name")), name) == 0)
			return true;
	}
	return false;
}

START_TEST(the_core_list_is_short)
{
	restart_with("all", "core");
	json_auto_t *result = request("tools/list", "{}");
	size_t count = json_array_size(json_object_get(result, "tools"));

	ck_assert_uint_lt(json_dumpb(result, NULL, 0, JSON_COMPACT), TOOLS_CORE_MAX);
	ck_assert_uint_ge(count, 22);
	ck_assert_uint_le(count, 25);
	ck_assert(lists_tool("rr_crash_report"));
	ck_assert(!lists_tool("rr_registers"));
}
END_TEST

START_TEST(a_list_is_made_of_names_and_sets)
{
	restart_with("all", "record, rr_registers");
	ck_assert(lists_tool("rr_record"));
	ck_assert(lists_tool("rr_registers"));
	ck_assert(!lists_tool("rr_record_until"));
	restart_with("all", "core,registers");
	ck_assert(lists_tool("rr_crash_report"));
	ck_assert(lists_tool("rr_registers"));
}
END_TEST

/* Without a session, rr_registers names rr_replay_start. */
START_TEST(what_is_not_listed_is_called_and_what_an_answer_names_is_listed)
{
	restart_with("all", "record");
	json_t *params = json_pack("{s:s, s:{}}", "name", "rr_registers", "arguments");
	char *line = json_dumps(params, JSON_COMPACT);
	char message[256];

	snprintf(message, sizeof(message),
	    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":%s}", line);
	feed(message);
	json_auto_t *first = next_line(), *second = next_line();
	ck_assert_str_eq(json_string_value(json_object_get(first, "method")),
	    "notifications/tools/list_changed");
	ck_assert_int_eq(json_integer_value(json_object_get(second, "id")), 7);
	ck_assert(lists_tool("rr_replay_start"));
	ck_assert(lists_tool("rr_record"));
	ck_assert(!lists_tool("rr_registers"));
	json_decref(params);
	free(line);
}
END_TEST

START_TEST(nobody_lists_more_than_the_administrator)
{
	restart_with("record,registers", "all");
	ck_assert(lists_tool("rr_record"));
	ck_assert(!lists_tool("rr_replay_start"));
	json_decref(request("tools/call", "{\"name\":\"rr_registers\",\"arguments\":{}}"));
	ck_assert(!lists_tool("rr_replay_start"));
}
END_TEST

START_TEST(an_answer_has_the_form_that_was_asked_for)
{
	static const struct {
		const char *answers;
		bool is_json, has_structure;
	} forms[] = {{"text", false, true}, {"json", true, true}, {"plain", false, false}};
	char why[SETTINGS_WHY_MAX];

	open_session();
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		settings_set(world.settings, SETTING_ANSWERS, forms[i].answers, SOURCE_FLAG, why);
		reconnect();
		json_auto_t *result = call("rr_sessions", "{}");
		const char *text = json_string_value(
		    json_object_get(json_array_get(json_object_get(result, "content"), 0), "text"));
		json_auto_t *list = request("tools/list", "{}");
		const json_t *tool = json_array_get(json_object_get(list, "tools"), 0);
		ck_assert_msg((json_object_get(result, "structuredContent") != NULL) ==
				  forms[i].has_structure,
		    "%s", forms[i].answers);
		ck_assert(
		    (json_object_get(tool, "outputSchema") != NULL) == forms[i].has_structure);
		ck_assert_ptr_nonnull(text);
		ck_assert_msg((text[0] == '{') == forms[i].is_json, "%s", text);
	}
}
END_TEST

START_TEST(a_list_of_no_tool_is_refused)
{
	static const char *const wrong[] = {
	    "", "cor", "rr_", "record,", "record,,step", "rr_rr_step"};
	char why[SETTINGS_WHY_MAX];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(
		    settings_set(world.settings, SETTING_TOOLS, wrong[i], SOURCE_FLAG, why) < 0,
		    "%s was taken", wrong[i]);
	ck_assert_ptr_nonnull(strstr(why, "all, core"));
}
END_TEST

#define TOKEN "ghp_0123456789abcdefghijABCDEFGHIJ012345"

static void redact(void)
{
	char why[PATTERN_WHY_MAX] = "";

	world.dispatch.redactor = redactor_new((const char *const[]){"secrets", NULL}, why);
	ck_assert_msg(world.dispatch.redactor != NULL, "%s", why);
}

/* The message has a mask and no token, and says its count as given. Takes it. */
static void expect_masked(json_t *message, const char *count)
{
	cleanup_free char *shown = json_dumps(message, 0);

	ck_assert_ptr_nonnull(message);
	ck_assert_msg(strstr(shown, "ghp_") == NULL, "%s", shown);
	ck_assert_msg(strstr(shown, "[redacted: GitHub token]") != NULL, "%s", shown);
	ck_assert_msg(strstr(shown, count) != NULL, "%s", shown);
	json_decref(message);
}

START_TEST(answers_failures_and_progress_are_masked)
{
	redact();
	open_session();
	ck_assert_ptr_null(request("tools/call", "{\"name\":\"rr_evaluate\",\"arguments\":{"
						 "\"expression\":\"x\"},\"_meta\":{"
						 "\"progressToken\":1}}"));
	packet(workers.last, WIRE_PROGRESS, 0, "{\"progress\":1,\"message\":\"\x7f " TOKEN "\"}");
	expect_masked(next_line(), "\"message\": \"\\\\x7f [redacted");
	worker_says("{\"value\":\"" TOKEN "\"}");
	expect_masked(next_line(), "\"redacted\": 1");
	ck_assert_ptr_null(call("rr_evaluate", "{\"expression\":\"x\"}"));
	packet(workers.last, 0, WIRE_FLAG_ERROR,
	    "{\"code\":\"not_found\",\"message\":\"no " TOKEN "\",\"hint\":\"a " TOKEN "\"}");
	expect_masked(next_line(), "\"redacted\": 2");
}
END_TEST

START_TEST(resources_and_completions_are_masked)
{
	redact();
	ck_assert_ptr_null(request("resources/read", "{\"uri\":\"rr://traces\"}"));
	launched();
	worker_says("{}");
	worker_says("{\"recordings\":[{\"trace_dir\":\"/t/" TOKEN "\"}]}");
	expect_masked(next_line(), "\\\"redacted\\\": 1");
	expect_masked(request("completion/complete",
			  "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"rr://traces/{name}\"},"
			  "\"argument\":{\"name\":\"name\",\"value\":\"g\"}}"),
	    "values");
}
END_TEST

/* What is masked for the client stays whole for the server. */
START_TEST(a_session_keeps_what_is_masked)
{
	redact();
	ck_assert_ptr_null(call("rr_replay_start", "{\"trace_dir\":\"/t/" TOKEN "\"}"));
	launched();
	worker_says("{}");
	worker_says("{\"pid\":7,\"trace_dir\":\"/t/" TOKEN "\"}");
	expect_masked(next_line(), "\"redacted\": 1");
	expect_masked(call("rr_sessions", "{}"), "\"redacted\": 1");
	check_error(call("rr_rm", "{\"trace_dir\":\"/t/" TOKEN "\"}"), "not_allowed");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {without_a_session_a_session_tool_says_how_to_get_one,
	    a_session_opens_and_answers_with_its_name, a_trace_that_is_replayed_is_not_removed,
	    a_crash_report_without_any_session_opens_one_on_the_newest_trace,
	    a_crash_report_on_a_trace_opens_a_session_first, what_the_policy_forbids_is_not_done,
	    sessions_are_bounded_by_the_policy, recordings_and_queries_are_bounded,
	    a_job_that_was_answered_leaves_room_at_once, a_cancelled_call_is_not_answered,
	    rr_interrupt_names_what_it_asks_to_stop, rr_status_shows_what_runs,
	    rr_sessions_tells_trace_state_and_position,
	    traces_are_read_by_a_query_and_remembered_for_completion,
	    the_whole_list_of_tools_stays_small, the_core_list_is_short,
	    a_list_is_made_of_names_and_sets,
	    what_is_not_listed_is_called_and_what_an_answer_names_is_listed,
	    nobody_lists_more_than_the_administrator, a_list_of_no_tool_is_refused,
	    an_answer_has_the_form_that_was_asked_for, answers_failures_and_progress_are_masked,
	    resources_and_completions_are_masked, a_session_keeps_what_is_masked, NULL};

	return run_tests("dispatch", tests, set_up, tear_down);
}
