/*
 * From a text of the output to the code that made it. tests/programs/printed.c prints in every way
 * that C has, printed_stream.cc with C++ streams.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "printed"
#define CPP	"printed_stream"

/* Expects a conclusion to name the function, and the line of the program with the comment. */
static void expect_named(
    const json_t *answer, const char *program, const char *function, const char *comment)
{
	const char *conclusion = answer_text(answer, "conclusion");
	char place[64];

	snprintf(place, sizeof(place), ":%lld)", harness_line(program, comment));
	ck_assert_msg(strstr(conclusion, function) && strstr(conclusion, place), "%s: not %s %s",
	    conclusion, function, place);
}

/* Asks for a text; the session does not move. */
static json_t *ask(struct scene *scene, const char *text)
{
	json_t *answer = client_tool(scene->client, "rr_who_printed", "{s:s}", "text", text);
	json_auto_t *before = client_tool(scene->client, "rr_when", NULL);

	ck_assert_int_gt(answer_event(answer, "moment"), answer_number(before, "event"));
	return answer;
}

/*
 * rr_goto's stop is what the answer named. The trace does not have the memory that a sum needs, so
 * moments that were not visited have none; but no system call is passed twice within an event.
 */
static void expect_there(const json_t *stop, const char *named)
{
	const char *there = answer_text(stop, "moment");
	size_t length = strlen(named);

	ck_assert_ptr_nonnull(strchr(named, '@'));
	if (strchr(named, '.'))
		ck_assert_str_eq(there, named);
	else
		ck_assert_msg(strncmp(there, named, length) == 0 && there[length] == '.',
		    "%s is not %s with its sum", there, named);
}

/* The answer's moment leads to the write. */
static void expect_write_at(struct scene *scene, const json_t *answer, const char *path)
{
	json_auto_t *stop =
	    client_tool(scene->client, "rr_goto", "{s:s}", "moment", answer_text(answer, path));
	json_auto_t *stack = client_tool(scene->client, "rr_backtrace", NULL);
	cleanup_free char *shown = answer_show(stack);

	expect_there(stop, answer_text(answer, path));
	/* Debian 13's C library has no name for the function that makes the call. */
	ck_assert_msg(strstr(shown, "write") || strstr(shown, "in libc"), "%s", shown);
}

START_TEST(a_text_leads_to_the_call_that_made_it_and_to_the_one_that_wrote_it)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *answer = ask(&scene, "total: 42");

	expect_named(answer, PROGRAM, "format_total", "/* made here */");
	expect_named(answer, PROGRAM, "bring_out", "/* written here */");
	expect_within(answer, "conclusion", "printf");
	expect_text(answer, "text", "total: 42");
	expect_within(answer, "source", "made here");
	cleanup_free char *made = answer_show(answer_at(answer, "formatted.frames"));
	ck_assert_msg(strstr(made, "add_up") && strstr(made, "report"), "%s", made);
	expect_write_at(&scene, answer, "moment");
}
END_TEST

/* When the second call prints, the buffer already holds the same bytes. */
START_TEST(the_same_text_again_is_not_taken_for_the_first)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *first = ask(&scene, "the same words");
	json_auto_t *second = client_tool(
	    scene.client, "rr_who_printed", "{s:s, s:i}", "text", "the same words", "nth", 2);
	json_auto_t *last = client_tool(scene.client, "rr_who_printed", "{s:s, s:i}", "pattern",
	    "^the sa[m]e words$", "nth", -1);

	expect_named(first, PROGRAM, "first_to_say", "/* said first */");
	expect_text(first, "match", "1 of 2");
	expect_named(second, PROGRAM, "second_to_say", "/* said again */");
	expect_text(second, "match", "2 of 2");
	expect_text(last, "conclusion", answer_text(second, "conclusion"));
}
END_TEST

START_TEST(what_is_written_past_the_buffer_has_its_writer)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *direct = ask(&scene, "directly"), *piece = ask(&scene, "pieces: this one");

	expect_named(direct, PROGRAM, "past_the_buffer", "/* direct */");
	expect_within(direct, "conclusion", "constant");
	ck_assert_ptr_null(strstr(answer_text(direct, "conclusion"), "first part"));
	expect_named(piece, PROGRAM, "past_the_buffer", "/* piece */");
	/* The number behind a constant is none, in the same call and in the next one. */
	expect_within(
	    ask(&scene, "in pieces: this one"), "conclusion", "its first part is a constant");
	expect_within(
	    ask(&scene, "directly\nin pie"), "conclusion", "its first part is a constant");
}
END_TEST

START_TEST(a_text_over_two_writes_names_both)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *answer = ask(&scene, "half, the other");

	expect_named(answer, PROGRAM, "in_two_writes", "/* first half */");
	ck_assert_uint_eq(answer_count(answer, "writes"), 2);
	expect_text(answer, "writes.0.text", "half, ");
	expect_text(answer, "writes.1.text", "the other");
	expect_text(answer, "writes.0.moment", answer_text(answer, "moment"));
	expect_write_at(&scene, answer, "writes.0.moment");
	expect_write_at(&scene, answer, "writes.1.moment");
}
END_TEST

