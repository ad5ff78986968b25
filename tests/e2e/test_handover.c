/*
 * Going back over a fork: what a session of a forked child hands over to its parent, what it says
 * of that, and the way back.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

#define PROGRAM	  "forking"
#define STEPS_MAX 600 /* the C library may have lines of its own */

/* The exit codes of the program's processes. */
enum { FIRST = 0, SERVES = 11, EXECS = 12, HAS_CHILD = 13, GRANDCHILD = 14 };

static long long process(struct client *client, int exit_code)
{
	return scene_process(client, PROGRAM, exit_code);
}

/* A session of the process from its fork on. */
static struct scene child_of(int exit_code)
{
	struct client *client = client_start(NULL);

	return scene_of_child(client, PROGRAM, process(client, exit_code));
}

static struct scene child_at(int exit_code, const char *location)
{
	struct scene scene = child_of(exit_code);

	scene_run_to(&scene, location);
	return scene;
}

static json_t *back(struct scene *scene, const char *tool)
{
	return client_tool(scene->client, tool, "{s:b}", "reverse", 1);
}

static void set_breakpoint(struct scene *scene, const char *location)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", location);
}

/* It says that the session is the process's now, and which checkpoint goes back. */
static void expect_handed(json_t *stop, long long pid, int checkpoint)
{
	char back_by[40];

	snprintf(back_by, sizeof(back_by), "checkpoint_id %d goes back", checkpoint);
	expect_number(stop, "pid", pid);
	expect_within(stop, "note", "the session is that of process");
	expect_within(stop, "note", back_by);
}

static json_t *restore(struct scene *scene, int checkpoint)
{
	return client_tool(
	    scene->client, "rr_checkpoint_restore", "{s:i}", "checkpoint_id", checkpoint);
}

static json_t *evaluate(struct scene *scene, const char *expression)
{
	return client_tool(scene->client, "rr_evaluate", "{s:s}", "expression", expression);
}

static void kill_gdb(struct scene *scene)
{
	pid_t gdb = census_find(client_pid(scene->client), "gdb", 0);

	ck_assert_int_gt(gdb, 0);
	census_kill(gdb);
}

START_TEST(a_run_back_comes_to_a_breakpoint_that_only_the_parent_hits)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");
	const long long parent = process(scene.client, FIRST);

	set_breakpoint(&scene, "configure");
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_text(stop, "reason", "breakpoint");
	expect_text(stop, "frame.function", "configure");
	expect_within(stop, "note", "was forked by");
	expect_handed(stop, parent, 1);
	expect_value(scene.client, "limit", "0");
	expect_all(
	    client_tool(scene.client, "rr_sessions", NULL), NUMBER("sessions.0.pid", parent));
}
END_TEST

START_TEST(the_checkpoint_goes_back_to_where_the_call_began)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);

	set_breakpoint(&scene, "configure");
	json_decref(back(&scene, "rr_continue"));
	expect_all(restore(&scene, 1), IS("frame.function", "serve"),
	    IS("moment", answer_text(before, "moment")),
	    NUMBER("pid", process(scene.client, SERVES)));
	expect_value(scene.client, "limit", "7");
	/* The same call leaves no second one. */
	json_auto_t *again = back(&scene, "rr_continue");
	expect_handed(again, process(scene.client, FIRST), 1);
	expect_all(client_tool(scene.client, "rr_checkpoint_list", NULL), COUNT("checkpoints", 1));
}
END_TEST

START_TEST(a_run_back_that_nothing_can_stop_ends_at_the_fork_and_says_so)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");
	const long long child = process(scene.client, SERVES);

	expect_all(back(&scene, "rr_continue"), IS("reason", "start"),
	    HAS("note", "was forked here"), NUMBER("tid", child), ABSENT("pid"));
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_handed(stop, process(scene.client, FIRST), 1);
}
END_TEST

START_TEST(until_is_looked_for_in_the_parent_too)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	json_auto_t *stop = client_tool(
	    scene.client, "rr_continue", "{s:b, s:s}", "reverse", 1, "until", "configure");
	expect_text(stop, "frame.function", "configure");
	expect_handed(stop, process(scene.client, FIRST), 1);
}
END_TEST

