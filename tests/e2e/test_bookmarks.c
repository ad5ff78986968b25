/*
 * Bookmarks: moments of a trace with names, which outlive the session and its worker, and go where
 * the trace goes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "printed"
#define FILE_OF "rr-warden.bookmarks"

/* A trace for this test alone, because bookmarks are kept in it. */
static struct place place_with_session(void)
{
	struct place place = place_replay(PROGRAM);
	return place;
}

/* Runs to a function; returns the moment, to be freed. */
static char *run_to(struct client *client, const char *location)
{
	client_tool_done(
	    client, "rr_breakpoint_set", "{s:s, s:b}", "location", location, "temporary", 1);
	json_auto_t *stop = client_tool(client, "rr_continue", NULL);
	char *moment = strdup(answer_text(stop, "moment"));
	return moment;
}

static void expect_goto(struct client *client, const char *name, const char *moment)
{
	expect_answer(client_tool(client, "rr_goto", "{s:s}", "moment", name), "moment", moment);
}

static size_t count_of(struct client *client)
{
	json_auto_t *list = client_tool(client, "rr_bookmarks", NULL);
	size_t count = json_array_size(answer_at(list, "bookmarks"));

	return count;
}

START_TEST(a_bookmark_is_a_moment_by_name_for_later_sessions_too)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *early = run_to(place.client, "add_up"),
			  *late = run_to(place.client, "bring_out");

	client_tool_done(place.client, "rr_bookmark", "{s:s, s:s}", "name", "late", "note",
	    "the text is written <here>");
	client_tool_done(
	    place.client, "rr_bookmark", "{s:s, s:s}", "name", "early", "moment", early);
	expect_answer(client_tool(place.client, "rr_when", NULL), "moment", late);
	expect_goto(place.client, "early", early);
	client_tool_done(place.client, "rr_replay_stop", NULL);
	free(client_replay(place.client, place.trace));
	expect_all(client_tool(place.client, "rr_bookmarks", NULL), IS("bookmarks.0.name", "early"),
	    IS("bookmarks.1.name", "late"), IS("bookmarks.1.note", "the text is written <here>"),
	    HAS("bookmarks.1.where", "bring_out"));
	expect_goto(place.client, "late", late);
}
END_TEST

START_TEST(a_bookmark_outlives_its_worker)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *moment = run_to(place.client, "add_up");

	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "here");
	pid_t worker = census_find(client_pid(place.client), "rr-warden-worke", 0);
	ck_assert_int_gt(worker, 0);
	ck_assert_int_eq(kill(worker, SIGKILL), 0);
	/* It fails, or restores the session already: the death may be known or not. */
	json_decref(client_wait(
	    place.client, client_tool_send(place.client, "rr_when", NULL), HARNESS_TIMEOUT_S));
	ck_assert_uint_eq(count_of(place.client), 1);
	expect_goto(place.client, "here", moment);
}
END_TEST

START_TEST(the_same_name_is_moved_and_a_removed_one_is_gone)
{
	cleanup_place struct place place = place_with_session();
	char *moment = run_to(place.client, "add_up"), *later;

	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "x");
	later = run_to(place.client, "bring_out");
	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "x");
	ck_assert_uint_eq(count_of(place.client), 1);
	expect_goto(place.client, "x", later);
	client_tool_done(place.client, "rr_bookmark", "{s:s, s:b}", "name", "x", "remove", 1);
	ck_assert_uint_eq(count_of(place.client), 0);
	client_tool_refused(place.client, "rr_goto", "not_found", "{s:s}", "moment", "x");
	client_tool_refused(
	    place.client, "rr_bookmark", "not_found", "{s:s, s:b}", "name", "x", "remove", 1);
	free(moment);
	free(later);
}
END_TEST

