/*
 * The Skills extension: a skill is listed, described with its digest, and read as a resource.
 */
#include "tests/unit/mcp/asking.h"

#define SKILLS "io.modelcontextprotocol/skills"
#define URI    "skill://find-race/SKILL.md"
#define TEXT   "---\nname: find-race\ndescription: Finds \"races\"\n---\n\ncaf\u00e9?\n"

static const struct mcp_skill skill = {
    URI, "find-race", "Finds \"races\"", TEXT, "sha256:00ff", sizeof(TEXT) - 1};

static void open_with_a_skill(void)
{
	exchange_open();
	mcp_server_free(exchange.server);
	exchange.handler.skills = &skill;
	exchange.handler.skill_count = 1;
	exchange.server = mcp_server_new(&exchange.handler);
	ck_assert_ptr_nonnull(exchange.server);
}

static void expect_entry(json_t *entry)
{
	ck_assert_str_eq(text_at(entry, "uri"), URI);
	ck_assert_str_eq(text_at(entry, "frontmatter/name"), "find-race");
	ck_assert_str_eq(text_at(entry, "frontmatter/description"), "Finds \"races\"");
	ck_assert_uint_eq(json_object_size(at(entry, "frontmatter")), 2);
	ck_assert_uint_eq(json_array_size(at(entry, "resources")), 1);
	ck_assert_str_eq(text_at(entry, "resources/0/uri"), URI);
	ck_assert_str_eq(text_at(entry, "resources/0/digest"), "sha256:00ff");
	ck_assert_int_eq(number_at(entry, "resources/0/size"), sizeof(TEXT) - 1);
}

START_TEST(discover_offers_skills_where_there_are_some)
{
	asked(CALL("server/discover", MODERN));
	ck_assert(
	    json_is_object(json_object_get(at(answer, "result/capabilities/extensions"), SKILLS)));
	exchange_close();
	exchange_open();
	asked(CALL("server/discover", MODERN));
	ck_assert_ptr_null(json_object_get(at(answer, "result/capabilities/extensions"), SKILLS));
}

START_TEST(a_skill_is_listed_with_its_files)
{
	asked(CALL("skills/list", MODERN));
	ck_assert_str_eq(text_at(answer, "result/resultType"), "complete");
	ck_assert_str_eq(text_at(answer, "result/cacheScope"), "public");
	ck_assert_int_gt(number_at(answer, "result/ttlMs"), 0);
	ck_assert_uint_eq(json_array_size(at(answer, "result/skills")), 1);
	expect_entry(at(answer, "result/skills/0"));
}

START_TEST(one_skill_is_described_by_its_uri)
{
	asked(CALL("skills/get", "\"uri\":\"" URI "\"," MODERN));
	ck_assert_str_eq(text_at(answer, "result/cacheScope"), "public");
	expect_entry(at(answer, "result/skill"));
}

START_TEST(what_is_no_skill_is_an_invalid_parameter)
{
	refused(CALL("skills/get", "\"uri\":\"rr://guide\"," MODERN), -32602);
	refused(CALL("skills/get", MODERN), -32602);
}

START_TEST(its_text_is_a_resource_byte_for_byte)
{
	asked(CALL("resources/read", "\"uri\":\"" URI "\"," MODERN));
	ck_assert_str_eq(text_at(answer, "result/contents/0/text"), TEXT);
	ck_assert_str_eq(text_at(answer, "result/contents/0/mimeType"), "text/markdown");
	asked(CALL("resources/list", MODERN));
	ck_assert_str_eq(text_at(answer, "result/resources/1/uri"), URI);
	ck_assert_str_eq(text_at(answer, "result/resources/1/name"), "find-race");
	ck_assert_int_eq(number_at(answer, "result/resources/1/size"), sizeof(TEXT) - 1);
}

START_TEST(clients_of_other_resources_get_them_as_before)
{
	asked(CALL("resources/read", "\"uri\":\"rr://guide\"," MODERN));
	ck_assert_str_eq(text_at(answer, "result/contents/0/text"), "# Guide");
}

START_TEST(an_older_revision_reads_skills_and_has_no_method_for_them)
{
	json_decref(initialize("2025-11-25"));
	refused(CALL("skills/list", ""), -32601);
	asked(CALL("resources/read", "\"uri\":\"" URI "\""));
	ck_assert_str_eq(text_at(answer, "result/contents/0/text"), TEXT);
}

int main(void)
{
	const TTest *const tests[] = {discover_offers_skills_where_there_are_some,
	    a_skill_is_listed_with_its_files, one_skill_is_described_by_its_uri,
	    what_is_no_skill_is_an_invalid_parameter, its_text_is_a_resource_byte_for_byte,
	    clients_of_other_resources_get_them_as_before,
	    an_older_revision_reads_skills_and_has_no_method_for_them, NULL};

	return run_tests("skills", tests, open_with_a_skill, close_and_drop);
}
