/*
 * Which rr and gdb are used: where a package's own are looked for, and that they give way to what
 * is on PATH (rr if it is newer) and to whatever a setting names.
 */
#include "supervisor/own_tools.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/runner.h"

#define WRONG_VERSION "not a version"

static char folder[] = "/tmp/rr-warden-own-rr.XXXXXX";

static void make_folder(void)
{
	memcpy(strrchr(folder, '.') + 1, "XXXXXX", sizeof("XXXXXX"));
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A program in the folder that answers `help` as an rr of this version; NULL: none. */
static void make_rr(const char *name, const char *version)
{
	char command[1024];
	if (version == NULL)
		return;
	snprintf(command, sizeof(command),
	    "mkdir -p \"$(dirname '%s/%s')\" && "
	    "printf '#!/bin/sh\\necho \"rr version %s\"\\n' >'%s/%s' && chmod +x '%s/%s'",
	    folder, name, version, folder, name, folder, name);
	ck_assert_int_eq(system(command), 0);
}

static const struct {
	const char *on_path, *own; /* versions; NULL: it is not there */
	bool is_own;
	const char *why;
} rows[] = {
    {"5.6.0", NULL, false, "the first on PATH"},
    {NULL, "5.6.0", true, "came with rr-warden; PATH has none"},
    {"5.6.0", "5.9.0", true, "is no newer, 5.6.0"},
    {"5.9.0", "5.9.0", true, "is no newer, 5.9.0"},
    {"5.10.0", "5.9.0", false, "newer than the 5.9.0 that came with rr-warden"},
    {WRONG_VERSION, "5.9.0", true, "does not say its version"},
    {"5.6.0", WRONG_VERSION, false, "does not run here"},
};

typedef void chooses(struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX]);

/* With a PATH of the folder's "path" alone. */
static void choose(
    chooses *choice, struct settings *settings, const char *own, char why[OWN_TOOL_WHY_MAX])
{
	const char *outer = getenv("PATH");
	char path[PATH_MAX], *before = strdup(outer != NULL ? outer : "");

	snprintf(path, sizeof(path), "%s/path:/nowhere", folder);
	setenv("PATH", path, 1);
	choice(settings, own, why);
	setenv("PATH", before, 1);
	free(before);
}

START_TEST(a_newer_rr_on_path_is_used_and_else_the_own_one)
{
	struct settings *settings = settings_new();
	char own[PATH_MAX] = "", why[OWN_TOOL_WHY_MAX];
	make_rr("path/rr", rows[_i].on_path);
	make_rr("own/rr", rows[_i].own);
	if (rows[_i].own != NULL)
		snprintf(own, sizeof(own), "%s/own/rr", folder);
	choose(own_rr_choose, settings, own, why);
	ck_assert_str_eq(settings_text(settings, SETTING_RR), rows[_i].is_own ? own : "rr");
	ck_assert_int_eq(settings_source(settings, SETTING_RR), SOURCE_DEFAULT);
	ck_assert_msg(strstr(why, rows[_i].why) != NULL, "%s", why);
	settings_free(settings);
}
END_TEST

START_TEST(a_setting_wins_over_the_own_rr)
{
	struct settings *settings = settings_new();
	char own[PATH_MAX], why[OWN_TOOL_WHY_MAX], refused[SETTINGS_WHY_MAX];
	make_rr("own/rr", "9.0.0");
	snprintf(own, sizeof(own), "%s/own/rr", folder);
	ck_assert_int_eq(settings_set(settings, SETTING_RR, "/my/rr", SOURCE_FLAG, refused), 0);
	own_rr_choose(settings, own, why);
	ck_assert_str_eq(settings_text(settings, SETTING_RR), "/my/rr");
	ck_assert_str_eq(why, "");
	settings_free(settings);
}
END_TEST

/* gdb's versions are not compared: the system's fits the system's Python and printers. */
START_TEST(the_own_gdb_is_used_only_where_path_has_none)
{
	bool on_path = _i != 0;
	struct settings *settings = settings_new();
	char own[PATH_MAX], why[OWN_TOOL_WHY_MAX];
	make_rr("path/gdb", on_path ? "12.0.0" : NULL);
	make_rr("own/gdb", "16.0.0");
	snprintf(own, sizeof(own), "%s/own/gdb", folder);
	choose(own_gdb_choose, settings, own, why);
	ck_assert_str_eq(settings_text(settings, SETTING_GDB), on_path ? "gdb" : own);
	ck_assert_str_eq(why, on_path ? "the first on PATH" : "came with rr-warden; PATH has none");
	settings_free(settings);
}
END_TEST

START_TEST(a_setting_wins_over_the_own_gdb)
{
	struct settings *settings = settings_new();
	char why[OWN_TOOL_WHY_MAX], refused[SETTINGS_WHY_MAX];
	ck_assert_int_eq(settings_set(settings, SETTING_GDB, "/my/gdb", SOURCE_FLAG, refused), 0);
	own_gdb_choose(settings, "/own/gdb", why);
	ck_assert_str_eq(settings_text(settings, SETTING_GDB), "/my/gdb");
	ck_assert_str_eq(why, "");
	settings_free(settings);
}
END_TEST

static const struct {
	const char *name, *program, *tool;
	bool is_found;
} places[] = {
    {"rr", "bin/rr-warden", "libexec/rr-warden/rr/bin/rr", true},
    {"rr", "rr-warden-linux-x64/bin/rr-warden", "rr-warden-rr-linux-x64/bin/rr", true},
    {"rr", "rr-warden-linux-x64/bin/rr-warden",
	"rr-warden-linux-x64/node_modules/rr-warden-rr-linux-x64/bin/rr", true},
    {"rr", "project/bin/rr-warden", "rr-warden-rr-linux-x64/bin/rr", false},
    {"rr", "project/bin/rr-warden", "project/node_modules/rr-warden-rr-linux-x64/bin/rr", false},
    {"rr", "bin/rr-warden", "bin/rr", false},
    {"gdb", "bin/rr-warden", "libexec/rr-warden/gdb/bin/gdb", true},
    {"gdb", "rr-warden-linux-x64/bin/rr-warden", "rr-warden-gdb-linux-x64/bin/gdb", true},
    {"gdb", "project/bin/rr-warden", "rr-warden-gdb-linux-x64/bin/gdb", false},
    {"gdb", "bin/rr-warden", "libexec/rr-warden/rr/bin/rr", false},
};

START_TEST(an_own_tool_is_where_pip_and_npm_put_it_and_nowhere_else)
{
	struct paths paths = {0};
	char tool[PATH_MAX], expected[PATH_MAX] = "";
	make_rr(places[_i].tool, "5.6.0");
	snprintf(paths.program, sizeof(paths.program), "%s/%s", folder, places[_i].program);
	if (places[_i].is_found)
		snprintf(expected, sizeof(expected), "%s/%s", folder, places[_i].tool);
	own_tool_find(&paths, places[_i].name, tool);
	ck_assert_str_eq(tool, expected);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_newer_rr_on_path_is_used_and_else_the_own_one, sizeof(rows) / sizeof(rows[0])},
	    {a_setting_wins_over_the_own_rr, 1},
	    {the_own_gdb_is_used_only_where_path_has_none, 2},
	    {a_setting_wins_over_the_own_gdb, 1},
	    {an_own_tool_is_where_pip_and_npm_put_it_and_nowhere_else,
		sizeof(places) / sizeof(places[0])},
	    {NULL, 0},
	};

	return run_loops("own_tools", tests, make_folder, remove_folder);
}
