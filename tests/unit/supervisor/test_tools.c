/*
 * The const tables: tools, resources and prompts as clients want them.
 */
#include "supervisor/deadlines.h"
#include "supervisor/dispatch.h"
#include "supervisor/resources.h"
#include "supervisor/skills.h"
#include "supervisor/status.h"
#include "supervisor/tools.h"
#include "tests/runner.h"

#include <check.h>
#include <ctype.h>
#include <string.h>

#define INSTRUCTIONS_MAX 2048 /* bytes: some hosts cut them there */

START_TEST(every_tool_is_shown_and_routed)
{
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		const struct mcp_tool *tool = &tools_shown[i];
		ck_assert_ptr_nonnull(tool->name);
		ck_assert_msg(tool->title && tool->description && tool->params && tool->results,
		    "%s", tool->name);
		ck_assert_msg(strlen(tool->name) <= 40, "%s", tool->name);
		for (const char *c = tool->name; *c != 0; c++)
			ck_assert_msg(islower((unsigned char)*c) || *c == '_', "%s", tool->name);
	}
}
END_TEST

/* The operation of another tool would call that tool's function. */
START_TEST(each_tool_of_a_worker_has_an_operation_of_its_own)
{
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		const struct tool_route *route = &tools_routed[i];
		if (route->handler == HANDLER_HERE)
			continue;
		ck_assert_msg(route->operation > WIRE_OP_START && route->operation % 2 == 0 &&
				  route->operation < WIRE_INTERRUPT,
		    "%s", tools_shown[i].name);
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(tools_routed[k].operation != route->operation, "%s and %s",
			    tools_shown[k].name, tools_shown[i].name);
	}
}
END_TEST

START_TEST(a_tool_is_answered_by_a_worker_in_bounded_time_or_here)
{
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		const struct tool_route *route = &tools_routed[i];
		bool here = route->handler == HANDLER_HERE;
		ck_assert_msg((route->handle != NULL) == here, "%s", tools_shown[i].name);
		ck_assert_msg((route->operation == 0) == here, "%s", tools_shown[i].name);
		ck_assert_msg((route->class == DEADLINE_NONE) == here, "%s", tools_shown[i].name);
	}
}
END_TEST

START_TEST(what_may_change_a_session_is_not_called_read_only)
{
	static const enum tool moving[] = {TOOL_CONTINUE, TOOL_STEP, TOOL_RM, TOOL_GOTO,
	    TOOL_BREAKPOINT_SET, TOOL_RECORD, TOOL_GDB_COMMAND};

	for (size_t i = 0; i < sizeof(moving) / sizeof(moving[0]); i++)
		ck_assert(!(tools_shown[moving[i]].annotations & MCP_READ_ONLY));
	ck_assert(tools_shown[TOOL_RM].annotations & MCP_DESTRUCTIVE);
}
END_TEST

START_TEST(every_session_tool_takes_a_session)
{
	for (size_t i = 0; i < TOOL_COUNT; i++) {
		const struct tool_route *route = &tools_routed[i];
		bool found = false;
		if (route->handler != HANDLER_SESSION && route->handler != HANDLER_EITHER &&
		    route->handle != handle_stop && route->handle != handle_interrupt)
			continue;
		for (const struct mcp_param *p = tools_shown[i].params; p->name != NULL; p++)
			found |= strcmp(p->name, "session") == 0 && !p->required;
		ck_assert_msg(found, "%s", tools_shown[i].name);
	}
}
END_TEST

START_TEST(deadlines_come_from_class_direction_and_arguments)
{
	struct settings *settings = settings_new();
	json_auto_t *back = json_pack("{s:b}", "reverse", 1),
		    *span = json_pack("{s:f}", "deadline", 7.5);
	json_auto_t *attempts = json_pack("{s:i, s:i}", "attempts", 3, "timeout", 1);
	char why[SETTINGS_WHY_MAX];

	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_DIRECTION, NULL), 120);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_DIRECTION, back), 280);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_OPEN, NULL), 90);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_REVERSE, span), 8);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_RECORD, NULL), 0);
	settings_set(settings, SETTING_TIMEOUT_RECORD, "5", SOURCE_FLAG, why);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_RECORD, span), 5);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_ATTEMPTS, NULL), 50);
	ck_assert_int_eq(deadline_seconds(settings, DEADLINE_ATTEMPTS, attempts), 15);
	ck_assert(deadline_after(5, 0) == DEADLINE_NEVER);
	ck_assert(deadline_after(5, 2) == 5 + 2 * DEADLINE_SECOND);
	settings_free(settings);
}
END_TEST

