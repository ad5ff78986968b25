/*
 * The log passes nothing on that a terminal would obey, and is never longer than it says.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/log.h"
#include "tests/runner.h"

static int pipe_ends[2], saved_stderr;

static void catch_stderr(void)
{
	ck_assert_int_eq(pipe2(pipe_ends, O_NONBLOCK), 0);
	saved_stderr = dup(2);
	dup2(pipe_ends[1], 2);
}

static void free_stderr(void)
{
	dup2(saved_stderr, 2);
	close(saved_stderr);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

static ssize_t logged(char *line, size_t size)
{
	ssize_t got = read(pipe_ends[0], line, size - 1);

	line[got > 0 ? got : 0] = '\0';
	return got;
}

START_TEST(a_line_says_what_it_is_and_ends_with_a_newline)
{
	char line[2 * LOG_LINE_MAX];

	log_error("worker %d died", 7);
	logged(line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line, ": error: worker 7 died\n"));
}
END_TEST

START_TEST(control_characters_and_other_bytes_are_escaped)
{
	char line[64];

	log_escape(line, sizeof(line), "a\n\033[2J\x7f\xc2\x9b");
	ck_assert_str_eq(line, "a\\x0a\\x1b[2J\\x7f\\xc2\\x9b");
}
END_TEST

START_TEST(a_long_line_is_cut_and_says_so)
{
	char text[4 * LOG_LINE_MAX], line[2 * LOG_LINE_MAX];

	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_error("%s", text);
	ck_assert_int_le(logged(line, sizeof(line)), LOG_LINE_MAX);
	ck_assert_ptr_nonnull(strstr(line, "...\n"));
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
}
END_TEST

START_TEST(a_full_pipe_drops_the_line_and_errno_stays)
{
	char filler[4096] = {0};

	while (write(2, filler, sizeof(filler)) > 0)
		continue;
	errno = ENOENT;
	log_error("lost");
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tcase = tcase_create("log");

	tcase_add_checked_fixture(tcase, catch_stderr, free_stderr);
	tcase_add_test(tcase, a_line_says_what_it_is_and_ends_with_a_newline);
	tcase_add_test(tcase, control_characters_and_other_bytes_are_escaped);
	tcase_add_test(tcase, a_long_line_is_cut_and_says_so);
	tcase_add_test(tcase, a_full_pipe_drops_the_line_and_errno_stays);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
