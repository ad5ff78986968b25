/*
 * The lists, their pages and contents; reading a resource, getting a prompt, completing an
 * argument.
 */
#include "mcp/schema.h"
#include "tests/unit/mcp/asking.h"

static void reopen_with_pages_of(size_t size)
{
	struct mcp_handler handler = exchange.handler;

	mcp_server_free(exchange.server);
	handler.page_size = size;
	exchange.handler = handler;
	exchange.server = mcp_server_new(&exchange.handler);
	json_decref(initialize("2025-11-25"));
}

START_TEST(a_tool_is_described_with_its_schemas)
{
	asked(CALL("tools/list", ""));
	json_t *tool = at(answer, "result/tools/0");
	ck_assert_str_eq(text_at(tool, "name"), "echo_arguments");
	ck_assert_str_eq(text_at(tool, "title"), "Echo");
	ck_assert_str_eq(text_at(tool, "inputSchema/type"), "object");
	ck_assert_str_eq(text_at(tool, "inputSchema/properties/count/type"), "integer");
	ck_assert_int_eq(number_at(tool, "inputSchema/properties/count/maximum"), 100);
	ck_assert_str_eq(text_at(tool, "inputSchema/properties/command/items/type"), "string");
	ck_assert_str_eq(text_at(tool, "inputSchema/properties/unit/enum/1"), "instruction");
	ck_assert_str_eq(text_at(tool, "outputSchema/type"), "object");
	ck_assert_str_eq(text_at(answer, "result/tools/1/inputSchema/required/0"), "expression");
}

START_TEST(annotations_say_what_a_host_must_not_guess_and_no_more)
{
	asked(CALL("tools/list", ""));
	json_t *reads = at(answer, "result/tools/0/annotations");
	json_t *destroys = at(answer, "result/tools/2/annotations");
	ck_assert(json_is_true(at(reads, "readOnlyHint")));
	ck_assert_ptr_null(at(reads, "destructiveHint"));
	ck_assert_ptr_null(at(reads, "openWorldHint"));
	ck_assert(json_is_true(at(destroys, "destructiveHint")));
	ck_assert_ptr_null(at(destroys, "readOnlyHint"));
	ck_assert(json_is_false(at(answer, "result/tools/3/annotations/destructiveHint")));
	ck_assert(json_is_boolean(at(destroys, "openWorldHint")));
}

START_TEST(a_short_list_says_once_what_arguments_have_in_common)
{
	json_t *said = json_object();
	json_auto_t *first = schema_of_input(echo_params, said);
	json_auto_t *again = schema_of_input(echo_params, said);
	json_auto_t *whole = schema_of_input(echo_params, NULL);
	ck_assert_str_eq(text_at(first, "properties/count/description"), "how often");
	ck_assert_ptr_null(at(again, "properties/count/description"));
	ck_assert_str_eq(text_at(again, "properties/count/type"), "integer");
	ck_assert(json_equal(first, whole));
	json_object_set_new(said, "count", json_string("another meaning"));
	json_auto_t *other = schema_of_input(echo_params, said);
	ck_assert_str_eq(text_at(other, "properties/count/description"), "how often");
	json_decref(said);
}

START_TEST(a_short_list_has_neither_titles_nor_results)
{
	static const enum mcp_listing listing[TOOL_COUNT] = {[TOOL_FAIL] = MCP_UNLISTED};

	exchange.handler.listing = listing;
	reopen_with_pages_of(0);
	asked(CALL("tools/list", ""));
	json_t *tool = at(answer, "result/tools/0");
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), TOOL_COUNT - 1);
	ck_assert_ptr_null(json_object_get(tool, "title"));
	ck_assert_ptr_null(json_object_get(tool, "outputSchema"));
	ck_assert(json_is_true(at(tool, "annotations/readOnlyHint")));
}

START_TEST(without_structure_tools_have_no_schema_of_results)
{
	exchange.handler.text_only = true;
	reopen_with_pages_of(0);
	asked(CALL("tools/list", ""));
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), TOOL_COUNT);
	ck_assert_ptr_null(at(answer, "result/tools/0/outputSchema"));
	ck_assert_str_eq(text_at(answer, "result/tools/0/title"), "Echo");
}

