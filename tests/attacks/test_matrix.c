/*
 * Every argument of every tool that names a path, with every hidden path, as root and as an
 * ordinary user, with namespaces and without, with each setting that limits: nothing hidden comes
 * out, and nothing is made in what is hidden. The table is generated: the tools and their arguments
 * from the server's own list, the paths from the sandbox's. `make check` plays a sample,
 * ATTACKS=all all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/roles.h"
#include "tests/attacks/machine.h"
#include "tests/attacks/stage.h"
#include "tests/runner.h"

#define SHARE	 97 /* of the cells in `make check`: one of so many, by its number */
#define PATIENCE 60

/* The arguments of tools that name something on the disk. */
static const char *const arguments[] = {"trace_dir", "trace_base_dir", "file", "working_directory",
    "command", "good", "bad", "program", "core", "sysroot", "symbols"};

/* Beside the hidden paths themselves: what is in them, around them, and ways to them. */
static const char *const ways[] = {"/", "/etc", "/var", "/var/lib", "/home/victim",
    "/home/victim/.ssh", "/home/victim/notes.txt", "/home/victim/bin/key", "/home/../etc/munge",
    "/proc/self/root/home/victim", "/proc/1/cwd", "~/link/munge", "/etc/munge/munge.key",
    "/var/lib/kubelet/pods/token", "/home/victim/new", "/etc/munge/new", "/usr/bin/new"};

static const char *const settings[] = {NULL, "--trace-root=/home", "--record-directory=/home",
    "--source-dir=/home", "--trace-dir=/home"};

static size_t path_count(void)
{
	size_t count = 0;

	while (hidden_paths[count])
		count++;
	return count + sizeof(ways) / sizeof(*ways);
}

static const char *path_at(size_t index)
{
	size_t count = sizeof(ways) / sizeof(*ways);

	return index < count ? ways[index] : hidden_paths[index - count];
}

/* What a program can see and make at the place where it is started. */
#define LOOK "cat * .[a-z]* ../* 2>/dev/null; echo made >by-the-matrix; true"

/* A value that is right for the argument. */
static json_t *benign(const struct stage *stage, const char *name)
{
	if (strcmp(name, "command") == 0)
		return json_pack("[s,s,s]", "/bin/sh", "-c", LOOK);
	if (strcmp(name, "file") == 0)
		return json_sprintf("%s/archive.tar", stage->home);
	return json_string(stage->trace);
}

static json_t *call_of(
    const struct stage *stage, json_t *tool, const char *argument, const char *path)
{
	json_t *call = json_object(), *name;
	size_t index;

	json_array_foreach(answer_at(tool, "inputSchema.required"), index, name)
	    json_object_set_new(
		call, json_string_value(name), benign(stage, json_string_value(name)));
	json_object_set_new(call, argument,
	    strcmp(argument, "command") == 0 ? json_pack("[s]", path) : json_string(path));
	return call;
}

static void play_cell(const struct stage *stage, json_t *tool, const char *argument,
    const char *path, const char *setting)
{
	const char *name = json_string_value(json_object_get(tool, "name"));
	json_auto_t *answer = client_wait(stage->client,
	    client_tool_send(stage->client, name, call_of(stage, tool, argument, path)), PATIENCE);
	cleanup_free char *shown = answer_show(answer);

	ck_assert_msg(strstr(shown, SECRET) == NULL, "%s %s=%s %s: %s", name, argument, path,
	    setting ? setting : "", shown);
}

static void play_tool(const struct stage *stage, json_t *tool, const char *setting, size_t *cell)
{
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		if (!json_object_get(answer_at(tool, "inputSchema.properties"), arguments[i]))
			continue;
		for (size_t k = 0; k < path_count(); k++)
			if ((*cell)++ % SHARE == 0 || getenv("ATTACKS") != NULL)
				play_cell(stage, tool, arguments[i], path_at(k), setting);
	}
}

START_TEST(no_argument_of_any_tool_opens_what_is_hidden)
{
	size_t cell = (size_t)_i * 7; /* other cells in other plays */

	if (!stage_can_play(_i) || !machine_has_keys())
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	harness_shell("chmod -R go-rwx /home/victim && cd '%s' && ln -s /etc link", stage.home);
	json_decref(stage_record(&stage));
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		client_end(stage.client);
		stage.client = stage_client(&stage, _i,
		    (const char *const[]){"--sandbox-net_ns=prefer", settings[i], NULL}, NULL);
		json_auto_t *list = client_wait(
		    stage.client, client_send(stage.client, "tools/list", NULL), PATIENCE);
		json_t *tools = answer_at(list, "result.tools"), *tool;
		size_t index;
		json_array_foreach(tools, index, tool) play_tool(&stage, tool, settings[i], &cell);
	}
	ck_assert_int_gt(cell, 1000); /* or it shows nothing */
	harness_shell(
	    "test -z \"$(find /home /etc /usr/bin -name 'by-the-matrix' -o -name new)\" && "
	    "grep -q %s /etc/munge/munge.key /home/victim/notes.txt",
	    SECRET);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	static const int plays[] = {0, NO_NAMESPACES, AS_USER, AS_USER | NO_NAMESPACES};
	Suite *suite = suite_create("matrix");
	TCase *all = tcase_create("matrix");

	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	for (size_t k = 0; k < sizeof(plays) / sizeof(*plays); k++)
		tcase_add_loop_test(
		    all, no_argument_of_any_tool_opens_what_is_hidden, plays[k], plays[k] + 1);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
