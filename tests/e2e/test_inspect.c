/*
 * Tools that inspect: values, frames, memory, registers, source, threads, processes. Their answers
 * stay small whatever the program holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

START_TEST(several_expressions_are_answered_each_for_itself)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "set_late");
	expect_all(client_tool(scene.client, "rr_evaluate", "{s:[s,s,s]}", "expressions", "counter",
		       "no_such_thing", "four[3]"),
	    COUNT("results", 3), IS("results.0.value", "4"), IS("results.0.type", "int"),
	    HAS("results.1.error", "no_such_thing"), IS("results.2.value", "34"),
	    IS("results.2.type", "long"));
}
END_TEST

static void expect_counter(struct scene *scene, const char *value)
{
	expect_value(scene->client, "counter", value);
}

/* gdb caches what it has read as long as the program stands. */
START_TEST(values_are_those_of_the_moment_however_it_was_reached)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "rewrite");
	expect_counter(&scene, "4");
	json_auto_t *saved = client_tool(scene.client, "rr_checkpoint_save", NULL);
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	const char *moment = answer_text(here, "moment");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_counter(&scene, "10");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_counter(&scene, "0");
	client_tool_done(scene.client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id",
	    answer_number(saved, "checkpoint_id"));
	expect_counter(&scene, "4");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "counter");
	client_tool_done(scene.client, "rr_continue", NULL);
	expect_counter(&scene, "5");
	client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	expect_counter(&scene, "4");
	client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	expect_counter(&scene, "3");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", moment);
	expect_counter(&scene, "4");
}
END_TEST

START_TEST(a_call_into_the_program_leaves_the_recording_as_it_was)
{
	cleanup_scene struct scene scene = scene_open("many_watch",
	    &(struct client_options){.args = (const char *const[]){"--allow-calls", NULL}});
	scene_run_to(&scene, "set_late");
	expect_counter(&scene, "4");
	for (int i = 0; i < 2; i++) {
		expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s, s:b}", "expression",
				  "(count_up(3), counter)", "allow_calls", 1),
		    "value", "7");
		expect_counter(&scene, "4");
	}
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_counter(&scene, "10");
}
END_TEST

START_TEST(registers_are_given_by_name)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "set_late");
	json_auto_t *some =
	    client_tool(scene.client, "rr_registers", "{s:[s,s]}", "register_names", "rip", "rsp");
	ck_assert_uint_eq(json_object_size(answer_at(some, "registers")), 2);
	ck_assert_int_eq(strncmp(answer_text(some, "registers.rip"), "0x", 2), 0);
	expect_all(client_tool(scene.client, "rr_registers", NULL),
	    IS("registers.rsp", answer_text(some, "registers.rsp")), PRESENT("registers.rax"),
	    PRESENT("registers.eflags"));
}
END_TEST

START_TEST(memory_is_read_at_an_expression)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "set_late");
	json_auto_t *memory = client_tool(
	    scene.client, "rr_read_memory", "{s:s, s:i}", "address", "&four[0]", "count", 16);
	expect_text(memory, "contents", "1f000000000000002000000000000000");
	ck_assert_int_eq(strncmp(answer_text(memory, "address"), "0x", 2), 0);
}
END_TEST

/* Tools that look a name up, and the argument that holds it. */
static const struct {
	const char *tool, *argument;
} lookups[] = {{"rr_evaluate", "expression"}, {"rr_expand", "expression"},
    {"rr_watchpoint_set", "expression"}, {"rr_last_change", "expression"},
    {"rr_value_history", "expression"}, {"rr_origin_of", "expression"},
    {"rr_when_became", "predicate"}, {"rr_heap_history", "pointer"}, {"rr_read_memory", "address"},
    {"rr_find_memory", "value"}};

START_TEST(a_name_of_another_frame_is_found_there)
{
	cleanup_scene struct scene scene = scene_open_at("overrun", "rename_account");
	for (int i = 0; i < TIMES(lookups); i++)
		expect_answer_within(client_tool_fails(scene.client, lookups[i].tool,
					 "invalid_argument", "{s:s}", lookups[i].argument, "argc"),
		    "hint", "argc is a variable of frame 1, main");
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	expect_answer_within(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument",
				 "{s:s}", "expression", "name"),
	    "hint", "name is a variable of frame 0, rename_account");
	json_auto_t *nobody = client_tool_fails(
	    scene.client, "rr_evaluate", "invalid_argument", "{s:s}", "expression", "nobody");
	ck_assert_ptr_null(strstr(answer_text(nobody, "hint"), "nobody"));
}
END_TEST

