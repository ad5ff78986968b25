/*
 * Which part of a recorded program's output we keep, whatever it prints.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "worker/record/stream.h"
#include "tests/runner.h"

static struct stream *stream;

static void make_stream(void)
{
	stream = calloc(1, sizeof(*stream));
}

static void free_stream(void)
{
	free(stream);
}

static void add(const char *text)
{
	stream_add(stream, text, strlen(text));
}

static json_t *json;
static bool cut;

static const char *text(size_t max)
{
	cut = false;
	json_decref(json);
	json = stream_to_json(stream, max, &cut);
	ck_assert(json_is_string(json));
	return json_string_value(json);
}

START_TEST(little_output_is_kept_whole)
{
	add("one\n");
	add("two\n");
	ck_assert_str_eq(text(100), "one\ntwo\n");
	ck_assert(!cut);
}
END_TEST

START_TEST(no_output_is_an_empty_text)
{
	ck_assert_str_eq(text(100), "");
	ck_assert(!cut);
}
END_TEST

START_TEST(the_middle_goes_and_is_counted)
{
	add("head|");
	for (int i = 0; i < 1000; i++)
		add("0123456789");
	add("|tail");
	ck_assert_str_eq(text(10), "head|\n[... 10000 bytes left out ...]\n|tail");
	ck_assert(cut);
}
END_TEST

START_TEST(head_and_tail_survive_a_flood)
{
	static char block[100000];

	memset(block, 'x', sizeof(block));
	add("first");
	for (int i = 0; i < 100; i++)
		stream_add(stream, block, sizeof(block));
	add("last");
	const char *kept = text(2 * STREAM_HALF_MAX);
	ck_assert_int_eq(strncmp(kept, "firstxxx", 8), 0);
	ck_assert_str_eq(kept + strlen(kept) - 7, "xxxlast");
	ck_assert_uint_lt(strlen(kept), 2 * STREAM_HALF_MAX + 64);
	ck_assert_uint_eq(stream->total, 10000009);
}
END_TEST

START_TEST(every_cut_length_gives_the_same_ends)
{
	for (int i = 0; i < 5000; i++)
		add("0123456789");
	for (size_t max = 2; max < 300; max += 7) {
		const char *kept = text(max);
		ck_assert_int_eq(kept[0], '0');
		ck_assert_int_eq(kept[strlen(kept) - 1], '9');
	}
}
END_TEST

START_TEST(a_cut_never_goes_through_a_character)
{
	for (int i = 0; i < 3000; i++)
		add("ä€😀");
	for (size_t max = 8; max < 60; max++)
		ck_assert_ptr_null(strstr(text(max), "\\x"));
}
END_TEST

START_TEST(bytes_that_are_no_text_become_visible)
{
	stream_add(stream, "a\xff\0\033[31mb", 9);
	ck_assert_str_eq(text(100), "a\\xff\\x00\\x1b[31mb");
}
END_TEST

START_TEST(an_output_limit_of_nothing_leaves_the_count)
{
	add("hello");
	ck_assert_str_eq(text(0), "\n[... 5 bytes left out ...]\n");
	ck_assert(cut);
}
END_TEST

START_TEST(the_last_line_is_the_last_that_says_something)
{
	char line[64];

	add("one\ntw");
	add("o\n\n");
	ck_assert_str_eq(stream_last_line(stream, line, sizeof(line)), "two");
	add("three");
	ck_assert_str_eq(stream_last_line(stream, line, sizeof(line)), "three");
}
END_TEST

START_TEST(a_progress_bar_is_its_last_state)
{
	char line[64];

	add("10%\r20%\r30%");
	ck_assert_str_eq(stream_last_line(stream, line, sizeof(line)), "30%");
}
END_TEST

START_TEST(an_endless_line_keeps_its_beginning)
{
	char line[STREAM_LINE_MAX + 64];

	add("begin ");
	for (int i = 0; i < 100; i++)
		add("abc");
	stream_last_line(stream, line, sizeof(line));
	ck_assert_int_eq(strncmp(line, "begin abcabc", 12), 0);
	ck_assert_uint_eq(strlen(line), STREAM_LINE_MAX);
}
END_TEST

START_TEST(the_tail_as_bytes_is_what_came_last)
{
	char bytes[6];

	add("abcdefgh");
	ck_assert_uint_eq(stream_tail(stream, bytes, sizeof(bytes)), 5);
	ck_assert_str_eq(bytes, "defgh");
}
END_TEST

START_TEST(what_is_looked_for_is_looked_for_in_what_begins_again_too)
{
	stream_look_for(stream, "broken");
	add("bro");
	stream_begin_again(stream);
	add("ken\n");
	ck_assert(!stream->found);
	ck_assert_str_eq(text(100), "ken\n");
	add("broken");
	ck_assert(stream->found);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    little_output_is_kept_whole,
	    no_output_is_an_empty_text,
	    the_middle_goes_and_is_counted,
	    head_and_tail_survive_a_flood,
	    every_cut_length_gives_the_same_ends,
	    a_cut_never_goes_through_a_character,
	    bytes_that_are_no_text_become_visible,
	    an_output_limit_of_nothing_leaves_the_count,
	    the_last_line_is_the_last_that_says_something,
	    a_progress_bar_is_its_last_state,
	    an_endless_line_keeps_its_beginning,
	    the_tail_as_bytes_is_what_came_last,
	    what_is_looked_for_is_looked_for_in_what_begins_again_too,
	    NULL,
	};

	return run_tests("stream", tests, make_stream, free_stream);
}
