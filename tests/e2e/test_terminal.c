/*
 * rr-warden as people type it in a terminal of 80 columns and 24 lines: it says what to do next, it
 * fits, and its exit status says what was wrong.
 */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COLUMNS	  80
#define LINES	  24
#define WORDS_MAX 8

struct typed {
	char text[32768];
	int status;
};

static void become(const char *line)
{
	static char copy[256];
	char *words[WORDS_MAX + 2] = {(char *)harness_server()};
	int count = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		words[count++] = word;
	execv(words[0], words);
	_exit(127);
}

/* What a person sees who types these words, and the exit status. */
static void type(struct typed *typed, const char *line)
{
	struct winsize size = {.ws_row = LINES, .ws_col = COLUMNS};
	size_t used = 0;
	ssize_t got;
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, &size);

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		become(line);
	/* EIO when nobody has the terminal any more */
	while ((got = read(terminal, typed->text + used, sizeof(typed->text) - 1 - used)) > 0)
		used += (size_t)got;
	typed->text[used] = 0;
	close(terminal);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	typed->status = WEXITSTATUS(status);
}

/* The columns of the longest line, without the codes of colors; *lines counts them. */
static size_t widest(const char *text, int *lines)
{
	size_t columns = 0, most = 0;

	*lines = 0;
	for (; *text; text++) {
		if (*text == '\033') {
			text += strcspn(text, "m");
		} else if (*text == '\n') {
			most = columns > most ? columns : most;
			columns = 0;
			++*lines;
		} else if (*text != '\r') {
			columns++;
		}
	}
	return most;
}

static void expect_screen(const struct typed *typed)
{
	int lines;

	ck_assert_msg(widest(typed->text, &lines) <= COLUMNS, "%s", typed->text);
	ck_assert_msg(lines <= LINES, "%d lines: %s", lines, typed->text);
}

static void expect_says(const struct typed *typed, const char *text)
{
	ck_assert_msg(strstr(typed->text, text) != NULL, "no %s in %s", text, typed->text);
}

START_TEST(without_a_client_it_says_what_to_type)
{
	static const char *const ways[] = {"", "--pmu=software"};
	struct typed typed = {0};

	for (size_t i = 0; i < 2; i++) {
		type(&typed, ways[i]);
		expect_screen(&typed);
		expect_says(&typed, "rr-warden config claude");
		expect_says(&typed, "rr-warden doctor");
		expect_says(&typed, "rr-warden --help");
		ck_assert_int_eq(typed.status, 0);
	}
}
END_TEST

START_TEST(a_client_reads_only_messages)
{
	char command[4096], text[4096];

	snprintf(command, sizeof(command),
	    "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | '%s' 2>&1",
	    harness_server());
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	text[fread(text, 1, sizeof(text) - 1, pipe)] = 0;
	ck_assert_int_eq(pclose(pipe), 0);
	ck_assert_int_eq(text[0], '{');
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
}
END_TEST

/* The commands first, and no option before the commands. */
START_TEST(the_help_is_one_screen)
{
	static const char *const ways[] = {"--help", "-h", "help", "doctor --help"};
	struct typed typed = {0};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		type(&typed, ways[i]);
		expect_screen(&typed);
		expect_says(&typed, "rr-warden config HOST");
		expect_says(&typed, "--help settings");
		ck_assert(strstr(typed.text, "--trace-dir") > strstr(typed.text, "record-until"));
		ck_assert_int_eq(typed.status, 0);
	}
}
END_TEST

START_TEST(a_command_with_options_of_its_own_explains_them)
{
	static const char *const ways[] = {"record-until --help", "explain --help", "explain -h"};
	struct typed typed = {0};
	int lines;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		type(&typed, ways[i]);
		ck_assert_msg(widest(typed.text, &lines) <= COLUMNS, "%s", typed.text);
		expect_says(&typed, "rr-warden [OPTION]... ");
		expect_says(&typed, i == 0 ? "WHAT is failure" : "--markdown is for");
		ck_assert_int_eq(typed.status, 0);
	}
}
END_TEST