START_TEST(a_child_that_execs_goes_back_over_both)
{
	cleanup_scene struct scene scene = {.client = client_start(NULL)};
	const long long child = process(scene.client, EXECS);

	json_auto_t *started = client_tool(scene.client, "rr_replay_start", "{s:s, s:I}",
	    "trace_dir", scene_trace(PROGRAM), "pid", (json_int_t)child);
	scene.session = strdup(answer_text(started, "session"));
	ck_assert_uint_eq(answer_count(started, "images"), 2);
	ck_assert(answer_true(started, "images.0.forked"));
	scene_run_to(&scene, "serve");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "served");
	set_breakpoint(&scene, "configure");
	expect_answer(back(&scene, "rr_continue"), "reason", "exec");
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_text(stop, "frame.function", "configure");
	expect_handed(stop, process(scene.client, FIRST), 1);
	/* What it watched is of the program behind the exec, where it is set again. */
	expect_all(restore(&scene, 1), IS("reason", "event"));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "watchpoint");
}
END_TEST

START_TEST(three_generations_are_one_story)
{
	cleanup_scene struct scene scene = child_at(GRANDCHILD, "serve");
	char line[60];

	snprintf(line, sizeof(line), PROGRAM ".c:%lld", harness_line(PROGRAM, "/* generation */"));
	set_breakpoint(&scene, line);
	set_breakpoint(&scene, "configure");
	json_auto_t *parent = back(&scene, "rr_continue");
	expect_line(parent, "frame", harness_line(PROGRAM, "/* generation */"));
	expect_handed(parent, process(scene.client, HAS_CHILD), 1);
	json_auto_t *first = back(&scene, "rr_continue");
	expect_text(first, "frame.function", "configure");
	expect_handed(first, process(scene.client, FIRST), 2);

	/* In one call, from the first checkpoint on. */
	expect_value(scene.client, "limit", "0");
	json_decref(restore(&scene, 1));
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number", 2);
	json_auto_t *far = back(&scene, "rr_continue");
	expect_text(far, "frame.function", "configure");
	expect_within(far, "note", "descends from");
	expect_handed(far, process(scene.client, FIRST), 1);
}
END_TEST

START_TEST(a_restored_session_is_the_parents_and_still_knows_the_way_back)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	set_breakpoint(&scene, "configure");
	json_auto_t *stop = back(&scene, "rr_continue");
	kill_gdb(&scene);
	expect_all(client_tool(scene.client, "rr_when", NULL), TRUE("restored"),
	    IS("moment", answer_text(stop, "moment")));
	expect_all(restore(&scene, 1), IS("frame.function", "serve"));
	kill_gdb(&scene);
	expect_all(evaluate(&scene, "limit"), TRUE("restored"), IS("value", "7"));
	expect_all(back(&scene, "rr_continue"), IS("frame.function", "configure"),
	    HAS("note", "checkpoint_id 1 goes back"));
}
END_TEST

/* From the line after the fork in the child, back to the fork in the parent. */
static struct scene child_behind_fork(void)
{
	char line[60];

	snprintf(line, sizeof(line), PROGRAM ".c:%lld", harness_line(PROGRAM, "/* child */"));
	return child_at(SERVES, line);
}

static const struct {
	const char *tool;
} line_steps[] = {{"rr_next"}, {"rr_step"}};

START_TEST(a_line_step_back_over_the_fork_ends_at_its_line_in_the_parent)
{
	cleanup_scene struct scene scene = child_behind_fork();
	json_t *stop;
	int steps = 0;

	/* First to the line before this one, which is in the child as well. The C library may have
	 * lines of its own. */
	do {
		stop = back(&scene, line_steps[_i].tool);
		if (json_object_get(stop, "pid"))
			break;
		json_decref(stop);
	} while (++steps < STEPS_MAX);
	ck_assert_int_lt(steps, STEPS_MAX);
	expect_handed(stop, process(scene.client, FIRST), 1);
	for (; strcmp(answer_text(stop, "frame.function"), "start_child") != 0 && steps < STEPS_MAX;
	     steps++) {
		json_decref(stop);
		stop = back(&scene, line_steps[_i].tool);
	}
	expect_text(stop, "reason", "step");
	expect_line(stop, "frame", harness_line(PROGRAM, "/* forks */"));
	expect_number(stop, "tid", process(scene.client, FIRST));
	json_decref(stop);
	expect_answer(back(&scene, "rr_next"), "frame.function", "main");
}
END_TEST

/* The call of fork is the line's first instruction, or it is not. */
static const struct {
	int exit_code;
	const char *from, *to, *before; /* lines, and the function of the line before them */
} counted[] = {
    {SERVES, "/* child */", "/* forks */", "main"},
    {HAS_CHILD, "/* generation */", "/* forks a parent */", "main"},
};

