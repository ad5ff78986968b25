/*
 * Bit-fields: each question is answered about their own bits, although gdb's address of one is that
 * of the word that it lies in. Where that cannot be, the question is refused.
 */
#include <check.h>
#include "tests/e2e/scene.h"

#define BITS   "bits"
#define ROUNDS 120

static long long line_of(const char *text)
{
	return harness_line(BITS ".cc", text);
}

/* With few rows and many changes, gdb and the software counter would count: of the whole word. */
START_TEST(the_history_of_a_bit_field_leaves_its_neighbours_out)
{
	cleanup_scene struct scene scene = scene_open_at(BITS, "setup");

	expect_all(
	    client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "it.locked"),
	    NUMBER("total", 2), IS("changes.0.new", "1"), IS("changes.0.frame.function", "setup"),
	    IS("changes.1.new", "0"), IS("changes.1.frame.function", "wrong"),
	    LINE("changes.1.frame", line_of("// cleared")));
	for (int limit = 1; limit <= 1000; limit += 999)
		expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:i}", "expression",
			       "it.high", "limit", limit),
		    NUMBER("total", 2 * ROUNDS), HAS("conclusion", "all by raise"),
		    IS("changes.0.old", "0"), IS("changes.0.new", "1"));
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:i}", "expression",
		       "it.number", "limit", 1),
	    NUMBER("total", 1), HAS("conclusion", "all by setup"));
}
END_TEST

START_TEST(accesses_of_a_bit_field_are_told_as_those_of_its_neighbours_too)
{
	cleanup_scene struct scene scene = scene_open_at(BITS, "setup");

	expect_within(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
			  "it.low", "access", "read"),
	    "neighbours", "are counted too");
	expect_within(client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "it.low"),
	    "neighbours", "writes this one too");
}
END_TEST

START_TEST(the_way_of_a_bit_fields_value_is_not_taken_for_that_of_its_word)
{
	static const char *const fields[] = {"it.locked", "(it.mode)", "it.large", "(&it)->number"};
	cleanup_scene struct scene scene = scene_open_at(BITS, "wrong");

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		expect_within(client_tool_fails(scene.client, "rr_origin_of", "unsupported",
				  "{s:s}", "expression", fields[i]),
		    "hint", "rr_last_change");
}
END_TEST

/* In a method, gdb takes the bare name for the word; and of an object that a pointer points to. */
START_TEST(a_predicate_in_a_method_reads_the_bits_alone)
{
	cleanup_scene struct scene scene = scene_open_at(BITS, "device::is_locked");

	expect_all(client_tool(scene.client, "rr_when_became", "{s:s, s:s}", "predicate",
		       "locked == 1", "from", "start"),
	    IS("frame.function", "setup"), LINE("frame", line_of("// locked")));
	expect_all(client_tool(scene.client, "rr_when_became", "{s:s, s:s}", "predicate",
		       "number == 3", "from", "start"),
	    IS("frame.function", "setup"));
	expect_all(
	    client_tool(scene.client, "rr_when_became", "{s:s}", "predicate", "this->locked == 1"),
	    IS("frame.function", "setup"), LINE("frame", line_of("// locked")));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_history_of_a_bit_field_leaves_its_neighbours_out,
	    accesses_of_a_bit_field_are_told_as_those_of_its_neighbours_too,
	    the_way_of_a_bit_fields_value_is_not_taken_for_that_of_its_word,
	    a_predicate_in_a_method_reads_the_bits_alone,
	    NULL,
	};
	const char *const programs[] = {BITS, NULL};

	return scene_main("bits", tests, programs);
}
