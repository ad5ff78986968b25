/*
 * rr_origin_of: each value of tests/programs/origins.c leads to the line that its comment names, on
 * the way that the comments name, at -O0 and at -O2; and where that cannot be shown, the way ends.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	 "origins"
#define HOPS_MAX 6

#define CLASSES "origins_classes"

/* As built, and with -O2. */
static const char *const builds[] = {PROGRAM, PROGRAM "_O2", CLASSES, CLASSES "_O2", NULL};

static struct scene open_at(int build, const char *location)
{
	struct scene scene = scene_open_at(builds[build], location);
	return scene;
}

/* The step whose line has this comment; -1: none. */
static int hop_at(const json_t *answer, const char *source, const char *comment, int from)
{
	long long line = harness_line(source, comment);
	char path[40];

	for (int i = from; i < (int)answer_count(answer, "hops"); i++) {
		snprintf(path, sizeof(path), "hops.%d.frame", i);
		if (answer_line(answer, path) == line)
			return i;
	}
	return -1;
}

struct journey {
	const char *expression, *kind, *origin, *conclusion; /* origin: a comment, or NULL */
	const char *hops[HOPS_MAX]; /* comments, the last in time first; between them may be more */
	const char *plain;	    /* one more, which -O2 makes part of the last */
};

/* Where it ends, and through which lines it came. */
static void expect_journey(
    struct client *client, const char *source, const struct journey *journey, bool plain)
{
	json_auto_t *answer =
	    client_tool(client, "rr_origin_of", "{s:s}", "expression", journey->expression);
	int hop = -1;

	expect_text(answer, "kind", journey->kind);
	expect_within(answer, "conclusion", journey->conclusion);
	if (journey->origin)
		expect_line(answer, "frame", harness_line(source, journey->origin));
	for (int i = 0; i < HOPS_MAX && journey->hops[i]; i++) {
		hop = hop_at(answer, source, journey->hops[i], hop + 1);
		ck_assert_msg(
		    hop >= 0, "%s did not pass %s", journey->expression, journey->hops[i]);
	}
	if (journey->plain && plain)
		ck_assert_int_ge(hop_at(answer, source, journey->plain, hop + 1), 0);
}

static const struct journey journeys[] = {
    {"from_constant", "constant", "origin: constant", "0x1267", {"hop: store"}, NULL},
    {"from_product.total", "computed", "origin: product", "imul", {"hop: product"}, NULL},
    {"from_registers", "computed", NULL, "r12 = -9011111111111111111", {NULL}, NULL},
    {"from_pipe.serial", "constant", "origin: seven", "0x32f",
	{"hop: report", "hop: grown", "hop: shelf"}, "hop: entry"},
    {"from_pipe.serial", "constant", "origin: seven", "0x32f",
	{"hop: report", "hop: pipe", "hop: fill"}, NULL},
    {"from_file.serial", "input", "origin: file", "/tmp/origins-", {"hop: file"}, NULL},
    {"from_socket.serial", "constant", "origin: eight", "0x1268",
	{"hop: socket", "hop: wire", "hop: taken", "hop: sent"}, NULL},
    {"from_allocation", "allocation", "origin: allocation", "malloc", {"hop: allocation"}, NULL},
    {"from_nothing", "uninitialized", NULL, "is uninitialized: nothing", {"hop: left over"}, NULL},
    {"again", "constant", "origin: second", "0x63", {"hop: again"}, NULL},
    {"from_text.title[5]", "computed", "origin: letter", "0x61", {NULL}, NULL},
    {"overrun.behind", "computed", "origin: label", "(bytes 3 to 3)", {"hop: overrun"}, NULL},
    {"appended.behind", "computed", "origin: label", "(bytes 5 to 5)", {"hop: appended"}, NULL},
    {"written.behind", "initial", NULL, "part of the text \"longer than the name\"", {NULL}, NULL},
    {"from_wide", "initial", NULL, "byte ", {"hop: wide"}, NULL},
};

START_TEST(each_value_leads_to_its_origin_through_the_copies_that_it_took)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);

	for (size_t i = 0; i < sizeof(journeys) / sizeof(*journeys); i++)
		expect_journey(scene.client, PROGRAM, &journeys[i], _i == 0);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
}
END_TEST

static const struct journey classes[] = {
    {"from_choice", "computed", "origin: price", "arithmetic",
	{"hop: choice", "hop: map", "hop: vector"}, NULL},
    {"from_thread", "constant", "origin: thread", "0x1776", {"hop: thread"}, NULL},
    {"from_moved", "constant", "origin: moved", "0x1b5f", {"hop: moved"}, NULL},
    {"from_filled", "filled", "origin: filled", "memset, which filled 400000 bytes with 0x00",
	{"hop: moved"}, NULL},
    {"from_process", "input", "origin: process", "the result of the system call getpid", {NULL},
	NULL},
    {"from_signal", "unknown", NULL, "a signal handler begins or ends here", {"hop: signal"}, NULL},
    {"from_new", "allocation", "origin: new", "operator new", {NULL}, NULL},
};

START_TEST(containers_threads_and_moved_memory_are_passed_through)
{
	cleanup_scene struct scene scene = open_at(_i + 2, "look");

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		expect_journey(scene.client, CLASSES ".cc", &classes[i], _i == 0);
}
END_TEST