START_TEST(next_with_a_count_goes_on_in_the_parent)
{
	char line[60];

	snprintf(line, sizeof(line), PROGRAM ".c:%lld", harness_line(PROGRAM, counted[_i].from));
	cleanup_scene struct scene scene = child_at(counted[_i].exit_code, line);
	json_auto_t *stop =
	    client_tool(scene.client, "rr_next", "{s:b, s:i}", "reverse", 1, "count", 2);
	expect_text(stop, "reason", "step");
	expect_line(stop, "frame", harness_line(PROGRAM, counted[_i].to));
	expect_handed(stop, process(scene.client, FIRST), 1);
	/* It was the beginning of the line. */
	expect_answer(back(&scene, "rr_next"), "frame.function", counted[_i].before);
}
END_TEST

START_TEST(an_instruction_back_from_the_childs_first_is_the_call_itself)
{
	cleanup_scene struct scene scene = child_of(SERVES);

	json_auto_t *stop =
	    client_tool(scene.client, "rr_step", "{s:s, s:b}", "unit", "instruction", "reverse", 1);
	expect_text(stop, "reason", "step");
	expect_handed(stop, process(scene.client, FIRST), 1);
	/* And forward it is behind the call, in the parent. */
	expect_all(client_tool(scene.client, "rr_step", "{s:s}", "unit", "instruction"),
	    NUMBER("tid", process(scene.client, FIRST)));
}
END_TEST

START_TEST(instructions_are_counted_over_the_fork)
{
	cleanup_scene struct scene scene = child_of(SERVES);

	client_tool_done(scene.client, "rr_step", "{s:s, s:i}", "unit", "instruction", "count", 5);
	json_auto_t *one = client_tool(scene.client, "rr_step", "{s:s, s:b, s:i}", "unit",
	    "instruction", "reverse", 1, "count", 6);
	expect_handed(one, process(scene.client, FIRST), 1);
	json_decref(restore(&scene, 1));
	json_auto_t *more = client_tool(scene.client, "rr_step", "{s:s, s:b, s:i}", "unit",
	    "instruction", "reverse", 1, "count", 9);
	json_auto_t *forward =
	    client_tool(scene.client, "rr_step", "{s:s, s:i}", "unit", "instruction", "count", 3);
	expect_text(forward, "moment", answer_text(one, "moment"));
	ck_assert_str_ne(answer_text(more, "moment"), answer_text(one, "moment"));
}
END_TEST

/* From behind the call of fork in the child to the call in the parent, whatever ran in it. */
START_TEST(an_instruction_back_over_the_call_of_fork_is_the_call_in_the_parent)
{
	cleanup_scene struct scene scene = child_of(SERVES);

	do {
		json_auto_t *stop = client_tool(scene.client, "rr_finish", NULL);
		if (strcmp(answer_text(stop, "frame.function"), "start_child") == 0)
			break;
	} while (true);
	json_auto_t *before =
	    client_tool(scene.client, "rr_next", "{s:s, s:i}", "unit", "instruction", "count", 3);
	json_auto_t *stop = client_tool(scene.client, "rr_next", "{s:s, s:b, s:i}", "unit",
	    "instruction", "reverse", 1, "count", 4);
	expect_text(stop, "reason", "step");
	expect_text(stop, "frame.function", "start_child");
	expect_handed(stop, process(scene.client, FIRST), 1);
	expect_answer_within(client_tool(scene.client, "rr_disassemble", "{s:i}", "count", 1),
	    "instructions.0", "fork@plt");
	expect_all(restore(&scene, 1), IS("moment", answer_text(before, "moment")));
}
END_TEST

START_TEST(finish_goes_back_to_the_call_in_the_parent)
{
	cleanup_scene struct scene scene = child_behind_fork();

	json_auto_t *stop = back(&scene, "rr_finish");
	expect_text(stop, "reason", "finished");
	expect_text(stop, "frame.function", "main");
	expect_handed(stop, process(scene.client, FIRST), 1);
	expect_value(scene.client, "children", "4");
}
END_TEST

START_TEST(finish_of_a_function_of_the_child_stays_in_the_child)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	expect_all(back(&scene, "rr_finish"), IS("frame.function", "start_child"), ABSENT("pid"));
}
END_TEST

START_TEST(a_moment_before_the_fork_is_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	set_breakpoint(&scene, "configure");
	json_auto_t *stop = back(&scene, "rr_continue");
	json_decref(restore(&scene, 1));
	json_auto_t *there =
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(stop, "moment"));
	expect_text(there, "frame.function", "configure");
	expect_handed(there, process(scene.client, FIRST), 1);
	expect_text(there, "moment", answer_text(stop, "moment"));
	/* Its breakpoint is there too: going back once more hits nothing before. */
	expect_answer(back(&scene, "rr_continue"), "reason", "start");
	expect_answer(
	    client_tool(scene.client, "rr_continue", NULL), "frame.function", "configure");
}
END_TEST

