/*
 * Hostile strings through every string argument of every tool: nothing is executed, nothing is
 * written, every call is answered, and the session lives. Once as the server is, and once with the
 * sandbox off, so that quoting alone has to hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM	  "many_watch"
#define ANSWER_S  120.0
#define TEXT_MAX  4096
#define LONG_TEXT 3000
#define SAMPLE	  12 /* of the attacks below: the first */

/* %s is the witness folder. */
static const char *const attacks[] = {
    "main\nshell touch %s/newline",
    "main\r\n-interpreter-exec console \"shell touch %s/crlf\"",
    "main\" \"shell touch %s/quote",
    "main\\\" -interpreter-exec console \"shell touch %s/backslash",
    "main\\\nshell touch %s/continued",
    "$_shell(\"touch %s/shell\")",
    "$_gdb_setting(\"$_shell\") + $_shell(\"touch %s/setting\")",
    "(int)system(\"touch %s/system\")",
    "(int)mkdir(\"%s/mkdir\", 0777)",
    "(int)open(\"%s/open\", 0101, 0777)",
    "$_as_string($_shell(\"touch %s/as_string\"))",
    "| touch %s/pipe",
    "! touch %s/bang",
    "shell touch %s/plain",
    "main if $_shell(\"touch %s/condition\")",
    "main thread 1 if (int)system(\"touch %s/thread\")",
    "python open('%s/python', 'w')",
    "source %s/source",
    "dump memory %s/dump &counter &counter+1",
    "set logging file %s/logging",
    "save breakpoints %s/save",
    "generate-core-file %s/core",
    "`touch %s/backquote`",
    "$(touch %s/dollar)",
    "; touch %s/semicolon ;",
    "--eval-command=shell touch %s/option",
    "-exec-run --start %s/run",
    "%s/../../../../../../tmp/dotdot",
    "counter, $_shell(\"touch %s/comma\")",
    "@entry $_shell(\"touch %s/entry\")",
    "-probe x -o %s/probe",
    "monitor checkpoint %s/monitor",
    "%%n%%n%%n%%s%%s%s/format",
    "\x7f\x1b]0;%s/escape\x07",
    "\xe2\x80\xae%s/direction",
};
#define ATTACKS ((int)(sizeof(attacks) / sizeof(*attacks)))

struct attack {
	struct client *client;
	const char *text, *trace;
	bool records;
	size_t calls;
};

/* What a call needs beside the argument under attack; the session's trace where it asks for one. */
static json_t *filler(const char *name, const char *type, const char *trace)
{
	if (strcmp(name, "trace_dir") == 0)
		return json_string(trace);
	if (strcmp(name, "working_directory") == 0)
		return json_string("/tmp");
	if (strcmp(name, "command") == 0)
		return json_pack("[s]", "/bin/true");
	if (strcmp(name, "access_type") == 0)
		return json_string("write");
	if (strcmp(name, "moment") == 0)
		return json_string("start");
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return json_integer(1);
	if (strcmp(type, "array") == 0)
		return json_pack("[s]", "counter");
	if (strcmp(type, "boolean") == 0)
		return json_false();
	return json_string("counter");
}

static const char *type_of(const json_t *property)
{
	const char *type = json_string_value(json_object_get(property, "type"));

	return type == NULL ? "" : type;
}

static json_t *arguments(
    const json_t *schema, const char *attacked, json_t *hostile, const char *trace)
{
	json_t *args = json_object(), *name;
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i, name)
	{
		const char *key = json_string_value(name);
		const json_t *property = answer_at(json_object_get(schema, "properties"), key);
		json_object_set_new(args, key, filler(key, type_of(property), trace));
	}
	if (answer_at(schema, "properties.attempts") != NULL)
		json_object_set_new(args, "attempts", json_integer(1));
	json_object_set_new(args, attacked, hostile);
	return args;
}

static json_t *hostile_value(const char *type, const char *text)
{
	if (strcmp(type, "array") == 0)
		return json_pack("[s]", text);
	if (strcmp(type, "object") == 0)
		return json_pack("{s:s}", text, text);
	return json_string(text);
}

