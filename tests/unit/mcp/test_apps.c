/*
 * MCP Apps: a host that announces the extension is told of apps, reads them, and gets what only
 * they are to have. No other host is.
 */
#include "tests/unit/mcp/asking.h"

#define URI	"ui://rr-warden/echo"
#define UI	"io.modelcontextprotocol/ui"
#define ACCEPTS "{\"mimeTypes\":[\"text/html;profile=mcp-app\"]}"
#define MODERN_WITH(settings)                                                                      \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{\"" UI "\":" settings     \
	"}}}"
#define HELD "\"name\":\"hold_call\",\"arguments\":{\"expression\":\"x\"}"

static const struct mcp_app apps[] = {{URI, "<!doctype html><p>app</p>"}};
static struct mcp_tool app_tools[TOOL_COUNT];

static void open_with_app(void)
{
	exchange_open();
	memcpy(app_tools, exchange_tools, sizeof(app_tools));
	app_tools[TOOL_HOLD].app = URI;
	mcp_server_free(exchange.server);
	exchange.handler.tools = app_tools;
	exchange.handler.apps = apps;
	exchange.handler.app_count = 1;
	exchange.server = mcp_server_new(&exchange.handler);
	ck_assert_ptr_nonnull(exchange.server);
}

/* Up to 2025-11-25: a client with these settings of the extension. */
static void opened_by(const char *settings)
{
	char line[512];

	snprintf(line, sizeof(line),
	    CALL("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
			       "{\"extensions\":{\"" UI
			       "\":%s}},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}"),
	    settings);
	asked(line);
}

/* The URI of the second tool's app in the last answer; NULL: it names none. */
static const char *listed_app(void)
{
	return json_string_value(at(answer, "result/tools/1/_meta/ui/resourceUri"));
}

static const json_t *own_extension(void)
{
	return json_object_get(at(answer, "result/capabilities/extensions"), UI);
}

START_TEST(a_host_that_shows_apps_is_told_of_them)
{
	opened_by(ACCEPTS);
	ck_assert_ptr_nonnull(own_extension());
	asked(CALL("tools/list", ""));
	ck_assert_str_eq(listed_app(), URI);
	ck_assert_ptr_null(at(answer, "result/tools/0/_meta"));
}

START_TEST(other_hosts_hear_nothing_of_it)
{
	static const char *const others[] = {"{}", "null", "true", "{\"mimeTypes\":[]}",
	    "{\"mimeTypes\":\"text/html;profile=mcp-app\"}",
	    "{\"mimeTypes\":[\"text/html\", 1, null]}"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		opened_by(others[i]);
		ck_assert_ptr_null(own_extension());
		asked(CALL("tools/list", ""));
		ck_assert_ptr_null(at(answer, "result/tools/1/_meta"));
	}
}

START_TEST(from_2026_on_each_request_says_it)
{
	asked(CALL("server/discover", MODERN_WITH(ACCEPTS)));
	ck_assert_ptr_nonnull(own_extension());
	asked(CALL("tools/list", MODERN_WITH(ACCEPTS)));
	ck_assert_str_eq(listed_app(), URI);
	ck_assert_str_eq(text_at(answer, "result/cacheScope"), "private");
	asked(CALL("tools/list", MODERN));
	ck_assert_ptr_null(listed_app());
	ck_assert_str_eq(text_at(answer, "result/cacheScope"), "public");
	asked(CALL("server/discover", MODERN));
	ck_assert_ptr_null(own_extension());
}

START_TEST(a_short_list_names_apps_too)
{
	static const enum mcp_listing listing[TOOL_COUNT] = {[TOOL_FAIL] = MCP_LISTED_WHEN_NAMED};

	mcp_server_free(exchange.server);
	exchange.handler.listing = listing;
	exchange.server = mcp_server_new(&exchange.handler);
	opened_by(ACCEPTS);
	asked(CALL("tools/list", ""));
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), TOOL_COUNT - 1);
	ck_assert_str_eq(listed_app(), URI);
	/* an answer names the other tool: it is listed, with the apps still there */
	json_decref(call("echo_arguments", "{\"location\":\"fail_call\"}"));
	json_decref(hear());
	asked(CALL("tools/list", ""));
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), TOOL_COUNT);
	ck_assert_str_eq(listed_app(), URI);
}

