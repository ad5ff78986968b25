/*
 * How we show untrusted text: scrubbed, bounded, folded; and what we read from text.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "worker/read/frames/frames.h"
#include "worker/session/launch/launch.h"
#include "worker/inspect/memory.h"
#include "worker/read/names/names.h"
#include "worker/session/live_output.h"
#include "sandbox/wire/scrub.h"
#include "tests/runner.h"

static char text[4096];

static void scrub(const char *from, size_t size)
{
	scrub_bytes(text, size, from, strlen(from));
}

START_TEST(valid_text_stays)
{
	scrub("a\tb\nz\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", sizeof(text));
	ck_assert_str_eq(text, "a\tb\nz\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}
END_TEST

START_TEST(bad_bytes_and_controls_are_made_visible)
{
	static const struct {
		const char *from, *to;
	} cases[] = {{"\xff", "\\xff"}, {"\xc3", "\\xc3"}, {"\xc0\x80", "\\xc0\\x80"},
	    {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	    {"\x1b[2J", "\\x1b[2J"}, {"\x7f", "\\x7f"}, {"\xc2\x9b", "\\xc2\\x9b"},
	    {"\r", "\\x0d"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scrub(cases[i].from, sizeof(text));
		ck_assert_str_eq(text, cases[i].to);
	}
}
END_TEST

START_TEST(progress_that_is_drawn_over_itself_is_shown_as_it_ends)
{
	static const struct {
		const char *from, *to;
	} cases[] = {{"1%\b\b25%\b\b\b100%\ndone\n", "100%\ndone\n"},
	    {"block 1\rblock 2\rblock 3\n", "block 3\n"}, {"dos\r\nlines\r\n", "dos\r\nlines\r\n"},
	    {"a\n\b\b\bb", "a\nb"}, {"\xc3\xa9\bx", "x"}, {"last\r", "last\r"}, {"", ""}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char bytes[64];
		size_t length = strlen(cases[i].from);
		memcpy(bytes, cases[i].from, length);
		length = scrub_overwritten(bytes, length);
		bytes[length] = '\0';
		ck_assert_str_eq(bytes, cases[i].to);
	}
}
END_TEST

START_TEST(a_full_buffer_cuts_no_character)
{
	scrub("ab\xe2\x82\xac", 5);
	ck_assert_str_eq(text, "ab");
	scrub("abc\xff", 6);
	ck_assert_str_eq(text, "abc");
}
END_TEST

START_TEST(a_long_text_keeps_head_and_tail_and_counts_what_is_between)
{
	char from[2000];
	size_t cut;
	memset(from, 'm', sizeof(from));
	from[0] = 'H';
	from[sizeof(from) - 1] = 'T';
	json_auto_t *json = scrub_json_middle(from, sizeof(from), 200, &cut);
	const char *shown = json_string_value(json);
	ck_assert_uint_le(strlen(shown), 200);
	ck_assert_int_eq(shown[0], 'H');
	ck_assert_int_eq(shown[strlen(shown) - 1], 'T');
	ck_assert_ptr_nonnull(strstr(shown, "bytes left out"));
	ck_assert_uint_gt(cut, 1500);
}
END_TEST

START_TEST(any_bytes_fit_their_bound)
{
	unsigned char from[3000];
	unsigned seed = 1;
	for (size_t round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(from); i++) {
			seed = seed * 1103515245 + 12345;
			from[i] = (unsigned char)(seed >> 16);
		}
		json_t *json = scrub_json_middle((char *)from, sizeof(from), 100 + round, NULL);
		ck_assert_ptr_nonnull(json);
		ck_assert_uint_le(json_string_length(json), 100 + round);
		json_decref(json);
	}
}
END_TEST

static json_t *frames_of(const char *functions)
{
	json_t *frames = json_array();
	for (int level = 0; functions[level]; level++)
		json_array_append_new(frames,
		    json_pack("{s:i,s:s#}", "level", level, "function", functions + level, 1));
	return frames;
}

START_TEST(repeated_frames_are_counted_with_their_period)
{
	static const struct {
		const char *functions;
		size_t at, times, period;
	} cases[] = {{"aaaab", 0, 3, 1}, {"abababc", 0, 2, 2}, {"abcabcabcabc", 0, 3, 3},
	    {"xaaa", 1, 2, 1}, {"abcd", 0, 0, 0}, {"aab", 0, 0, 0}, {"", 0, 0, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_t *frames = frames_of(cases[i].functions);
		size_t period, times = frames_repeated(frames, cases[i].at, &period);
		ck_assert_uint_eq(times, cases[i].times);
		if (times)
			ck_assert_uint_eq(period, cases[i].period);
		json_decref(frames);
	}
}
END_TEST

static json_t *caught(const char *bytes, size_t max)
{
	struct live_output *output = live_output_new();
	/* byte by byte, because a mark may come in pieces */
	for (size_t i = 0; bytes[i]; i++)
		live_output_add(output, bytes + i, 1);
	json_t *json = live_output_between(output, 0, 100, max);
	live_output_free(output);
	return json;
}