static void expect_read(struct scene *scene, const char *expression, const char *value)
{
	json_auto_t *read =
	    client_tool(scene->client, "rr_evaluate", "{s:s}", "expression", expression);

	expect_text(read, "value", value);
}

/* gdb itself would take the first one that it finds. */
START_TEST(of_several_static_variables_none_is_guessed)
{
	cleanup_scene struct scene scene = scene_open_at("same_names", "first");
	expect_read(&scene, "shared", "1");
	scene_run_to(&scene, "second");
	expect_read(&scene, "shared", "2");
	scene_run_to(&scene, "meet");
	for (int i = 0; i < TIMES(lookups); i++)
		expect_answer_within(
		    client_tool_fails(scene.client, lookups[i].tool, "invalid_argument", "{s:s}",
			lookups[i].argument, "shared"),
		    "message", "in other files: first.c, second.c");
	expect_read(&scene, "'first.c'::shared + 10", "11");
	expect_read(&scene, "'second.c'::shared", "2");
	/* There is but one. */
	expect_read(&scene, "lonely + (int) sizeof(int)", "7");
}
END_TEST

/* `count` times lonely, and then another name. */
static void sum_up(char expression[4096], int count, const char *last)
{
	size_t length = 0;

	for (int i = 0; i < count; i++)
		length += (size_t)sprintf(expression + length, "lonely+");
	sprintf(expression + length, "%s", last);
}

/* Short, and so many that one command of gdb cannot hold them. */
START_TEST(a_static_is_not_guessed_behind_any_number_of_names)
{
	static const int counts[] = {23, 24, 25, 500};
	char expression[4096], sum[16];
	cleanup_scene struct scene scene = scene_open_at("same_names", "meet");

	for (int i = 0; i < TIMES(counts); i++) {
		sum_up(expression, counts[i], "shared");
		expect_answer_within(client_tool_fails(scene.client, "rr_evaluate",
					 "invalid_argument", "{s:s}", "expression", expression),
		    "message", "in other files: first.c, second.c");
		sum_up(expression, counts[i], "lonely");
		snprintf(sum, sizeof(sum), "%d", 3 * (counts[i] + 1));
		expect_read(&scene, expression, sum);
	}
}
END_TEST

static void expect_marked(const json_t *lines, long long line, bool marked)
{
	char text[64];
	snprintf(text, sizeof(text), "%s %lld  \tlate = 42;", marked ? "=>" : "  ", line);
	ck_assert_msg(
	    strstr(answer_text(lines, "source"), text) != NULL, "%s", answer_text(lines, "source"));
}

static size_t count_lines(const char *text)
{
	size_t count = 1;
	for (; *text; text++)
		count += *text == '\n';
	return count;
}

START_TEST(source_lines_name_their_file)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	long long line = harness_line("many_watch", "late = 42;");
	json_t *lines = client_tool(scene.client, "rr_source_lines", "{s:s, s:I, s:i}", "file",
	    "many_watch.c", "line", (json_int_t)line, "count", 5);
	expect_within(lines, "file", "many_watch.c");
	expect_marked(lines, line, false); /* the program stands elsewhere */
	ck_assert_uint_eq(count_lines(answer_text(lines, "source")), 5);
	json_decref(lines);
	scene_run_to(&scene, "set_late");
	lines = client_tool(scene.client, "rr_source_lines", "{s:s, s:I, s:i}", "file",
	    "many_watch.c", "line", (json_int_t)line + 2, "count", 7);
	expect_marked(lines, line, true);
	json_decref(lines);
}
END_TEST

START_TEST(another_frame_is_read_without_selecting_it)
{
	cleanup_scene struct scene scene = scene_open_at("overrun", "rename_account");
	expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s, s:i}", "expression", "argc",
			  "frame", 1),
	    "value", "1");
	expect_answer_within(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument",
				 "{s:s}", "expression", "argc"),
	    "hint", "argc is a variable of frame 1");
	expect_answer_within(client_tool_fails(scene.client, "rr_evaluate", "not_found",
				 "{s:s, s:i}", "expression", "argc", "frame", 99),
	    "message", "there is no frame 99");
}
END_TEST

