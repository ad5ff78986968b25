/*
 * Old bugs of real programs whose cause is known: asks the tools that the guide names for each, as
 * an agent would, and checks that the last answer names the function and line at fault. Prints how
 * many calls and characters of text that took. build.sh has made the programs; their sources are
 * pinned, so line numbers hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/harness.h"

#define ARGUMENTS_MAX 8
#define CALLS_MAX     5

/* One bug, and the calls that lead to its cause; the first also gets the trace. */
static const struct bug {
	const char *name, *package, *levels;
	const char *command[ARGUMENTS_MAX];
	struct {
		const char *tool, *args;
	} calls[CALLS_MAX];
	const char *path; /* where the last answer names the cause */
	const char *function, *place;
} bugs[] = {
    /* The archive's length of a block is not that of the memory for it. malloc aborts later. */
    {"CVE-2017-8364", "rzip", "O0 O2", {"./rzip", "-dkf", "-o", "../out", "../inputs/block.rz"},
	{{"rr_crash_report", "{}"},
	    {"rr_last_change", "{\"expression\": \"'malloc.c'::main_arena.top->mchunk_size\"}"}},
	"conclusion", "read_buf", "stream.c:153"},
    /* A stored extra field may be longer than it says. free aborts later, for another block. */
    {"CVE-2014-8140", "unzip", "O0 O2", {"./unzip", "-t", "../inputs/extra_field.zip"},
	{{"rr_crash_report", "{}"}, {"rr_heap_history", "{\"pointer\": \"G.pInfo->cfilname\"}"}},
	"conclusion", "memextract", "extract.c:2285"},
    /* The number of an unknown method has five digits, and room for three. No crash, but it prints
     * what lies behind. */
    {"CVE-2016-9844", "unzip", "O0 O2", {"./unzip", "-Z", "../inputs/method.zip"},
	{{"rr_replay_start", "{}"}, {"rr_continue", "{\"until\": \"zipinfo.c:2176\"}"},
	    {"rr_last_change", "{\"expression\": \"methbuf[4]\"}"}},
	"conclusion", "zi_short", "zipinfo.c:1924"},
    /* An upvalue that is joined with itself is freed, and then used. */
    {"CVE-2019-6706", "lua5.3", "O0", {"./lua", "../inputs/join.lua"},
	{{"rr_crash_report", "{}"}, {"rr_heap_history", "{\"pointer\": \"*up1\"}"}}, "conclusion",
	"lua_upvaluejoin", "lapi.c:1293"},
    /* The most negative number stays negative when its sign is changed. */
    {"CVE-2020-24370", "lua5.3", "O0 O2", {"./lua", "../inputs/local.lua"},
	{{"rr_crash_report", "{}"}, {"rr_origin_of", "{\"expression\": \"pos\"}"}}, "conclusion",
	"findvararg", "ldebug.c:138"},
    /* The parser takes a constant for a register, and reports a false error for the next one. */
    {"CVE-2022-28805", "lua5.4", "O0", {"./lua", "../inputs/env.lua"},
	{{"rr_crash_report", "{}"},
	    {"rr_last_time", "{\"location\": \"luaX_syntaxerror\", \"move\": true}"},
	    {"rr_last_change", "{\"expression\": \"fs->freereg\", \"frame\": 1, \"move\": true}"},
	    {"rr_last_change", "{\"expression\": \"e->u.ind.t\", \"frame\": 2}"}},
	"callers", "singlevar", "lparser.c:472"},
};

struct run {
	struct client *client;
	json_t *answer; /* the last one's structure, owned; NULL: it failed */
	char *failure;	/* owned; NULL: none */
	size_t calls, characters;
};

static void fail(struct run *run, const char *what, const char *text)
{
	if (!run->failure && asprintf(&run->failure, "%s: %s", what, text) < 0)
		harness_fail("out of memory");
}

/* Calls, and keeps the answer. Steals the arguments. */
static void call(struct run *run, const char *tool, json_t *args)
{
	long long id = client_tool_send(run->client, tool, args);
	json_auto_t *message = client_wait(run->client, id, HARNESS_TIMEOUT_S);
	const json_t *text = answer_at(message, "result.content.0.text");

	json_decref(run->answer);
	run->answer = json_incref(answer_at(message, "result.structuredContent"));
	if (!text || answer_true(message, "result.isError"))
		fail(run, tool, text ? json_string_value(text) : "no answer");
	run->calls++;
	run->characters += text ? json_string_length(text) : 0;
}

static void record(struct run *run, const struct bug *bug, const char *folder, const char *trace)
{
	json_t *command = json_array();

	for (size_t i = 0; i < ARGUMENTS_MAX && bug->command[i]; i++)
		json_array_append_new(command, json_string(bug->command[i]));
	call(run, "rr_record",
	    json_pack("{s:o, s:s, s:s}", "command", command, "working_directory", folder,
		"trace_dir", trace));
	run->calls = run->characters = 0; /* the investigation begins with the trace */
}

static void ask_all(struct run *run, const struct bug *bug, const char *trace)
{
	for (size_t i = 0; i < CALLS_MAX && bug->calls[i].tool && !run->failure; i++) {
		json_t *args = json_loads(bug->calls[i].args, 0, NULL);

		if (i == 0)
			json_object_set_new(args, "trace_dir", json_string(trace));
		call(run, bug->calls[i].tool, args);
	}
}

static void judge(struct run *run, const struct bug *bug)
{
	if (run->failure)
		return;
	cleanup_free char *named = answer_show(answer_at(run->answer, bug->path));
	if (!strstr(named, bug->function) || !strstr(named, bug->place))
		fail(run, "it names another cause", named);
}

/* One bug in one build. Prints its row, and returns whether the cause was found. */
static bool investigate(const struct bug *bug, const char *builds, const char *level)
{
	cleanup_scratch char *scratch = harness_scratch(0);
	cleanup_free char *trace = harness_path(scratch, "trace"), *folder = NULL;
	struct run run = {.client = client_start(NULL)};
	bool found;

	if (asprintf(&folder, "%s/%s-%s", builds, bug->package, level) < 0)
		harness_fail("out of memory");
	record(&run, bug, folder, trace);
	ask_all(&run, bug, trace);
	judge(&run, bug);
	client_end(run.client);
	found = !run.failure;
	printf("%-15s %-7s -%s %6zu %10zu  %s (%s)\n", bug->name, bug->package, level, run.calls,
	    run.characters, bug->function, bug->place);
	if (run.failure)
		printf("FAILED: %s\n", run.failure);
	fflush(stdout);
	json_decref(run.answer);
	free(run.failure);
	return found;
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0;

	if (argc != 2)
		harness_fail("usage: %s BUILDS", argv[0]);
	printf(
	    "%-15s %-7s %3s %6s %10s  %s\n", "bug", "program", "", "calls", "characters", "cause");
	for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++) {
		cleanup_free char *levels = strdup(bugs[i].levels);
		char *rest = levels, *level;

		while ((level = strsep(&rest, " ")))
			*(investigate(&bugs[i], argv[1], level) ? &passed : &failed) += 1;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0 || passed == 0;
}
