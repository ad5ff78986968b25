/*
 * Settings: what a file may contain, what overrides it, and who may exceed whom.
 */
#include "supervisor/options.h"
#include "supervisor/settings.h"
#include "tests/runner.h"

#include <check.h>
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char admin_file[] = "/tmp/rr-warden-settings.XXXXXX";
static struct options options;

static void write_admin(const char *text)
{
	FILE *file = fopen(admin_file, "we");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void set_up(void)
{
	int fd;

	strcpy(admin_file, "/tmp/rr-warden-settings.XXXXXX");
	fd = mkstemp(admin_file);
	ck_assert_int_ge(fd, 0);
	close(fd);
	unlink(admin_file);
	for (int i = 0; i < SETTING_COUNT; i++)
		if (setting_rows[i].env != NULL)
			unsetenv(setting_rows[i].env);
}

static void tear_down(void)
{
	unlink(admin_file);
	settings_free(options.settings);
	options.settings = NULL;
}

/* Reads a command line of words. */
static void read_line(const char *line)
{
	static char copy[512];
	char *argv[16] = {(char *)"rr-warden"};
	int argc = 1;

	settings_free(options.settings);
	strlcpy(copy, line, sizeof(copy));
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	options_read(&options, argc, argv, admin_file);
}

struct number {
	enum setting setting;
	long long value;
};

static void expect_numbers_of(const struct number *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(
		    settings_number(options.settings, numbers[i].setting) == numbers[i].value,
		    "setting %d is %lld, not %lld", numbers[i].setting,
		    (long long)settings_number(options.settings, numbers[i].setting),
		    numbers[i].value);
}

#define expect_numbers(...)                                                                        \
	expect_numbers_of((const struct number[]){__VA_ARGS__},                                    \
	    sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number))

/* Reverse was 300: Codex gives a call up after these, and would not see the answer at our limit. */
START_TEST(the_defaults_are_the_predecessors)
{
	read_line("");
	ck_assert_int_eq(options.mode, MODE_SERVE);
	expect_numbers({SETTING_TIMEOUT_STARTUP, 30}, {SETTING_TIMEOUT_CONNECT, 60},
	    {SETTING_TIMEOUT_FORWARD, 120}, {SETTING_TIMEOUT_REVERSE, 280},
	    {SETTING_TIMEOUT_BREAKPOINT, 30}, {SETTING_TIMEOUT_EVAL, 30},
	    {SETTING_TIMEOUT_RECORD, 0});
}
END_TEST

START_TEST(flags_go_before_the_environment_and_that_before_files)
{
	write_admin("[timeouts]\nforward = 1\nreverse = 2\neval = 3\n");
	setenv("RR_MCP_TIMEOUT_REVERSE", "20", 1);
	setenv("RR_MCP_TIMEOUT_EVAL", "30", 1);
	read_line("--timeout-eval=5m");
	expect_numbers({SETTING_TIMEOUT_FORWARD, 1}, {SETTING_TIMEOUT_REVERSE, 20},
	    {SETTING_TIMEOUT_EVAL, 300});
}
END_TEST

START_TEST(nonsense_in_the_environment_is_left_out)
{
	setenv("RR_MCP_TIMEOUT_EVAL", "soon", 1);
	read_line("");
	ck_assert_int_eq(options.mode, MODE_SERVE);
	ck_assert_int_eq(settings_number(options.settings, SETTING_TIMEOUT_EVAL), 30);
}
END_TEST

START_TEST(without_a_file_everybody_may_allow_everything)
{
	read_line("--allow-calls --allow-gdb-commands=yes --sandbox-net_ns=off");
	ck_assert_int_eq(options.mode, MODE_SERVE);
	expect_numbers({SETTING_CALLS, 1}, {SETTING_GDB_COMMANDS, 1}, {SETTING_LAYER_NET_NS, 0});
}
END_TEST

START_TEST(nobody_exceeds_the_administrators_file)
{
	static const char *const more[] = {"--allow-calls", "--allow-gdb-commands", "--sessions=5",
	    "--sessions=0", "--memory=0", "--memory=3G", "--idle=2h", "--trace-root=/etc",
	    "--trace-root=/srv/traces/../../etc", "--sandbox-seccomp=prefer", "--rr=/tmp/rr",
	    "--free-disk=0", "--record=yes", "--source-dir=/home"};

	write_admin("[traces]\nroots = /srv/traces\n[recording]\nallow = no\n"
		    "[sessions]\ncount = 4\nmemory = 2G\n");
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		read_line(more[i]);
		ck_assert_msg(options.mode == MODE_WRONG, "%s was granted", more[i]);
		ck_assert_ptr_nonnull(strstr(options.why, SETTINGS_FILE));
	}
}
END_TEST

