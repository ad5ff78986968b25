/*
 * MCP Apps: a host that shows apps gets the page of rr_report with its answer, the same as in the
 * file; other hosts get none. tests/report shows the page in a browser.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PAGE "rr-warden/page"
#define APP  "ui://rr-warden/report"

static const struct client_options raw = {.raw = true};

/* Opens the conversation as a host with MCP Apps does. */
static void open_as_host(struct client *client)
{
	long long id = client_send(client, "initialize",
	    json_pack("{s:s, s:{s:{s:{s:[s]}}}, s:{s:s, s:s}}", "protocolVersion", "2025-11-25",
		"capabilities", "extensions", "io.modelcontextprotocol/ui", "mimeTypes",
		"text/html;profile=mcp-app", "clientInfo", "name", "host", "version", "1"));
	json_auto_t *answer = client_wait(client, id, HARNESS_TIMEOUT_S);

	ck_assert_ptr_nonnull(json_object_get(
	    answer_at(answer, "result.capabilities.extensions"), "io.modelcontextprotocol/ui"));
	client_notify(client, "notifications/initialized", NULL);
}

/* A session at the crash of a program, and the moment of the crash. */
static char *at_crash(struct client *client, const char *program)
{
	json_auto_t *answer =
	    client_tool(client, "rr_crash_report", "{s:s}", "trace_dir", scene_trace(program));

	return strdup(answer_text(answer, "moment"));
}

/* rr_report with so many claims: the whole message. */
static json_t *report(
    struct client *client, const char *moment, const char *expression, size_t count)
{
	json_t *claims = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
		    claims, json_pack("{s:s, s:o, s:s}", "moment", moment, "expression",
				json_sprintf(expression, (int)i), "value", "<script>\xe2\x82\xac"));
	long long id = client_tool_send(client, "rr_report",
	    json_pack("{s:s, s:o}", "title", "a <b>report</b>", "claims", claims));
	json_t *message = client_wait(client, id, HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(message);
	ck_assert(!json_is_true(answer_at(message, "result.isError")));
	return message;
}

static const json_t *page_of(const json_t *message)
{
	return json_object_get(answer_at(message, "result._meta"), PAGE);
}

/* The page is the file but for the first lines, which only a file needs. */
static void expect_as_in_file(const json_t *message)
{
	cleanup_free char *file =
	    harness_file(answer_text(message, "result.structuredContent.file"));
	const char *page = json_string_value(page_of(message));

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(page);
	ck_assert_uint_lt(strlen(page), strlen(file));
	ck_assert_str_eq(file + strlen(file) - strlen(page), page);
	ck_assert(strncmp(page, "<meta name=\"viewport\"", 21) == 0);
}

START_TEST(a_host_that_shows_apps_gets_the_page)
{
	cleanup_client struct client *client = client_start(&raw);
	cleanup_free char *crash = NULL;

	open_as_host(client);
	crash = at_crash(client, "overrun");
	json_auto_t *message = report(client, crash, "number + %d", 2);
	expect_as_in_file(message);
	/* no model reads the page twice */
	ck_assert_ptr_null(strstr(answer_text(message, "result.content.0.text"), "<p"));
	ck_assert_ptr_null(answer_at(message, "result.structuredContent.page"));
}
END_TEST

/* Longer than one packet between worker and server, with characters of several bytes. */
START_TEST(a_long_page_comes_whole)
{
	cleanup_client struct client *client = client_start(&raw);
	cleanup_free char *crash = NULL;

	open_as_host(client);
	crash = at_crash(client, "overrun");
	json_auto_t *message = report(client, crash,
	    "number + %d + "
	    "sizeof(\"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
	    "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\")",
	    50);
	expect_as_in_file(message);
	ck_assert_uint_gt(json_string_length(page_of(message)), 20000);
}
END_TEST

START_TEST(the_app_is_read_from_the_server)
{
	cleanup_client struct client *client = client_start(&raw);

	open_as_host(client);
	json_auto_t *list =
	    client_wait(client, client_send(client, "tools/list", NULL), HARNESS_TIMEOUT_S);
	json_t *tools = answer_at(list, "result.tools"), *tool;
	size_t i, named = 0;
	json_array_foreach(tools, i, tool)
	{
		const json_t *app = answer_at(tool, "_meta.ui.resourceUri");
		if (!app)
			continue;
		named++;
		expect_text(tool, "name", "rr_report");
		ck_assert_str_eq(json_string_value(app), APP);
	}
	ck_assert_uint_eq(named, 1);
	json_auto_t *read = client_wait(client,
	    client_send(client, "resources/read", json_pack("{s:s}", "uri", APP)),
	    HARNESS_TIMEOUT_S);
	const char *html = answer_text(read, "result.contents.0.text");
	expect_text(read, "result.contents.0.mimeType", "text/html;profile=mcp-app");
	/* one script, which the policy names by its digest, and nothing from elsewhere */
	ck_assert_uint_eq(harness_count(html, "<script"), 1);
	ck_assert_uint_eq(harness_count(html, "script-src 'sha256-"), 1);
	ck_assert_uint_eq(harness_count(html, "default-src 'none'"), 1);
	ck_assert_uint_eq(harness_count(html, "src="), 0);
	ck_assert_uint_eq(harness_count(html, "@"), 0);
}
END_TEST

START_TEST(another_host_gets_no_page)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_free char *crash = at_crash(client, "overrun");

	json_auto_t *message = report(client, crash, "number + %d", 1);
	ck_assert_ptr_null(answer_at(message, "result._meta"));
}
END_TEST

START_TEST(secrets_are_masked_in_the_page_too)
{
	static const char *const flags[] = {"--redact=secrets", "--redact=alice", NULL};
	const struct client_options redacting = {.args = flags, .raw = true};
	cleanup_client struct client *client = client_start(&redacting);
	cleanup_free char *crash = NULL;

	open_as_host(client);
	crash = at_crash(client, "secrets");
	json_auto_t *message = report(client, crash, "&account.token[%d]", 1);
	cleanup_free char *shown = json_dumps(message, 0);
	expect_as_in_file(message);
	ck_assert_ptr_nonnull(strstr(json_string_value(page_of(message)), "[redacted"));
	ck_assert_ptr_null(strstr(shown, "alice"));
	ck_assert_ptr_null(strstr(shown, "hunter2"));
	ck_assert_ptr_null(strstr(shown, "c2VjcmV0"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_host_that_shows_apps_gets_the_page, a_long_page_comes_whole,
	    the_app_is_read_from_the_server, another_host_gets_no_page,
	    secrets_are_masked_in_the_page_too, NULL};

	return scene_main("apps", tests, (const char *const[]){"overrun", "secrets", NULL});
}