START_TEST(a_moment_that_is_not_in_the_parent_leaves_the_session_where_it_is)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	char moment[80];

	set_breakpoint(&scene, "configure");
	json_auto_t *stop = back(&scene, "rr_continue");
	json_decref(restore(&scene, 1));
	snprintf(moment, sizeof(moment), "%lld:%lld@1234.5678", answer_event(stop, "moment"),
	    answer_ticks(stop, "moment"));
	client_tool_refused(scene.client, "rr_goto", "invalid_argument", "{s:s}", "moment", moment);
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    IS("moment", answer_text(before, "moment")),
	    NUMBER("tid", process(scene.client, SERVES)));
}
END_TEST

START_TEST(where_rr_cannot_stop_the_note_still_names_the_way_back)
{
	cleanup_scene struct scene scene = child_of(EXECS);
	json_auto_t *start = client_tool(scene.client, "rr_when", NULL);
	long long first = answer_number(start, "event");
	bool elsewhere = false, handed = false;

	for (long long event = first - 1; event >= first - 30 && !elsewhere; event--) {
		json_auto_t *stop = client_tool(
		    scene.client, "rr_run_to_event", "{s:I}", "event_number", (json_int_t)event);

		/* Some events lie between the fork and the first one of the child. */
		if (!handed && !json_object_get(stop, "pid")) {
			expect_text(stop, "moment", answer_text(start, "moment"));
			continue;
		}
		handed = true;
		expect_handed(stop, process(scene.client, FIRST), 1);
		elsewhere = strstr(answer_text(stop, "note"), "rr cannot stop at") != NULL;
		json_decref(restore(&scene, 1));
	}
	ck_assert(elsewhere);
}
END_TEST

START_TEST(a_watchpoint_that_was_set_in_the_child_is_hit_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "limit");
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_text(stop, "reason", "watchpoint");
	expect_text(stop, "watch.new", "7");
	expect_text(stop, "frame.function", "configure");
	expect_handed(stop, process(scene.client, FIRST), 1);
}
END_TEST

START_TEST(a_variable_of_a_call_that_was_there_is_watched_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 2);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "children");
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_text(stop, "reason", "watchpoint");
	expect_line(stop, "frame", harness_line(PROGRAM, "/* counts */"));
	expect_handed(stop, process(scene.client, FIRST), 1);
}
END_TEST

START_TEST(a_variable_of_a_later_call_is_not_watched_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "unset[0]");
	set_breakpoint(&scene, "configure");
	for (int i = 0; i < 20; i++) {
		json_auto_t *stop = back(&scene, "rr_continue");

		if (!json_object_get(stop, "pid"))
			continue;
		expect_text(stop, "frame.function", "configure");
		expect_within(stop, "note", "is not set in process");
		return;
	}
	ck_abort_msg("it never came to the parent");
}
END_TEST

START_TEST(the_last_change_is_found_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");
	const long long parent = process(scene.client, FIRST),
			child = process(scene.client, SERVES);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	char words[120];

	snprintf(words, sizeof(words), " in process %lld, before process %lld was forked", parent,
	    child);
	json_auto_t *change =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "limit");
	expect_within(change, "conclusion", "configure wrote limit");
	expect_within(change, "conclusion", words);
	expect_text(change, "new", "7");
	expect_number(change, "pid", parent);
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    IS("moment", answer_text(before, "moment")), NUMBER("tid", child));
	json_auto_t *there =
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(change, "moment"));
	expect_text(there, "frame.function", "configure");
	expect_handed(there, parent, 1);
}
END_TEST

/* What rr_last_change answers can be asked about, and claimed, from where the session stands. */
START_TEST(a_question_about_a_moment_before_the_fork_is_answered_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(GRANDCHILD, "serve");
	const long long parent = process(scene.client, FIRST),
			between = process(scene.client, HAS_CHILD);
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *limit =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "limit");
	json_auto_t *served =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "served");

	expect_all(client_tool(scene.client, "rr_evaluate", "{s:s, s:s}", "expression", "value",
		       "at", answer_text(limit, "moment")),
	    IS("value", "7"), NUMBER("pid", parent));
	expect_all(
	    client_tool(scene.client, "rr_backtrace", "{s:s}", "at", answer_text(served, "moment")),
	    IS("frames.0.function", "start_parent"), NUMBER("pid", between));
	expect_all(client_tool(scene.client, "rr_verify_claims",
		       "{s:[{s:s,s:s,s:s},{s:s,s:s,s:s},{s:s,s:s,s:s}]}", "claims", "moment",
		       answer_text(limit, "moment"), "expression", "limit", "value", "0", "moment",
		       answer_text(here, "moment"), "expression", "limit", "value", "7", "moment",
		       answer_text(served, "moment"), "expression", "served", "value", "0"),
	    IS("claims.0.verdict", "held"), NUMBER("claims.0.pid", parent),
	    IS("claims.1.verdict", "held"), ABSENT("claims.1.pid"), IS("claims.2.verdict", "held"),
	    NUMBER("claims.2.pid", between));
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    IS("moment", answer_text(here, "moment")),
	    NUMBER("tid", process(scene.client, GRANDCHILD)));
}
END_TEST

