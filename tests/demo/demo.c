/*
 * `make demo`: a scripted MCP client does what an agent would. It records a program whose memory is
 * corrupted long before it crashes, and finds the write that did it: in three calls, and then step
 * by step. Every call goes over pipes to the real server. Exits 0 only when both ways lead to the
 * right line; knows nothing else of the program's inside than what a reader of its source would.
 *
 *	demo [OPTION-OF-THE-SERVER]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/demo/show.h"
#include "tests/e2e/harness.h"

#define PROGRAM	       "list_corruption"
#define CULPRIT	       "session->last_seen[place] = clock_seconds;"
#define CALL_TIMEOUT_S 120
#define EXPRESSION_MAX 512

struct demo {
	struct client *client;
	char *scratch, *trace_dir;
	char *session; /* NULL: none is open */
	bool color;
};

static void say(const struct demo *demo, const char *text)
{
	printf("\n%s%s%s\n", demo->color ? "\033[1m" : "", text, demo->color ? "\033[0m" : "");
	fflush(stdout);
}

static void tidy_up(struct demo *demo)
{
	client_end(demo->client);
	harness_scratch_free(demo->scratch);
	free(demo->trace_dir);
	free(demo->session);
}

/* Nothing is left behind, whatever went wrong. */
static _Noreturn void give_up(struct demo *demo, const char *why, const char *fix)
{
	say(demo, "The demo cannot go on.");
	printf("  %s\n", why);
	if (client_stderr(demo->client)[0] != 0)
		printf("  The server wrote: %s", client_stderr(demo->client));
	if (fix[0] != 0)
		printf("  Try: %s\n", fix);
	printf(
	    "  `build/bin/rr-warden doctor` examines this machine. Options of the server go in as\n"
	    "  make demo DEMO_OPTIONS=--sandbox-net_ns=prefer\n");
	tidy_up(demo);
	exit(1);
}

/* Calls a tool and shows both; args is stolen. Returns the structured answer, to be released. */
static json_t *call(struct demo *demo, const char *tool, json_t *args)
{
	if (demo->session != NULL && json_object_get(args, "trace_dir") == NULL)
		json_object_set_new(args, "session", json_string(demo->session));
	show_call(tool, args);
	double start = harness_now();
	long long id = client_tool_send(demo->client, tool, args);
	json_t *message = client_wait(demo->client, id, CALL_TIMEOUT_S);
	json_t *answer = json_incref(answer_at(message, "result.structuredContent"));
	bool failed = answer == NULL || answer_true(message, "result.isError");
	if (failed)
		give_up(demo,
		    answer == NULL ? "the server did not answer" : show_text(answer, "message"),
		    show_text(answer, "hint"));
	show_answer(answer);
	printf("     (%.2f s)\n", harness_now() - start);
	fflush(stdout);
	json_decref(message);
	return answer;
}

static void must(struct demo *demo, bool holds, const char *why)
{
	if (!holds)
		give_up(demo, why, "");
}

/* ---- The investigation ----------------------------------------------------------------------- */

static void record(struct demo *demo)
{
	char *program = harness_program(PROGRAM);
	say(demo, "1. Record the program that crashes");
	json_t *recorded = call(demo, "rr_record",
	    json_pack("{s:[s], s:s}", "command", program, "trace_dir", demo->trace_dir));
	must(demo, answer_at(recorded, "signal") != NULL, "The program was to crash.");
	json_decref(recorded);
	free(program);
}

static void take_session(struct demo *demo, const json_t *answer)
{
	must(demo, show_text(answer, "session")[0] != 0, "The answer names no session.");
	demo->session = strdup(show_text(answer, "session"));
}

static void end_session(struct demo *demo)
{
	json_decref(call(demo, "rr_replay_stop", json_object()));
	free(demo->session);
	demo->session = NULL;
}

/* Who wrote this last: the answer of rr_last_change. */
static json_t *last_change(struct demo *demo, const char *expression)
{
	return call(demo, "rr_last_change", json_pack("{s:s}", "expression", expression));
}

