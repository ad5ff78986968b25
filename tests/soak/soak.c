/*
 * The long run: SESSIONS in a row, then AT_ONCE for SECONDS. A server must end with the memory,
 * descriptors, processes, sockets and files that it began with, having answered every request once.
 *
 *	soak SESSIONS AT_ONCE SECONDS SEED
 */
#include "tests/soak/soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const programs[SOAK_TRACES] = {"many_watch", "crash", "threads"};

unsigned soak_chance(struct soak *soak, unsigned bound)
{
	/* xorshift64 */
	soak->chance ^= soak->chance << 13;
	soak->chance ^= soak->chance >> 7;
	soak->chance ^= soak->chance << 17;
	return (unsigned)(soak->chance % bound);
}

struct client *soak_start_server(const struct soak *soak)
{
	static char traces[4096], temporary[4096];
	const char *const environment[] = {traces, temporary, NULL};

	snprintf(traces, sizeof(traces), "_RR_TRACE_DIR=%s/traces", soak->folder);
	snprintf(temporary, sizeof(temporary), "TMPDIR=%s/tmp", soak->folder);
	return client_start(&(struct client_options){.env = environment,
	    .home = soak->folder,
	    .args = (const char *const[]){
		"--timeout-forward=20", "--timeout-reverse=20", "--timeout-eval=20", NULL}});
}

static void prepare(struct soak *soak)
{
	char *temporary;

	soak->folder = harness_scratch(0);
	temporary = harness_path(soak->folder, "tmp");
	mkdir(temporary, 0700);
	free(temporary);
	struct client *client = soak_start_server(soak);
	for (size_t i = 0; i < SOAK_TRACES; i++) {
		soak->traces[i] = harness_path(soak->folder, programs[i]);
		json_decref(client_record(client, soak->traces[i], programs[i], NULL));
	}
	/* What the first recording makes for all that follow: their directory, the file of names.
	 */
	json_t *recorded = client_tool(client, "rr_record", "{s:[s]}", "command", "/bin/true");
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", answer_text(recorded, "trace_dir"));
	json_decref(recorded);
	client_end(client);
}

static long long parameter(int argc, char **argv, int at, long long otherwise)
{
	return argc > at ? strtoll(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	struct soak soak = {.sessions = parameter(argc, argv, 1, 2000),
	    .at_once = parameter(argc, argv, 2, 32),
	    .seconds = (double)parameter(argc, argv, 3, 600),
	    .chance = (uint64_t)parameter(argc, argv, 4, 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
	bool balanced;

	prepare(&soak);
	balanced = row_run(&soak);
	balanced &= crowd_run(&soak);
	for (size_t i = 0; i < SOAK_TRACES; i++)
		free(soak.traces[i]);
	harness_scratch_free(soak.folder);
	printf(balanced ? "soak: nothing is left\n" : "soak: something is left\n");
	return balanced ? 0 : 1;
}
