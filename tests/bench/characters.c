/*
 * How many characters five investigations take to read: our answers, as text and as structure,
 * beside what gdb prints in batch mode for the same evidence. The start is not counted: what gdb
 * says before the program stands at its first instruction, and what rr_replay_start answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench/figures.h"
#include "tests/e2e/harness.h"

#define CALLS_MAX  8
#define OUTPUT_MAX (1 << 20)

struct ask {
	const char *tool;
	const char *args; /* JSON; TRACE stands for the trace's path */
};

static const struct investigation {
	const char *what, *program;
	int timeout; /* of the recording, in seconds; 0: none */
	struct ask asks[CALLS_MAX];
	const char *gdb[20];
} investigations[] = {
    {"a crash", "list_corruption", 0, {{"rr_crash_report", "{\"trace_dir\":\"TRACE\"}"}},
	{"continue", "bt", "info locals", "p *session", "list 58,62", "up", "info locals",
	    "x/i $pc", "p $_siginfo._sifields._sigfault.si_addr", "info threads"}},
    {"who broke the link", "list_corruption", 0,
	{{"rr_crash_report", "{\"trace_dir\":\"TRACE\"}"},
	    {"rr_last_change", "{\"expression\":\"sessions[3].next\"}"}},
	{"continue", "bt", "info locals", "p *session", "list 58,62", "up", "info locals",
	    "watch -l sessions[3].next", "reverse-continue", "reverse-continue", "bt",
	    "list 41,45"}},
    {"a deadlock", "deadlock", 2, {{"rr_crash_report", "{\"trace_dir\":\"TRACE\"}"}},
	{"continue", "thread apply all bt", "p left.lock.__data.__owner",
	    "p right.lock.__data.__owner", "list 59,63"}},
    {"an exit status", "copies", 0, {{"rr_crash_report", "{\"trace_dir\":\"TRACE\"}"}},
	{"break exit", "continue", "bt", "up", "info locals", "list 24,28", "up", "info locals",
	    "p *seen"}},
    {"three stops", "list_corruption", 0,
	{{"rr_replay_start", "{\"trace_dir\":\"TRACE\"}"},
	    {"rr_breakpoint_set", "{\"location\":\"session_touch\"}"}, {"rr_continue", "{}"},
	    {"rr_continue", "{}"}, {"rr_continue", "{}"}, {"rr_locals", "{}"},
	    {"rr_backtrace", "{}"}},
	{"break session_touch", "continue", "when", "list", "continue", "when", "list", "continue",
	    "when", "list", "info args", "info locals", "bt"}},
};

struct sizes {
	size_t text, structured, gdb;
};

static json_t *arguments_of(const struct ask *ask, const char *trace)
{
	json_t *args = json_loads(ask->args, 0, NULL);

	if (json_object_get(args, "trace_dir") != NULL)
		json_object_set_new(args, "trace_dir", json_string(trace));
	return args;
}

static void ask_all(
    const struct investigation *of, struct client *client, const char *trace, struct sizes *sizes)
{
	for (size_t i = 0; i < CALLS_MAX && of->asks[i].tool != NULL; i++) {
		long long id =
		    client_tool_send(client, of->asks[i].tool, arguments_of(&of->asks[i], trace));
		json_t *answer = client_wait(client, id, HARNESS_TIMEOUT_S);
		json_t *structured = answer_at(answer, "result.structuredContent");
		char *shown = answer_show(structured);

		if (answer == NULL || answer_true(answer, "result.isError"))
			harness_fail("%s: %s", of->asks[i].tool, answer_show(answer));
		if (strcmp(of->asks[i].tool, "rr_replay_start") != 0) {
			sizes->text += strlen(answer_text(answer, "result.content.0.text"));
			sizes->structured += strlen(shown);
		}
		free(shown);
		json_decref(answer);
	}
}

/* rr's start prints gdb's own questions, and the first instruction. */
static size_t behind_the_start(const char *text)
{
	const char *start = strstr(text, "_start ()"), *line;

	line = start == NULL ? text : strchr(start, '\n');
	return strlen(line == NULL ? text : line);
}

static size_t ask_gdb(const struct investigation *of, const char *trace)
{
	const char *server = harness_server();
	char command[8192], *text = calloc(1, OUTPUT_MAX);
	size_t used = 0, got;
	int length = snprintf(command, sizeof(command), "timeout 60 '%s' rr replay -q", server);

	if (text == NULL)
		harness_fail("out of memory");
	length += snprintf(command + length, sizeof(command) - (size_t)length,
	    " '%s' -- -q -batch -ex 'set listsize 5'", trace);
	for (size_t i = 0; i < sizeof(of->gdb) / sizeof(*of->gdb) && of->gdb[i] != NULL; i++)
		length += snprintf(
		    command + length, sizeof(command) - (size_t)length, " -ex '%s'", of->gdb[i]);
	snprintf(command + length, sizeof(command) - (size_t)length, " 2>&1 </dev/null");
	FILE *gdb = popen(command, "r");
	if (gdb == NULL)
		harness_fail("popen: %m");
	while ((got = fread(text + used, 1, OUTPUT_MAX - 1 - used, gdb)) > 0)
		used += got;
	pclose(gdb);
	if (getenv("SHOW_GDB") != NULL)
		fputs(text, stderr);
	used = behind_the_start(text);
	free(text);
	return used;
}

static struct sizes measure(const struct investigation *of)
{
	char *folder = harness_scratch(0), *trace = harness_path(folder, "trace");
	char *program = harness_program(of->program);
	struct client *client = client_start(NULL);
	json_t *args = json_pack("{s:[s], s:s}", "command", program, "trace_dir", trace);
	struct sizes sizes = {0};

	if (of->timeout > 0)
		json_object_set_new(args, "timeout", json_integer(of->timeout));
	client_tool_done(client, "rr_record", "o", args);
	ask_all(of, client, trace, &sizes);
	client_end(client);
	sizes.gdb = ask_gdb(of, trace);
	free(program);
	free(trace);
	harness_scratch_free(folder);
	return sizes;
}

int main(void)
{
	struct sizes all = {0};
	char what[80];

	figures_head("characters to read: text, structure / gdb");
	for (size_t i = 0; i < sizeof(investigations) / sizeof(*investigations); i++) {
		struct sizes one = measure(&investigations[i]);
		figure(investigations[i].what, "1.0 and 1.3", "%zu, %zu / %zu = %.2f, %.2f",
		    one.text, one.structured, one.gdb, (double)one.text / (double)one.gdb,
		    (double)one.structured / (double)one.gdb);
		all.text += one.text;
		all.structured += one.structured;
		all.gdb += one.gdb;
	}
	snprintf(what, sizeof(what), "all %zu", sizeof(investigations) / sizeof(*investigations));
	figure(what, "1.0 and 1.3", "%zu, %zu / %zu = %.2f, %.2f", all.text, all.structured,
	    all.gdb, (double)all.text / (double)all.gdb, (double)all.structured / (double)all.gdb);
	return 0;
}
