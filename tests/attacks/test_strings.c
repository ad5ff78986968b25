/*
 * Hostile strings through every string argument of every tool: nothing is executed, nothing is
 * written, every call is answered, and the session lives. Once with the sandbox, and once without,
 * so that quoting alone must hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/bare.h"
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM	  "many_watch"
#define ANSWER_S  120.0
#define TEXT_MAX  4096
#define LONG_TEXT 3000
#define SHARE	  4 /* of the arguments, for each string: a quarter */

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
    "%s/none/../../../../../../tmp/dotdot", /* through a folder that is not there */
    "counter, $_shell(\"touch %s/comma\")",
    "@entry $_shell(\"touch %s/entry\")",
    "-probe x -o %s/probe",
    "monitor checkpoint %s/monitor",
    "%%n%%n%%n%%s%%s%s/format",
    "\x7f\x1b]0;%s/escape\x07",
    "\xe2\x80\xae%s/direction",
};
#define ATTACKS (sizeof(attacks) / sizeof(*attacks))

struct attack {
	struct client *client;
	const char *sessions[2]; /* those that the test opened */
	json_t *text;		 /* the hostile string */
	const char *trace;
	size_t number, calls;
};

/* The other arguments that a call needs so that it gets as far as to the argument under attack. */
static const struct {
	const char *name, *json;
} fillers[] = {
    {"command", "[\"/bin/true\"]"},
    {"working_directory", "\"/tmp\""},
    {"access_type", "\"write\""},
    {"moment", "\"start\""},
    {"location", "\"toggle\""},
    {"address", "\"&counter\""},
    {"thread_id", "\"1\""},
    {"file", "\"/no/such/file\""},
    {"core", "\"/no/such/core\""},
    {"expression", "\"counter\""},
    {"pointer", "\"&counter\""},
    {"pattern", "\"value\""},
    {"predicate", "\"counter > 1\""},
    {"name", "\"here\""},
    {"title", "\"title\""},
    {"claims", "[{\"moment\": \"start\", \"expression\": \"counter\", \"value\": \"0\"}]"},
    {"attempts", "1"},
    /* Comparing two traces for each string would take hours. test_compare has hostile probes. */
    {"bad", "\"/no/such/trace\""},
};

static json_t *filler(const char *name, const char *type, const char *trace)
{
	if (strcmp(name, "trace_dir") == 0 || strcmp(name, "good") == 0)
		return json_string(trace);
	for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers); i++)
		if (strcmp(name, fillers[i].name) == 0)
			return json_loads(fillers[i].json, JSON_DECODE_ANY, NULL);
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return json_integer(1);
	harness_fail("%s is required and has no filler", name);
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
		json_object_set_new(args, "attempts", filler("attempts", "integer", trace));
	/* a session of its own for each would be the same attack */
	if (strcmp(attacked, "at") == 0 || strcmp(attacked, "deadline") == 0)
		json_object_set_new(args, "trace_dir", json_string(trace));
	json_object_set_new(args, attacked, hostile);
	return args;
}

static json_t *hostile_value(const char *key, const char *type, json_t *text)
{
	json_t *object;

	if (strcmp(key, "claims") == 0)
		return json_pack(
		    "[{s:s, s:O, s:O}]", "moment", "start", "expression", text, "value", text);
	if (strcmp(type, "array") == 0)
		return json_pack("[O]", text);
	if (strcmp(type, "object") != 0)
		return json_incref(text);
	object = json_pack("{s:O}", "NAME", text);
	if (strlen(json_string_value(text)) == json_string_length(text))
		json_object_set(object, json_string_value(text), text);
	return object;
}

/* A recording that one call made may be what the next one opens: that is no attack. */
static void close_opened(const struct attack *attack, const json_t *answer)
{
	const char *session =
	    json_string_value(answer_at(answer, "result.structuredContent.session"));

	if (session != NULL && strcmp(session, attack->sessions[0]) != 0 &&
	    strcmp(session, attack->sessions[1]) != 0)
		json_decref(client_wait(attack->client,
		    client_tool_send(
			attack->client, "rr_replay_stop", json_pack("{s:s}", "session", session)),
		    ANSWER_S));
}

