/*
 * What a search through a recording costs, beside the best that gdb's own commands do for the same
 * evidence, in the same run. Exits 0 whatever the figures are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench/figures.h"
#include "tests/e2e/harness.h"

#define RUNS	     3
#define WRITES	     1000
#define WRITES_TEXT  "1000"
#define BACK	     25 /* writes that it goes back one by one; more would take too long */
#define PASSES_TEXT  "2000"
#define FALSE_TEXT   "20000" /* false hits that a search back passes ... */
#define FALSE_HITS   20000
#define FALSE_GDB    25 /* ... and gdb, which takes a part of a second for each */
#define FALSE_RECORD "26"
#define BACK_MAX_S   3600
#define COMMAND_SIZE 8192

struct bench {
	const char *server;
	char *scratch, *writes, *passes;
};

/* gdb's commands from main on, one a line, under `rr replay`; seconds, the start included. */
static double run_gdb(const struct bench *bench, const char *trace, const char *commands)
{
	char *script = harness_path(bench->scratch, "script"), line[COMMAND_SIZE];
	double start = harness_now();
	FILE *gdb;

	harness_write_file(script, commands);
	snprintf(line, sizeof(line),
	    "'%s' rr replay -q '%s' -- -q -batch -ex 'set width 0' -ex 'break main' -ex continue "
	    "-ex 'source %s' </dev/null 2>&1",
	    bench->server, trace, script);
	gdb = popen(line, "r");
	if (gdb == NULL)
		harness_fail("popen: %m");
	while (fgets(line, sizeof(line), gdb) != NULL)
		;
	pclose(gdb);
	free(script);
	return harness_now() - start;
}

/* The same without the start. */
static double gdb_seconds(const struct bench *bench, const char *trace, const char *commands)
{
	double with[RUNS], without[RUNS];

	for (int i = 0; i < RUNS; i++) {
		with[i] = run_gdb(bench, trace, commands);
		without[i] = run_gdb(bench, trace, "\n");
	}
	return median(with, RUNS) - median(without, RUNS);
}

static double ask(struct client *client, const char *tool, json_t *args)
{
	double seconds[RUNS];

	for (int i = 0; i < RUNS; i++) {
		double start = harness_now();

		json_decref(client_tool(client, tool, "O", args));
		seconds[i] = harness_now() - start;
	}
	json_decref(args);
	return median(seconds, RUNS);
}

static char *record(
    const struct bench *bench, const char *program, const char *argument, const char *name)
{
	struct client *client = client_start(NULL);
	char *trace = harness_path(bench->scratch, name), *path = harness_program(program);

	client_tool_done(
	    client, "rr_record", "{s:[s, s], s:s}", "command", path, argument, "trace_dir", trace);
	client_end(client);
	free(path);
	return trace;
}

/* A client with a session on the trace. */
static struct client *replay(const char *trace)
{
	struct client *client = client_start(NULL);

	free(client_replay(client, trace));
	return client;
}

static void bench_history(const struct bench *bench)
{
	struct client *client = replay(bench->writes);
	double ours = ask(client, "rr_value_history",
	    json_pack("{s:s, s:i}", "expression", "counter", "limit", WRITES));

	client_tool_done(client, "rr_watchpoint_set", "{s:s}", "expression", "counter");
	client_tool_done(client, "rr_goto", "{s:s}", "moment", "end");
	double start = harness_now();
	for (int i = 0; i < BACK; i++)
		client_tool_done(client, "rr_continue", "{s:b}", "reverse", 1);
	double back = (harness_now() - start) / BACK * WRITES;
	client_end(client);

	double gdb = gdb_seconds(bench, bench->writes,
	    "watch -l counter\ncommands\nwhen\nwhen-ticks\nthread\ncontinue\n"
	    "end\ncontinue\n");
	figure("rr_value_history of " WRITES_TEXT " writes / gdb's watchpoint with commands",
	    "at most 1.2", "%.2f s / %.2f s = %.2f", ours, gdb, ours / gdb);
	figure("a reverse continue for each write / rr_value_history", "at least 10",
	    "%.1f s / %.2f s = %.0f", back, ours, back / ours);
}