/* What a name looks like does not count, but where it leads; and 0 is no small limit where it means
 * none. */
START_TEST(no_ceiling_is_passed_by_a_link_a_zero_or_the_path)
{
	static const char *const roots[] = {"trace-root", "record-directory", "source-dir"};
	char folder[] = "/tmp/rr-warden-settings.XXXXXX", text[512], *path = NULL;
	const char *inherited = getenv("PATH");

	ck_assert_ptr_nonnull(inherited);
	path = strdup(inherited);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(text, sizeof(text),
	    "cd %s && mkdir granted granted/inner bin && ln -s /etc granted/link && "
	    "ln -s / granted/inner/link && cp /bin/true bin/rr && cp /bin/true bin/gdb",
	    folder);
	ck_assert_int_eq(system(text), 0);
	snprintf(text, sizeof(text),
	    "[traces]\nroots = %s/granted\n[recording]\ndirectories = %s/granted\n"
	    "[debugging]\nsources = %s/granted\n[timeouts]\nrecord = 2\n",
	    folder, folder, folder);
	write_admin(text);
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(text, sizeof(text), "--%s=%s/granted/link", roots[i], folder);
		read_line(text);
		ck_assert_msg(options.mode == MODE_WRONG, "%s was granted", text);
		snprintf(text, sizeof(text), "--%s=%s/granted/inner/link/etc", roots[i], folder);
		read_line(text);
		ck_assert_msg(options.mode == MODE_WRONG, "%s was granted", text);
		snprintf(text, sizeof(text), "--%s=%s/granted/inner", roots[i], folder);
		read_line(text);
		ck_assert_msg(options.mode == MODE_SERVE, "%s", options.why);
	}
	read_line("--timeout-record=0");
	ck_assert_int_eq(options.mode, MODE_WRONG);
	read_line("--timeout-record=1");
	ck_assert_int_eq(options.mode, MODE_SERVE);
	snprintf(text, sizeof(text), "%s/bin:%s", folder, path);
	setenv("PATH", text, 1);
	read_line("");
	ck_assert_str_eq(settings_text(options.settings, SETTING_RR), "/usr/bin/rr");
	ck_assert_str_eq(settings_text(options.settings, SETTING_GDB), "/usr/bin/gdb");
	setenv("PATH", path, 1);
	snprintf(text, sizeof(text), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(text), 0);
	free(path);
}
END_TEST

/* Those would make the list of commands a list of all programs. */
START_TEST(the_example_allows_no_program_that_starts_others)
{
	static const char *const starters[] = {"/usr/bin/env", "/usr/bin/sh", "/usr/bin/dash",
	    "/bin/sh", "/usr/bin/python3", "/usr/bin/make", "/usr/bin/xargs", "/usr/bin/timeout"};
	char line[256], pattern[128];
	int patterns = 0;
	FILE *file = fopen("packaging/rr-warden.conf", "re");

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "# commands = %127s", pattern) != 1)
			continue;
		patterns++;
		for (size_t i = 0; i < sizeof(starters) / sizeof(starters[0]); i++)
			ck_assert_msg(fnmatch(pattern, starters[i], 0) != 0, "%s allows %s",
			    pattern, starters[i]);
	}
	fclose(file);
	ck_assert_int_gt(patterns, 0);
}
END_TEST

START_TEST(everybody_may_ask_for_less_than_the_administrators_file)
{
	write_admin("[traces]\nroots = /srv/traces\n[sessions]\ncount = 4\nmemory = 2G\n"
		    "[debugging]\ncalls = yes\n");
	read_line("--sessions=2 --memory=1G --allow-calls=no --trace-root=/srv/traces/mine "
		  "--sandbox-net_ns=require");
	ck_assert_msg(options.mode == MODE_SERVE, "%s", options.why);
	expect_numbers({SETTING_SESSIONS, 2}, {SETTING_CALLS, 0});
	ck_assert_str_eq(settings_list(options.settings, SETTING_ROOTS)[0], "/srv/traces/mine");
	ck_assert_ptr_null(settings_list(options.settings, SETTING_ROOTS)[1]);
}
END_TEST

