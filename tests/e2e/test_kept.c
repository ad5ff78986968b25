/*
 * Objects of the C++ library beside a write and as arguments: without the classes that only wrap
 * them, and never with a text that was not theirs.
 */
#include <stdbool.h>
#include <string.h>
#include "tests/e2e/scene.h"

/* A change by the function change; "" stands for any text. */
static const struct {
	const char *expression, *old, *new;
} changes[] = {
    {"word", "\"one\"", "\"onex\" (length 3)"},
    {"word", "\"onex\" (length 3)", "\"onex\""},
    {"word", "\"onex\" (length 0)", "\"\""},
    {"inner", "{held = \"\"}", "{held = \"in\" (length 0)}"},
    {"inner", "{held = \"in\" (length 0)}", "{held = \"in\"}"},
    {"far_text", "\"a text that is too long to be kept inside\"",
	"\"another text that is moved here, number 1\""},
    {"wide", "u\"cde\" (length 2)", "u\"cde\""},
    {"both", "{[0] = 1, [1] = 99 'c'}", "{[0] = 2, [1] = 99 'c'}"},
    {"counted", "{_M_i = 0}", "{_M_i = 5}"},
    {"view", "", "\"other\""},
};

static bool is_change(const json_t *row, size_t i)
{
	return (!changes[i].old[0] || strcmp(answer_text(row, "old"), changes[i].old) == 0) &&
	       strcmp(answer_text(row, "new"), changes[i].new) == 0;
}

static const json_t *find_change(const json_t *history, size_t i)
{
	const json_t *rows = answer_at(history, "changes"), *row;
	size_t at;

	json_array_foreach(rows, at, row) if (is_change(row, i)) return row;
	return NULL;
}

START_TEST(a_change_shows_what_the_object_was)
{
	cleanup_scene struct scene scene = scene_open("kept", NULL);
	json_t *history = NULL;

	for (size_t i = 0; i < TIMES(changes); i++) {
		if (!i || strcmp(changes[i].expression, changes[i - 1].expression) != 0) {
			json_decref(history);
			history = client_tool(scene.client, "rr_value_history", "{s:s}",
			    "expression", changes[i].expression);
		}
		ck_assert_msg(find_change(history, i) != NULL, "%s becomes %s",
		    changes[i].expression, changes[i].new);
	}
	json_decref(history);
}
END_TEST

/* Two values that differ are shown otherwise, also where their texts are the same. */
START_TEST(each_change_of_an_object_can_be_seen)
{
	static const char *const expressions[] = {"far_text", "lost", "numbers", "line", "shared"};
	cleanup_scene struct scene scene = scene_open("kept", NULL);
	bool hidden = false;

	for (int i = 0; i < TIMES(expressions); i++) {
		json_auto_t *history = client_tool(
		    scene.client, "rr_value_history", "{s:s}", "expression", expressions[i]);
		const json_t *row;
		size_t at;

		json_array_foreach(answer_at(history, "changes"), at, row)
		{
			ck_assert_str_ne(answer_text(row, "old"), answer_text(row, "new"));
			ck_assert_ptr_null(strstr(answer_text(row, "old"), "allocator"));
			ck_assert_ptr_null(strstr(answer_text(row, "new"), "allocator"));
			hidden |=
			    strstr(answer_text(row, "old"), ", with other bytes = {_M_") != NULL;
		}
	}
	ck_assert(hidden); /* where a long text is kept, before it has one */
}
END_TEST

/* What lies now in the memory of a text is no part of it. */
START_TEST(a_text_in_memory_that_was_freed_is_not_shown)
{
	cleanup_scene struct scene scene = scene_open_at("kept", "change");
	json_auto_t *stop,
	    *watch = client_tool(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "lost");

	stop = client_tool(scene.client, "rr_continue", NULL);
	expect_within(stop, "watch.old", "{_M_p = 0x");
	expect_within(stop, "watch.old", ", _M_string_length = 38, ");
	expect_within(stop, "watch.new", "\"\" (length 38)");
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number",
	    (json_int_t)answer_number(watch, "number"));
}
END_TEST

START_TEST(what_wrote_an_object_last_shows_both_values)
{
	cleanup_scene struct scene scene = scene_open_at("kept", "made");

	expect_all(client_tool(scene.client, "rr_last_change", "{s:s, s:b}", "expression",
		       "far_text", "move", 0),
	    HAS("conclusion", "called by change ("), HAS("old", "\"a text that is too long"),
	    HAS("new", "\"another text that is moved here, number 1\""));
	expect_all(client_tool(scene.client, "rr_last_change", "{s:s, s:b}", "expression", "owned",
		       "move", 0),
	    IS("old", "0x0"), HAS("new", "0x"));
	expect_all(client_tool(scene.client, "rr_last_change", "{s:s, s:b}", "expression",
		       "numbers", "move", 0),
	    HAS("old", "{_M_start = 0x"), HAS("new", ", _M_end_of_storage = 0x"));
	expect_all(client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "word"),
	    HAS("accesses.0.old", "{_M_p = "), IS("accesses.0.new", "\"\""));
}
END_TEST

START_TEST(arguments_and_results_are_shown_with_what_they_hold)
{
	cleanup_scene struct scene scene = scene_open("kept", NULL);
	json_auto_t *result;

	scene_run_to(&scene, "change");
	expect_answer_within(client_tool(scene.client, "rr_step", "{s:s}", "unit", "instruction"),
	    "frame.args",
	    "argument=\"argument\", by_value=\"a text that came by value, and is long\", "
	    "who={age = 1, kept = std::map with 2 elements = {[\"x\"] = 1, [\"yy\"] = 2}, "
	    "name = \"ann\"}");
	expect_answer_within(client_tool(scene.client, "rr_backtrace", NULL), "frames.0.args",
	    "kept = std::map with 2 elements = {[\"x\"] = 1, [\"yy\"] = 2}");
	scene_run_to(&scene, "made");
	result = client_tool(scene.client, "rr_finish", NULL);
	expect_text(result, "return_value", "\"number 48\"");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_change_shows_what_the_object_was, 1},
	    {each_change_of_an_object_can_be_seen, 1},
	    {a_text_in_memory_that_was_freed_is_not_shown, 1},
	    {what_wrote_an_object_last_shows_both_values, 1},
	    {arguments_and_results_are_shown_with_what_they_hold, 1},
	    {NULL, 0},
	};

	return scene_main_loops("kept", tests, (const char *const[]){"kept", NULL});
}