/* From the crash to its cause in three calls. Returns the last change, to be released. */
static json_t *short_way(struct demo *demo)
{
	char link[EXPRESSION_MAX];
	say(demo, "2. What happened? One call goes to the crash.");
	json_t *report =
	    call(demo, "rr_crash_report", json_pack("{s:s}", "trace_dir", demo->trace_dir));
	take_session(demo, report);
	json_decref(report);

	say(demo, "3. That pointer leads nowhere. Where did it come from?");
	json_t *change = last_change(demo, "session");
	const char *from = strstr(show_text(change, "old"), "0x");
	must(demo, from != NULL, "The answer has no address.");
	snprintf(
	    link, sizeof(link), "((struct session *)%.*s)->next", (int)strcspn(from, " "), from);
	json_decref(change);

	say(demo, "4. It came from the previous element. Who wrote that link?");
	change = last_change(demo, link);
	return change;
}

static json_t *go_on(struct demo *demo, bool reverse)
{
	json_t *args = reverse ? json_pack("{s:b}", "reverse", 1) : json_object();
	return call(demo, "rr_continue", args);
}

/* The same with a debugger's own steps. Returns the stop at the write, to be released. */
static json_t *long_way(struct demo *demo, char *sandbox, size_t size)
{
	say(demo, "5. The same step by step: open the recording, run to the crash, look around");
	json_t *started =
	    call(demo, "rr_replay_start", json_pack("{s:s}", "trace_dir", demo->trace_dir));
	take_session(demo, started);
	strlcpy(sandbox, show_text(started, "sandbox.level"), size);
	json_decref(started);
	json_t *stop = go_on(demo, false);
	must(demo, strcmp(show_text(stop, "reason"), "signal") == 0, "There is no crash.");
	json_decref(stop);
	json_decref(call(demo, "rr_evaluate",
	    json_pack("{s:[s, s]}", "expressions", "session", "sessions[3].next")));

	say(demo, "6. Watch that link and run backward, to whoever wrote it last");
	json_decref(call(demo, "rr_watchpoint_set",
	    json_pack("{s:s, s:s}", "expression", "sessions[3].next", "access_type", "write")));
	stop = go_on(demo, true);
	/* The crash itself is met first on the way back. */
	while (strcmp(show_text(stop, "reason"), "signal") == 0) {
		json_decref(stop);
		stop = go_on(demo, true);
	}
	return stop;
}

/* ---- The result ------------------------------------------------------------------------------ */

/* "list_corruption.c:42" as the source has it. */
static const char *culprit_place(void)
{
	static char place[EXPRESSION_MAX];
	snprintf(place, sizeof(place), PROGRAM ".c:%lld", harness_line(PROGRAM, CULPRIT));
	return place;
}

static bool is_culprit(const json_t *answer)
{
	return strcmp(show_place(answer, "frame"), culprit_place()) == 0 &&
	       strcmp(show_current_line(answer), CULPRIT) == 0;
}

int main(int argc, char **argv)
{
	struct demo demo = {.color = isatty(1)};
	char sandbox[64] = "";
	(void)argc;
	demo.scratch = harness_scratch(0);
	demo.trace_dir = harness_path(demo.scratch, "trace");
	demo.client = client_start(&(struct client_options){.args = (const char *const *)argv + 1});

	record(&demo);
	double start = harness_now();
	json_t *change = short_way(&demo);
	double took = harness_now() - start;
	end_session(&demo);
	json_t *stop = long_way(&demo, sandbox, sizeof(sandbox));
	end_session(&demo);

	bool right = is_culprit(change) && is_culprit(stop);
	say(&demo, right ? "Found" : "This is not the line that corrupts the memory");
	printf("  %s: %s\n", show_place(change, "frame"), show_current_line(change));
	printf("  wrote %s over the link to %s.\n", show_bare_value(show_text(change, "new")),
	    show_bare_value(show_text(change, "old")));
	printf("  From the crash to this line: three calls, %.2f s, in a sandboxed session (%s).\n",
	    took, sandbox);
	json_decref(change);
	json_decref(stop);
	tidy_up(&demo);
	return right ? 0 : 1;
}
