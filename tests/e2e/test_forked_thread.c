/*
 * Going back over a fork that a thread called: the child has that thread alone, and the parent has
 * all of them.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "forking threads"

/* The program has two children that end in the same way: the nth. */
static json_int_t child(struct client *client, int nth)
{
	json_auto_t *list =
	    client_tool(client, "rr_ps", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	char path[40];

	ck_assert_uint_eq(answer_count(list, "processes"), 3);
	snprintf(path, sizeof(path), "processes.%d.pid", 1 + nth);
	return answer_number(list, path);
}

static json_int_t parent(struct client *client)
{
	return child(client, -1);
}

static struct scene serving(int nth)
{
	struct client *client = client_start(NULL);
	struct scene scene = scene_of_child(client, PROGRAM, child(client, nth));

	scene_run_to(&scene, "serve");
	return scene;
}

static json_t *back(struct scene *scene, const char *tool)
{
	return client_tool(scene->client, tool, "{s:b}", "reverse", 1);
}

START_TEST(the_parent_stands_in_the_thread_that_forked)
{
	cleanup_scene struct scene scene = serving(_i);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "fork_here");
	json_auto_t *stop = back(&scene, "rr_continue");
	expect_text(stop, "frame.function", "fork_here");
	expect_number(stop, "pid", parent(scene.client));
	ck_assert_int_ne(answer_number(stop, "tid"), parent(scene.client));
	ck_assert_int_ne(answer_number(stop, "tid"), child(scene.client, _i));
	expect_answer(
	    client_tool(scene.client, "rr_checkpoint_restore", "{s:i}", "checkpoint_id", 1),
	    "frame.function", "serve");
}
END_TEST

START_TEST(a_variable_of_that_thread_is_followed_into_it)
{
	cleanup_scene struct scene scene = serving(_i);

	json_auto_t *change = client_tool(
	    scene.client, "rr_last_change", "{s:s, s:i}", "expression", "own", "frame", 2);
	expect_line(change, "frame", harness_line("forking", "/* in the thread */"));
	expect_text(change, "new", "21");
	expect_number(change, "pid", parent(scene.client));
	json_auto_t *there =
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(change, "moment"));
	expect_number(there, "tid", answer_number(change, "tid"));
	expect_value(scene.client, "own", "20");
}
END_TEST

START_TEST(finish_goes_back_in_that_thread)
{
	cleanup_scene struct scene scene = serving(_i);

	json_decref(back(&scene, "rr_finish"));
	json_auto_t *stop = back(&scene, "rr_finish");
	expect_text(stop, "reason", "finished");
	expect_text(stop, "frame.function", "fork_here");
	expect_number(stop, "pid", parent(scene.client));
	expect_value(scene.client, "own", "21");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{the_parent_stands_in_the_thread_that_forked, 2},
	    {a_variable_of_that_thread_is_followed_into_it, 2},
	    {finish_goes_back_in_that_thread, 2}, {NULL, 0}};

	return scene_main_loops("forked_thread", tests, (const char *const[]){PROGRAM, NULL});
}