START_TEST(an_error_in_a_file_names_line_and_remedy)
{
	static const char *const rows[][3] = {
	    {"[sessions]\n\ncont = 3\n", ":3:", "count"},
	    {"[sesions]\ncount = 3\n", ":2:", "sections are"},
	    {"[sessions]\ncount = many\n", ":2:", "a number"},
	    {"[traces]\nsize = 4X\n", ":2:", "4G"},
	    {"[sandbox]\nseccomp = maybe\n", ":2:", "require, prefer or off"},
	    {"[debugging]\ncalls = perhaps\n", ":2:", "yes or no"},
	    {"# fine\nnonsense\n", ":2:", "key = value"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_admin(rows[i][0]);
		read_line("");
		ck_assert_int_eq(options.mode, MODE_WRONG);
		ck_assert_msg(strstr(options.why, rows[i][1]) && strstr(options.why, rows[i][2]),
		    "%s", options.why);
	}
}
END_TEST

START_TEST(a_line_too_long_for_the_parser_is_refused)
{
	char text[400] = "[traces]\nroots = /";

	memset(text + 18, 'x', 300);
	text[318] = '\n';
	write_admin(text);
	read_line("");
	ck_assert_int_eq(options.mode, MODE_WRONG);
	ck_assert_ptr_nonnull(strstr(options.why, ":2:"));
}
END_TEST

/* Without the comment signs, the sample is a valid file with the defaults. */
START_TEST(the_sample_configuration_names_every_setting_and_is_accepted)
{
	char line[256], text[16384] = "", key[64];
	FILE *sample = fopen("packaging/rr-warden.conf", "re");

	ck_assert_msg(sample != NULL, "run from the root of the sources");
	while (fgets(line, sizeof(line), sample) != NULL) {
		bool setting = line[0] == '#' && line[1] == ' ' &&
			       islower((unsigned char)line[2]) && strstr(line, " = ") != NULL;
		if (setting || line[0] == '[')
			strlcat(text, setting ? line + 2 : line, sizeof(text));
	}
	fclose(sample);
	for (int i = 0; i < SETTING_COUNT; i++) {
		snprintf(key, sizeof(key), "\n%s =", setting_rows[i].key);
		ck_assert_msg(strstr(text, key) != NULL, "%s is not in the sample", key + 1);
	}
	write_admin(text);
	read_line("");
	ck_assert_msg(options.mode == MODE_SERVE, "%s", options.why);
	for (int i = 0; i < SETTING_COUNT; i++) {
		struct settings *plain = settings_new();
		ck_assert_msg(settings_number(options.settings, (enum setting)i) ==
				  settings_number(plain, (enum setting)i),
		    "the sample says another %s than the default", setting_rows[i].key);
		settings_free(plain);
	}
	ck_assert_str_eq(settings_list(options.settings, SETTING_ROOTS)[0], "/home");
	ck_assert_str_eq(settings_text(options.settings, SETTING_TRACE_DIR), "");
}
END_TEST

START_TEST(lists_grow_line_by_line)
{
	write_admin("[traces]\nroots = /a\n  /b\nroots = /c\n");
	read_line("");
	ck_assert_str_eq(settings_list(options.settings, SETTING_ROOTS)[1], "/b");
	ck_assert_str_eq(settings_list(options.settings, SETTING_ROOTS)[2], "/c");
}
END_TEST

/* Whoever took one away would show what it masks. */
START_TEST(what_is_masked_is_added_up)
{
	static const char *const sums[] = {"secrets", "ACME-[0-9]+", "mine", NULL};
	const char *const *items;

	write_admin("[debugging]\nredact = secrets\nredact = ACME-[0-9]+\n");
	read_line("--redact=mine");
	ck_assert_int_eq(options.mode, MODE_SERVE);
	items = settings_list(options.settings, SETTING_REDACT);
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		ck_assert_pstr_eq(items[i], sums[i]);
	read_line("");
	ck_assert_pstr_eq(settings_list(options.settings, SETTING_REDACT)[1], sums[1]);
	read_line("--redact=a(b");
	ck_assert_int_eq(options.mode, MODE_WRONG);
	ck_assert_str_eq(options.why, "--redact: \"a(b\" is not secrets or a Perl-compatible "
				      "regular expression: missing closing parenthesis, "
				      "at character 4");
}
END_TEST

START_TEST(wrong_flags_say_so)
{
	static const char *const lines[][2] = {{"--no-such", "no such option: --no-such"},
	    {"--rr", "missing after --rr"}, {"--timeout-eval=x", "--timeout-eval: \"x\" is not"},
	    {"--rr=/tmp/\xff", "is not text: it must be UTF-8"},
	    {"--trace-root=/tmp/\xff", "it must be UTF-8"}, {"serve", "no such command: serve"},
	    {"--config=/does/not/exist", "/does/not/exist: No such"},
	    {"--config=/etc", "/etc: Is a directory"}};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		read_line(lines[i][0]);
		ck_assert_int_eq(options.mode, MODE_WRONG);
		ck_assert_msg(strstr(options.why, lines[i][1]) != NULL, "%s", options.why);
	}
}
END_TEST

