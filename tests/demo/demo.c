/*
 * `make demo`: a scripted MCP client does what an agent would. It records a program whose memory is
 * corrupted long before it crashes, goes to the crash, and walks back in time to the write that did
 * it. Every call goes over pipes to the real server. Exits 0 only when the line it found is the one
 * that the program's source marks as the culprit; knows nothing else of the program's inside than
 * what a reader of its source would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define PROGRAM	       "list_corruption"
#define CULPRIT_MARK   "CULPRIT"
#define HOPS_MAX       16
#define EXPRESSION_MAX 512

struct demo {
	struct client *client;
	char *trace_dir;
	char *session;
	bool color;
	double start;
};

static void say(const struct demo *demo, const char *text)
{
	printf("\n%s%s%s\n", demo->color ? "\033[1m" : "", text, demo->color ? "\033[0m" : "");
}

/* ---- Answers, as a person reads them ------------------------------------------------------- */

static void show_frame(const json_t *frame)
{
	printf("     #%lld %s(", answer_number(frame, "level"), answer_text(frame, "function"));
	json_t *arguments = answer_at(frame, "arguments"), *argument;
	size_t i;
	json_array_foreach(arguments, i, argument)
	{
		const char *value = json_string_value(json_object_get(argument, "value"));
		printf("%s%s=%s", i == 0 ? "" : ", ", answer_text(argument, "name"),
		    value == NULL ? "?" : value);
	}
	const char *file = json_string_value(answer_at(frame, "file"));
	printf(")");
	if (file != NULL) {
		const char *slash = strrchr(file, '/');
		printf(
		    " at %s:%lld", slash == NULL ? file : slash + 1, answer_number(frame, "line"));
	}
	printf("\n");
}

static void show_stop(const json_t *stop)
{
	printf("  <- %s", answer_text(stop, "reason"));
	if (answer_at(stop, "signal") != NULL)
		printf(" %s (%s)", answer_text(stop, "signal.name"),
		    answer_text(stop, "signal.meaning"));
	if (answer_at(stop, "watch") != NULL)
		printf(" %s: %s -> %s", answer_text(stop, "watch.expression"),
		    answer_text(stop, "watch.old"), answer_text(stop, "watch.new"));
	if (answer_at(stop, "moment.event") != NULL)
		printf(", event %lld", answer_number(stop, "moment.event"));
	printf("\n");
	if (answer_at(stop, "frame.function") != NULL)
		show_frame(answer_at(stop, "frame"));
	json_t *source = answer_at(stop, "source"), *line;
	size_t i;
	json_array_foreach(source, i, line)
	{
		printf("     %s %4lld  %s\n", answer_true(line, "current") ? "=>" : "  ",
		    answer_number(line, "line"), answer_text(line, "text"));
	}
}

/* An array of named values, one a line. Returns false when there is none. */
static bool show_values(const json_t *answer, const char *array, const char *name)
{
	json_t *values = answer_at(answer, array), *one;
	size_t i;
	json_array_foreach(values, i, one)
	{
		const char *value = json_string_value(json_object_get(one, "value"));
		printf("  <- %s = %s\n", answer_text(one, name), value == NULL ? "?" : value);
	}
	return values != NULL;
}

static void show_answer(const json_t *answer)
{
	json_t *frame;
	size_t i;
	if (answer_at(answer, "reason") != NULL) {
		show_stop(answer);
		return;
	}
	if (answer_at(answer, "frames") != NULL) {
		printf("  <- %zu frames\n", answer_count(answer, "frames"));
		json_array_foreach(answer_at(answer, "frames"), i, frame) show_frame(frame);
		return;
	}
	if (show_values(answer, "results", "expression") ||
	    show_values(answer, "variables", "name"))
		return;
	char *text = answer_show(answer);
	printf("  <- %.240s%s\n", text, strlen(text) > 240 ? " ..." : "");
	free(text);
}

/* Calls a tool and shows both; args is stolen. */
static json_t *call(struct demo *demo, const char *tool, json_t *args)
{
	if (demo->session != NULL)
		json_object_set_new(args, "session", json_string(demo->session));
	char *shown = answer_show(args);
	printf("  -> %s %s\n", tool, shown);
	free(shown);
	fflush(stdout);
	double start = harness_now();
	long long id = client_tool_send(demo->client, tool, args);
	json_t *answer = client_tool_result(demo->client, id, HARNESS_TIMEOUT_S);
	show_answer(answer);
	printf("     (%.2f s)\n", harness_now() - start);
	fflush(stdout);
	return answer;
}

/* ---- The investigation --------------------------------------------------------------------- */

static void record(struct demo *demo)
{
	char *program = harness_program(PROGRAM);
	say(demo, "1. Record the program that crashes");
	json_t *recorded = call(demo, "rr_record",
	    json_pack("{s:[s], s:s}", "command", program, "trace_dir", demo->trace_dir));
	if (answer_at(recorded, "signal") == NULL)
		harness_fail("the program was to crash");
	json_decref(recorded);
	free(program);
}