/* The time of a call plus this, as nanoseconds, must fit into the clock of the loop. */
START_TEST(a_call_becomes_a_task_within_a_week_or_never)
{
	static const struct {
		const char *setting;
		int64_t ms;
	} rows[] = {{"0", MCP_TASK_NEVER}, {"25", 25000}, {"7d", 7 * 86400000LL},
	    {"8d", MCP_TASK_NEVER}, {"1000000000000000", MCP_TASK_NEVER}};
	struct settings *settings = settings_new();
	struct dispatch dispatch = {.settings = settings};
	struct mcp_handler handler;
	char why[SETTINGS_WHY_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(
		    settings_set(settings, SETTING_TASK_AFTER, rows[i].setting, SOURCE_FLAG, why),
		    0);
		dispatch_handler(&dispatch, &handler);
		ck_assert_msg(handler.task_after_ms == rows[i].ms, "%s", rows[i].setting);
	}
	settings_free(settings);
}
END_TEST

START_TEST(uris_name_guide_traces_and_sessions)
{
	char name[64];

	ck_assert_int_eq(resources_parse("rr://guide", name, sizeof(name)), RESOURCE_GUIDE);
	ck_assert_int_eq(resources_parse("rr://traces", name, sizeof(name)), RESOURCE_TRACES);
	ck_assert_int_eq(
	    resources_parse("rr://traces/my%20trace-0", name, sizeof(name)), RESOURCE_TRACE);
	ck_assert_str_eq(name, "my trace-0");
	ck_assert_int_eq(resources_parse("rr://traces/%c3%a4", name, sizeof(name)), RESOURCE_TRACE);
	ck_assert_str_eq(name, "\xc3\xa4");
	ck_assert_int_eq(resources_parse("rr://sessions/s1", name, sizeof(name)), RESOURCE_SESSION);
	ck_assert_str_eq(name, "s1");
}
END_TEST

START_TEST(a_bad_uri_names_nothing)
{
	static const char *const bad[] = {"", "rr://", "rr://traces/", "rr://traces/%",
	    "rr://traces/%2", "rr://traces/%00x", "rr://traces/a%0a", "http://guide",
	    "rr://traces/%ff", "rr://traces/a%c3", "rr://traces/%ed%a0%80", "rr://sessions/%80",
	    "rr://sessions/", "rr://traces/0123456789012345678901234567890123456789"};
	char name[32];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(
		    resources_parse(bad[i], name, sizeof(name)) == RESOURCE_UNKNOWN, "%s", bad[i]);
}
END_TEST

START_TEST(prompts_have_their_arguments_put_in)
{
	json_auto_t *args =
	    json_pack("{s:s, s:s}", "trace_dir", "/t/{text}", "text", "hello {trace_dir}");
	char text[PROMPT_TEXT_MAX], small[16];

	prompts_fill(5, args, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "in /t/{text} printed: hello {trace_dir}\n"));
	prompts_fill(5, args, small, sizeof(small));
	ck_assert_uint_eq(strlen(small), sizeof(small) - 1);
}
END_TEST

START_TEST(every_placeholder_of_a_prompt_is_an_argument)
{
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		json_t *args = json_object();
		char text[PROMPT_TEXT_MAX];
		for (const struct mcp_param *p = prompts_shown[i].params; p->name != NULL; p++)
			json_object_set_new(args, p->name, json_string("filled"));
		prompts_fill(i, args, text, sizeof(text));
		ck_assert_msg(strstr(text, "{") == NULL, "%s", text);
		ck_assert_ptr_nonnull(strstr(text, "filled"));
		json_decref(args);
	}
}
END_TEST