START_TEST(another_traces_bookmark_and_another_processs_are_told_apart)
{
	cleanup_place struct place place = place_with_session();
	json_auto_t *printed =
	    client_tool(place.client, "rr_who_printed", "{s:s}", "text", "the child says");
	cleanup_free char *other = harness_path(place.folder, "other");

	json_auto_t *sessions = client_tool(place.client, "rr_sessions", NULL);
	const char *first = answer_text(sessions, "sessions.0.session");

	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "mine");
	json_auto_t *child = client_tool(place.client, "rr_replay_start", "{s:s, s:I}", "trace_dir",
	    place.trace, "pid", (json_int_t)answer_number(printed, "pid"));
	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "the_childs");
	expect_answer_within(client_tool_fails(place.client, "rr_goto", "invalid_argument",
				 "{s:s, s:s}", "moment", "the_childs", "session", first),
	    "message", "process");
	/* The child's session has its parent's story. */
	expect_all(client_tool(place.client, "rr_goto", "{s:s, s:s}", "moment", "mine", "session",
		       answer_text(child, "session")),
	    NUMBER("pid", answer_number(sessions, "sessions.0.pid")), HAS("note", "was forked by"));
	json_decref(client_record(place.client, other, "exit_code", NULL));
	free(client_replay(place.client, other));
	expect_answer_within(
	    client_tool_fails(place.client, "rr_goto", "not_found", "{s:s}", "moment", "mine"),
	    "hint", "each trace has its own");
}
END_TEST

START_TEST(names_and_notes_are_bounded)
{
	static const char *const names[] = {"", "1", "a b", "end", "start", "../x", "a/b", "-x",
	    "x\ny", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
	cleanup_place struct place place = place_with_session();
	char note[402] = "", name[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		client_tool_refused(
		    place.client, "rr_bookmark", "invalid_argument", "{s:s}", "name", names[i]);
	memset(note, 'n', sizeof(note) - 1);
	client_tool_refused(place.client, "rr_bookmark", "invalid_argument", "{s:s, s:s}", "name",
	    "x", "note", note);
	client_tool_refused(place.client, "rr_bookmark", "invalid_argument", "{s:s, s:s}", "name",
	    "x", "moment", "1000000");
	for (int i = 1; i < 100; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", name);
	}
	client_tool_refused(place.client, "rr_bookmark", "limit", "{s:s}", "name", "more");
	ck_assert_uint_eq(count_of(place.client), 99);
}
END_TEST

START_TEST(bookmarks_go_with_the_trace)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *file = harness_path(place.folder, "bug.tar");
	char *copy;
	cleanup_free char *moment = run_to(place.client, "add_up");

	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "here");
	client_tool_done(place.client, "rr_replay_stop", NULL);
	client_tool_done(
	    place.client, "rr_export", "{s:s, s:s}", "trace_dir", place.trace, "file", file);
	client_tool_done(place.client, "rr_rm", "{s:s}", "trace_dir", place.trace);
	ck_assert_int_ne(access(place.trace, F_OK), 0);
	json_auto_t *answer = client_tool(place.client, "rr_import", "{s:s}", "file", file);
	copy = strdup(answer_text(answer, "trace_dir"));
	free(client_replay(place.client, copy));
	expect_goto(place.client, "here", moment);
	client_tool_done(place.client, "rr_replay_stop", NULL);
	client_tool_done(place.client, "rr_rm", "{s:s}", "trace_dir", copy);
	free(copy);
}
END_TEST

/* A trace from elsewhere: malformed lines are no bookmarks, and nothing else is written. */
START_TEST(a_hostile_file_of_bookmarks_does_no_harm)
{
	static const char text[] =
	    "garbage\n{\"name\":\"x\"}\n{\"name\":\"../x\",\"pid\":1,\"moment\":{\"event\":1,"
	    "\"ticks\":\"1\",\"tid\":1}}\n{\"name\":\"ok\",\"pid\":1,\"moment\":{\"event\":7,"
	    "\"ticks\":\"1\",\"tid\":1},\"note\":\"\\u001b[2J<script>\"}\n{\"name\":\"cut";
	cleanup_place struct place place = place_with_session();
	cleanup_free char *file = harness_path(place.trace, FILE_OF);

	harness_write_file(file, text);
	json_auto_t *list = client_tool(place.client, "rr_bookmarks", NULL);
	ck_assert_uint_eq(json_array_size(answer_at(list, "bookmarks")), 1);
	ck_assert_ptr_null(strchr(answer_text(list, "bookmarks.0.note"), 27));
	expect_within(list, "warning", "4 lines of " FILE_OF);
	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "mine");
	ck_assert_uint_eq(count_of(place.client), 2);
}
END_TEST

/* ---- A file that cannot be read -------------------------------------------------------------- */

static void make_link(const char *file, const char *victim)
{
	ck_assert_int_eq(symlink(victim, file), 0);
}