START_TEST(rrs_marks_are_taken_out_of_the_output)
{
	json_auto_t *json = caught("rr says\n[rr 12 34]one\n[rr 12 35]two [rr x]\n", 100);
	ck_assert_str_eq(json_string_value(json), "one\ntwo [rr x]\n");
	ck_assert_ptr_null(caught("only rr's own words\n", 100));
}
END_TEST

START_TEST(rrs_announcements_are_taken_out_of_the_output)
{
	json_auto_t *json =
	    caught("[rr 1 2]a\n\a\n-----\n ---> Reached target process 7 at event 3.\n"
		   "-----\n[rr 1 3]b\n",
		100);
	ck_assert_str_eq(json_string_value(json), "a\nb\n");
}
END_TEST

/* An rr that begins in the middle says how to connect to it behind what the program wrote until
 * there. What the program says later is its own. */
START_TEST(how_to_connect_to_rr_is_none_of_the_output)
{
	static const char *const launches[] = {"Launch gdb with\n  gdb '-l' '10000' /bin/x\n",
	    "Launch debugger with\n  gdb -l /bin/x\n"};

	for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++) {
		struct live_output *output = live_output_new();
		live_output_begin_rr(output);
		live_output_add(output, "[rr 1 2]a\nLaunch", 16);
		live_output_add(output, "[rr 1 3]es: LaLaunch", 20);
		for (const char *at = launches[i] + 6; *at; at++) /* which may come in pieces */
			live_output_add(output, at, 1);
		live_output_add(output, "[rr 1 4]Launch gdb with\nb\n", 26);
		json_auto_t *json = live_output_between(output, 0, 100, 1000);
		ck_assert_str_eq(json_string_value(json), "a\nLaunches: LaLaunch gdb with\nb\n");
		live_output_begin_rr(output);
		live_output_add(output, "more of rr", 10);
		json_auto_t *same = live_output_between(output, 0, 100, 1000);
		ck_assert(json_equal(json, same));
		live_output_free(output);
	}
}
END_TEST

/* Nothing is lost without being counted. */
static void expect_all_counted(const json_t *shown, size_t total)
{
	const char *gap = strstr(json_string_value(shown), "\n[... ");

	ck_assert_ptr_nonnull(gap);
	ck_assert_uint_eq(strtoul(gap + 6, NULL, 10) + json_string_length(shown) -
			      strlen("\n[... 000000 bytes left out ...]\n"),
	    total);
	ck_assert_ptr_null(strstr(gap + 1, "\n[... "));
}

START_TEST(endless_output_keeps_head_and_tail)
{
	struct live_output *output = live_output_new();
	live_output_add(output, "[rr 1 2]first", 13);
	for (int i = 0; i < 100000; i++)
		live_output_add(output, "0123456789", 10);
	live_output_add(output, "last", 4);
	json_auto_t *json = live_output_between(output, 0, 3, 1000);
	json_auto_t *long_one = live_output_between(output, 0, 3, 1000000);
	const char *shown = json_string_value(json);
	ck_assert_uint_le(strlen(shown), 1000);
	ck_assert_int_eq(strncmp(shown, "first", 5), 0);
	ck_assert_str_eq(shown + strlen(shown) - 4, "last");
	expect_all_counted(json, 1000009);
	expect_all_counted(long_one, 1000009);
	ck_assert_ptr_null(live_output_between(output, 3, 1000, 1000));
	live_output_free(output);
}
END_TEST