static bool is_tool(const char *name, size_t length)
{
	for (size_t i = 0; i < TOOL_COUNT; i++)
		if (strlen(tools_shown[i].name) == length &&
		    strncmp(tools_shown[i].name, name, length) == 0)
			return true;
	return false;
}

/* Each word that begins like a tool's name must be one. */
static void expect_tools_in(const char *where, const char *text)
{
	size_t length;

	for (const char *at = text; (at = strstr(at, "rr_")) != NULL; at += length) {
		length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
		ck_assert_msg(
		    is_tool(at, length), "%s names %.*s, which is no tool", where, (int)length, at);
	}
}

START_TEST(every_tool_that_a_text_names_exists)
{
	expect_tools_in("the instructions", resources_instructions);
	expect_tools_in("the guide", resources_guide);
	for (size_t i = 0; i < skills_count; i++)
		expect_tools_in(skills_shown[i].name, skills_shown[i].text);
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		json_t *args = json_object();
		char text[PROMPT_TEXT_MAX];
		prompts_fill(i, args, text, sizeof(text));
		expect_tools_in(prompts_shown[i].name, text);
		json_decref(args);
	}
	for (size_t i = 0; i < TOOL_COUNT; i++)
		expect_tools_in(tools_shown[i].name, tools_shown[i].description);
}
END_TEST

START_TEST(the_instructions_fit_where_hosts_cut_them)
{
	ck_assert_uint_lt(strlen(resources_instructions), INSTRUCTIONS_MAX);
}
END_TEST

static size_t advice_count(const char *facts_text, const char *expected)
{
	json_t *facts = json_loads(facts_text, 0, NULL), *advice = status_advice(facts), *line;
	size_t i, count = json_array_size(advice), matching = 0;

	json_array_foreach(advice, i, line)
	{
		matching += strstr(json_string_value(line), expected) != NULL;
	}
	json_decref(advice);
	json_decref(facts);
	ck_assert_msg(matching == count, "advice without %s", expected);
	return count;
}

START_TEST(what_is_missing_comes_with_its_remedy)
{
	ck_assert_uint_eq(advice_count("{\"rr\":{\"found\":true},\"gdb\":{\"found\":true},"
				       "\"pmu\":{\"kind\":\"hardware\",\"warning\":\"\"},"
				       "\"sandbox\":{\"layers\":{\"seccomp\":\"full\"}}}",
			      "nothing"),
	    0);
	ck_assert_uint_eq(
	    advice_count("{\"rr\":{\"found\":false},\"gdb\":{\"found\":false}}", "install"), 2);
	ck_assert_uint_eq(advice_count("{\"rr\":{\"found\":true},\"gdb\":{\"found\":true},"
				       "\"pmu\":{\"kind\":\"hardware\",\"warning\":\"sysctl\"}}",
			      "sysctl"),
	    1);
	ck_assert_uint_eq(
	    advice_count("{\"rr\":{\"found\":true},\"gdb\":{\"found\":true},"
			 "\"sandbox\":{\"layers\":{\"user_ns\":\"EPERM\",\"uts_ns\":\"off\"}}}",
		"unprivileged_userns_clone"),
	    1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    every_tool_is_shown_and_routed,
	    each_tool_of_a_worker_has_an_operation_of_its_own,
	    a_tool_is_answered_by_a_worker_in_bounded_time_or_here,
	    what_may_change_a_session_is_not_called_read_only,
	    every_session_tool_takes_a_session,
	    deadlines_come_from_class_direction_and_arguments,
	    a_call_becomes_a_task_within_a_week_or_never,
	    uris_name_guide_traces_and_sessions,
	    a_bad_uri_names_nothing,
	    prompts_have_their_arguments_put_in,
	    every_placeholder_of_a_prompt_is_an_argument,
	    every_tool_that_a_text_names_exists,
	    the_instructions_fit_where_hosts_cut_them,
	    what_is_missing_comes_with_its_remedy,
	    NULL,
	};

	return run_tests("tools", tests, NULL, NULL);
}
