/*
 * The launcher of the npm package runs the program of its own package, and never one that somebody
 * put into a node_modules further up, or beside an unpacked package: as ourselves and, where we are
 * root, as an ordinary user.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/runner.h"

static const int users[] = {0, AS_USER};

#define LAUNCHER "packaging/npm/rr-warden"
#define PLATFORM "rr-warden-linux-x64/bin"

/* A program in place of the server's, which says where it is. */
static void put_program(const char *folder, const char *place)
{
	char path[TEXT];

	snprintf(path, sizeof(path), "%s/%s/" PLATFORM "/rr-warden", folder, place);
	harness_shell("mkdir -p '%s/%s/" PLATFORM "'", folder, place);
	harness_write_file(path, "#!/bin/sh\necho \"ran $0\"\n");
	ck_assert_int_eq(chmod(path, 0755), 0);
}

static void put_launcher(const char *folder, const char *place)
{
	harness_shell("mkdir -p '%s/%s/bin' && cp " LAUNCHER " '%s/%s/bin/rr-warden' && "
		      "chmod 755 '%s/%s/bin/rr-warden'",
	    folder, place, folder, place, folder, place);
}

/* What it prints when it is started in this directory by this path, both below the folder. */
static char *launched(const char *folder, int play, const char *directory, const char *path)
{
	char command[3 * TEXT], *text = calloc(1, TEXT);
	FILE *output;

	snprintf(command, sizeof(command), "cd '%s/%s' && exec %s '%s/%s/bin/rr-warden' 2>&1",
	    folder, directory,
	    play & AS_USER ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : "env", folder,
	    path);
	output = popen(command, "r");
	ck_assert_ptr_nonnull(output);
	ck_assert_uint_gt(fread(text, 1, TEXT - 1, output), 0);
	pclose(output);
	return text;
}

START_TEST(the_launcher_takes_the_program_of_no_ancestor)
{
	static const struct {
		const char *launcher, *trap;
	} traps[] = {
	    {"home/project/node_modules/rr-warden", "home/node_modules"},
	    {"home/project/node_modules/rr-warden", "node_modules"},
	    {"home/project/node_modules/rr-warden", "home/project/node_modules/other/node_modules"},
	    {"home/unpacked/package", "home/unpacked"},
	    {"home/unpacked/package", "home/unpacked/node_modules"},
	    {"home/unpacked/package", "home/node_modules"},
	};
	static const char *const starts[] = {"home/project", "home/unpacked", "home/node_modules"};

	if (!stage_can_play(users[_i]))
		return;
	for (size_t i = 0; i < sizeof(traps) / sizeof(*traps); i++) {
		cleanup_scratch char *folder = harness_scratch(0);
		harness_shell(
		    "cd '%s' && mkdir -p home/project home/unpacked home/node_modules", folder);
		put_launcher(folder, traps[i].launcher);
		put_program(folder, traps[i].trap);
		for (size_t k = 0; k < sizeof(starts) / sizeof(*starts); k++) {
			cleanup_free char *text =
			    launched(folder, users[_i], starts[k], traps[i].launcher);
			ck_assert_msg(strstr(text, "is not installed") && !strstr(text, "ran "),
			    "%s: %s", traps[i].trap, text);
		}
	}
}
END_TEST

START_TEST(the_launcher_takes_its_own_packages_program)
{
	static const char launcher[] = "home/project/node_modules/rr-warden";
	static const char *const places[] = {
	    "home/project/node_modules", "home/project/node_modules/rr-warden/node_modules"};

	if (!stage_can_play(users[_i]))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		cleanup_scratch char *folder = harness_scratch(0);
		put_launcher(folder, launcher);
		put_program(folder, "node_modules");
		put_program(folder, places[i]);
		cleanup_free char *text = launched(folder, users[_i], "", launcher);
		char expected[TEXT];
		snprintf(expected, sizeof(expected), "ran %s/%s/" PLATFORM, folder, places[i]);
		ck_assert_msg(strstr(text, expected) == text, "%s", text);
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_launcher_takes_the_program_of_no_ancestor, TIMES(users)},
	    {the_launcher_takes_its_own_packages_program, TIMES(users)},
	    {NULL, 0},
	};

	return scene_main_loops("launcher", tests, (const char *const[]){NULL});
}
