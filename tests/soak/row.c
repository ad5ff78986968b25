/*
 * Sessions one after the other in one server.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/soak/balance.h"
#include "tests/soak/soak.h"

#define WARM_UP	     20 /* sessions after which a server has all the memory it keeps */
#define ROBBED_IN    10
#define TOLD_EVERY   100
#define QUICK_TRACES 2 /* the first ones */

/* One of a session's processes; the session must come back. */
static void rob(struct soak *soak, struct client *client)
{
	static const char *const victims[] = {"rr-warden-worke", "gdb", "rr"};
	pid_t pid = census_find(client_pid(client), victims[soak_chance(soak, 3)], 0);

	if (pid > 0)
		kill(pid, SIGKILL);
}

/* Whatever it comes to, as long as it is answered. */
static void ask(struct client *client, const char *tool, json_t *args)
{
	json_t *answer =
	    client_wait(client, client_tool_send(client, tool, args), HARNESS_TIMEOUT_S);

	if (answer == NULL)
		harness_fail("%s was not answered; stderr: %s", tool, client_stderr(client));
	json_decref(answer);
}

static void one_session(struct soak *soak, struct client *client)
{
	char *session = client_replay(client, soak->traces[soak_chance(soak, QUICK_TRACES)]);

	if (soak_chance(soak, 2) == 0)
		ask(client, "rr_breakpoint_set",
		    json_pack("{s:s, s:s}", "location", "main", "session", session));
	if (soak_chance(soak, 2) == 0)
		ask(client, "rr_continue", json_pack("{s:s}", "session", session));
	if (soak_chance(soak, ROBBED_IN) == 0)
		rob(soak, client);
	/* The first after a robbery may be the one that finds out. */
	ask(client, "rr_step",
	    json_pack("{s:i, s:s, s:s}", "count", 10, "unit", "instruction", "session", session));
	client_tool_done(
	    client, "rr_evaluate", "{s:s, s:s}", "expression", "1+1", "session", session);
	client_tool_done(client, "rr_replay_stop", "{s:s}", "session", session);
	free(session);
}

bool row_run(struct soak *soak)
{
	struct balance before, after;
	struct client *client = soak_start_server(soak);
	double begin;

	for (int i = 0; i < WARM_UP; i++)
		one_session(soak, client);
	balance_take(client, soak->folder, &before);
	begin = harness_now();
	for (long long i = 1; i <= soak->sessions; i++) {
		one_session(soak, client);
		if (i % TOLD_EVERY == 0)
			fprintf(stderr, "%lld sessions in %.0f s, %lld KiB\n", i,
			    harness_now() - begin, census_resident_kib(client_pid(client)));
	}
	double took = harness_now() - begin;
	balance_take(client, soak->folder, &after);
	printf("%lld sessions in a row in %.0f s, one in %d robbed of a process\n", soak->sessions,
	    took, ROBBED_IN);
	bool balanced = balance_compare("sessions in a row", &before, &after);
	client_end(client);
	return balanced;
}
