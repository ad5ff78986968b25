/*
 * Values of the C++ library's classes and the errors of expressions: what an expression means does
 * not depend on what was asked before, and a bad one costs only its own value.
 */
#include "tests/e2e/scene.h"

#define PROGRAM "library_values"

static struct scene at_line(const char *text, const char *const *args)
{
	struct scene scene = scene_open(PROGRAM, &(struct client_options){.args = args});
	char location[64];

	snprintf(location, sizeof(location), PROGRAM ".cc:%lld", harness_line(PROGRAM ".cc", text));
	scene_run_to(&scene, location);
	return scene;
}

/* Each of them is the session's first question. */
static const struct {
	const char *tool, *argument, *expression;
	struct expected expected;
} firsts[] = {
    {"rr_evaluate", "expression", "first->weight", IS("value", "3")},
    {"rr_watchpoint_set", "expression", "all[0]->weight", PRESENT("address")},
    {"rr_origin_of", "expression", "first->next->weight", HAS("conclusion", "= 5 comes from")},
    {"rr_last_change", "expression", "*maybe", HAS("new", "4")},
    {"rr_read_memory", "address", "&first->weight", PRESENT("contents")},
};

START_TEST(the_first_question_of_a_session_finds_values_behind_smart_pointers)
{
	cleanup_scene struct scene scene = at_line("/* all is made */", NULL);

	expect_all(client_tool(scene.client, firsts[_i].tool, "{s:s}", firsts[_i].argument,
		       firsts[_i].expression),
	    firsts[_i].expected);
}
END_TEST

START_TEST(functions_that_the_compiler_inlined_can_be_used)
{
	static const char *const values[][2] = {{"*maybe", "4"}, {"maybe.value()", "4"},
	    {"none.has_value()", "false"}, {"table[\"x\"]", "1"}, {"table[key]", "2"},
	    {"table.at(\"yy\")", "2"}, {"kinds[GREEN]", "2.5"}, {"names[7].size()", "5"},
	    {"some.count(9)", "1"}, {"some.count(5)", "0"}, {"text[1]", "101 'e'"},
	    {"view[1]", "108 'l'"}, {"view.size()", "3"}, {"text.empty()", "false"},
	    {"(*first->tag)[1]", "108 'l'"}, {"line.front()", "11"}, {"*it", "11"},
	    {"at->second", "1"}, {"(*place)->weight", "8"}, {"first->next->weight", "5"},
	    {"all.size()", "1"}, {"sizeof(text[0])", "1"}};
	cleanup_scene struct scene scene = at_line("/* all is made */", NULL);

	for (int i = 0; i < TIMES(values); i++)
		expect_value(scene.client, values[i][0], values[i][1]);
	expect_answer_within(
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "first->tag->c_str()"),
	    "value", "\"blue\"");
	/* its place can be watched */
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "table[\"x\"]");
}
END_TEST

START_TEST(a_function_without_an_answer_says_why)
{
	static const char *const wrong[][2] = {{"*none", "is empty"},
	    {"table[\"zz\"]", "no element with the key"}, {"text[9]", "the length is 5"},
	    {"all.at(7)", "should not be >= 1"},
	    {"*&first->nothing", "no member or method named nothing"}};
	cleanup_scene struct scene scene = at_line("/* all is made */", NULL);

	for (int i = 0; i < TIMES(wrong); i++)
		expect_answer_within(client_tool_fails(scene.client, "rr_evaluate",
					 "invalid_argument", "{s:s}", "expression", wrong[i][0]),
		    "message", wrong[i][1]);
	expect_alive(scene.client, scene.session);
}
END_TEST

/* The line of a list that begins with `name`. */
static const char *line_of(const json_t *lines, const char *name)
{
	json_t *line;
	size_t i;

	json_array_foreach(
	    (json_t *)lines, i, line) if (strncmp(json_string_value(line), name, strlen(name)) ==
					  0) return json_string_value(line);
	ck_abort_msg("no %s", name);
}

/* The frame of a function in an answer's list. */
static const json_t *frame_of(const json_t *answer, const char *function)
{
	const json_t *frames = answer_at(answer, "frames");
	json_t *frame;
	size_t i;

	json_array_foreach((json_t *)frames, i, frame)
	{
		const char *name = json_string_value(json_object_get(frame, "function"));
		if (name && strcmp(name, function) == 0)
			return frame;
	}
	ck_abort_msg("no frame of %s", function);
}

static void expect_containers(const json_t *answer, bool locals)
{
	const json_t *frame = frame_of(answer, "use");

	expect_within(frame, "args", "{label = \"first\", counts = std::vector of length 2");
	expect_within(frame, "args", "known=std::map with 2 elements = {[\"x\"] = 1");
	ck_assert_ptr_null(strstr(answer_text(frame, "args"), "begin_of_the_walk"));
	if (!locals)
		return;
	ck_assert_ptr_nonnull(
	    strstr(line_of(json_object_get(frame, "locals"), "words = "), "= {\"one\", \"two\"}"));
	ck_assert_ptr_nonnull(
	    strstr(line_of(json_object_get(frame, "locals"), "seen = "), "{ 2 }"));
}

START_TEST(frames_show_containers_as_evaluate_does)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *report = client_tool(scene.client, "rr_crash_report", NULL);
	json_auto_t *full = client_tool(scene.client, "rr_backtrace", "{s:b}", "full", 1);
	json_auto_t *lean = client_tool(scene.client, "rr_backtrace", NULL);

	expect_containers(report, true);
	expect_containers(full, true);
	expect_containers(lean, false);
}
END_TEST

