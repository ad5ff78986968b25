/*
 * What C++ and C programs say everywhere, and gdb does not know by itself: comparisons and
 * conversions of objects of the C++ library, NULL and true. It means the same in every frame, those
 * of the C library and of the start too.
 */
#include "tests/e2e/scene.h"

static struct scene in_step(void)
{
	struct scene scene = scene_open("spoken", NULL);
	char location[64];

	snprintf(location, sizeof(location), "spoken.cc:%lld",
	    harness_line("spoken.cc", "/* in step */"));
	scene_run_to(&scene, location);
	return scene;
}

START_TEST(objects_are_compared_and_converted_as_in_the_program)
{
	static const char *const values[][2] = {{"(bool) aligned", "true"},
	    {"static_cast<bool>(aligned)", "true"}, {"bool(none)", "false"},
	    {"!(bool)none && (bool)aligned", "true"}, {"(bool)maybe", "false"},
	    {"(bool)action", "false"}, {"(bool) (unsigned char) 257", "true"},
	    {"(bool) (unsigned char) (int) number", "false"}, {"(bool)(number) or true", "true"},
	    {"(bool)alone", "false"}, {"(bool)number", "false"}, {"(bool)label.size()", "true"},
	    {"!maybe", "true"}, {"!aligned", "false"}, {"aligned == nullptr", "false"},
	    {"none == nullptr", "true"}, {"alone == NULL", "true"}, {"aligned == other", "true"},
	    {"aligned != none", "true"}, {"aligned == &bytes[0]", "true"},
	    {"title == \"n0\"", "true"}, {"label != \"n0\"", "false"}, {"title == label", "true"},
	    {"names[0] == \"n1\"", "false"}, {"aligned.use_count()", "2"},
	    {"gone.use_count()", "0"}, {"gone.expired()", "true"}, {"either.index()", "1"},
	    {"wait_for.count()", "90"}, {"bits[3]", "true"}, {"bits.test(69)", "true"},
	    {"bits[68]", "false"}};
	cleanup_scene struct scene scene = in_step();

	for (int i = 0; i < TIMES(values); i++)
		expect_value(scene.client, values[i][0], values[i][1]);
}
END_TEST

START_TEST(a_class_without_a_known_truth_is_not_made_one)
{
	cleanup_scene struct scene scene = in_step();

	expect_answer_within(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument",
				 "{s:s}", "expression", "(bool) names"),
	    "message", "neither true nor false");
	expect_alive(scene.client, scene.session);
}
END_TEST

/* At its start the program stands in code without a language, at its end in C. */
static const char *const places[] = {"start", "end"};

START_TEST(a_value_of_cxx_is_found_from_every_frame)
{
	const bool at_end = strcmp(places[_i], "end") == 0;
	cleanup_scene struct scene scene = scene_open("spoken", NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", places[_i]);
	expect_value(scene.client, "names.size()", at_end ? "4" : "0");
	expect_value(scene.client, "title == \"n3\"", at_end ? "true" : "false");
	if (!at_end)
		return;
	expect_value(scene.client, "names[1] == \"n1\"", "true");
	expect_value(scene.client, "(bool)aligned ? 7 : 8", "7");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "*aligned");
	json_auto_t *history = client_tool(
	    scene.client, "rr_value_history", "{s:s}", "expression", "names[1]._M_string_length");
	expect_number(history, "total", 1);
}
END_TEST

static const struct {
	const char *condition;
	long long total;
} conditions[] = {{"title == \"n2\"", 1}, {"label == \"n2\" && number == 2", 1}, {"(bool)maybe", 1},
    {"!maybe", 3}, {"aligned != nullptr && flag == true", 2}, {"names.size() > 2", 2}};

START_TEST(conditions_hold_where_they_do_in_the_program)
{
	cleanup_scene struct scene scene = scene_open("spoken", NULL);

	for (int i = 0; i < TIMES(conditions); i++) {
		json_auto_t *answer = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}",
		    "location", "step", "condition", conditions[i].condition);
		expect_number(answer, "total", conditions[i].total);
		ck_assert_ptr_null(json_object_get(answer, "condition_unread"));
	}
}
END_TEST

/* gdb takes a structure with any byte set for true. */
START_TEST(a_structure_as_a_condition_is_doubted_where_it_stops)
{
	cleanup_scene struct scene scene = scene_open("spoken", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "step",
	    "condition", "maybe");
	expect_answer_within(client_tool(scene.client, "rr_continue", NULL), "condition_unread",
	    "neither true nor false");
}
END_TEST

START_TEST(words_that_every_c_program_uses_are_known)
{
	static const char *const values[][2] = {{"at != NULL", "0"}, {"list == NULL", "1"},
	    {"at == nullptr", "1"}, {"true", "1"}, {"false", "0"}};
	cleanup_scene struct scene scene = scene_open_at("constants", "sum");

	for (int i = 0; i < TIMES(values); i++)
		expect_value(scene.client, values[i][0], values[i][1]);
	expect_answer_within(client_tool(scene.client, "rr_when_became", "{s:s}", "predicate",
				 "list != NULL && list->on == true"),
	    "conclusion", "became true for the first time");
	json_auto_t *calls = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location",
	    "sum", "condition", "at != NULL");
	expect_number(calls, "total", 1);
}
END_TEST

int main(void)
{
	static const char *const programs[] = {"spoken", "constants", NULL};

	return scene_main_loops("spoken",
	    (const struct looped[]){{objects_are_compared_and_converted_as_in_the_program, 1},
		{a_class_without_a_known_truth_is_not_made_one, 1},
		{a_value_of_cxx_is_found_from_every_frame, TIMES(places)},
		{conditions_hold_where_they_do_in_the_program, 1},
		{a_structure_as_a_condition_is_doubted_where_it_stops, 1},
		{words_that_every_c_program_uses_are_known, 1}, {0}},
	    programs);
}
