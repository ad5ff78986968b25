/*
 * Watchpoints in a process that has not run yet: the software counter must know them, or rr gets
 * stops that it does not understand. And watchpoints on variables whose types have no name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define COMMAND_SIZE 8192

/* What the double of rr sees, with the library or without. */
static void run_watcher(const char *environment, char *output, size_t size)
{
	char *watcher = harness_program("../doubles/watcher"), command[COMMAND_SIZE];
	FILE *pipe;

	snprintf(command, sizeof(command), "%s '%s'", environment, watcher);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	output[fread(output, 1, size - 1, pipe)] = '\0';
	ck_assert_int_eq(pclose(pipe), 0);
	free(watcher);
}

START_TEST(a_watchpoint_set_before_a_process_runs_is_seen_as_without_the_counter)
{
	char *folder = harness_program("../../libexec/rr-warden"), library[COMMAND_SIZE / 2];
	char alone[256], counted[256];

	/* LD_PRELOAD cannot hold a path with a space. */
	snprintf(library, sizeof(library), "LD_LIBRARY_PATH='%s' LD_PRELOAD=softpmu.so", folder);
	run_watcher("", alone, sizeof(alone));
	run_watcher(library, counted, sizeof(counted));
	/* Where debug registers do nothing, the process ends without a stop. */
	ck_assert(strstr(alone, "stop 5 hits 1 ") || strncmp(alone, "stop -1 ", 8) == 0);
	ck_assert_str_eq(counted, alone);
	free(folder);
}
END_TEST

#define NAMELESS "nameless.cc"

static const struct {
	const char *expression, *mark, *value;
} nameless[] = {
    {"pair_of_shorts", "/* pair */", "high = 7"},
    {"either", "/* either */", "whole = 7"},
    {"color", "/* color */", "BLUE"},
    {"hidden", "/* hidden */", "value = 7"},
    {"counter", "/* counter */", "7"},
};

START_TEST(a_variable_without_a_named_type_is_watched_and_searched_like_any_other)
{
	const char *expression = nameless[_i].expression;
	long long line = harness_line(NAMELESS, nameless[_i].mark);
	struct scene scene = scene_open("nameless", NULL);
	char place[64];

	snprintf(place, sizeof(place), NAMELESS ":%lld", line);
	/* Where the program begins, in C code, names in an anonymous namespace are not known. */
	if (strcmp(expression, "hidden") == 0)
		scene_run_to(&scene, "main");
	json_auto_t *watch =
	    client_tool(scene.client, "rr_watchpoint_set", "{s:s}", "expression", expression);
	json_auto_t *stop = client_tool(scene.client, "rr_continue", NULL);
	expect_text(stop, "reason", "watchpoint");
	expect_within(stop, "watch.new", nameless[_i].value);
	json_decref(client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end"));
	/* The other way, it is the same write. */
	expect_answer_within(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1),
	    "watch.new", nameless[_i].value);
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number",
	    (json_int_t)answer_number(watch, "number"));
	scene_run_to(&scene, "printf");
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	expect_all(client_tool(scene.client, "rr_last_change", "{s:s}", "expression", expression),
	    HAS("conclusion", place), HAS("new", nameless[_i].value));
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s}", "expression", expression),
	    HAS("conclusion", place), COUNT("changes", 1));
	scene_close(&scene);
}
END_TEST

/* What the function change does to each, in three calls, two of them behind the load of a library.
 */
static const struct {
	const char *expression;
	long long changes;
} loaded[] = {{"goods[0]", 2}, {"goods", 2}, {"best", 3}, {"door", 3}, {"stock", 3}, {"kept", 3},
    {"price", 3}, {"text._M_string_length", 4}, {"list._M_impl._M_finish", 3}};

START_TEST(what_is_watched_before_a_library_is_loaded_is_watched_behind_it)
{
	cleanup_scene struct scene scene = scene_open("watched_load", NULL);

	for (int i = 0; i < TIMES(loaded); i++)
		expect_all(client_tool(scene.client, "rr_value_history", "{s:s}", "expression",
			       loaded[i].expression),
		    NUMBER("total", loaded[i].changes));
}
END_TEST

/* A string and a vector take four registers and three. */
START_TEST(an_object_of_several_registers_is_watched_whole)
{
	cleanup_scene struct scene scene = scene_open_at("watched_load", "change");
	json_auto_t *watch, *list, *refused;

	watch = client_tool(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "text");
	client_tool_done(scene.client, "rr_continue", NULL); /* the x */
	client_tool_done(scene.client, "rr_continue", NULL); /* the length */
	expect_all(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "text"),
	    HAS("value", "onex"));
	refused = client_tool_fails(
	    scene.client, "rr_watchpoint_set", "unsupported", "{s:s}", "expression", "list");
	expect_within(refused, "message", "no room");
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number",
	    (json_int_t)answer_number(watch, "number"));
	list = client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "list");
	expect_within(list, "conclusion", "_M_realloc_");
	expect_all(client_tool_fails(scene.client, "rr_watchpoint_set", "unsupported", "{s:s}",
		       "expression", "large"),
	    HAS("message", "64 bytes"), HAS("hint", "an element"));
}
END_TEST