/* Goes to the first step that begins with this. */
static void go_to_step(struct client *client, const json_t *answer, const char *did)
{
	char path[40];
	size_t i = 0;

	do {
		ck_assert_uint_lt(i, answer_count(answer, "hops"));
		snprintf(path, sizeof(path), "hops.%zu.did", i++);
	} while (strncmp(answer_text(answer, path), did, strlen(did)) != 0);
	snprintf(path, sizeof(path), "hops.%zu.moment", i - 1);
	client_tool_done(client, "rr_goto", "{s:s}", "moment", answer_text(answer, path));
}

/* At each moment that the answer names, the next instruction stores the value where it says. */
START_TEST(each_step_really_stores_the_value)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	json_auto_t *answer =
	    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "from_pipe.serial");
	static const char stored[] = "stored at ";
	size_t checked = 0;

	for (size_t i = 0; i < answer_count(answer, "hops"); i++) {
		char path[40], expression[80];
		unsigned long long address;

		snprintf(path, sizeof(path), "hops.%zu.did", i);
		if (strncmp(answer_text(answer, path), stored, strlen(stored)) != 0)
			continue;
		address = strtoull(answer_text(answer, path) + strlen(stored), NULL, 16);
		snprintf(expression, sizeof(expression), "*(long *) 0x%llx", address);
		snprintf(path, sizeof(path), "hops.%zu.moment", i);
		client_tool_done(
		    scene.client, "rr_goto", "{s:s}", "moment", answer_text(answer, path));
		client_tool_done(scene.client, "rr_step", "{s:s}", "unit", "instruction");
		expect_value(scene.client, expression, "815");
		checked++;
	}
	ck_assert_uint_ge(checked, 4);
	/* The way led through the call that took it out of the pipe. */
	go_to_step(scene.client, answer, "taken by read");
	json_auto_t *stack = client_tool(scene.client, "rr_backtrace", NULL);
	cleanup_free char *shown = answer_show(stack); /* frames of the library may be one entry */
	ck_assert_ptr_nonnull(strstr(shown, "read"));
}
END_TEST

/* Registers are those of the thread that stops, in its innermost frame. */
START_TEST(the_selected_frame_does_not_change_what_a_search_reads)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	json_t *origins[2], *histories[2];

	for (int level = 0; level < 2; level++) {
		client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", level);
		origins[level] =
		    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "again");
		histories[level] = client_tool(scene.client, "rr_value_history", "{s:s, s:s}",
		    "expression", "again", "access", "access");
	}
	expect_text(origins[1], "kind", "constant");
	for (int level = 0; level < 2; level++) {
		ck_assert(json_equal(origins[0], origins[level]));
		ck_assert(json_equal(
		    answer_at(histories[0], "changes"), answer_at(histories[level], "changes")));
	}
	for (int level = 0; level < 2; level++) {
		json_decref(origins[level]);
		json_decref(histories[level]);
	}
}
END_TEST

START_TEST(input_names_descriptor_file_and_offset)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	expect_all(
	    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "from_file.serial"),
	    IS("input.call", "read"), HAS("input.from", "/tmp/origins-"),
	    NUMBER("input.offset", 108), NUMBER("input.byte", 8), NUMBER("input.bytes", 40));
}
END_TEST

/* At -O2 it is only in a register. */
START_TEST(an_argument_leads_to_the_caller_that_passed_it)
{
	cleanup_scene struct scene scene = open_at(_i, "store");
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "value"),
	    IS("kind", "constant"), LINE("frame", harness_line(PROGRAM, "origin: constant")));
	if (_i == 0) { /* -O2 has no code before the first line */
		client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "*store");
		client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	}
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "$rsi"),
	    IS("kind", "constant"), LINE("frame", harness_line(PROGRAM, "origin: constant")));
}
END_TEST

START_TEST(what_nothing_wrote_came_with_the_program)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "width"),
	    IS("kind", "initial"), HAS("conclusion", "width in section .data"));
}
END_TEST

START_TEST(the_limit_ends_the_way_and_says_so)
{
	cleanup_scene struct scene scene = open_at(_i, "look");
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s, s:i}", "expression",
		       "from_pipe.serial", "hops", 1),
	    IS("kind", "limit"), HAS("conclusion", "raise hops"));
}
END_TEST

START_TEST(what_has_no_bytes_to_follow_is_refused)
{
	static const char *const expressions[] = {"from_pipe", "table", "area + 1", "4711",
	    "nothing_of_this_name", "*(int *) 8", "again = 5", "$rdi + 1", "$eflags", "$xmm0"};
	cleanup_scene struct scene scene = open_at(_i, "look");

	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++)
		client_tool_refused(
		    scene.client, "rr_origin_of", NULL, "{s:s}", "expression", expressions[i]);
	expect_value(scene.client, "again", "99");
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    each_value_leads_to_its_origin_through_the_copies_that_it_took,
	    containers_threads_and_moved_memory_are_passed_through,
	    each_step_really_stores_the_value,
	    the_selected_frame_does_not_change_what_a_search_reads,
	    input_names_descriptor_file_and_offset,
	    an_argument_leads_to_the_caller_that_passed_it,
	    what_nothing_wrote_came_with_the_program,
	    the_limit_ends_the_way_and_says_so,
	    what_has_no_bytes_to_follow_is_refused,
	    NULL,
	};

	return scene_main_builds("origins", tests, builds, 2);
}