START_TEST(the_last_change_with_move_hands_over)
{
	cleanup_scene struct scene scene = child_at(GRANDCHILD, "serve");

	json_auto_t *change = client_tool(
	    scene.client, "rr_last_change", "{s:s, s:b}", "expression", "limit", "move", 1);
	expect_handed(change, process(scene.client, FIRST), 1);
	expect_value(scene.client, "limit", "0");
	expect_answer(restore(&scene, 1), "frame.function", "serve");
}
END_TEST

START_TEST(the_last_change_of_a_generation_between_is_found_there)
{
	cleanup_scene struct scene scene = child_at(GRANDCHILD, "serve");

	json_auto_t *change =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", "served");
	expect_line(change, "frame", harness_line(PROGRAM, "/* generation */"));
	expect_number(change, "pid", process(scene.client, HAS_CHILD));
}
END_TEST

/* A slot of a call that began in the child held other variables before. */
START_TEST(the_last_change_of_a_later_calls_variable_is_not_looked_for_in_the_parent)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	json_auto_t *change = client_tool_fails(
	    scene.client, "rr_last_change", "not_found", "{s:s}", "expression", "unset[0]");
	expect_within(change, "message", "nothing changed unset[0]");
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    NUMBER("tid", process(scene.client, SERVES)));
}
END_TEST

START_TEST(the_last_change_of_an_older_calls_variable_is)
{
	cleanup_scene struct scene scene = child_at(SERVES, "serve");

	json_auto_t *change = client_tool(
	    scene.client, "rr_last_change", "{s:s, s:i}", "expression", "children", "frame", 2);
	expect_line(change, "frame", harness_line(PROGRAM, "/* counts */"));
	expect_number(change, "pid", process(scene.client, FIRST));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_run_back_comes_to_a_breakpoint_that_only_the_parent_hits, 1},
	    {the_checkpoint_goes_back_to_where_the_call_began, 1},
	    {a_run_back_that_nothing_can_stop_ends_at_the_fork_and_says_so, 1},
	    {until_is_looked_for_in_the_parent_too, 1}, {a_child_that_execs_goes_back_over_both, 1},
	    {three_generations_are_one_story, 1},
	    {a_restored_session_is_the_parents_and_still_knows_the_way_back, 1},
	    {a_line_step_back_over_the_fork_ends_at_its_line_in_the_parent, TIMES(line_steps)},
	    {next_with_a_count_goes_on_in_the_parent, TIMES(counted)},
	    {an_instruction_back_from_the_childs_first_is_the_call_itself, 1},
	    {instructions_are_counted_over_the_fork, 1},
	    {an_instruction_back_over_the_call_of_fork_is_the_call_in_the_parent, 1},
	    {finish_goes_back_to_the_call_in_the_parent, 1},
	    {finish_of_a_function_of_the_child_stays_in_the_child, 1},
	    {a_moment_before_the_fork_is_in_the_parent, 1},
	    {a_moment_that_is_not_in_the_parent_leaves_the_session_where_it_is, 1},
	    {where_rr_cannot_stop_the_note_still_names_the_way_back, 1},
	    {a_watchpoint_that_was_set_in_the_child_is_hit_in_the_parent, 1},
	    {a_variable_of_a_call_that_was_there_is_watched_in_the_parent, 1},
	    {a_variable_of_a_later_call_is_not_watched_in_the_parent, 1},
	    {the_last_change_is_found_in_the_parent, 1},
	    {a_question_about_a_moment_before_the_fork_is_answered_in_the_parent, 1},
	    {the_last_change_with_move_hands_over, 1},
	    {the_last_change_of_a_generation_between_is_found_there, 1},
	    {the_last_change_of_a_later_calls_variable_is_not_looked_for_in_the_parent, 1},
	    {the_last_change_of_an_older_calls_variable_is, 1}, {NULL, 0}};

	return scene_main_loops("handover", tests, (const char *const[]){PROGRAM, NULL});
}
