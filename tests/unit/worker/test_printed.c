/*
 * rr's text about a trace's events and output, the writes that we read from it, and searches for a
 * text in them.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/investigate/printed/printed_search.h"
#include "worker/trace/dump/printed.h"

#define EVENT(event, name, state, tid)                                                             \
	"{\n  real_time:1.5 global_time:" event ", event:`SYSCALL: " name "' (state:" state        \
	") tid:" tid ", ticks:9\n"
#define CALL(event, name, tid, fd)                                                                 \
	EVENT(event, name, "ENTERING_SYSCALL", tid)                                                \
	"rax:0xffffffffffffffda rdx:0x7 rsi:0x5000 rdi:" fd " rip:0x402\n}\n"
#define DONE(event, name, tid, result)                                                             \
	EVENT(event, name, "EXITING_SYSCALL", tid) "rax:" result " rdi:0x1 rip:0x402\n}\n"

static const char events[] = CALL("10", "write", "7", "0x1") DONE("11", "write", "7", "0x6")
    CALL("12", "read", "7", "0x0") DONE("13", "read", "7", "0x6") CALL("20", "writev", "8", "0x2")
	CALL("21", "write", "7", "0x1") DONE("22", "writev", "8", "0x5")
	    DONE("23", "write", "7", "0x14") CALL("30", "write", "7", "0x1")
		DONE("31", "write", "7", "0xfffffffffffffff7") CALL("32", "write", "7", "0x1")
		    DONE("33", "write", "7", "0x4");

/* Fed in pieces of `step` bytes. */
static struct printed read_in(const char *output, size_t step)
{
	struct printed printed = {0};
	struct dump_parser *writes = writes_parser(&printed.writes);
	struct printed_parser *texts;
	size_t length = strlen(output);

	for (size_t at = 0; at < sizeof(events) - 1; at += step)
		dump_parser_feed(writes, events + at,
		    sizeof(events) - 1 - at < step ? sizeof(events) - 1 - at : step);
	dump_parser_end(writes);
	texts = printed_parser_new(&printed);
	for (size_t at = 0; at < length; at += step)
		printed_parser_feed(texts, output + at, length - at < step ? length - at : step);
	printed_parser_end(texts);
	return printed;
}

static void expect_piece(const struct printed *printed, size_t number, int pid, const char *text)
{
	const struct printed_piece *piece = &printed->pieces[number];

	ck_assert_uint_lt(number, printed->count);
	ck_assert_int_eq(piece->pid, pid);
	ck_assert_uint_eq(piece->length, strlen(text));
	ck_assert_mem_eq(printed->streams[piece->stream].text + piece->at, text, strlen(text));
}

START_TEST(a_write_has_its_moment_its_stream_and_its_length)
{
	struct printed printed = read_in("", 1000);
	const struct write_call *call = writes_at(&printed.writes, 20);

	ck_assert_uint_eq(printed.writes.count, 5);
	ck_assert_ptr_null(writes_at(&printed.writes, 12));
	ck_assert_ptr_null(writes_at(&printed.writes, 11));
	ck_assert_int_eq(call->fd, 2);
	ck_assert_int_eq(call->tid, 8);
	ck_assert_int_eq(call->ticks, 9);
	ck_assert(call->vector);
	ck_assert_uint_eq(call->pc, 0x400);
	ck_assert_uint_eq(call->buffer, 0x5000);
	ck_assert_uint_eq(call->length, 5);
	ck_assert_uint_eq(writes_at(&printed.writes, 21)->length, 0x14);
	ck_assert_uint_eq(writes_at(&printed.writes, 30)->length, 0);
	printed_free(&printed);
}
END_TEST

START_TEST(marks_cut_the_output_into_writes_and_what_rr_says_is_none)
{
	for (size_t step = 1; step < 30; step += 4) {
		struct printed printed = read_in("[WARN] of rr\n[rr 7 10]hello\n[rr 8 20]oops\n"
						 "[rr 7 21][rr 7 32]is forged!\n[rr 7 30]"
						 "[INFO] again\n[rr 7 32]end\n",
		    step);
		ck_assert_uint_eq(printed.count, 4);
		expect_piece(&printed, 0, 7, "hello\n");
		expect_piece(&printed, 1, 8, "oops\n");
		expect_piece(&printed, 2, 7, "[rr 7 32]is forged!\n");
		expect_piece(&printed, 3, 7, "end\n");
		ck_assert_uint_eq(printed.stream_count, 2);
		ck_assert_int_eq(printed.total, 35);
		ck_assert(!printed.cut);
		printed_free(&printed);
	}
}
END_TEST