static void go_to_crash(struct demo *demo)
{
	say(demo, "2. Open the recording and run to the crash");
	json_t *started =
	    call(demo, "rr_replay_start", json_pack("{s:s}", "trace_dir", demo->trace_dir));
	demo->session = strdup(answer_text(started, "session"));
	json_decref(started);
	json_t *stop = call(demo, "rr_continue", json_object());
	if (strcmp(answer_text(stop, "reason"), "signal") != 0)
		harness_fail("no signal at the crash");
	json_decref(stop);
	json_decref(call(demo, "rr_backtrace", json_object()));
	json_decref(call(demo, "rr_evaluate", json_pack("{s:s}", "expression", "session")));
}

/* The list is walked from its head to the first link that does not point into the table. */
static char *find_broken_link(struct demo *demo)
{
	static const char outside[] =
	    "(unsigned long)((char *)(%s) - (char *)sessions) >= sizeof(sessions)";
	char link[EXPRESSION_MAX] = "open_sessions", question[EXPRESSION_MAX * 2];
	say(demo, "3. That pointer is none. Which link of the list leads out of the table?");
	for (int hop = 0; hop < HOPS_MAX; hop++) {
		snprintf(question, sizeof(question), outside, link);
		json_t *answer = call(
		    demo, "rr_evaluate", json_pack("{s:[s,s]}", "expressions", link, question));
		bool broken = strcmp(answer_text(answer, "results.1.value"), "1") == 0;
		json_decref(answer);
		if (broken)
			return strdup(link);
		strlcat(link, "->next", sizeof(link));
	}
	harness_fail("the list is whole");
}

/* Back to the last write of the link. Returns the stop. */
static json_t *run_back(struct demo *demo, const char *link)
{
	say(demo, "4. Watch that link and run backward, to whoever wrote it last");
	json_decref(call(demo, "rr_watchpoint_set",
	    json_pack("{s:s, s:s}", "expression", link, "access_type", "write")));
	json_t *stop = call(demo, "rr_continue", json_pack("{s:b}", "reverse", 1));
	/* The crash itself is met first on the way back. */
	while (strcmp(answer_text(stop, "reason"), "signal") == 0) {
		json_decref(stop);
		stop = call(demo, "rr_continue", json_pack("{s:b}", "reverse", 1));
	}
	json_decref(call(demo, "rr_backtrace", json_object()));
	json_decref(call(demo, "rr_locals", json_object()));
	return stop;
}

/* The number of the line that the source marks. */
static long long culprit_line(const char *file)
{
	char *text = harness_file(file);
	if (text == NULL)
		harness_fail("%s cannot be read", file);
	/* The last mark is the line itself; the first is the comment above that speaks of it. */
	char *mark = NULL;
	for (char *at = text; (at = strstr(at, "/* " CULPRIT_MARK)) != NULL; at++)
		mark = at;
	long long line = mark == NULL ? -1 : 1;
	for (char *at = text; mark != NULL && at < mark; at++)
		line += *at == '\n';
	free(text);
	return line;
}

static bool judge(struct demo *demo, const json_t *stop)
{
	const char *file = answer_text(stop, "frame.file");
	long long line = answer_number(stop, "frame.line");
	bool right = strcmp(answer_text(stop, "reason"), "watchpoint") == 0 &&
		     line == culprit_line("tests/programs/" PROGRAM ".c");
	say(demo, right ? "5. The culprit" : "5. This is not the line that the source marks");
	json_t *source = answer_at(stop, "source"), *one;
	size_t i;
	json_array_foreach(source, i, one)
	{
		if (answer_true(one, "current"))
			printf("  %s:%lld: %s\n", file, line, answer_text(one, "text"));
	}
	printf("  wrote %s where %s had been.\n", answer_text(stop, "watch.new"),
	    answer_text(stop, "watch.old"));
	printf("\n%.1f s in all, the recording included.\n", harness_now() - demo->start);
	return right;
}

int main(void)
{
	struct demo demo = {.start = harness_now(), .color = isatty(1)};
	char *scratch = harness_scratch(0);
	demo.trace_dir = harness_path(scratch, "trace");
	demo.client = client_start(&(struct client_options){.show_stderr = true});

	record(&demo);
	go_to_crash(&demo);
	char *link = find_broken_link(&demo);
	json_t *stop = run_back(&demo, link);
	bool right = judge(&demo, stop);
	json_decref(call(&demo, "rr_replay_stop", json_object()));

	client_end(demo.client);
	json_decref(stop);
	free(link);
	free(demo.session);
	free(demo.trace_dir);
	harness_scratch_free(scratch);
	return right ? 0 : 1;
}