/* In write, which has names of its own if its debug information is there. */
START_TEST(names_are_the_programs_own_where_it_stands_in_a_library)
{
	cleanup_scene struct scene scene = scene_open("crash", NULL);
	struct client *client = scene.client;
	json_auto_t *stop = NULL, *sp = NULL, *outer = NULL;

	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "write");
	stop = client_tool(client, "rr_continue", NULL);
	expect_text(stop, "reason", "breakpoint");
	expect_all(client_tool(client, "rr_evaluate", "{s:s}", "expression", "customers[1].id"),
	    IS("value", "2"), HAS("note", "read in frame "), HAS("note", "the program's own code"));
	expect_all(client_tool(client, "rr_evaluate", "{s:s, s:s}", "expression", "customers[1].id",
		       "at", answer_text(stop, "moment")),
	    IS("value", "2"), HAS("note", "read in frame "));
	/* the registers are those of write */
	sp = client_tool(client, "rr_evaluate", "{s:s}", "expression", "$sp");
	outer = client_tool(client, "rr_evaluate", "{s:s, s:i}", "expression", "$sp", "frame", 1);
	ck_assert_ptr_null(answer_at(sp, "note"));
	ck_assert_str_ne(answer_text(sp, "value"), answer_text(outer, "value"));
	/* a frame that was chosen stays */
	client_tool_done(client, "rr_select_frame", "{s:i}", "frame_level", 1);
	client_tool_refused(
	    client, "rr_evaluate", "invalid_argument", "{s:s}", "expression", "customers[1].id");
}
END_TEST

START_TEST(locals_stay_small_beside_a_megabyte_array)
{
	cleanup_scene struct scene scene = scene_open_at("big_locals", "use");
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	ck_assert_uint_ge(answer_count(locals, "variables"), 3);
	bool block = false, all = false, strange = false;
	for (size_t i = 0; i < answer_count(locals, "variables"); i++) {
		const json_t *one = json_array_get(answer_at(locals, "variables"), i);
		const char *name = answer_text(one, "name");
		block |= strcmp(name, "block") == 0;
		strange |= strcmp(name, "strange") == 0;
		all |= strcmp(name, "all") == 0;
	}
	ck_assert(block && all && strange);
}
END_TEST

START_TEST(a_deep_recursion_is_paged_or_folded)
{
	cleanup_scene struct scene scene = scene_open("recursion", NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "sum_to",
	    "condition", "number == 0");
	client_tool_done(scene.client, "rr_continue", NULL);
	json_t *trace = client_tool(scene.client, "rr_backtrace", "{s:i}", "max_depth", 10000);
	expect_text(trace, "frames.0.function", "sum_to");
	ck_assert_uint_lt(answer_count(trace, "frames"), 2001);
	json_decref(trace);
	trace = client_tool(scene.client, "rr_backtrace", "{s:i}", "max_depth", 3);
	ck_assert_uint_le(answer_count(trace, "frames"), 3);
	ck_assert_ptr_nonnull(answer_at(trace, "more"));
	json_decref(trace);
}
END_TEST

START_TEST(a_full_backtrace_has_each_frames_locals)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "fill_four");
	json_auto_t *trace = client_tool(scene.client, "rr_backtrace", "{s:b}", "full", 1);
	cleanup_free char *text = answer_show(trace);
	ck_assert_ptr_nonnull(strstr(text, "round = "));
}
END_TEST

START_TEST(threads_are_listed_and_chosen)
{
	cleanup_scene struct scene scene = scene_open_at("threads", "take_turns");
	json_auto_t *list = client_tool(scene.client, "rr_thread_list", NULL);
	size_t count = answer_count(list, "threads");
	ck_assert_uint_ge(count, 2);
	json_t *first = json_array_get(answer_at(list, "threads"), 0);
	json_t *id = json_object_get(first, "tid");
	ck_assert_ptr_nonnull(id);
	char number[32];
	if (json_is_string(id))
		snprintf(number, sizeof(number), "%s", json_string_value(id));
	else
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(id));
	client_tool_done(scene.client, "rr_thread_select", "{s:s}", "thread_id", number);
	json_t *trace = client_tool(scene.client, "rr_backtrace", NULL);
	ck_assert_uint_ge(answer_count(trace, "frames"), 1);
	json_decref(trace);
	trace = client_tool(scene.client, "rr_backtrace", "{s:s}", "thread", "all");
	cleanup_free char *text = answer_show(trace);
	ck_assert_ptr_nonnull(strstr(text, "take_turns"));
	ck_assert_ptr_nonnull(strstr(text, "main"));
	json_decref(trace);
}
END_TEST