START_TEST(a_host_that_searches_is_told_words_and_what_to_show_at_once)
{
	static struct mcp_tool tools[TOOL_COUNT];

	memcpy(tools, exchange_tools, sizeof(tools));
	tools[TOOL_ECHO].search_words = "parrot";
	tools[TOOL_HOLD].always_shown = true;
	exchange.handler.tools = tools;
	reopen_with_pages_of(0);
	asked(CALL("tools/list", ""));
	json_t *echo = at(answer, "result/tools/0"), *hold = at(answer, "result/tools/1");
	ck_assert_str_eq(json_string_value(json_object_get(
			     json_object_get(echo, "_meta"), "anthropic/searchHint")),
	    "parrot");
	ck_assert(
	    json_is_true(json_object_get(json_object_get(hold, "_meta"), "anthropic/alwaysLoad")));
	ck_assert_uint_eq(json_object_size(json_object_get(hold, "_meta")), 1);
	ck_assert_ptr_null(json_object_get(at(answer, "result/tools/2"), "_meta"));
}

/* A single null makes some clients drop the whole list. */
START_TEST(what_a_tool_does_not_have_is_left_out)
{
	asked(CALL("tools/list", ""));
	json_t *tool = at(answer, "result/tools/3");
	ck_assert_ptr_null(json_object_get(tool, "title"));
	ck_assert_ptr_null(json_object_get(tool, "outputSchema"));
	ck_assert_str_eq(text_at(tool, "inputSchema/type"), "object");
	ck_assert(json_is_object(at(tool, "inputSchema/properties")));
}

/* Clients also check the structured content of an error against the output schema. */
START_TEST(an_output_schema_requires_nothing)
{
	asked(CALL("tools/list", ""));
	ck_assert_ptr_null(at(answer, "result/tools/0/outputSchema/required"));
}

START_TEST(the_list_fits_on_one_page_by_default)
{
	asked(CALL("tools/list", ""));
	ck_assert_uint_eq(json_array_size(at(answer, "result/tools")), TOOL_COUNT);
	ck_assert_ptr_null(at(answer, "result/nextCursor"));
}

START_TEST(cursors_lead_through_all_pages)
{
	char line[256] = CALL("tools/list", "");
	size_t seen = 0;

	reopen_with_pages_of(3);
	for (int pages = 0; pages < 10; pages++) {
		asked(line);
		json_t *tool;
		size_t index;
		json_array_foreach(at(answer, "result/tools"), index, tool)
		{
			ck_assert_str_eq(text_at(tool, "name"), exchange_tools[seen++].name);
		}
		if (!at(answer, "result/nextCursor"))
			break;
		snprintf(line, sizeof(line), CALL("tools/list", "\"cursor\":\"%s\""),
		    text_at(answer, "result/nextCursor"));
	}
	ck_assert_uint_eq(seen, TOOL_COUNT);
}

START_TEST(a_cursor_that_is_not_ours_is_refused)
{
	const char *const cursors[] = {"\"\"", "\"nonsense\"", "\"tools-9\"", "7", "{}"};
	char line[256];

	reopen_with_pages_of(1);
	for (size_t i = 0; i < 5; i++) {
		snprintf(line, sizeof(line), CALL("tools/list", "\"cursor\":%s"), cursors[i]);
		asked(line);
		ck_assert_int_eq(number_at(answer, "error/code"), -32602);
	}
}

START_TEST(a_cursor_of_another_list_is_refused)
{
	reopen_with_pages_of(1);
	asked(CALL("tools/list", ""));
	char line[256];
	snprintf(line, sizeof(line), CALL("prompts/list", "\"cursor\":\"%s\""),
	    text_at(answer, "result/nextCursor"));
	asked(line);
	ck_assert_int_eq(number_at(answer, "error/code"), -32602);
}

START_TEST(the_list_is_the_same_each_time)
{
	asked(CALL("tools/list", MODERN));
	json_auto_t *first = json_incref(answer);
	asked(CALL("tools/list", MODERN));
	ck_assert(json_equal(first, answer));
}

START_TEST(resources_and_templates_are_listed_apart)
{
	asked(CALL("resources/list", ""));
	ck_assert_str_eq(text_at(answer, "result/resources/0/uri"), "rr://guide");
	ck_assert_str_eq(text_at(answer, "result/resources/0/mimeType"), "text/markdown");
	ck_assert_ptr_null(at(answer, "result/resources/0/title"));
	asked(CALL("resources/templates/list", ""));
	ck_assert_str_eq(
	    text_at(answer, "result/resourceTemplates/0/uriTemplate"), "rr://traces/{name}");
}

START_TEST(a_resource_is_read_with_its_uri)
{
	asked(CALL("resources/read", "\"uri\":\"rr://guide\""));
	ck_assert_str_eq(text_at(answer, "result/contents/0/uri"), "rr://guide");
	ck_assert_str_eq(text_at(answer, "result/contents/0/text"), "# Guide");
}

START_TEST(an_unknown_resource_has_the_code_of_its_revision)
{
	refused(CALL("resources/read", "\"uri\":\"rr://nothing\""), -32002);
	ck_assert_str_eq(text_at(answer, "error/data/uri"), "rr://nothing");
	refused(CALL("resources/read", "\"uri\":\"rr://nothing\"," MODERN), -32602);
	ck_assert_str_eq(text_at(answer, "error/data/uri"), "rr://nothing");
}

