/*
 * The log passes nothing on that a terminal would obey, and its lines never exceed their limit.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
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

START_TEST(the_audit_goes_to_a_daemon_too_where_the_settings_say_so)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char folder[] = "/tmp/rr-warden-log-XXXXXX", line[2 * LOG_LINE_MAX];
	int daemon = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/log", folder);
	ck_assert_int_lt(log_audit_to(address.sun_path), 0);
	logged(line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line, "the audit goes only to stderr"));
	ck_assert_int_eq(bind(daemon, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_ge(log_audit_to(address.sun_path), 0);
	log_audit("source %s: granted", "/a\nb");
	logged(line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line, ": audit: source /a\\x0ab: granted\n"));
	memset(line, 0, sizeof(line));
	ck_assert_int_gt(recv(daemon, line, sizeof(line) - 1, 0), 0);
	ck_assert_int_eq(strncmp(line, "<86>rr-warden[", 14), 0); /* authpriv.info */
	ck_assert_ptr_nonnull(strstr(line, "]: audit: source /a\\x0ab: granted"));
	log_error("of no concern to it");
	ck_assert_int_lt(recv(daemon, line, sizeof(line), 0), 0);
	close(daemon); /* it ends: stderr still has the line */
	logged(line, sizeof(line));
	log_audit("another");
	ck_assert_int_gt(logged(line, sizeof(line)), 0);
	unlink(address.sun_path);
	rmdir(folder);
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

START_TEST(a_level_has_the_lines_of_those_before_it)
{
	char line[2 * LOG_LINE_MAX];

	log_call("rr_step: 0.1 s");
	ck_assert_int_le(logged(line, sizeof(line)), 0);
	log_audit("one");
	ck_assert_int_gt(logged(line, sizeof(line)), 0);
	log_set_level(LOG_LEVEL_CALLS, false);
	log_call("rr_step: 0.1 s");
	logged(line, sizeof(line));
	ck_assert_ptr_nonnull(strstr(line, ": call: rr_step: 0.1 s\n"));
	log_set_level(LOG_LEVEL_ERROR, false);
	log_audit("two");
	ck_assert_int_le(logged(line, sizeof(line)), 0);
	log_error("three");
	ck_assert_int_gt(logged(line, sizeof(line)), 0);
}
END_TEST

START_TEST(a_line_has_its_time_where_the_log_is_a_file)
{
	char line[512];

	log_set_level(LOG_LEVEL_AUDIT, true);
	log_error("one");
	ck_assert_int_gt(logged(line, sizeof(line)), 0);
	ck_assert_int_eq(strncmp(line, "20", 2), 0);
	ck_assert_ptr_nonnull(strstr(line, "Z rr-warden["));
	ck_assert_ptr_nonnull(strstr(line, "]: error: one\n"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_line_says_what_it_is_and_ends_with_a_newline,
	    the_audit_goes_to_a_daemon_too_where_the_settings_say_so,
	    control_characters_and_other_bytes_are_escaped,
	    a_long_line_is_cut_and_says_so,
	    a_full_pipe_drops_the_line_and_errno_stays,
	    a_level_has_the_lines_of_those_before_it,
	    a_line_has_its_time_where_the_log_is_a_file,
	    NULL,
	};

	return run_tests("log", tests, catch_stderr, free_stderr);
}
