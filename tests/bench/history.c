/*
 * What a search through a recording costs, beside the best that gdb's own commands do for the same
 * evidence, in the same run. Exits 0 whatever the figures are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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
#define FALSE_PART   1000 /* ... of which gdb gets these when it runs forward */
#define PART_TEXT    "1000"
#define BACK_MAX_S   3600
#define LONG_TEXT    "2000000" /* writes of others after the one that is looked for */
#define IDLE_SECONDS 10
#define COMMAND_SIZE 8192

struct bench {
	const char *server;
	char *scratch, *writes, *passes;
};

/* gdb's commands from main on, one a line, under `rr replay`; seconds, the start included. What
 * follows "took " in a line of gdb's goes to *took, which may be NULL. */
static double run_gdb(
    const struct bench *bench, const char *trace, const char *commands, double *took)
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
		if (took && strncmp(line, "took ", 5) == 0)
			*took = strtod(line + 5, NULL);
	pclose(gdb);
	free(script);
	return harness_now() - start;
}

/* The same without the start. */
static double gdb_seconds(const struct bench *bench, const char *trace, const char *commands)
{
	double with[RUNS], without[RUNS];

	for (int i = 0; i < RUNS; i++) {
		with[i] = run_gdb(bench, trace, commands, NULL);
		without[i] = run_gdb(bench, trace, "\n", NULL);
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
	gdb = (run_gdb(bench, few, commands, NULL) -
		  run_gdb(bench, few, "delete\ncontinue\n", NULL)) /
	      FALSE_GDB * FALSE_HITS;
	snprintf(label, sizeof(label),
	    "gdb back past " FALSE_TEXT " false hits of %s (by %d) / rr_continue with reverse",
	    back->point, FALSE_GDB);
	figure(label, "at least 20", "%.0f s / %.1f s = %.0f", gdb, ours, gdb / ours);
	harness_shell("rm -r '%s' '%s'", many, few);
	free(many);
	free(few);
}

/* From the end, with the session left at the write or back at the end. */
static double last_change(struct client *client, bool move)
{
	double seconds[RUNS];

	for (int i = 0; i < RUNS; i++) {
		client_tool_done(client, "rr_goto", "{s:s}", "moment", "end");
		seconds[i] = harness_now();
		client_tool_done(
		    client, "rr_last_change", "{s:s, s:b}", "expression", "value", "move", move);
		seconds[i] = harness_now() - seconds[i];
	}
	return median(seconds, RUNS);
}

/* By hand, at the end: a watchpoint, back to the write, and what one needs to know of it. gdb
 * itself takes the time, because it needs far longer to come to the end. It stays at the write. */
static void bench_last_change(const struct bench *bench)
{
	static const char commands[] =
	    "delete\ncontinue\npython import time; begun = time.time()\nwatch -l value\n"
	    "reverse-continue\nbacktrace\nwhen\nwhen-ticks\nthread\nlist\n"
	    "python print('\\ntook', time.time() - begun)\n";
	char *trace = record(bench, "straight", LONG_TEXT, "long");
	double seconds[RUNS], ours, returns, gdb;
	struct client *client = replay(trace);

	ours = last_change(client, true);
	returns = last_change(client, false);
	client_end(client);
	for (int i = 0; i < RUNS; i++) {
		seconds[i] = 0;
		run_gdb(bench, trace, commands, &seconds[i]);
	}
	gdb = median(seconds, RUNS);
	figure("rr_last_change with move, back over " LONG_TEXT " writes of others / gdb by hand",
	    "at most 1.2", "%.3f s / %.3f s = %.2f", ours, gdb, ours / gdb);
	figure("the same without move: the session goes back to the end", "", "%.3f s", returns);
	harness_shell("rm -r '%s'", trace);
	free(trace);
}

/* In a loop without system calls, whose replay would take most of the time. */
static void bench_false_hits(const struct bench *bench)
{
	char location[40], commands[COMMAND_SIZE];
	char *many = record(bench, "straight", FALSE_TEXT, "many"),
	     *part = record(bench, "straight", PART_TEXT, "part");
	struct client *client = replay(many);
	double gdb, ours;

	snprintf(location, sizeof(location), "straight.c:%lld",
	    harness_line("straight", "counter = i;"));
	snprintf(commands, sizeof(commands),
	    "break %s\ncommands\nsilent\nif counter < 0\nprint counter\nend\ncontinue\nend\n"
	    "continue\n",
	    location);
	gdb = gdb_seconds(bench, part, commands) / FALSE_PART * FALSE_HITS;
	ours = ask(client, "rr_trace_calls",
	    json_pack("{s:s, s:s}", "location", location, "condition", "counter < 0"));
	client_end(client);
	figure("gdb stopping at " FALSE_TEXT " false hits (by " PART_TEXT ") / rr_trace_calls",
	    "at least 10", "%.1f s / %.2f s = %.0f", gdb, ours, gdb / ours);
	harness_shell("rm -r '%s' '%s'", many, part);
	free(many);
	free(part);
}

/* More places than the processor can watch, so that it halves; and one that it watches. */
static void bench_when_became(const struct bench *bench)
{
	static const char many[] = "phase >= 2 && flag >= 0 && block->sum > 0 && block->name[0] && "
				   "from_pipe[0] >= 0 && from_pipe[7] >= 0";
	struct client *client = replay(bench->passes);
	json_t *first, *last, *halved, *watched;
	long long range, bits = 0, bound;

	first = client_tool(client, "rr_when", NULL);
	last = client_tool(client, "rr_goto", "{s:s}", "moment", "end");
	range = answer_event(last, "moment") - answer_event(first, "moment");
	while ((1LL << bits) < range)
		bits++;
	bound = 2 * bits + 4;
	halved = client_tool(client, "rr_when_became", "{s:s}", "predicate", many);
	watched = client_tool(client, "rr_when_became", "{s:s}", "predicate", "phase >= 2");
	figure("evaluations of rr_when_became that halves / 2*log2(range) + 4", "at most 1",
	    "%lld / %lld, of %lld events", answer_number(halved, "evaluations"), bound, range);
	figure("evaluations of rr_when_became that watches / 2*log2(range) + 4", "at most 1",
	    "%lld / %lld", answer_number(watched, "evaluations"), bound);
	json_decref(first);
	json_decref(last);
	json_decref(halved);
	json_decref(watched);
	client_end(client);
}

/* Of all processes of the server, in clock ticks. */
static long long processor_time(const struct client *client)
{
	static struct census census;
	long long sum = census_cpu_ticks(client_pid(client)), one;

	census_take(client_pid(client), &census);
	for (size_t i = 0; i < census.count; i++) {
		one = census_cpu_ticks(census.processes[i].pid);
		sum += one > 0 ? one : 0;
	}
	return sum;
}

static double idle_milliseconds(const struct client *client)
{
	long long before = processor_time(client);

	sleep(IDLE_SECONDS);
	return (double)(processor_time(client) - before) * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

/* A search uses the session's own rr and gdb, and leaves nothing that runs on. */
static void bench_idle(const struct bench *bench)
{
	struct client *client = replay(bench->writes);
	double before = idle_milliseconds(client), after;

	client_tool_done(
	    client, "rr_value_history", "{s:s, s:i}", "expression", "counter", "limit", WRITES);
	client_tool_done(client, "rr_trace_calls", "{s:s}", "location", "mark");
	after = idle_milliseconds(client);
	client_end(client);
	figure("an idle session's processor time in 10 s, before / after two searches", "no more",
	    "%.0f ms / %.0f ms", before, after);
}

int main(void)
{
	struct bench bench = {.server = harness_server(), .scratch = harness_scratch(0)};

	bench.writes = record(&bench, "straight", WRITES_TEXT, "writes");
	bench.passes = record(&bench, "histories", PASSES_TEXT, "passes");
	figures_head("searches");
	bench_history(&bench);
	bench_last_change(&bench);
	bench_false_hits(&bench);
	bench_when_became(&bench);
	bench_idle(&bench);
	for (size_t i = 0; i < sizeof(backs) / sizeof(*backs); i++)
		bench_back(&bench, &backs[i]);
	free(bench.writes);
	free(bench.passes);
	harness_scratch_free(bench.scratch);
	return 0;
}