START_TEST(subcommands_are_known)
{
	read_line("--help");
	ck_assert_int_eq(options.mode, MODE_HELP);
	read_line("--help settings");
	ck_assert_int_eq(options.mode, MODE_HELP_SETTINGS);
	read_line("help settings");
	ck_assert_int_eq(options.mode, MODE_HELP_SETTINGS);
	read_line("--version");
	ck_assert_int_eq(options.mode, MODE_VERSION);
	read_line("--pmu=software doctor");
	ck_assert_int_eq(options.mode, MODE_DOCTOR);
	read_line("--pmu=software config codex");
	ck_assert_int_eq(options.mode, MODE_CONFIG);
	ck_assert_int_eq(options.rest, 2 + 1);
	read_line("--timeout-evil=3");
	ck_assert_ptr_nonnull(strstr(options.why, "did you mean --timeout-eval?"));
	read_line("docter");
	ck_assert_ptr_nonnull(strstr(options.why, "did you mean doctor?"));
	read_line("rr record -n ls");
	ck_assert_int_eq(options.mode, MODE_RR);
	ck_assert_int_eq(options.rest, 2);
}
END_TEST

START_TEST(rr_by_hand_is_the_rr_of_the_settings)
{
	write_admin("[tools]\nrr = /opt/rr\npmu = software\n");
	read_line("rr record --pmu=hardware ls");
	ck_assert_str_eq(settings_text(options.settings, SETTING_RR), "/opt/rr");
	ck_assert_str_eq(settings_text(options.settings, SETTING_PMU), "software");
	ck_assert_int_eq(options.rest, 2);
}
END_TEST

START_TEST(rr_by_hand_takes_flags_of_tools_before_and_behind_its_name)
{
	read_line("--pmu=hardware rr --pmu=software --rr=/my/rr record --rr=x");
	ck_assert_int_eq(options.mode, MODE_RR);
	ck_assert_str_eq(settings_text(options.settings, SETTING_PMU), "software");
	ck_assert_str_eq(settings_text(options.settings, SETTING_RR), "/my/rr");
	ck_assert_int_eq(options.rest, 5);
	read_line("rr --pmu=magic record");
	ck_assert_int_eq(options.mode, MODE_WRONG);
	read_line("rr --trace-dir=/t record");
	ck_assert_int_eq(options.mode, MODE_RR);
	ck_assert_int_eq(options.rest, 2);
}
END_TEST

START_TEST(a_path_is_within_a_root_by_its_text)
{
	ck_assert(path_is_within("/a/b", "/a"));
	ck_assert(path_is_within("/a", "/a/"));
	ck_assert(path_is_within("/x", "/"));
	ck_assert(!path_is_within("/ab", "/a"));
	ck_assert(!path_is_within("/a/../b", "/a"));
	ck_assert(!path_is_within("/a/..", "/a"));
	ck_assert(!path_is_within("a", "/a"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_defaults_are_the_predecessors,
	    flags_go_before_the_environment_and_that_before_files,
	    nonsense_in_the_environment_is_left_out,
	    without_a_file_everybody_may_allow_everything,
	    nobody_exceeds_the_administrators_file,
	    no_ceiling_is_passed_by_a_link_a_zero_or_the_path,
	    the_example_allows_no_program_that_starts_others,
	    everybody_may_ask_for_less_than_the_administrators_file,
	    an_error_in_a_file_names_line_and_remedy,
	    a_line_too_long_for_the_parser_is_refused,
	    the_sample_configuration_names_every_setting_and_is_accepted,
	    lists_grow_line_by_line,
	    what_is_masked_is_added_up,
	    wrong_flags_say_so,
	    a_path_is_within_a_root_by_its_text,
	    subcommands_are_known,
	    rr_by_hand_is_the_rr_of_the_settings,
	    rr_by_hand_takes_flags_of_tools_before_and_behind_its_name,
	    NULL,
	};

	return run_tests("settings", tests, set_up, tear_down);
}