/* Any answer is fine, error or result, but there must be one. */
static void attack_argument(struct attack *attack, const char *tool, const json_t *schema,
    const char *key, const char *type)
{
	json_t *hostile = hostile_value(key, type, attack->text);
	long long id =
	    client_tool_send(attack->client, tool, arguments(schema, key, hostile, attack->trace));
	json_auto_t *answer = client_wait(attack->client, id, ANSWER_S);

	if (answer == NULL)
		harness_fail(
		    "%s was not answered with %s = %s", tool, key, json_string_value(attack->text));
	close_opened(attack, answer);
	attack->calls++;
}

/* In `make check` each string goes through a part of the arguments, and all of them together
 * through all; ATTACKS=all is each through each. */
static bool is_left_out(const struct attack *attack, size_t argument)
{
	return getenv("ATTACKS") == NULL && (attack->number + argument) % SHARE != 0;
}

static void attack_all(struct attack *attack, const json_t *tools)
{
	json_t *tool, *property;
	const char *key;
	size_t i, argument = 0;

	json_array_foreach(json_object_get(tools, "tools"), i, tool)
	{
		const char *name = answer_text(tool, "name");
		json_t *schema = json_object_get(tool, "inputSchema");
		json_object_foreach(json_object_get(schema, "properties"), key, property)
		{
			const char *type = type_of(property);
			if ((strcmp(type, "string") == 0 || strcmp(type, "array") == 0 ||
				strcmp(type, "object") == 0) &&
			    !is_left_out(attack, argument++))
				attack_argument(attack, name, schema, key, type);
		}
	}
}

static json_t *list_tools(struct client *client)
{
	json_auto_t *answer =
	    client_wait(client, client_send(client, "tools/list", NULL), ANSWER_S);
	json_t *result = json_incref(json_object_get(answer, "result"));

	return result;
}

/* Opens the session under attack and another one that must not notice. */
static void attack_with(const json_t *texts, struct witness *witness, const char *const *args)
{
	cleanup_scratch char *home = harness_scratch(0); /* for traces that no call names */
	struct scene scene = scene_open(PROGRAM,
	    &(struct client_options){.args = args, .home = home, .directory = witness->directory});
	cleanup_free char *other = client_replay(scene.client, scene_trace(PROGRAM));
	struct attack attack = {
	    scene.client, {scene.session, other}, NULL, scene_trace(PROGRAM), 0, 0};
	struct scene bystander = {scene.client, other};
	json_auto_t *tools = list_tools(scene.client);

	scene_run_to(&scene, "count_up");
	witness_count(witness, client_pid(scene.client));
	json_array_foreach(texts, attack.number, attack.text)
	{
		attack_all(&attack, tools);
		witness_look(witness, client_pid(scene.client));
		expect_alive(bystander.client, bystander.session);
	}
	ck_assert_uint_gt(attack.calls, 20);
	expect_alive(scene.client, scene.session);
	scene_close(&scene);
	witness_end(witness);
}

static json_t *all_attacks(const struct witness *witness)
{
	json_t *texts = json_array();
	char text[TEXT_MAX];

	for (size_t i = 0; i < ATTACKS; i++) {
		snprintf(text, sizeof(text), attacks[i], witness->folder);
		json_array_append_new(texts, json_string(text));
	}
	/* what a reader of C strings takes for the end */
	int length = snprintf(text, sizeof(text), "main%cshell touch %s/nul", 0, witness->folder);
	json_array_append_new(texts, json_stringn(text, (size_t)length));
	return texts;
}

static void attack_with_all(const char *const *arguments)
{
	struct witness witness = witness_new();
	json_auto_t *texts = all_attacks(&witness);

	attack_with(texts, &witness, arguments);
}

START_TEST(a_hostile_string_is_an_argument_and_nothing_else)
{
	attack_with_all(NULL);
}
END_TEST

START_TEST(quoting_holds_without_the_sandbox)
{
	attack_with_all(bare_arguments);
}
END_TEST

START_TEST(a_very_long_string_is_answered)
{
	struct witness witness = witness_new();
	char brackets[LONG_TEXT + 1], letters[LONG_TEXT + 1];

	memset(brackets, '(', LONG_TEXT);
	memset(letters, 'A', LONG_TEXT);
	brackets[LONG_TEXT] = letters[LONG_TEXT] = '\0';
	json_auto_t *texts = json_pack("[s, s]", brackets, letters);
	attack_with(texts, &witness, NULL);
}
END_TEST