START_TEST(all_settings_fit_the_width_and_name_no_key_twice)
{
	struct typed typed = {0};
	int lines;

	type(&typed, "--help settings");
	ck_assert_uint_le(widest(typed.text, &lines), COLUMNS);
	expect_says(&typed, "  --rr                      the rr to use");
	expect_says(&typed, "in a file: directory;");
	expect_says(&typed, "--sandbox-seccomp");
	ck_assert_uint_eq(harness_count(typed.text, "[sandbox]"), 1);
	ck_assert_uint_eq(harness_count(typed.text, "[log]"), 1);
	ck_assert_int_eq(typed.status, 0);
}
END_TEST

static const char *const wrong[] = {"doctor --bogus", "doctor bogus", "config --bogus", "config",
    "config emacs", "config claude --bogus", "record-until --bogus", "record-until",
    "record-until -n x true", "explain", "explain --bogus", "rr --pmu=magic record", "bogus",
    "--bogus", "help bogus", "--help bogus", "--pmu=magic doctor"};

START_TEST(what_is_wrong_ends_with_2)
{
	struct typed typed = {0};

	type(&typed, wrong[_i]);
	ck_assert_msg(typed.status == 2, "%s: %d", wrong[_i], typed.status);
	expect_says(&typed, "rr-warden: ");
}
END_TEST

START_TEST(the_doctor_fits_a_screen_and_has_the_long_story_on_request)
{
	struct typed brief = {0}, verbose = {0}, plain = {0};

	type(&brief, "doctor --no-record");
	expect_screen(&brief);
	type(&plain, "--answers=plain doctor --no-record");
	ck_assert_ptr_nonnull(strstr(brief.text, " MB free"));
	/* up to the free space, which changes */
	ck_assert_int_eq(strncmp(plain.text, brief.text, strcspn(brief.text, ",")), 0);
	ck_assert_ptr_nonnull(strstr(plain.text, " MB free"));
	type(&brief, "doctor");
	ck_assert_int_ne(brief.status, 2);
	expect_screen(&brief);
	type(&verbose, "doctor --verbose --no-record");
	if (strstr(brief.text, "newer systems") != NULL)
		expect_says(&verbose, "handles features");
	ck_assert_ptr_null(strstr(brief.text, "handles features"));
}
END_TEST

/* https://no-color.org: an empty NO_COLOR is none. */
static const struct {
	const char *never, *terminal;
	bool colored;
} colors[] = {{NULL, "xterm", true}, {"", "xterm", true}, {"1", "xterm", false},
    {NULL, "dumb", false}, {NULL, NULL, false}};

static void set(const char *name, const char *value)
{
	if (value == NULL)
		unsetenv(name);
	else
		setenv(name, value, 1);
}

START_TEST(colors_are_for_terminals_that_have_them)
{
	struct typed typed = {0};

	set("NO_COLOR", colors[_i].never);
	set("TERM", colors[_i].terminal);
	type(&typed, "doctor --no-record");
	ck_assert_msg((strchr(typed.text, '\033') != NULL) == colors[_i].colored, "%s", typed.text);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{without_a_client_it_says_what_to_type, 1},
	    {a_client_reads_only_messages, 1}, {the_help_is_one_screen, 1},
	    {a_command_with_options_of_its_own_explains_them, 1},
	    {all_settings_fit_the_width_and_name_no_key_twice, 1},
	    {what_is_wrong_ends_with_2, TIMES(wrong)},
	    {the_doctor_fits_a_screen_and_has_the_long_story_on_request, 1},
	    {colors_are_for_terminals_that_have_them, TIMES(colors)}, {NULL, 0}};

	return scene_main_loops("terminal", tests, (const char *const[]){NULL});
}