static void print_events(struct live_output *output, int from, int to)
{
	char bytes[64];

	for (int event = from; event <= to; event++) {
		int length = snprintf(bytes, sizeof(bytes), "[rr 1 %d]<%d>", event, event);
		live_output_add(output, bytes, (size_t)length);
	}
}

static void expect_taken(struct live_output *output, long long event, const char *expected)
{
	json_auto_t *json = live_output_take(output, event, 1000);

	if (expected)
		ck_assert_str_eq(json_string_value(json), expected);
	else
		ck_assert_ptr_null(json);
}

/* Seeks print the same again, overshoot, come back, and go on from a checkpoint. */
START_TEST(each_stop_tells_what_was_printed_since_the_one_before)
{
	struct live_output *output = live_output_new();
	print_events(output, 1, 3);
	expect_taken(output, 2, NULL); /* the first stop */
	print_events(output, 2, 9);
	expect_taken(output, 5, "<2><3><4>");
	print_events(output, 1, 8);
	print_events(output, 4, 6);
	expect_taken(output, 6, "<5>");
	expect_taken(output, 3, NULL); /* it went back */
	print_events(output, 1, 1);
	print_events(output, 7, 8);
	expect_taken(output, 9, "<3><4><5><6><7><8>");
	live_output_free(output);
}
END_TEST

START_TEST(what_a_called_function_printed_does_not_stay)
{
	struct live_output *output = live_output_new();
	print_events(output, 1, 3);
	expect_taken(output, 1, NULL);
	live_output_add(output, "[rr 1 2]from a call", 19);
	live_output_add(output, "[rr 1 4]from a call", 19);
	print_events(output, 2, 5);
	expect_taken(output, 6, "<1><2><3><4><5>");
	live_output_free(output);
}
END_TEST

/* "<17>", or a gap: the number behind it is larger, and follows on nothing else. */
static const char *read_shown(const char *shown, long *last)
{
	bool gap = *shown == '\n';
	char *rest;
	long number;

	if (gap) {
		ck_assert_int_eq(strncmp(shown, "\n[... ", 6), 0);
		shown = strchr(shown + 1, '\n') + 1;
	}
	number = strtol(shown + 1, &rest, 10);
	ck_assert(gap ? number > *last : number == *last + 1);
	*last = number;
	return rest + 1;
}

/* Whatever passes there were, what is shown is what one pass prints, without its middle. */
START_TEST(many_writes_keep_their_order_over_passes)
{
	struct live_output *output = live_output_new();
	const int most = 8000;
	int reached = 0;

	for (int pass = 0; reached < most; pass++) {
		int from = 1 + pass * 7919 % (reached + 1), to = from + pass * 104729 % 3000;
		print_events(output, from, to);
		reached = to > reached ? to : reached;
		json_auto_t *json = live_output_between(output, 0, LLONG_MAX, 1000000);
		long last = 0;
		for (const char *rest = json_string_value(json); *rest;)
			rest = read_shown(rest, &last);
		ck_assert_int_eq(last, reached);
	}
	live_output_free(output);
}
END_TEST

/* What is told of rr's words, with a dump of so many lines between the beginning and the last. */
static void expect_complaint(const char *said, int dumped, const char *last, const char *complaint)
{
	struct live_output *output = live_output_new();

	live_output_add(output, said, strlen(said));
	for (int i = 0; i < dumped; i++)
		live_output_add(output, "{ event }\n", 10);
	live_output_add(output, last, strlen(last));
	live_output_rr_words(output, text, sizeof(text));
	ck_assert_str_eq(text, complaint);
	live_output_free(output);
}

