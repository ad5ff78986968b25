/*
 * Types, names, values and memory: rr_type, rr_symbols, rr_expand and rr_find_memory, at -O0 and at
 * -O2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static const char *const c_builds[] = {"fields", "fields_O2"};
static const char *const cc_builds[] = {"containers", "containers_O2"};

static struct scene open_at_look(const char *program)
{
	struct scene scene = scene_open_at(program, "look");
	return scene;
}

/* The first line that holds `text`, or NULL; borrowed. */
static const char *line_with(const json_t *answer, const char *list, const char *text)
{
	json_t *line;
	size_t i;

	json_array_foreach(answer_at(answer, list), i, line)
	{
		if (strstr(json_string_value(line), text) != NULL)
			return json_string_value(line);
	}
	return NULL;
}

static void expect_listed(const json_t *answer, const char *list, const char *line)
{
	cleanup_free char *shown = answer_show(answer);

	ck_assert_msg(line_with(answer, list, line) != NULL, "no \"%s\" in %s", line, shown);
}

static void expect_layout_of_node(const json_t *answer)
{
	expect_text(answer, "type", "struct node");
	expect_number(answer, "size", 192);
	expect_listed(answer, "layout", "     4      8     struct place {");
	expect_listed(answer, "layout", "     8      4         int y;");
	expect_listed(answer, "layout", " 12: 3      4     unsigned int high : 5;");
	expect_listed(answer, "layout", "    24      8     struct node *next;");
}

START_TEST(a_layout_has_offsets_and_sizes_by_expression_and_by_name)
{
	cleanup_scene struct scene scene = open_at_look(c_builds[_i]);

	json_t *type = client_tool(scene.client, "rr_type", "{s:s}", "expression", "*first");
	expect_layout_of_node(type);
	json_decref(type);
	/* There is a variable of that name, too. */
	type = client_tool(scene.client, "rr_type", "{s:s}", "type", "node");
	expect_layout_of_node(type);
	json_decref(type);
	type = client_tool(scene.client, "rr_type", "{s:s}", "expression", "first");
	expect_text(type, "type", "struct node *");
	expect_number(type, "size", 8);
	expect_listed(type, "layout", "    24      8     struct node *next;");
	json_decref(type);
	client_tool_refused(scene.client, "rr_type", "invalid_argument", "{s:s}", "type", "nodde");
	client_tool_refused(scene.client, "rr_type", "invalid_argument", NULL);
	client_tool_refused(
	    scene.client, "rr_type", "not_allowed", "{s:s}", "expression", "$_shell(\"true\")");
}
END_TEST

START_TEST(names_are_found_the_programs_own_first)
{
	cleanup_scene struct scene scene = open_at_look(c_builds[_i]);
	char place[64];

	json_auto_t *found = client_tool(
	    scene.client, "rr_symbols", "{s:s, s:s}", "pattern", "node", "kind", "type");
	expect_text(found, "symbols.0.name", "node");
	snprintf(place, sizeof(place), "tests/programs/fields.c:%lld",
	    harness_line("fields", "struct node {"));
	expect_within(found, "symbols.0.at", place);
	expect_all(client_tool(scene.client, "rr_symbols", "{s:s, s:i}", "pattern",
		       "^(look|keeper|phrase)$", "limit", 2),
	    IS("symbols.0.kind", "function"), IS("symbols.0.name", "look"),
	    IS("symbols.1.name", "keeper"), TRUE("more"));
	client_tool_refused(
	    scene.client, "rr_symbols", "not_found", "{s:s}", "pattern", "nobody_has_this");
	/* Classes that neither gdb nor POSIX has. */
	expect_text(client_tool(scene.client, "rr_symbols", "{s:s, s:s}", "pattern",
			"^kee[\\w]\\w{1}(r|\\d)$", "kind", "variable"),
	    "symbols.0.name", "keeper");
	client_tool_refused(scene.client, "rr_symbols", "not_found", "{s:s, s:s}", "pattern",
	    "^no\\de$", "kind", "type");
	client_tool_refused(
	    scene.client, "rr_symbols", "invalid_argument", "{s:s}", "pattern", "^\\x6eode");
}
END_TEST

/* The address is among the matches. */
static bool is_match(const json_t *found, const char *address)
{
	json_t *match;
	size_t i;

	json_array_foreach(answer_at(found, "matches"), i, match)
	{
		if (strtoull(answer_text(match, "address"), NULL, 16) ==
		    strtoull(address, NULL, 16))
			return true;
	}
	return false;
}

static void expect_found_at(struct scene *scene, const json_t *found, const char *pointer)
{
	json_auto_t *value =
	    client_tool(scene->client, "rr_evaluate", "{s:s}", "expression", pointer);

	ck_assert_msg(is_match(found, answer_text(value, "value")), "%s", pointer);
}