/* Going to the write takes a register, and the search watches the string with all four. */
START_TEST(the_last_change_of_an_object_that_takes_all_registers_is_found)
{
	cleanup_scene struct scene scene = scene_open("watched_load", NULL);
	json_t *watch = NULL, *change;

	for (int watched = 0; watched < 2; watched++) {
		client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
		change =
		    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "moved");
		expect_within(change, "conclusion", "change (");
		expect_within(change, "new", "number 1");
		json_decref(change);
		if (!watched)
			watch = client_tool(
			    scene.client, "rr_watchpoint_set", "{s:s}", "expression", "moved");
	}
	json_decref(watch);
}
END_TEST

/* ---- Conditions with names of a library that comes and goes -------------------------------- */

#define HITS_MAX 7

/* The values that `watched` gets where the condition holds, and where nobody can read it. */
struct judged {
	const char *condition;
	const char *forward[HITS_MAX], *backward[HITS_MAX];
};

#define UNREAD "!" /* before the value of a stop that says that the condition cannot be read */

static const struct judged judged[] = {
    {"plugin_level == 5", {UNREAD "1", "3", "5", UNREAD "6"}, {UNREAD "6", "5", "3", UNREAD "1"}},
    {"mode == 5 && &plugin_level", {UNREAD "1", "2", "3", "4", "5", UNREAD "6"},
	{UNREAD "6", "5", "4", "3", "2", UNREAD "1"}},
};

static void expect_hits(
    struct scene *scene, bool reverse, const char *const values[HITS_MAX], const char *end)
{
	for (int i = 0; values[i]; i++) {
		json_auto_t *stop =
		    client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse);
		bool unread = values[i][0] == UNREAD[0];

		expect_text(stop, "reason", "watchpoint");
		expect_text(stop, "watch.new", values[i] + unread);
		if (unread)
			expect_within(stop, "condition_unread", "No symbol \"plugin_level\"");
		else
			ck_assert_ptr_null(answer_at(stop, "condition_unread"));
		ck_assert_ptr_null(answer_at(stop, "warnings"));
	}
	expect_answer(
	    client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse), "reason", end);
}

START_TEST(a_condition_with_names_of_a_library_loses_no_hit_where_it_is_not_loaded)
{
	const struct judged *row = &judged[_i];
	cleanup_scene struct scene scene = scene_open("watched_plugin", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s, s:b}", "location", "put",
	    "condition", "value == 2", "temporary", 1);
	client_tool_done(scene.client, "rr_continue", NULL);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:s}", "expression", "watched",
	    "condition", row->condition);
	json_decref(client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end"));
	expect_hits(&scene, true, row->backward, "start");
	/* The session comes back where the condition cannot be read. */
	census_kill(census_find(client_pid(scene.client), "gdb", 0));
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), TRUE("restored"));
	expect_hits(&scene, false, row->forward, "end");
}
END_TEST

/* ---- What the code cache reads for the program ---------------------------------------------- */

static const struct {
	const char *expression;
	long long reads;
} looked[] = {
    {"greeting", 5}, {"flags_word", 5}, {"short_flags", 5}, {"return_word[0]", 5}, {"coded[0]", 1}};

START_TEST(each_read_of_an_operand_is_seen_once_and_no_other)
{
	cleanup_scene struct scene scene = scene_open("looks", NULL);

	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
		       looked[_i].expression, "access", "read"),
	    NUMBER("total", looked[_i].reads), COUNT("changes", looked[_i].reads));
}
END_TEST

/* If the processor counts the read of a jump that fails, the program is not at the jump any more.
 */
START_TEST(no_read_is_seen_before_a_jump_through_watched_memory_to_no_address)
{
	cleanup_scene struct scene scene = scene_open("looks", NULL);
	json_t *stop;

	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:s}", "expression", "jump_word",
	    "access_type", "access");
	stop = client_tool(scene.client, "rr_continue", NULL);
	if (strcmp(answer_text(stop, "reason"), "watchpoint") == 0) {
		ck_assert_ptr_null(answer_at(stop, "frame.function"));
		json_decref(stop);
		stop = client_tool(scene.client, "rr_continue", NULL);
	}
	expect_text(stop, "reason", "signal");
	json_decref(stop);
}
END_TEST

START_TEST(what_only_a_condition_reads_is_no_read_of_the_program)
{
	cleanup_scene struct scene scene = scene_open("looks", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "step",
	    "condition", "asked == 8");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:s}", "expression", "asked",
	    "access_type", "access");
	expect_all(client_tool(scene.client, "rr_continue", NULL), IS("reason", "watchpoint"),
	    IS("frame.function", "main"));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "signal");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_watchpoint_set_before_a_process_runs_is_seen_as_without_the_counter, 1},
	    {a_variable_without_a_named_type_is_watched_and_searched_like_any_other,
		TIMES(nameless)},
	    {what_is_watched_before_a_library_is_loaded_is_watched_behind_it, 1},
	    {an_object_of_several_registers_is_watched_whole, 1},
	    {the_last_change_of_an_object_that_takes_all_registers_is_found, 1},
	    {a_condition_with_names_of_a_library_loses_no_hit_where_it_is_not_loaded,
		TIMES(judged)},
	    {each_read_of_an_operand_is_seen_once_and_no_other, TIMES(looked)},
	    {no_read_is_seen_before_a_jump_through_watched_memory_to_no_address, 1},
	    {what_only_a_condition_reads_is_no_read_of_the_program, 1},
	    {NULL, 0},
	};
	return scene_main_loops("watched", tests,
	    (const char *const[]){"nameless", "watched_load", "watched_plugin", "looks", NULL});
}