START_TEST(rrs_complaint_is_said_without_its_backtrace)
{
	expect_complaint("noise\n[FATAL ./src/x.cc:1] it broke\n", 0,
	    "=== Start rr backtrace:\n/usr/bin/rr(x)\n", "[FATAL ./src/x.cc:1] it broke\n");
}
END_TEST

START_TEST(rrs_complaint_is_found_before_a_long_dump_of_the_trace)
{
	/* Both of rr's names for it. */
	static const char *const last[] = {
	    "[FATAL ./src/log.cc:512:start_emergency_debug()] (not interactive)\n",
	    "[FATAL ./src/log.cc:444:emergency_debug()] (session doesn't look interactive)\n"};

	for (size_t way = 0; way < 2; way++)
		expect_complaint("[rr 1 2]noise [FATAL [FATAL ./src/Task.cc:1446] \n -> Assertion\n"
				 "Tail of trace dump:\n",
		    100000, last[way], "[FATAL ./src/Task.cc:1446] \n -> Assertion\n");
}
END_TEST

START_TEST(rrs_invitation_is_read_in_both_spellings)
{
	static const char old[] =
	    "Launch gdb with\n  gdb '-l' '10000' '-ex' 'target extended-remote "
	    "127.0.0.1:5601' /t/mmap_copy_5_bug\n";
	static const char new[] =
	    "Launch debugger with\n  gdb -l 10000 -ex 'target extended-remote "
	    "127.0.0.1:77' '/t/my dir/exe'\n";
	int port;
	ck_assert(launch_parse(old, &port, text, sizeof(text)));
	ck_assert_int_eq(port, 5601);
	ck_assert_str_eq(text, "/t/mmap_copy_5_bug");
	ck_assert(launch_parse(new, &port, text, sizeof(text)));
	ck_assert_int_eq(port, 77);
	ck_assert_str_eq(text, "/t/my dir/exe");
	for (size_t cut = 0; cut < sizeof(old) - 2; cut++) {
		char part[sizeof(old)];
		memcpy(part, old, cut);
		part[cut] = '\0';
		ck_assert(!launch_parse(part, &port, text, sizeof(text)));
	}
}
END_TEST

START_TEST(near_names_have_small_distances)
{
	ck_assert_int_eq(names_distance("corrupt", "corupt", 9), 1);
	ck_assert_int_eq(names_distance("abc", "abc", 9), 0);
	ck_assert_int_eq(names_distance("", "abc", 9), 3);
	ck_assert_int_eq(names_distance("abc", "xyz", 2), 2);
}
END_TEST

START_TEST(memory_is_shown_as_lines_with_their_text)
{
	memory_dump(text, sizeof(text), 0x1000, "48656c6c6f00ff");
	ck_assert_str_eq(
	    text, "0x1000  48 65 6c 6c 6f 00 ff                             |Hello..|\n");
	memory_dump(text, 16, 0x1000, "4865");
	ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    valid_text_stays,
	    bad_bytes_and_controls_are_made_visible,
	    progress_that_is_drawn_over_itself_is_shown_as_it_ends,
	    a_full_buffer_cuts_no_character,
	    a_long_text_keeps_head_and_tail_and_counts_what_is_between,
	    any_bytes_fit_their_bound,
	    repeated_frames_are_counted_with_their_period,
	    rrs_marks_are_taken_out_of_the_output,
	    rrs_announcements_are_taken_out_of_the_output,
	    how_to_connect_to_rr_is_none_of_the_output,
	    endless_output_keeps_head_and_tail,
	    each_stop_tells_what_was_printed_since_the_one_before,
	    what_a_called_function_printed_does_not_stay,
	    many_writes_keep_their_order_over_passes,
	    rrs_complaint_is_said_without_its_backtrace,
	    rrs_complaint_is_found_before_a_long_dump_of_the_trace,
	    rrs_invitation_is_read_in_both_spellings,
	    near_names_have_small_distances,
	    memory_is_shown_as_lines_with_their_text,
	    NULL,
	};

	return run_tests("shown", tests, NULL, NULL);
}