START_TEST(a_dynamic_cast_finds_the_object)
{
	static const char *const values[][2] = {{"dynamic_cast<circle*>(s)->r", "2.5"},
	    {"dynamic_cast<both*>(s)", "0x0"}, {"dynamic_cast<both *>(o)->w", "9"},
	    {"dynamic_cast<shape*>(o) == &whole", "true"},
	    {"dynamic_cast<both*>(dynamic_cast<shape*>(o))->w", "9"},
	    {"dynamic_cast<both &>(whole).w", "9"}, {"dynamic_cast<void*>(o) == &whole", "true"}};
	cleanup_scene struct scene scene = at_line("/* in cast */", NULL);

	for (int i = 0; i < TIMES(values); i++)
		expect_value(scene.client, values[i][0], values[i][1]);
	expect_answer(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument", "{s:s}",
			  "expression", "dynamic_cast<circle&>(whole)"),
	    "message", "bad cast: the object is a both");
	expect_all(
	    client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:[s]}", "location", "cast",
		"condition", "dynamic_cast<circle*>(s) && dynamic_cast<both*>(o)->w == 9",
		"evaluate", "dynamic_cast<circle*>(s)->r"),
	    NUMBER("total", 1), PRESENT("hits.0.evaluated"));
}
END_TEST

/* gdb's helpers say it in a warning, and the answer passes it on. */
START_TEST(a_warning_of_gdb_stands_beside_the_answer)
{
	static const char warn[] =
	    "python gdb.write('warning: this value is doubtful\\n', gdb.STDERR)";
	cleanup_scene struct scene scene =
	    at_line("/* in cast */", (const char *const[]){"--allow-gdb-command", NULL});

	expect_answer(client_tool(scene.client, "rr_gdb_command", "{s:s}", "command", warn),
	    "warnings.0", "this value is doubtful");
	expect_all(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "s->id"),
	    IS("value", "1"), ABSENT("warnings"));
}
END_TEST

/* gdb looks for ./plugin_twice where it runs; the program has loaded it from its own folder. */
START_TEST(a_library_loaded_by_a_relative_name_has_its_symbols)
{
	char location[64];

	snprintf(location, sizeof(location), "relative_load.c:%lld",
	    harness_line("relative_load", "/* loaded */"));
	cleanup_scene struct scene scene = scene_open_at("relative_load", location);
	scene_run_to(&scene, "plugin_add");
	expect_all(client_tool(scene.client, "rr_backtrace", NULL),
	    IS("frames.0.function", "plugin_add"), IS("frames.0.args", "a=40, b=2"),
	    HAS("frames.0.at", "plugin_twice.c"), IS("frames.1.function", "main"));
}
END_TEST

START_TEST(breakpoints_in_a_library_whose_place_is_found_late_are_said_to_be_passed)
{
	cleanup_scene struct scene scene = scene_open("relative_load", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:b}", "location", "plugin_add",
	    "pending", 1);
	expect_answer_within(client_tool(scene.client, "rr_continue", NULL), "library_found_late",
	    "go back and run again");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_all(client_tool(scene.client, "rr_continue", NULL), IS("reason", "breakpoint"),
	    ABSENT("library_found_late"));
}
END_TEST

START_TEST(one_bad_expression_leaves_the_others)
{
	cleanup_scene struct scene scene = at_line("/* all is made */", NULL);

	expect_all(
	    client_tool(scene.client, "rr_evaluate", "{s:[s,s,s,s,s]}", "expressions",
		"first->weight", "$_shell(\"true\")", "no_such", "first->weight = 4", "*maybe"),
	    COUNT("results", 5), IS("results.0.value", "3"), HAS("results.1.error", "$_shell"),
	    HAS("results.2.error", "no_such"), PRESENT("results.3.error"),
	    IS("results.4.value", "4"));
	expect_value(scene.client, "first->weight", "3");
}
END_TEST

START_TEST(an_assertion_of_gdb_is_named_and_costs_nothing_else)
{
	cleanup_scene struct scene scene =
	    at_line("/* all is made */", (const char *const[]){"--allow-gdb-command", NULL});

	for (int i = 0; i < 2; i++)
		expect_answer_within(client_tool_fails(scene.client, "rr_gdb_command", NULL,
					 "{s:s}", "command", "maint internal-error it broke"),
		    "message", "an assertion of gdb itself failed");
	expect_alive(scene.client, scene.session);
	expect_value(scene.client, "first->weight", "3");
}
END_TEST

int main(void)
{
	static const char *const programs[] = {PROGRAM, "relative_load", NULL};

	return scene_main_loops("values",
	    (const struct looped[]){
		{the_first_question_of_a_session_finds_values_behind_smart_pointers, TIMES(firsts)},
		{functions_that_the_compiler_inlined_can_be_used, 1},
		{a_function_without_an_answer_says_why, 1},
		{frames_show_containers_as_evaluate_does, 1}, {a_dynamic_cast_finds_the_object, 1},
		{a_warning_of_gdb_stands_beside_the_answer, 1},
		{a_library_loaded_by_a_relative_name_has_its_symbols, 1},
		{breakpoints_in_a_library_whose_place_is_found_late_are_said_to_be_passed, 1},
		{one_bad_expression_leaves_the_others, 1},
		{an_assertion_of_gdb_is_named_and_costs_nothing_else, 1}, {0}},
	    programs);
}
