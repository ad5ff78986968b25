/*
 * The lint itself: it accepts a good table and finds each thing that breaks a client.
 */
#include "tests/lint/lint.h"
#include "tests/unit/mcp/exchange.h"

static const struct mcp_param described[] = {
    {"text", MCP_STRING, false, "some text", 0, 0, NULL},
    {0},
};
static struct mcp_tool tool;
static struct mcp_handler handler;
static char found[65536];

static void open_lint(void)
{
	tool = (struct mcp_tool){
	    "rr_tool", "A tool", "Does it.", described, described, 0, NULL, false, NULL};
	handler = (struct mcp_handler){
	    .name = "rr-warden", .version = "1", .tools = &tool, .tool_count = 1};
	found[0] = '\0';
}

static void close_lint(void)
{
}

static void keep(const char *finding)
{
	strlcat(found, finding, sizeof(found));
	strlcat(found, "\n", sizeof(found));
}

static void assert_found(const char *words)
{
	ck_assert_uint_gt(mcp_lint_tools(&handler, keep), 0);
	ck_assert_msg(holds(found, words), "\"%s\" is not in: %s", words, found);
}

/* The tool with another schema of its arguments. */
static void assert_found_in(const char *schema, const char *words)
{
	json_auto_t *tools = json_pack("[{s:s, s:s, s:o}]", "name", "rr_tool", "description",
	    "Does it.", "inputSchema", json_loads(schema, 0, NULL));

	found[0] = '\0';
	ck_assert_uint_gt(mcp_lint_list(tools, 1, keep), 0);
	ck_assert_msg(holds(found, words), "\"%s\" is not in: %s", words, found);
}

START_TEST(a_plain_tool_passes)
{
	size_t findings = mcp_lint_tools(&handler, keep);
	ck_assert_msg(findings == 0, "%s", found);
}

START_TEST(names_are_short_and_lower_case)
{
	tool.name = "rr-Tool";
	assert_found("is not of [a-z_]");
	tool.name = "rr_tool_of_a_name_that_is_too_long_for_us_all";
	assert_found("not 1 to 40");
}

START_TEST(descriptions_are_there_and_under_4_kb)
{
	static char long_text[5000];

	tool.description = NULL;
	assert_found("the tool has no description");
	memset(long_text, 'x', sizeof(long_text) - 1);
	tool.description = long_text;
	assert_found("description of 4999 bytes");
}

START_TEST(an_argument_has_a_description)
{
	const struct mcp_param bare[] = {{"text", MCP_STRING, false, NULL, 0, 0, NULL}, {0}};
	tool.params = bare;
	assert_found("text has no description");
}

START_TEST(a_title_is_there)
{
	tool.title = NULL;
	assert_found("no title");
}

START_TEST(an_output_schema_without_a_field_is_found)
{
	json_auto_t *tools = json_pack("[{s:s, s:s, s:{s:s}}]", "name", "rr_tool", "description",
	    "Does it.", "outputSchema", "type", "object");

	ck_assert_uint_gt(mcp_lint_list(tools, 1, keep), 0);
	ck_assert_msg(holds(found, "outputSchema names no field"), "%s", found);
}

START_TEST(keywords_some_client_refuses_are_found_at_any_depth)
{
	assert_found_in("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\","
			"\"description\":\"d\",\"items\":{\"$ref\":\"#/x\"}}}}",
	    "the keyword $ref");
	assert_found_in(
	    "{\"type\":\"object\",\"properties\":{},\"anyOf\":[{}]}", "the keyword anyOf");
}

START_TEST(type_arrays_boolean_schemas_and_null_are_found)
{
	assert_found_in("{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"d\","
			"\"type\":[\"string\",\"null\"]}}}",
	    "type must be one string");
	assert_found_in("{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}",
	    "not a boolean");
	assert_found_in("{\"type\":\"object\",\"properties\":{},\"title\":null}", "title is null");
	assert_found_in("{\"type\":\"object\"}", "needs properties");
	assert_found_in("{}", "must be of type object");
}

START_TEST(a_bound_no_double_holds_exactly_is_found)
{
	assert_found_in("{\"type\":\"object\",\"properties\":{\"a\":{\"description\":\"d\","
			"\"type\":\"integer\",\"maximum\":9007199254740992}}}",
	    "maximum is more than");
}

START_TEST(hints_that_hosts_would_guess_are_found)
{
	const char *const schema = "{\"type\":\"object\",\"properties\":{}}";

	assert_found_in(schema, "read-only or says whether its world is open");
	assert_found_in(schema, "read-only or says whether it destroys");
}

START_TEST(fields_an_error_has_keep_their_types)
{
	const struct mcp_param coded[] = {{"code", MCP_INTEGER, false, "d", 0, 0, NULL}, {0}};
	tool.results = coded;
	assert_found("code is a string in errors");
}

START_TEST(names_are_unique_and_the_list_is_under_40_kb)
{
	static struct mcp_tool many[12];
	static char long_text[3900];

	memset(long_text, 'x', sizeof(long_text) - 1);
	for (size_t i = 0; i < 12; i++) {
		many[i] = tool;
		many[i].description = long_text;
	}
	handler.tools = many;
	handler.tool_count = 12;
	assert_found("bytes long, over 40960");
	assert_found("the name is not unique");
}

int main(void)
{
	const TTest *const tests[] = {a_plain_tool_passes, names_are_short_and_lower_case,
	    descriptions_are_there_and_under_4_kb, an_argument_has_a_description, a_title_is_there,
	    an_output_schema_without_a_field_is_found,
	    keywords_some_client_refuses_are_found_at_any_depth,
	    type_arrays_boolean_schemas_and_null_are_found,
	    a_bound_no_double_holds_exactly_is_found, fields_an_error_has_keep_their_types,
	    hints_that_hosts_would_guess_are_found, names_are_unique_and_the_list_is_under_40_kb,
	    NULL};

	return run_tests("lint", tests, open_lint, close_lint);
}
