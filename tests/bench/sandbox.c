/*
 * What the sandbox adds to a session's start, a query and a call: two servers side by side, one
 * with every layer and one with none, asked by turns; medians. What it adds is the median of the
 * pairs' differences, since a busy machine disturbs both of a pair; beside it stands what it adds
 * of processor time, which a busy machine does not change. Exits 0 whatever the figures are.
 *
 * The limit of a start is for all layers together. On the machine where it was set they added 3 to
 * 6 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/bare.h"
#include "tests/e2e/harness.h"

#define STARTS	    25
#define QUERIES	    31
#define EVALUATIONS 501
#define PROGRAM	    "list_corruption"
#define SERVERS	    2

/* Seconds of one measurement on one server. */
typedef double measure_function(struct client *client, const char *trace);

static double measure_start(struct client *client, const char *trace)
{
	double start = harness_now();
	char *session = client_replay(client, trace);
	double seconds = harness_now() - start;

	client_tool_done(client, "rr_replay_stop", "{s:s}", "session", session);
	free(session);
	return seconds;
}

static double measure_query(struct client *client, const char *trace)
{
	double start = harness_now();

	client_tool_done(client, "rr_ps", "{s:s}", "trace_dir", trace);
	return harness_now() - start;
}

static double measure_call(struct client *client, const char *trace)
{
	double start = harness_now();

	(void)trace;
	client_tool_done(client, "rr_evaluate", "{s:s}", "expression", "$sp");
	return harness_now() - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}

/* Clock ticks that a process and all it has waited for have used: fields 14 to 17 of its stat. */
static long long ticks_of(pid_t pid)
{
	char path[64];
	long long sum = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	char *text = harness_file(path), *at = text == NULL ? NULL : strrchr(text, ')');
	for (int field = 3; at != NULL && field <= 17; field++) {
		at = strchr(at + 1, ' ');
		sum += at != NULL && field >= 14 ? strtoll(at, NULL, 10) : 0;
	}
	free(text);
	return sum;
}

/* Milliseconds of processor time of the server and of everything below it that has ended. */
static double processor_ms(struct client *client)
{
	pid_t server = client_pid(client), keeper = census_child(server);
	long long ticks = ticks_of(server) + ticks_of(keeper) + ticks_of(census_child(keeper));

	return (double)ticks * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

static void compare(const char *what, const char *limit, struct client *const clients[SERVERS],
    const char *trace, measure_function *measure, size_t count)
{
	double *seconds[SERVERS] = {calloc(count, sizeof(double)), calloc(count, sizeof(double))};
	double *added = calloc(count, sizeof(double));
	double before[SERVERS], used[SERVERS];

	for (size_t s = 0; s < SERVERS; s++)
		before[s] = processor_ms(clients[s]);
	for (size_t i = 0; i < count; i++) {
		for (size_t s = 0; s < SERVERS; s++) {
			size_t turn = (s + i) % SERVERS; /* each is first as often */
			seconds[turn][i] = measure(clients[turn], trace);
		}
		added[i] = seconds[0][i] - seconds[1][i];
	}
	for (size_t s = 0; s < SERVERS; s++)
		used[s] = (processor_ms(clients[s]) - before[s]) / (double)count;
	printf("| %-18s | %9.2f ms | %9.2f ms | %+7.2f ms | %+7.2f ms | %-5s |\n", what,
	    median(seconds[0], count) * 1e3, median(seconds[1], count) * 1e3,
	    median(added, count) * 1e3, used[0] - used[1], limit);
	fflush(stdout);
	free(seconds[0]);
	free(seconds[1]);
	free(added);
}

int main(void)
{
	char *scratch = harness_scratch(0), *trace = harness_path(scratch, "trace");
	struct client *clients[SERVERS] = {
	    client_start(NULL), client_start(&(struct client_options){.args = bare_arguments})};

	json_decref(client_record(clients[0], trace, PROGRAM, NULL));
	printf("| the sandbox        | all layers   | none         | adds       | processor  | "
	       "limit |\n"
	       "| ---                | ---          | ---          | ---        | ---        | --- "
	       "  |\n");
	compare("session start", "15 ms", clients, trace, measure_start, STARTS);
	compare("query (rr_ps)", "", clients, trace, measure_query, QUERIES);
	for (size_t s = 0; s < SERVERS; s++)
		free(client_replay(clients[s], trace));
	compare("call (rr_evaluate)", "none", clients, trace, measure_call, EVALUATIONS);
	for (size_t s = 0; s < SERVERS; s++) {
		client_close_stdin(clients[s]);
		client_wait_exit(clients[s], HARNESS_TIMEOUT_S);
		client_abandon(clients[s]);
	}
	free(trace);
	harness_scratch_free(scratch);
	return 0;
}