START_TEST(a_child_that_only_forked_is_replayed_by_its_pid)
{
	cleanup_client struct client *client = client_start(NULL);
	const char *trace = scene_trace("fork_tree");
	json_auto_t *list = client_tool(client, "rr_ps", "{s:s}", "trace_dir", trace);
	size_t count = answer_count(list, "processes");
	ck_assert_uint_ge(count, 8);
	long long root = answer_number(list, "processes.0.pid");
	const json_t *child = json_array_get(answer_at(list, "processes"), 2);
	expect_number(child, "ppid", root);
	expect_all(client_tool(client, "rr_replay_start", "{s:s, s:I, s:b}", "trace_dir", trace,
		       "pid", (json_int_t)answer_number(child, "pid"), "fork_pid", 1),
	    NUMBER("pid", answer_number(child, "pid")));
	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "grow");
	expect_all(client_tool(client, "rr_continue", NULL), IS("frame.function", "grow"),
	    NUMBER("tid", answer_number(child, "pid")));
}
END_TEST

START_TEST(processes_tell_how_they_ended)
{
	cleanup_client struct client *client = client_start(NULL);
	json_auto_t *list =
	    client_tool(client, "rr_ps", "{s:s}", "trace_dir", scene_trace("fork_tree"));
	expect_number(list, "processes.0.exit_code", 0);
	expect_within(list, "processes.0.command", "fork_tree");
	size_t signalled = 0;
	for (size_t i = 0; i < answer_count(list, "processes"); i++)
		signalled += json_object_get(
				 json_array_get(answer_at(list, "processes"), i), "signal") != NULL;
	ck_assert_uint_eq(signalled, 1);
}
END_TEST

START_TEST(a_session_may_begin_at_the_end)
{
	cleanup_client struct client *client = client_start(NULL);
	json_auto_t *started = client_tool(client, "rr_replay_start", "{s:s, s:s}", "trace_dir",
	    scene_trace("list_corruption"), "at", "end");
	ck_assert_int_gt(answer_event(started, "moment"), 1);
	expect_answer(
	    client_tool(client, "rr_backtrace", NULL), "frames.0.function", "report_total");
}
END_TEST

/* At the start the dynamic linker has reported no libraries yet, and gdb has seen that. */
START_TEST(the_libraries_are_known_at_the_end_too)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	client_tool_done(scene.client, "rr_evaluate", "{s:s}", "expression", "*(long *)&_DYNAMIC");
	expect_answer_within(client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end"),
	    "frame.function", "_exit");
}
END_TEST

START_TEST(recordings_are_listed_and_removed)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "gone");
	json_decref(client_record(client, trace, "exit_code", NULL));
	json_auto_t *list =
	    client_tool(client, "rr_list_recordings", "{s:s}", "trace_base_dir", folder);
	ck_assert_uint_eq(answer_count(list, "recordings"), 1);
	expect_text(list, "recordings.0.trace_dir", trace);
	ck_assert_int_gt(answer_number(list, "recordings.0.bytes"), 0);
	expect_within(list, "recordings.0.command", "exit_code");
	client_tool_done(client, "rr_traceinfo", "{s:s}", "trace_dir", trace);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", trace);
	expect_all(client_tool(client, "rr_list_recordings", "{s:s}", "trace_base_dir", folder),
	    COUNT("recordings", 0));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {several_expressions_are_answered_each_for_itself,
	    values_are_those_of_the_moment_however_it_was_reached,
	    a_call_into_the_program_leaves_the_recording_as_it_was, registers_are_given_by_name,
	    memory_is_read_at_an_expression, a_name_of_another_frame_is_found_there,
	    of_several_static_variables_none_is_guessed,
	    a_static_is_not_guessed_behind_any_number_of_names, source_lines_name_their_file,
	    another_frame_is_read_without_selecting_it,
	    names_are_the_programs_own_where_it_stands_in_a_library,
	    locals_stay_small_beside_a_megabyte_array, a_deep_recursion_is_paged_or_folded,
	    a_full_backtrace_has_each_frames_locals, threads_are_listed_and_chosen,
	    a_child_that_only_forked_is_replayed_by_its_pid, processes_tell_how_they_ended,
	    a_session_may_begin_at_the_end, the_libraries_are_known_at_the_end_too,
	    recordings_are_listed_and_removed, NULL};
	return scene_main("looking", tests,
	    (const char *const[]){"many_watch", "big_locals", "recursion", "threads", "fork_tree",
		"list_corruption", "overrun", "same_names", "crash", NULL});
}
