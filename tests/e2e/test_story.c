/*
 * Moments of a session that has gone over a fork into the parent: those that it told before, in the
 * child, are its own still. An answer that leads to one says whose session it is then.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

#define PROGRAM "forking"

/* The exit codes of the program's processes. */
enum { FIRST = 0, SERVES = 11, GRANDCHILD = 14 };

/* A session that was a child's in serve(), and is the first process's in configure() now. */
struct crossed {
	struct scene scene;
	long long child, parent;
	char moment[80]; /* the child's, in serve() */
};

static void crossed_release(struct crossed *crossed)
{
	scene_close(&crossed->scene);
}

#define cleanup_crossed __attribute__((cleanup(crossed_release)))

static struct crossed cross(int exit_code)
{
	struct client *client = client_start(NULL);
	struct crossed crossed = {.child = scene_process(client, PROGRAM, exit_code),
	    .parent = scene_process(client, PROGRAM, FIRST)};

	crossed.scene = scene_of_child(client, PROGRAM, crossed.child);
	scene_run_to(&crossed.scene, "serve");
	json_auto_t *stop = client_tool(client, "rr_when", NULL);
	snprintf(crossed.moment, sizeof(crossed.moment), "%s", answer_text(stop, "moment"));
	client_tool_done(client, "rr_bookmark", "{s:s}", "name", "served");
	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "configure");
	expect_all(client_tool(client, "rr_continue", "{s:b}", "reverse", 1),
	    IS("frame.function", "configure"), NUMBER("pid", crossed.parent));
	return crossed;
}

static const struct {
	int exit_code;
	const char *says;
} children[] = {{SERVES, "was forked by process"}, {GRANDCHILD, "descends from process"}};
#define CHILDREN ((int)(sizeof(children) / sizeof(*children)))

static void expect_child(struct crossed *crossed, json_t *stop, const char *says)
{
	expect_within(stop, "note", says);
	expect_within(stop, "note", "checkpoint_id");
	expect_all(json_incref(stop), IS("moment", crossed->moment), IS("frame.function", "serve"),
	    NUMBER("pid", crossed->child));
	json_decref(stop);
	expect_all(client_tool(crossed->scene.client, "rr_sessions", NULL),
	    NUMBER("sessions.0.pid", crossed->child));
}

START_TEST(a_moment_of_the_child_leads_back_to_it)
{
	cleanup_crossed struct crossed crossed = cross(children[_i].exit_code);
	struct client *client = crossed.scene.client;

	expect_child(&crossed, client_tool(client, "rr_goto", "{s:s}", "moment", crossed.moment),
	    children[_i].says);
	/* The breakpoint is the child's too, which does not pass it; and the parent's again. */
	expect_all(client_tool(client, "rr_continue", "{s:b}", "reverse", 1),
	    IS("frame.function", "configure"), NUMBER("pid", crossed.parent));
}
END_TEST

START_TEST(a_bookmark_in_the_child_leads_back_to_it)
{
	cleanup_crossed struct crossed crossed = cross(SERVES);

	expect_child(&crossed,
	    client_tool(crossed.scene.client, "rr_goto", "{s:s}", "moment", "served"),
	    children[0].says);
}
END_TEST

START_TEST(the_child_is_asked_from_the_parent_which_stays)
{
	cleanup_crossed struct crossed crossed = cross(GRANDCHILD);
	struct client *client = crossed.scene.client;
	json_auto_t *before = client_tool(client, "rr_when", NULL);

	expect_all(client_tool(client, "rr_evaluate", "{s:s, s:s}", "expression", "request", "at",
		       crossed.moment),
	    IS("value", "4"), NUMBER("pid", crossed.child));
	expect_all(client_tool(client, "rr_backtrace", "{s:s}", "at", "served"),
	    IS("frames.0.function", "serve"), NUMBER("pid", crossed.child));
	expect_all(client_tool(client, "rr_bookmark", "{s:s, s:s}", "name", "again", "moment",
		       crossed.moment),
	    IS("name", "again"));
	expect_all(
	    client_tool(client, "rr_when", NULL), IS("moment", answer_text(before, "moment")));
	expect_value(client, "limit", "0");
}
END_TEST

START_TEST(a_moment_of_neither_leaves_the_session_where_it_is)
{
	cleanup_crossed struct crossed crossed = cross(SERVES);
	struct client *client = crossed.scene.client;
	json_auto_t *before = client_tool(client, "rr_when", NULL);
	char moment[sizeof(crossed.moment)];

	snprintf(moment, sizeof(moment), "%s", crossed.moment);
	snprintf(strchr(moment, '@'), 20, "@1234.5678");
	client_tool_refused(client, "rr_goto", "invalid_argument", "{s:s}", "moment", moment);
	client_tool_refused(client, "rr_evaluate", "invalid_argument", "{s:s, s:s}", "expression",
	    "limit", "at", moment);
	expect_all(client_tool(client, "rr_when", NULL),
	    IS("moment", answer_text(before, "moment")), NUMBER("tid", crossed.parent));
	expect_value(client, "limit", "0");
}
END_TEST

START_TEST(the_way_back_outlives_gdb)
{
	cleanup_crossed struct crossed crossed = cross(SERVES);
	struct client *client = crossed.scene.client;
	pid_t gdb = census_find(client_pid(client), "gdb", 0);

	ck_assert_int_gt(gdb, 0);
	census_kill(gdb);
	client_wait(client,
	    client_tool_send(client, "rr_evaluate", json_pack("{s:s}", "expression", "limit")),
	    HARNESS_TIMEOUT_S);
	expect_child(&crossed, client_tool(client, "rr_goto", "{s:s}", "moment", crossed.moment),
	    children[0].says);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{a_moment_of_the_child_leads_back_to_it, CHILDREN},
	    {a_bookmark_in_the_child_leads_back_to_it, 1},
	    {the_child_is_asked_from_the_parent_which_stays, 1},
	    {a_moment_of_neither_leaves_the_session_where_it_is, 1}, {the_way_back_outlives_gdb, 1},
	    {NULL, 0}};

	return scene_main_loops("story", tests, (const char *const[]){PROGRAM, NULL});
}