START_TEST(who_holds_a_pointer_and_where_a_text_lies_is_found)
{
	cleanup_scene struct scene scene = open_at_look(c_builds[_i]);

	/* Two pointers lead to the last node: that of the node before it, and keeper. */
	json_t *found = client_tool(scene.client, "rr_find_memory", "{s:s}", "value", "keeper");
	expect_found_at(&scene, found, "&keeper");
	expect_found_at(&scene, found, "&first->next->next->next->next");
	expect_text(found, "matches.0.symbol", "keeper");
	json_decref(found);
	found = client_tool(scene.client, "rr_find_memory", "{s:s, s:s}", "text",
	    "a needle in the haystack", "mapping", "[heap]");
	ck_assert_uint_eq(answer_count(found, "matches"), 1);
	expect_found_at(&scene, found, "phrase");
	json_decref(found);
	found = client_tool(
	    scene.client, "rr_find_memory", "{s:s}", "hex", "6e 65 65 64 6C 65 20 69 6e 20 74");
	expect_found_at(&scene, found, "phrase + 2");
	json_decref(found);
	/* Only as far as it is looked for. */
	expect_all(client_tool(scene.client, "rr_find_memory", "{s:s, s:s, s:s}", "value", "keeper",
		       "from", "&keeper", "to", "(char *) &keeper + 8"),
	    COUNT("matches", 1));
}
END_TEST

START_TEST(a_search_of_memory_is_bounded_and_goes_on)
{
	cleanup_scene struct scene scene = open_at_look(c_builds[_i]);
	json_auto_t *some = client_tool(scene.client, "rr_find_memory", "{s:s, s:s, s:i}", "hex",
	    "00", "mapping", "[heap]", "limit", 2);
	ck_assert_uint_eq(answer_count(some, "matches"), 2);
	const char *more = answer_text(some, "more");
	char *end;
	ck_assert_int_eq(strncmp(more, "from=", 5), 0);
	unsigned long long from = strtoull(more + 5, &end, 16);
	ck_assert_int_eq(strncmp(end, " goes on", 8), 0);
	ck_assert(from > strtoull(answer_text(some, "matches.1.address"), NULL, 16));
	expect_all(client_tool(scene.client, "rr_find_memory", "{s:s}", "hex",
		       "0123456789abcdef fedcba9876543210"),
	    COUNT("matches", 0), HAS("conclusion", "0 found"));
	static const char *const bad[] = {"text", "nothing", "hex", "0x1"};
	client_tool_refused(scene.client, "rr_find_memory", "invalid_argument", "{s:s, s:s}",
	    bad[0], bad[1], bad[2], bad[3]);
	client_tool_refused(
	    scene.client, "rr_find_memory", "invalid_argument", "{s:s}", bad[2], bad[3]);
	client_tool_refused(scene.client, "rr_find_memory", "invalid_argument", "{s:s, s:s, s:s}",
	    "text", "a", "from", "keeper", "to", "0x10");
	client_tool_refused(
	    scene.client, "rr_find_memory", "not_found", "{s:s, s:s}", "text", "a", "to", "0x10");
	client_tool_refused(
	    scene.client, "rr_find_memory", "invalid_argument", "{s:s}", "value", "nobody");
}
END_TEST

START_TEST(a_structure_is_shown_member_by_member)
{
	cleanup_scene struct scene scene = open_at_look(c_builds[_i]);

	json_t *whole = client_tool(scene.client, "rr_expand", "{s:s}", "expression", "first");
	expect_text(whole, "type", "struct node");
	expect_listed(whole, "members", "letter = 102 'f'");
	expect_listed(whole, "members", "place: struct place");
	ck_assert_ptr_null(line_with(whole, "members", "  x = 5"));
	json_decref(whole);
	whole = client_tool(scene.client, "rr_expand", "{s:s, s:i, s:i}", "expression", "*first",
	    "depth", 2, "count", 7);
	expect_listed(whole, "members", "  y = 500");
	expect_listed(whole, "members", "  letter = 101 'e'"); /* of the next one */
	expect_listed(whole, "members", "  [6] = 30");
	expect_listed(whole, "members", "... and more");
	json_decref(whole);
	whole = client_tool(scene.client, "rr_expand", "{s:s, s:i, s:i}", "expression",
	    "first->counts", "start", 10, "count", 3);
	ck_assert_uint_eq(answer_count(whole, "members"), 3);
	expect_listed(whole, "members", "[12] = 60");
	expect_number(whole, "more", 13);
	json_decref(whole);
	whole = client_tool(scene.client, "rr_expand", "{s:s}", "expression", "*(struct node *) 8");
	expect_listed(whole, "members", "letter = <cannot be read>");
	json_decref(whole);
	client_tool_refused(
	    scene.client, "rr_expand", "invalid_argument", "{s:s}", "expression", "nobody");
}
END_TEST

