/*
 * How doctor folds long texts on a terminal.
 */
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/folded.h"
#include "tests/runner.h"

static void expect(const char *text, int column, int width, const char *expected)
{
	cleanup_free char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	ck_assert_ptr_nonnull(out);
	folded_print(out, text, column, width);
	fclose(out);
	ck_assert_str_eq(printed, expected);
}

/* The width of a terminal with so many columns, as folded_width sees it. */
static int width_of(unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int controller, terminal;

	ck_assert_int_eq(openpty(&controller, &terminal, NULL, NULL, &size), 0);
	FILE *out = fdopen(terminal, "w");
	int width = folded_width(out);
	fclose(out);
	close(controller);
	return width;
}

START_TEST(lines_break_between_words_and_begin_below_the_first)
{
	expect("one two three", 2, 10, "one two\n  three\n");
	expect("one two three", 2, 9, "one two\n  three\n");
	expect("one two three", 2, 8, "one\n  two\n  three\n");
	expect("one", 2, 10, "one\n");
	expect("", 2, 10, "\n");
}
END_TEST

START_TEST(a_word_that_is_longer_than_a_line_stays_whole)
{
	expect("a /a/long/path b", 2, 8, "a\n  /a/long/path\n  b\n");
}
END_TEST

START_TEST(a_text_is_not_changed_where_nothing_folds)
{
	expect("one  two three", 2, 0, "one  two three\n");
}
END_TEST

START_TEST(the_terminal_says_how_wide)
{
	ck_assert_int_eq(width_of(80), 80);
	ck_assert_int_eq(width_of(300), 120);
	ck_assert_int_eq(width_of(39), 0);
	ck_assert_int_eq(width_of(0), 0);
	FILE *file = tmpfile();
	ck_assert_int_eq(folded_width(file), 0);
	fclose(file);
}
END_TEST

int main(void)
{
	return run_tests("folded",
	    (const TTest *const[]){lines_break_between_words_and_begin_below_the_first,
		a_word_that_is_longer_than_a_line_stays_whole,
		a_text_is_not_changed_where_nothing_folds, the_terminal_says_how_wide, NULL},
	    NULL, NULL);
}