/* Every answer will do, error or result, but an answer there must be. */
static void attack_argument(struct attack *attack, const char *tool, const json_t *schema,
    const char *key, const char *type)
{
	json_t *hostile = hostile_value(type, attack->text);
	long long id =
	    client_tool_send(attack->client, tool, arguments(schema, key, hostile, attack->trace));
	json_t *answer = client_wait(attack->client, id, ANSWER_S);

	if (answer == NULL)
		harness_fail("%s was not answered with %s = %s", tool, key, attack->text);
	json_decref(answer);
	attack->calls++;
}

static bool is_left_out(const struct attack *attack, const char *tool, const char *key)
{
	/* ends the session that the others go on with */
	if (strcmp(tool, "rr_replay_stop") == 0)
		return true;
	/* a whole recording each: once is enough */
	return !attack->records && (strcmp(key, "env") == 0 || strcmp(key, "stdin") == 0);
}

static void attack_all(struct attack *attack, const json_t *tools)
{
	json_t *tool, *property;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(tools, "tools"), i, tool)
	{
		const char *name = answer_text(tool, "name");
		json_t *schema = json_object_get(tool, "inputSchema");
		json_object_foreach(json_object_get(schema, "properties"), key, property)
		{
			const char *type = type_of(property);
			if (!is_left_out(attack, name, key) &&
			    (strcmp(type, "string") == 0 || strcmp(type, "array") == 0 ||
				strcmp(type, "object") == 0))
				attack_argument(attack, name, schema, key, type);
		}
	}
}

static json_t *list_tools(struct client *client)
{
	json_t *answer = client_wait(client, client_send(client, "tools/list", NULL), ANSWER_S);
	json_t *result = json_incref(json_object_get(answer, "result"));

	json_decref(answer);
	return result;
}

/* Arms that gdb has and we do not use: the server is to be as safe without its sandbox. */
static const char *const bare[] = {"--sandbox-no_new_privs=off", "--sandbox-capabilities=off",
    "--sandbox-rlimits=off", "--sandbox-user_ns=off", "--sandbox-pid_ns=off",
    "--sandbox-net_ns=off", "--sandbox-mount_ns=off", "--sandbox-ipc_ns=off",
    "--sandbox-uts_ns=off", "--sandbox-landlock=off", "--sandbox-seccomp=off", NULL};

static void attack_with(const char *const *formats, int count, const char *const *args)
{
	char text[TEXT_MAX], *witness = witness_new();
	struct scene scene = scene_open(PROGRAM, &(struct client_options){.args = args});
	struct attack attack = {scene.client, text, scene_trace(PROGRAM), true, 0};
	json_t *tools = list_tools(scene.client), *value;

	scene_run_to(&scene, "count_up");
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), formats[i], witness);
		attack_all(&attack, tools);
		attack.records = false;
	}
	json_decref(tools);
	ck_assert_uint_gt(attack.calls, 20);
	/* The session that was there is there, and still knows the program. */
	value = client_tool(scene.client, "rr_evaluate", "{s:s, s:s}", "expression",
	    "sizeof(counter)", "session", scene.session);
	expect_text(value, "value", "4");
	json_decref(value);
	scene_close(&scene);
	witness_check(witness);
}

/* A sample in `make check`; all of them by `make check-attacks`. */
static int how_many(void)
{
	return getenv("ATTACKS") != NULL ? ATTACKS : SAMPLE;
}

START_TEST(a_hostile_string_is_an_argument_and_nothing_else)
{
	attack_with(attacks, how_many(), NULL);
}
END_TEST

START_TEST(quoting_holds_without_the_sandbox)
{
	attack_with(attacks, how_many(), bare);
}
END_TEST

START_TEST(a_very_long_string_is_answered)
{
	char brackets[LONG_TEXT + 1], letters[LONG_TEXT + 1];
	const char *const texts[] = {brackets, letters};

	memset(brackets, '(', LONG_TEXT);
	memset(letters, 'A', LONG_TEXT);
	brackets[LONG_TEXT] = letters[LONG_TEXT] = '\0';
	attack_with(texts, 2, NULL);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_hostile_string_is_an_argument_and_nothing_else,
	    quoting_holds_without_the_sandbox, a_very_long_string_is_answered, NULL};

	return scene_main("hostile strings", tests, (const char *const[]){PROGRAM, NULL});
}