/* ---- One argument is one thing --------------------------------------------------------------- */

/* What gdb would take for an option, a condition, a thread or a format: an argument that holds it
 * is refused in words of rr-warden or for a name that nobody has. */
static const char *const beside[] = {"-exec x", "-h", "-t", "--thread 1", "--", "-force-condition",
    "-c 1 main", "-o 8 $sp", "-probe x", "/x counter", "counter if 0", "counter thread 1",
    "counter t 1", "counter) if (0", "counter mask 0xff", "counter -force-condition", "*0 -exec",
    "counter\n-exec-continue", "counter\\\"-exec"};

static const struct {
	const char *tool, *argument, *others; /* others: of the call, JSON */
} readers[] = {
    {"rr_breakpoint_set", "location", "{}"},
    {"rr_breakpoint_set", "condition", "{\"location\": \"count_up\"}"},
    {"rr_breakpoint_update", "condition", "{\"breakpoint_number\": 1}"},
    {"rr_watchpoint_set", "expression", "{}"},
    {"rr_watchpoint_set", "expression", "{\"location\": false}"},
    {"rr_watchpoint_set", "condition", "{\"expression\": \"counter\"}"},
    {"rr_continue", "until", "{}"},
    {"rr_evaluate", "expression", "{}"},
    {"rr_evaluate", "expression", "{\"format\": \"hex\"}"},
    {"rr_expand", "expression", "{}"},
    {"rr_type", "expression", "{}"},
    {"rr_read_memory", "address", "{}"},
    {"rr_disassemble", "location", "{}"},
    {"rr_memory_map", "address", "{}"},
    {"rr_find_memory", "value", "{}"},
    {"rr_find_memory", "from", "{\"text\": \"abc\"}"},
    {"rr_last_change", "expression", "{}"},
    {"rr_value_history", "expression", "{}"},
    {"rr_when_became", "predicate", "{}"},
    {"rr_origin_of", "expression", "{}"},
    {"rr_heap_history", "pointer", "{}"},
    {"rr_lines_executed", "location", "{}"},
    {"rr_frame_story", "location", "{}"},
    {"rr_last_time", "location", "{}"},
    {"rr_last_time", "condition", "{\"location\": \"count_up\"}"},
    {"rr_trace_calls", "location", "{}"},
    {"rr_trace_calls", "condition", "{\"location\": \"count_up\"}"},
};

static void expect_not_read(
    struct scene *scene, const char *tool, const char *argument, json_t *args, const char *text)
{
	static const char *const of_options[] = {
	    "option", "Usage", "Missing <", "Argument required"};
	json_t *failure;
	const char *message;

	json_object_set_new(args, argument, json_string(text));
	failure = client_tool_failure(
	    scene->client, client_tool_send(scene->client, tool, args), NULL, ANSWER_S);
	message = answer_text(failure, "message");
	for (size_t i = 0; i < sizeof(of_options) / sizeof(*of_options); i++)
		ck_assert_msg(strstr(message, of_options[i]) == NULL, "%s, %s = %s: %s", tool,
		    argument, text, message);
	json_decref(failure);
}

START_TEST(nothing_beside_an_argument_is_read)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "count_up");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "count_up");
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		for (size_t j = 0; j < sizeof(beside) / sizeof(*beside); j++)
			if (getenv("ATTACKS") != NULL || (i + j) % SHARE == 0)
				expect_not_read(&scene, readers[i].tool, readers[i].argument,
				    json_loads(readers[i].others, 0, NULL), beside[j]);
	expect_value(scene.client, "-1 < 0", "1");
	expect_alive(scene.client, scene.session);
}
END_TEST

/* ---- What the administrator has allowed, and the sandbox still bounds ------------------------ */

/* A session that may do what the administrator has allowed, and one beside it that must not notice.
 */
struct allowed {
	struct witness witness;
	struct scene scene, bystander;
};

static void open_allowed(struct allowed *allowed, const char *const *args)
{
	allowed->witness = witness_new();
	allowed->scene = scene_open(PROGRAM,
	    &(struct client_options){.args = args, .directory = allowed->witness.directory});
	allowed->bystander = (struct scene){
	    allowed->scene.client, client_replay(allowed->scene.client, scene_trace(PROGRAM))};
	scene_run_to(&allowed->scene, "count_up");
}