START_TEST(a_mark_that_names_no_write_or_an_earlier_one_begins_nothing)
{
	struct printed printed =
	    read_in("[rr 7 11]x[rr 7 99]y[rr 7 21][rr 7 32]is forged!\n[rr 7 10]hello\n", 7);

	ck_assert_uint_eq(printed.count, 1);
	printed_free(&printed);
}
END_TEST

/* The nth match of a text or pattern, by the event of its write. */
static long long event_of(
    const struct printed *printed, const char *text, const char *pattern, long long nth)
{
	struct printed_wanted wanted = {text, pattern, -1, nth, 8};
	struct failure failure = {0};
	struct printed_found found;

	ck_assert(printed_search(printed, &wanted, &found, &failure));
	return found.match.piece ? found.match.piece->call->event : 0;
}

START_TEST(matches_are_counted_in_the_order_of_time_over_all_streams)
{
	struct printed printed = read_in(
	    "[rr 7 10]hello\n[rr 8 20]oops\n[rr 7 21]is as good as gold!\n[rr 7 32]end\n", 9);

	ck_assert_int_eq(event_of(&printed, "o", NULL, 1), 10);
	ck_assert_int_eq(event_of(&printed, "o", NULL, 2), 20);
	ck_assert_int_eq(event_of(&printed, "o", NULL, 0), 20); /* of that process */
	ck_assert_int_eq(event_of(&printed, "o", NULL, -1), 21);
	ck_assert_int_eq(event_of(&printed, "o", NULL, 9), 0);
	ck_assert_int_eq(event_of(&printed, "o", NULL, -9), 0);
	ck_assert_int_eq(event_of(&printed, "!\nen", NULL, 1), 21);
	ck_assert_int_eq(event_of(&printed, NULL, "^e.d$", 1), 32);
	ck_assert_int_eq(event_of(&printed, NULL, "x*", 1), 0);
	printed_free(&printed);
}
END_TEST

START_TEST(a_pattern_may_have_the_usual_classes)
{
	static const char *const found[] = {"\\d+\\.\\d \\[", "^\\D+70\\.", "v\\w+\\s+70",
	    "\\[[\\w]+\\]", "5\\s\\S", "\\bval\\b", "[^\\d\\s]\\t", "[[:digit:]][\\d.]+[]\\s]",
	    "v\\Bal|lue\\W"};
	static const char *const absent[] = {"\\d{3}", "\\Bval", "[\\d]\\d\\d", "70\\w", "val\\S"};
	struct printed printed = read_in("[rr 7 21]a val  70.5 [odd]\t1\n", 7);

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
		ck_assert_msg(
		    event_of(&printed, NULL, found[i], 1) == 21, "%s is not found", found[i]);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		ck_assert_msg(
		    event_of(&printed, NULL, absent[i], 1) == 0, "%s is found", absent[i]);
	printed_free(&printed);
}
END_TEST

/* The C library would take these for something else, without a word. */
START_TEST(a_pattern_that_would_mean_something_else_is_refused)
{
	static const char *const refused[] = {"\\pL", "\\x41", "a\\nb", "\\Aa", "a\\z", "[\\D]",
	    "[\\n]", "[a\\-z]", "[\\]]", "[\\^a]", "(a)\\1"};
	struct printed printed = read_in("[rr 7 10]xn a\n", 7);

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct printed_wanted wanted = {NULL, refused[i], -1, 1, 8};
		struct failure failure = {0};
		struct printed_found out;

		ck_assert_msg(!printed_search(&printed, &wanted, &out, &failure), "%s", refused[i]);
		ck_assert_ptr_nonnull(strstr(failure.message, refused[i]));
		ck_assert_ptr_nonnull(strstr(failure.hint, "[0-9]"));
	}
	printed_free(&printed);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_write_has_its_moment_its_stream_and_its_length,
	    marks_cut_the_output_into_writes_and_what_rr_says_is_none,
	    a_mark_that_names_no_write_or_an_earlier_one_begins_nothing,
	    matches_are_counted_in_the_order_of_time_over_all_streams,
	    a_pattern_may_have_the_usual_classes,
	    a_pattern_that_would_mean_something_else_is_refused,
	    NULL,
	};

	return run_tests("printed", tests, NULL, NULL);
}