/* gdb alone writes each base class and each internal member of the standard library. */
START_TEST(values_of_the_standard_library_are_short)
{
	cleanup_scene struct scene scene = open_at_look(cc_builds[_i]);

	expect_answer_within(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression",
				 "*everything.accounts._M_impl._M_start"),
	    "value", "number = 1}, balance = 100, owner = \"somebody\"}");
	expect_value(scene.client, "everything.numbers[7]", "49");
	json_decref(client_tool_fails(scene.client, "rr_evaluate", NULL, "{s:s}", "expression",
	    "everything.numbers.push_back(1)"));
}
END_TEST

/* By name, in a structure, through a reference, beside a stop and at another moment. */
/* gdb 13 has a value for it already, without elements. */
START_TEST(a_container_behind_a_reference_is_a_local_with_its_elements)
{
	cleanup_scene struct scene scene = open_at_look(cc_builds[_i]);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	expect_within(locals, "variables.0.value", "{numbers = std::vector of length 300,");
}
END_TEST

START_TEST(an_evaluated_container_is_shown_with_its_elements)
{
	cleanup_scene struct scene scene = open_at_look(cc_builds[_i]);
	static const char ages[] = "std::map with 2 elements = {[\"ann\"] = 31, [\"bob\"] = 42}";
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);

	expect_value(scene.client, "everything.ages", ages);
	expect_value(scene.client, "where.ages", ages);
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "where"), "value",
	    "{numbers = std::vector of length 300, capacity 512 = {0, 1, 4, 9, ");
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "everything.accounts"),
	    "value", "std::vector of length 2, capacity 2 = {{<bank::thing> = {");
	/* A long one is cut, and says where the rest is. */
	json_auto_t *many =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "everything.numbers");
	ck_assert_uint_lt(strlen(answer_text(many, "value")), 800);
	expect_within(many, "value", "400, 441, ");
	expect_within(many, "value", "rr_expand shows the rest");
	json_auto_t *step = client_tool(scene.client, "rr_step", "{s:s, s:[s]}", "unit",
	    "instruction", "evaluate", "everything.ages");
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(step, "evaluated"), "everything.ages")),
	    ages);
	expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s, s:s}", "expression",
			  "everything.ages", "at", answer_text(here, "moment")),
	    "value", ages);
	/* So do other answers. Optimized, the step has entered a function that stands inside. */
	expect_answer_within(client_tool(scene.client, "rr_backtrace", NULL),
	    _i ? "frames.1.args" : "frames.0.args",
	    "where={numbers = std::vector of length 300, capacity 512 = {0, 1, 4, 9, ");
}
END_TEST

START_TEST(a_container_is_shown_by_its_elements)
{
	cleanup_scene struct scene scene = open_at_look(cc_builds[_i]);
	json_t *before =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "everything.ages");

	json_t *some = client_tool(scene.client, "rr_expand", "{s:s, s:i, s:i}", "expression",
	    "everything.numbers", "start", 290, "count", 4);
	ck_assert_uint_eq(answer_count(some, "members"), 4);
	expect_listed(some, "members", "[293] = 85849");
	expect_number(some, "more", 294);
	json_decref(some);
	some = client_tool(
	    scene.client, "rr_expand", "{s:s, s:i}", "expression", "&everything", "depth", 3);
	expect_listed(some, "members", "numbers: std::vector<int");
	expect_listed(some, "members", "  [\"bob\"] = 42");
	expect_listed(some, "members", "    balance = -5");
	expect_listed(some, "members", "    owner = \"somebody\"");
	json_decref(some);
	/* What holds one thing is shown with it, whatever the depth. */
	some = client_tool(scene.client, "rr_expand", "{s:s}", "expression", "everything");
	expect_listed(some, "members", "  get() = 0x");
	json_decref(some);
	/* Other answers are as they were. */
	expect_same(before,
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "everything.ages"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_layout_has_offsets_and_sizes_by_expression_and_by_name,
	    names_are_found_the_programs_own_first,
	    who_holds_a_pointer_and_where_a_text_lies_is_found,
	    a_search_of_memory_is_bounded_and_goes_on, a_structure_is_shown_member_by_member,
	    values_of_the_standard_library_are_short,
	    a_container_behind_a_reference_is_a_local_with_its_elements,
	    an_evaluated_container_is_shown_with_its_elements, a_container_is_shown_by_its_elements,
	    NULL};
	return scene_main_builds("looking", tests,
	    (const char *const[]){"fields", "fields_O2", "containers", "containers_O2", NULL}, 2);
}