START_TEST(an_app_is_read_with_its_policy)
{
	opened_by(ACCEPTS);
	asked(CALL("resources/read", "\"uri\":\"" URI "\""));
	ck_assert_str_eq(text_at(answer, "result/contents/0/uri"), URI);
	ck_assert_str_eq(
	    text_at(answer, "result/contents/0/mimeType"), "text/html;profile=mcp-app");
	ck_assert_str_eq(text_at(answer, "result/contents/0/text"), "<!doctype html><p>app</p>");
	/* no domain may be reached */
	ck_assert(json_is_object(at(answer, "result/contents/0/_meta/ui/csp")));
	ck_assert_uint_eq(json_object_size(at(answer, "result/contents/0/_meta/ui/csp")), 0);
	asked(CALL("resources/list", ""));
	ck_assert_uint_eq(json_array_size(at(answer, "result/resources")), 1);
	refused(CALL("resources/read", "\"uri\":\"ui://rr-warden/other\""), -32002);
}

/* Answers the held call with a page for the app. */
static void give_page(void)
{
	if (mcp_request_shows_app(exchange.held))
		mcp_request_attach(exchange.held, "t/page", json_string("<p>page</p>"));
	mcp_request_answer_text(exchange.held, json_pack("{s:s}", "value", "1"), "one");
	json_decref(answer);
	answer = hear();
}

static const char *attached(void)
{
	return json_string_value(json_object_get(at(answer, "result/_meta"), "t/page"));
}

START_TEST(what_only_the_app_is_to_have_is_no_content)
{
	opened_by(ACCEPTS);
	say(CALL("tools/call", HELD));
	give_page();
	ck_assert_str_eq(attached(), "<p>page</p>");
	ck_assert_str_eq(text_at(answer, "result/content/0/text"), "one");
	ck_assert_uint_eq(json_object_size(at(answer, "result/structuredContent")), 1);
	say(CALL("tools/call", HELD "," MODERN_WITH(ACCEPTS)));
	give_page();
	ck_assert_str_eq(attached(), "<p>page</p>");
	ck_assert_ptr_nonnull(
	    json_object_get(at(answer, "result/_meta"), "io.modelcontextprotocol/serverInfo"));
	say(CALL("tools/call", HELD "," MODERN));
	give_page();
	ck_assert_ptr_null(attached());
}

/* A call that runs long is a task for some hosts; its result is the same. */
START_TEST(the_result_of_a_task_has_it_too)
{
	static const char capabilities[] =
	    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{\"" UI "\":" ACCEPTS
	    ",\"io.modelcontextprotocol/tasks\":{}}}}";
	char line[1024];

	snprintf(line, sizeof(line), CALL("tools/call", HELD ",%s"), capabilities);
	say(line);
	mcp_server_make_tasks(exchange.server, INT64_MAX);
	json_auto_t *task = hear();
	mcp_request_attach(exchange.held, "t/page", json_string("<p>page</p>"));
	mcp_request_answer_text(exchange.held, json_pack("{s:s}", "value", "1"), "one");
	expect_silence();
	snprintf(line, sizeof(line), CALL("tasks/get", "\"taskId\":\"%s\",%s"),
	    text_at(task, "result/taskId"), capabilities);
	asked(line);
	ck_assert_str_eq(text_at(answer, "result/status"), "completed");
	ck_assert_str_eq(
	    json_string_value(json_object_get(at(answer, "result/result/_meta"), "t/page")),
	    "<p>page</p>");
}

START_TEST(a_tool_without_an_app_has_none)
{
	opened_by(ACCEPTS);
	app_tools[TOOL_HOLD].app = NULL;
	say(CALL("tools/call", HELD));
	ck_assert(!mcp_request_shows_app(exchange.held));
	give_page();
	ck_assert_ptr_null(attached());
}

START_TEST(a_server_without_apps_announces_none)
{
	mcp_server_free(exchange.server);
	exchange.handler.app_count = 0;
	exchange.server = mcp_server_new(&exchange.handler);
	opened_by(ACCEPTS);
	ck_assert_ptr_null(own_extension());
	asked(CALL("tools/list", ""));
	ck_assert_ptr_null(listed_app());
	asked(CALL("server/discover", MODERN_WITH(ACCEPTS)));
	ck_assert_ptr_null(own_extension());
}

int main(void)
{
	const TTest *const tests[] = {a_host_that_shows_apps_is_told_of_them,
	    other_hosts_hear_nothing_of_it, from_2026_on_each_request_says_it,
	    a_short_list_names_apps_too, an_app_is_read_with_its_policy,
	    what_only_the_app_is_to_have_is_no_content, the_result_of_a_task_has_it_too,
	    a_tool_without_an_app_has_none, a_server_without_apps_announces_none, NULL};

	return run_tests("apps", tests, open_with_app, close_and_drop);
}