static void make_fifo(const char *file, const char *victim)
{
	(void)victim;
	ck_assert_int_eq(mkfifo(file, 0600), 0);
}

static void make_directory(const char *file, const char *victim)
{
	(void)victim;
	ck_assert_int_eq(mkdir(file, 0700), 0);
}

/* For root as well: workers have no capabilities. */
static void make_unreadable(const char *file, const char *victim)
{
	(void)victim;
	harness_write_file(file, "\n");
	ck_assert_int_eq(chmod(file, 0), 0);
}

static const struct {
	void (*make)(const char *file, const char *victim);
	const char *why;
} unreadable[] = {
    {make_link, "symbolic link"},
    {make_fifo, "not a regular file"},
    {make_directory, "not a regular file"},
    {make_unreadable, "Permission denied"},
};

/* Every tool that reads bookmarks says so, and none writes. */
START_TEST(a_file_that_cannot_be_read_is_not_an_empty_one)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *file = harness_path(place.trace, FILE_OF);
	cleanup_free char *victim = harness_path(place.folder, "victim");
	struct stat before, status;

	harness_write_file(victim, "");
	unreadable[_i].make(file, victim);
	ck_assert_int_eq(lstat(file, &before), 0);
	expect_answer_within(client_tool_fails(place.client, "rr_bookmarks", "not_allowed", NULL),
	    "message", unreadable[_i].why);
	expect_answer_within(
	    client_tool_fails(place.client, "rr_bookmark", "not_allowed", "{s:s}", "name", "mine"),
	    "message", unreadable[_i].why);
	expect_answer_within(client_tool_fails(place.client, "rr_bookmark", "not_allowed",
				 "{s:s, s:b}", "name", "mine", "remove", 1),
	    "message", unreadable[_i].why);
	expect_answer_within(
	    client_tool_fails(place.client, "rr_goto", "not_allowed", "{s:s}", "moment", "mine"),
	    "message", unreadable[_i].why);
	ck_assert_int_eq(lstat(file, &status), 0);
	ck_assert_int_eq(status.st_ino, before.st_ino);
	ck_assert_int_eq(status.st_size, before.st_size);
	ck_assert_int_eq(stat(victim, &status), 0);
	ck_assert_int_eq(status.st_size, 0);
	ck_assert_int_eq(remove(file), 0);
}
END_TEST

/* A line would appear under its other name too. */
START_TEST(a_file_with_another_name_is_not_written)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *file = harness_path(place.trace, FILE_OF);
	cleanup_free char *victim = harness_path(place.folder, "victim");
	struct stat status;

	harness_write_file(victim, "");
	ck_assert_int_eq(link(victim, file), 0);
	client_tool_refused(place.client, "rr_bookmark", "not_allowed", "{s:s}", "name", "mine");
	ck_assert_int_eq(stat(victim, &status), 0);
	ck_assert_int_eq(status.st_size, 0);
}
END_TEST

START_TEST(a_file_that_is_too_long_is_said_to_be)
{
	cleanup_place struct place place = place_with_session();
	cleanup_free char *file = harness_path(place.trace, FILE_OF);

	client_tool_done(place.client, "rr_bookmark", "{s:s}", "name", "mine");
	ck_assert_int_eq(truncate(file, 1L << 30), 0);
	expect_all(client_tool(place.client, "rr_bookmarks", NULL), IS("bookmarks.0.name", "mine"),
	    HAS("warning", "longer than bookmarks may be"));
	client_tool_refused(place.client, "rr_bookmark", "limit", "{s:s}", "name", "more");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_bookmark_is_a_moment_by_name_for_later_sessions_too, 1},
	    {a_bookmark_outlives_its_worker, 1},
	    {the_same_name_is_moved_and_a_removed_one_is_gone, 1},
	    {another_traces_bookmark_and_another_processs_are_told_apart, 1},
	    {names_and_notes_are_bounded, 1},
	    {bookmarks_go_with_the_trace, 1},
	    {a_hostile_file_of_bookmarks_does_no_harm, 1},
	    {a_file_that_cannot_be_read_is_not_an_empty_one, TIMES(unreadable)},
	    {a_file_with_another_name_is_not_written, 1},
	    {a_file_that_is_too_long_is_said_to_be, 1},
	    {NULL, 0},
	};

	return scene_main_loops("bookmarks", tests, (const char *const[]){NULL});
}