static void close_allowed(struct allowed *allowed)
{
	scene_close(&allowed->scene);
	witness_end(&allowed->witness);
	free(allowed->bystander.session);
}

/* Sends each text, which may hold the witness's folder, in `args` to a tool that may refuse it. */
static void send_each(struct allowed *allowed, const char *tool, json_t *args, const char *argument,
    const char *const *formats, size_t count)
{
	struct client *client = allowed->scene.client;
	char text[TEXT_MAX];

	json_object_set_new(args, "session", json_string(allowed->scene.session));
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), formats[i], allowed->witness.folder);
		fprintf(stderr, "%s\n", text);
		json_object_set_new(args, argument, json_string(text));
		json_auto_t *answer = client_wait(
		    client, client_tool_send(client, tool, json_deep_copy(args)), ANSWER_S);
		if (answer == NULL)
			harness_fail("%s was not answered", tool);
		witness_look(&allowed->witness, client_pid(client));
		expect_alive(allowed->bystander.client, allowed->bystander.session);
	}
	json_decref(args);
}

static const char *const calls[] = {
    "(int)mkdir(\"%s/mkdir\", 0777)",
    "(int)open(\"%s/open\", 0101, 0777)",
    "(int)system(\"touch %s/system\")",
    "(int)symlink(\"/etc/passwd\", \"%s/symlink\")",
    "(int)chmod(\"%s\", 0)",
    "(int)rmdir(\"%s\")",
    "(int)fork()",
    "(int)kill(-1, 9)",
};

START_TEST(allowed_calls_into_the_program_reach_nothing_outside)
{
	struct allowed allowed;

	open_allowed(&allowed, (const char *const[]){"--allow-calls", "--timeout-eval=5", NULL});
	expect_answer(
	    client_tool(allowed.scene.client, "rr_evaluate", "{s:s, s:b, s:s}", "expression",
		"(int)getpid() > 0", "allow_calls", 1, "session", allowed.scene.session),
	    "value", "1"); /* or nothing below shows anything */
	witness_count(&allowed.witness, client_pid(allowed.scene.client)); /* with rr's diversion */
	send_each(&allowed, "rr_evaluate", json_pack("{s:b}", "allow_calls", 1), "expression",
	    calls, sizeof(calls) / sizeof(*calls));
	close_allowed(&allowed);
}
END_TEST

static const char *const commands[] = {
    "shell touch %s/shell",
    "!touch %s/bang",
    "pipe info registers | tee %s/pipe",
    "python open('%s/python', 'w').close()",
    "python import os; os.system('touch %s/os')",
    "python import subprocess; subprocess.run(['touch', '%s/subprocess'])",
    "dump binary memory %s/dump &counter &counter+1",
    "save breakpoints %s/breakpoints",
    "generate-core-file %s/core",
    "compile code open(\"%s/compile\", 0101, 0777)",
    "run > %s/run",
    "target exec touch %s/target",
    "target remote | touch %s/remote",
    "make -f /dev/null --eval '$(shell touch %s/make)'",
    "guile (open-output-file \"%s/guile\")",
    "set logging file %s/logging",
    "set logging enabled on",
};

START_TEST(allowed_gdb_commands_reach_nothing_outside)
{
	struct allowed allowed;

	open_allowed(&allowed, (const char *const[]){"--allow-gdb-commands", "--allow-calls",
				   "--timeout-eval=5", NULL});
	witness_count(&allowed.witness, client_pid(allowed.scene.client));
	client_tool_done(allowed.scene.client, "rr_gdb_command", "{s:s, s:s}", "command",
	    "info frame", "session", allowed.scene.session);
	send_each(&allowed, "rr_gdb_command", json_object(), "command", commands,
	    sizeof(commands) / sizeof(*commands));
	close_allowed(&allowed);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_hostile_string_is_an_argument_and_nothing_else,
	    quoting_holds_without_the_sandbox, nothing_beside_an_argument_is_read,
	    a_very_long_string_is_answered, allowed_calls_into_the_program_reach_nothing_outside,
	    allowed_gdb_commands_reach_nothing_outside, NULL};

	witness_alone();
	return scene_main("hostile strings", tests, (const char *const[]){PROGRAM, NULL});
}
