/*
 * What the server costs, in one run with its baselines: medians, ratios and the limits that they
 * are held to. Exits 0 whatever the figures are: they are for a reader, and a shared machine has
 * bad days.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/bench/figures.h"
#include "tests/bench/peer.h"
#include "tests/bench/raw.h"
#include "tests/e2e/harness.h"

#define SESSION_STARTS 11
#define EVALUATIONS    501
#define IDLE_SESSIONS  32
#define IDLE_SECONDS   10
#define FALSE_WRITES   "500"
#define PROGRAM	       "list_corruption"
#define EXPRESSION     "clock_seconds"

struct bench {
	const char *server;
	char *scratch, *trace, *program;
};

static void bench_session_start(const struct bench *bench)
{
	double ours[SESSION_STARTS], raw[SESSION_STARTS];
	struct client *client = client_start(NULL);
	for (int i = 0; i < SESSION_STARTS; i++) {
		double start = harness_now();
		char *session = client_replay(client, bench->trace);
		ours[i] = harness_now() - start;
		client_tool_done(client, "rr_replay_stop", "{s:s}", "session", session);
		free(session);

		start = harness_now();
		struct raw *baseline = raw_start(bench->server, bench->trace, bench->program);
		raw[i] = harness_now() - start;
		raw_end(baseline);
	}
	client_end(client);
	double a = median(ours, SESSION_STARTS), b = median(raw, SESSION_STARTS);
	figure("session start / raw rr replay -s and gdb", "at most 1.1",
	    "%.0f ms / %.0f ms = %.2f", a * 1e3, b * 1e3, a / b);
}

/* A call as one line, and the wait for its answer: no more than the baseline does. */
static void call(struct peer *peer, const char *tool, const char *argument, const char *value)
{
	char line[4608];
	size_t length;
	int used = snprintf(line, sizeof(line),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
	    "\"arguments\":{\"%s\":\"%s\"}}}\n",
	    tool, argument, value);
	peer_send(peer, line, (size_t)used);
	const char *answer = peer_await(peer, 1, &length);
	if (memmem(answer, length, "\"isError\":true", strlen("\"isError\":true")) != NULL)
		harness_fail("%s: %.*s", tool, (int)length, answer);
}

/* rr_evaluate tells value and type, for which gdb is asked two things: the second baseline asks
 * the same, the first only for the value. */
static void bench_evaluate(const struct bench *bench)
{
	double ours[EVALUATIONS], value[EVALUATIONS], both[EVALUATIONS];
	struct peer *peer = peer_start((const char *const[]){bench->server, NULL});
	call(peer, "rr_replay_start", "trace_dir", bench->trace);
	struct raw *baseline = raw_start(bench->server, bench->trace, bench->program);
	for (int i = 0; i < EVALUATIONS; i++) {
		double start = harness_now();
		call(peer, "rr_evaluate", "expression", EXPRESSION);
		ours[i] = harness_now() - start;
		start = harness_now();
		raw_command(baseline, "-data-evaluate-expression " EXPRESSION);
		value[i] = harness_now() - start;
		start = harness_now();
		raw_command(baseline, "-var-create v * " EXPRESSION);
		raw_command(baseline, "-var-delete v");
		both[i] = harness_now() - start;
	}
	raw_end(baseline);
	peer_end(peer);
	double a = median(ours, EVALUATIONS), b = median(value, EVALUATIONS),
	       c = median(both, EVALUATIONS);
	figure("rr_evaluate / the value alone over raw gdb/MI", "at most 1.1",
	    "%.0f us / %.0f us = %.2f", a * 1e6, b * 1e6, a / b);
	figure("rr_evaluate / value and type over raw gdb/MI", "at most 1.1",
	    "%.0f us / %.0f us = %.2f", a * 1e6, c * 1e6, a / c);
}

/* Sums a figure over all processes below the server, itself included. */
static long long sum_below(pid_t server, long long of(pid_t), const char *but)
{
	struct census census;
	census_take(server, &census);
	long long sum = of(server);
	for (size_t i = 0; i < census.count; i++) {
		long long one = of(census.processes[i].pid);
		if (one > 0 && (but == NULL || strcmp(census.processes[i].name, but) != 0))
			sum += one;
	}
	return sum;
}

static void bench_many(const struct bench *bench)
{
	struct client *client = client_start(NULL);
	char *session = client_replay(client, bench->trace);
	pid_t worker = census_find(client_pid(client), "rr-warden-worke", 0);
	figure("a worker adds beside rr and gdb, resident", "under 4 MB", "%.1f MB",
	    (double)census_resident_kib(worker) / 1024);
	free(session);

	double start = harness_now();
	for (int i = 1; i < IDLE_SESSIONS; i++)
		free(client_replay(client, bench->trace));
	figure("31 more sessions, one after the other", "", "%.1f s", harness_now() - start);

	long long before = sum_below(client_pid(client), census_cpu_ticks, NULL);
	sleep(IDLE_SECONDS);
	long long used = sum_below(client_pid(client), census_cpu_ticks, NULL) - before;
	figure("32 idle sessions, processor time in 10 s", "none", "%lld ms",
	    used * 1000 / sysconf(_SC_CLK_TCK));
	figure("supervisor resident, 32 sessions", "", "%.1f MB",
	    (double)census_resident_kib(client_pid(client)) / 1024);
	client_end(client);
}

/* Back to the first of so many writes, past the others, which a condition passes over: and the same
 * by gdb's own command, which is what rr_continue did. */
static void bench_false_conditions(const struct bench *bench)
{
	static const char *const allowed[] = {"--allow-gdb-commands", NULL};
	struct client *client = client_start(&(struct client_options){.args = allowed});
	char *program = harness_program("straight"),
	     *trace = harness_path(bench->scratch, "writes");
	json_decref(client_tool(client, "rr_record", "{s:[s, s], s:s}", "command", program,
	    FALSE_WRITES, "trace_dir", trace));
	free(client_replay(client, trace));
	json_decref(client_tool(client, "rr_continue", "{s:s}", "until", "main"));
	client_tool_done(client, "rr_watchpoint_set", "{s:s, s:s}", "expression", "counter",
	    "condition", "counter == 1");
	json_decref(client_tool(client, "rr_goto", "{s:s}", "moment", "end"));
	double start = harness_now();
	json_decref(client_tool(client, "rr_continue", "{s:b}", "reverse", 1));
	double ours = harness_now() - start;

	json_decref(client_tool(client, "rr_goto", "{s:s}", "moment", "end"));
	start = harness_now();
	json_decref(client_tool(client, "rr_gdb_command", "{s:s}", "command", "reverse-continue"));
	double before = harness_now() - start;
	client_end(client);
	free(trace);
	free(program);
	figure("gdb's reverse-continue past " FALSE_WRITES " writes / rr_continue with reverse",
	    "at least 20", "%.1f s / %.2f s = %.0f", before, ours, before / ours);
}

int main(void)
{
	struct bench bench = {.server = harness_server()};
	bench.scratch = harness_scratch(0);
	bench.trace = harness_path(bench.scratch, "trace");
	bench.program = harness_program(PROGRAM);

	struct client *client = client_start(NULL);
	json_decref(client_record(client, bench.trace, PROGRAM, NULL));
	client_end(client);

	figures_head("sessions");
	bench_session_start(&bench);
	bench_evaluate(&bench);
	bench_many(&bench);
	bench_false_conditions(&bench);

	free(bench.program);
	free(bench.trace);
	harness_scratch_free(bench.scratch);
	return 0;
}