START_TEST(standard_error_is_a_stream_of_its_own)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_who_printed", "{s:s, s:s}", "pattern",
	    "complaint: [0-9]", "stream", "stderr");

	expect_named(answer, PROGRAM, "main", "/* complains */");
	expect_text(answer, "stream", "stderr");
	client_tool_refused(scene.client, "rr_who_printed", "not_found", "{s:s, s:s}", "text",
	    "a complaint", "stream", "stdout");
}
END_TEST

/* fork copies the buffer, so both processes write the same text. */
START_TEST(a_child_that_printed_is_named_and_can_be_asked)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_t *answer =
	    client_tool(scene.client, "rr_who_printed", "{s:s}", "text", "the child says");
	long long pid = answer_number(answer, "pid");

	expect_within(answer, "conclusion", "process");
	json_decref(answer);
	client_tool_done(scene.client, "rr_replay_start", "{s:s, s:I}", "trace_dir",
	    scene_trace(PROGRAM), "pid", (json_int_t)pid);
	answer = client_tool(scene.client, "rr_who_printed", "{s:s}", "text", "the child says");
	expect_named(answer, PROGRAM, "main", "/* in the child */");
	json_decref(answer);
	expect_answer_within(
	    client_tool(scene.client, "rr_who_printed", "{s:s}", "text", "left to the child"),
	    "conclusion", "fork");
}
END_TEST

START_TEST(cpp_streams_lead_to_the_programs_own_code)
{
	cleanup_scene struct scene scene = scene_open(CPP, NULL);
	json_auto_t *told = ask(&scene, "told: value=42"), *error = ask(&scene, "at last");

	expect_named(told, CPP ".cc", "tell", "// printed here");
	expect_named(error, CPP ".cc", "main", "// complains");
}
END_TEST

/* A program can print text that looks like rr's marks. It must not move text to another write. */
START_TEST(the_output_comes_with_moments_and_marks_are_not_forged)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *all = client_tool(scene.client, "rr_output", NULL);
	json_t *write, *near;
	size_t i, forged = 0;

	json_array_foreach(answer_at(all, "writes"), i, write) forged +=
	    strstr(answer_text(write, "text"), "[rr 1 2]forged") != NULL;
	ck_assert_uint_eq(forged, 2); /* of parent and child */
	expect_text(
	    json_array_get(answer_at(all, "writes"), 0), "text", "total: 42\nthe same words\n");
	expect_write_at(&scene, all, "writes.1.moment");
	near = client_tool(scene.client, "rr_output", "{s:s, s:i}", "moment", "end", "limit", 1);
	ck_assert_uint_eq(answer_count(near, "writes"), 1);
	json_decref(near);
}
END_TEST

START_TEST(what_was_not_printed_is_told_with_what_is_nearest)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	expect_answer_within(client_tool_fails(scene.client, "rr_who_printed", "not_found", "{s:s}",
				 "text", "total: 43"),
	    "hint", "total: 42");
	expect_answer_within(client_tool_fails(scene.client, "rr_who_printed", "not_found",
				 "{s:s, s:i}", "text", "total: 42", "nth", 2),
	    "message", "1 time");
}
END_TEST

START_TEST(a_pattern_that_is_none_or_has_no_bound_is_refused)
{
	static const char *const patterns[] = {
	    "(", "[a", "a{2000}", "((a{90}){90}){90}", "(a*)\\1", "a{1,90}{1,90}"};
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		client_tool_refused(scene.client, "rr_who_printed", "invalid_argument", "{s:s}",
		    "pattern", patterns[i]);
	client_tool_refused(scene.client, "rr_who_printed", "invalid_argument", "{s:s, s:s}",
	    "text", "a", "pattern", "b");
	client_tool_refused(scene.client, "rr_who_printed", "invalid_argument", NULL);
	client_tool_refused(
	    scene.client, "rr_output", "invalid_argument", "{s:s}", "moment", "12:x");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_text_leads_to_the_call_that_made_it_and_to_the_one_that_wrote_it,
	    the_same_text_again_is_not_taken_for_the_first,
	    what_is_written_past_the_buffer_has_its_writer,
	    a_text_over_two_writes_names_both,
	    standard_error_is_a_stream_of_its_own,
	    a_child_that_printed_is_named_and_can_be_asked,
	    cpp_streams_lead_to_the_programs_own_code,
	    the_output_comes_with_moments_and_marks_are_not_forged,
	    what_was_not_printed_is_told_with_what_is_nearest,
	    a_pattern_that_is_none_or_has_no_bound_is_refused,
	    NULL,
	};
	static const char *const programs[] = {PROGRAM, CPP, NULL};

	return scene_main("printed", tests, programs);
}