START_TEST(a_read_needs_an_uri)
{
	refused(CALL("resources/read", ""), -32602);
	refused(CALL("resources/read", "\"uri\":{}"), -32602);
}

START_TEST(a_prompt_is_listed_with_its_arguments)
{
	asked(CALL("prompts/list", ""));
	ck_assert_str_eq(text_at(answer, "result/prompts/0/name"), "debug_crash");
	ck_assert_str_eq(text_at(answer, "result/prompts/0/arguments/0/name"), "trace_dir");
	ck_assert(json_is_true(at(answer, "result/prompts/0/arguments/0/required")));
}

START_TEST(a_prompt_is_filled_in)
{
	asked(CALL("prompts/get", "\"name\":\"debug_crash\",\"arguments\":{\"trace_dir\":\"t\"}"));
	ck_assert_str_eq(text_at(answer, "result/messages/0/role"), "user");
	ck_assert_str_eq(text_at(answer, "result/messages/0/content/text"), "Look into t.");
	ck_assert_str_eq(text_at(answer, "result/description"), "Finds a crash.");
}

START_TEST(a_wrong_prompt_is_a_protocol_error_that_says_what_is_right)
{
	refused(CALL("prompts/get", "\"name\":\"debug_crush\""), -32602);
	ck_assert(holds(text_at(answer, "error/message"), "debug_crash"));
	refused(CALL("prompts/get", "\"name\":\"debug_crash\",\"arguments\":{}"), -32602);
	ck_assert(holds(text_at(answer, "error/message"), "trace_dir"));
	refused(CALL("prompts/get", ""), -32602);
}

START_TEST(completions_are_at_most_a_hundred_and_say_when_there_are_more)
{
	asked(CALL("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":"
					  "\"debug_crash\"},\"argument\":{\"name\":\"trace_dir\","
					  "\"value\":\"a\"}"));
	ck_assert_uint_eq(json_array_size(at(answer, "result/completion/values")), 100);
	ck_assert_str_eq(text_at(answer, "result/completion/values/0"), "a-0");
	ck_assert_int_eq(number_at(answer, "result/completion/total"), 120);
	ck_assert(json_is_true(at(answer, "result/completion/hasMore")));
}

START_TEST(a_template_is_completed_by_its_uri)
{
	asked(CALL("completion/complete", "\"ref\":{\"type\":\"ref/resource\",\"uri\":"
					  "\"rr://traces/{name}\"},\"argument\":{\"name\":\"name\","
					  "\"value\":\"\"}"));
	ck_assert_uint_eq(json_array_size(at(answer, "result/completion/values")), 0);
	ck_assert(json_is_false(at(answer, "result/completion/hasMore")));
}

START_TEST(a_malformed_completion_is_refused)
{
	refused(CALL("completion/complete", ""), -32602);
	refused(CALL("completion/complete", "\"ref\":{\"type\":\"ref/tool\",\"name\":\"x\"},"
					    "\"argument\":{\"name\":\"a\",\"value\":\"\"}"),
	    -32602);
	refused(CALL("completion/complete", "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},"
					    "\"argument\":{\"name\":\"a\"}"),
	    -32602);
}

int main(void)
{
	const TTest *const tests[] = {a_tool_is_described_with_its_schemas,
	    annotations_say_what_a_host_must_not_guess_and_no_more,
	    a_host_that_searches_is_told_words_and_what_to_show_at_once,
	    a_short_list_says_once_what_arguments_have_in_common,
	    a_short_list_has_neither_titles_nor_results,
	    without_structure_tools_have_no_schema_of_results,
	    what_a_tool_does_not_have_is_left_out, an_output_schema_requires_nothing,
	    the_list_fits_on_one_page_by_default, cursors_lead_through_all_pages,
	    a_cursor_that_is_not_ours_is_refused, a_cursor_of_another_list_is_refused,
	    the_list_is_the_same_each_time, resources_and_templates_are_listed_apart,
	    a_resource_is_read_with_its_uri, an_unknown_resource_has_the_code_of_its_revision,
	    a_read_needs_an_uri, a_prompt_is_listed_with_its_arguments, a_prompt_is_filled_in,
	    a_wrong_prompt_is_a_protocol_error_that_says_what_is_right,
	    completions_are_at_most_a_hundred_and_say_when_there_are_more,
	    a_template_is_completed_by_its_uri, a_malformed_completion_is_refused, NULL};

	return run_tests("lists", tests, exchange_open_legacy, close_and_drop);
}