static void bench_condition(const struct bench *bench)
{
	static const char commands[] = "break add\ncommands\nsilent\nif phase > 9\nprint phase\n"
				       "end\ncontinue\nend\ncontinue\n";
	double gdb = gdb_seconds(bench, bench->passes, commands);
	struct client *client = replay(bench->passes);
	double ours = ask(client, "rr_trace_calls",
	    json_pack("{s:s, s:s}", "location", "add", "condition", "phase > 9"));

	client_end(client);
	figure("gdb stopping at " PASSES_TEXT " false hits / rr_trace_calls with a condition",
	    "at least 10", "%.2f s / %.2f s = %.1f", gdb, ours, gdb / ours);
}

/* Searches back for the one hit that a condition lets through, before many that it does not. */
static const struct back {
	const char *program, *tool, *argument, *point, *condition;
	const char *shown; /* of the stop: the same forward and back */
	const char *gdb;   /* the same for its first hit, with the condition checked by gdb */
} backs[] = {
    {"straight", "rr_watchpoint_set", "expression", "counter", "counter == 5", "watch.new",
	"watch -l counter if counter == 1"},
    {"histories", "rr_breakpoint_set", "location", "add", "amount == 5", "moment",
	"break add if amount == 1"},
};

/* The stop must be the one that a run forward comes to. */
static double search_back(const char *trace, const struct back *back)
{
	struct client *client = replay(trace);
	json_t *forward, *found;
	double start;

	client_tool_done(client, back->tool, "{s:s, s:s}", back->argument, back->point, "condition",
	    back->condition);
	forward = client_tool(client, "rr_continue", NULL);
	client_tool_done(client, "rr_goto", "{s:s}", "moment", "end");
	start = harness_now();
	found = client_tool_result(client,
	    client_tool_send(client, "rr_continue",
		json_pack("{s:b, s:i}", "reverse", 1, "deadline", BACK_MAX_S)),
	    BACK_MAX_S);
	start = harness_now() - start;
	if (strcmp(answer_text(found, back->shown), answer_text(forward, back->shown)) != 0)
		harness_fail("%s: forward %s, back %s", back->program,
		    answer_text(forward, back->shown), answer_text(found, back->shown));
	json_decref(forward);
	json_decref(found);
	client_end(client);
	return start;
}

static void bench_back(const struct bench *bench, const struct back *back)
{
	char commands[COMMAND_SIZE], label[128];
	char *many = record(bench, back->program, FALSE_TEXT, "many"),
	     *few = record(bench, back->program, FALSE_RECORD, "few");
	double ours = search_back(many, back), gdb;

	snprintf(commands, sizeof(commands),
	    "delete\nset breakpoint condition-evaluation host\ncontinue\n%s\nreverse-continue\n",
	    back->gdb);
	gdb = (run_gdb(bench, few, commands) - run_gdb(bench, few, "delete\ncontinue\n")) /
	      FALSE_GDB * FALSE_HITS;
	snprintf(label, sizeof(label),
	    "gdb back past " FALSE_TEXT " false hits of %s (by %d) / rr_continue with reverse",
	    back->point, FALSE_GDB);
	figure(label, "at least 20", "%.0f s / %.1f s = %.0f", gdb, ours, gdb / ours);
	harness_shell("rm -r '%s' '%s'", many, few);
	free(many);
	free(few);
}

int main(void)
{
	struct bench bench = {.server = harness_server(), .scratch = harness_scratch(0)};

	bench.writes = record(&bench, "straight", WRITES_TEXT, "writes");
	bench.passes = record(&bench, "histories", PASSES_TEXT, "passes");
	figures_head("searches");
	bench_history(&bench);
	bench_condition(&bench);
	for (size_t i = 0; i < sizeof(backs) / sizeof(*backs); i++)
		bench_back(&bench, &backs[i]);
	free(bench.writes);
	free(bench.passes);
	harness_scratch_free(bench.scratch);
	return 0;
}
