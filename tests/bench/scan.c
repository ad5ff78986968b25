/*
 * What a question about a whole run costs, beside a plain replay of the same trace in the same run:
 * from the start to the end in a session that is there already. Each row has its limit, in passes
 * of that replay and seconds. Exits 0 whatever the figures are. SCAN_ONLY=bzip2 measures one
 * program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/figures.h"
#include "tests/e2e/harness.h"

#define RUNS	   3
#define DEADLINE_S 60 /* of one question: then it is cut off, which is a figure too */
#define WAIT_S	   (DEADLINE_S + 30)

/* A question, and where the session stands before it. */
struct question {
	const char *what, *at, *tool, *arguments; /* the latter as JSON; NULL: the last one */
	double passes, seconds;			  /* at most */
};

#define START "start"
#define END   "end"

static const struct question of_loop[] = {
    {"count 10^6 calls", START, "rr_trace_calls", "{'location': 'pass', 'limit': 1, 'count': true}",
	1.3, 0.3},
    {"a condition false 10^6 times", START, "rr_trace_calls",
	"{'location': 'pass', 'condition': 'nth < 0', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"50 shown of 10^6, with two expressions", START, "rr_trace_calls",
	"{'location': 'pass', 'limit': 50, 'evaluate': ['nth', 'large']}", 2, 1},
    {"history of a variable written 10^6 times", START, "rr_value_history",
	"{'expression': 'nth', 'limit': 50}", 2.5, 1},
    {"last time in the middle, from the end", END, "rr_last_time",
	"{'location': 'pass', 'condition': 'nth == 500000'}", 2.5, 0},
    {"when it became so, in the middle", START, "rr_when_became", "{'predicate': 'nth == 500000'}",
	2.5, 0},
    {"lines of a function", START, "rr_lines_executed", "{'location': 'pass'}", 1.5, 1},
};

static const struct question of_callers[] = {
    {"count 1.6 * 10^5 calls", START, "rr_trace_calls",
	"{'location': 'called', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"the same grouped by caller", START, "rr_trace_calls",
	"{'location': 'called', 'group_by': 'caller'}", 2, 1},
    {"lines of a file", START, "rr_lines_executed", "{'location': 'callers.c'}", 1.5, 1},
    {"history of a variable of threads", START, "rr_value_history",
	"{'expression': 'sum', 'limit': 50}", 2.5, 1},
    {"race scan of a variable", START, "rr_race_scan", "{'expression': 'sum'}", 4, 1},
    {"check of all memory for races", START, "rr_check_races", "{'limit': 1}", 60, 10},
};

static const struct question of_threads[] = {
    {"check of all memory for races", START, "rr_check_races", "{'limit': 1}", 60, 10},
};

/* Of programs without lines, by the names of their library's functions. */
static const struct question of_any[] = {
    {"count calls of memcpy", START, "rr_trace_calls",
	"{'location': 'memcpy', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"count calls of write", START, "rr_trace_calls",
	"{'location': 'write', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"count calls of malloc", START, "rr_trace_calls",
	"{'location': 'malloc', 'limit': 1, 'count': true}", 1.3, 0.3},
    {"calls of malloc by caller", START, "rr_trace_calls",
	"{'location': 'malloc', 'group_by': 'caller'}", 2, 1},
    {"last malloc, from the end", END, "rr_last_time", "{'location': 'malloc'}", 2.5, 0},
    {"who printed the last line", END, "rr_who_printed", "{'text': 'done'}", 2.5, 0},
    {"check of the heap", START, "rr_check_memory", "{'limit': 1}", 20, 1},
    {"the same, and what was never written", START, "rr_check_memory",
	"{'limit': 1, 'uninitialised': true}", 60, 20},
};

#define QUESTIONS(of) of, sizeof(of) / sizeof(*(of))

/* A program, or "tests/programs/" and one of ours. */
static const struct subject {
	const char *name;
	const char *command[6];
	const struct question *questions;
	size_t count;
} subjects[] = {
    {"a tight loop", {"tests/programs/conditional", "1000000"}, QUESTIONS(of_loop)},
    {"threads and callers", {"tests/programs/callers", "20000", "quiet"}, QUESTIONS(of_callers)},
    {"xz, 2 threads",
	{"/bin/sh", "-c", "exec /usr/bin/xz -T2 -0 -c --block-size=200KiB /bin/bash >/dev/null"},
	QUESTIONS(of_threads)},
    {"bzip2", {"/bin/sh", "-c", "exec /bin/bzip2 -c -k /bin/bash >/dev/null && echo done"},
	QUESTIONS(of_any)},
    {"sqlite3",
	{"/usr/bin/sqlite3", ":memory:",
	    "create table t(a, b); with recursive c(x) as (select 1 union all select x + 1 from c "
	    "where x < 20000) insert into t select x, hex(x * x) from c; create index i on t(b); "
	    "select count(*) from t where b > '3'; select 'done';"},
	QUESTIONS(of_any)},
    {"python3",
	{"/usr/bin/python3", "-S", "-c",
	    "d = {str(i): [i] * 3 for i in range(30000)}\nprint(len(sorted(d)))\nprint('done')"},
	QUESTIONS(of_any)},
};

/* One of ours by its path; what it returns is kept. */
static const char *own_program(const char *word)
{
	static const char prefix[] = "tests/programs/";

	return strncmp(word, prefix, sizeof(prefix) - 1) == 0
		   ? harness_program(word + sizeof(prefix) - 1)
		   : word;
}

static json_t *arguments_of(const struct question *question)
{
	char *text = strdup(question->arguments);
	json_t *arguments;

	for (char *at = text; at && *at; at++)
		if (*at == '\'')
			*at = '"';
	arguments = text ? json_loads(text, 0, NULL) : NULL;
	if (!arguments)
		harness_fail("no arguments: %s", question->arguments);
	free(text);
	json_object_set_new(arguments, "deadline", json_integer(DEADLINE_S));
	return arguments;
}

struct asked {
	double seconds;
	bool cut;
	char code[24]; /* of a failure; "": none */
};

static struct asked ask(struct client *client, const struct question *question)
{
	struct asked asked = {.seconds = harness_now()};
	json_t *message = client_wait(
	    client, client_tool_send(client, question->tool, arguments_of(question)), WAIT_S);
	const char *code;

	if (!message)
		harness_fail("%s: no answer within %d s", question->tool, WAIT_S);
	asked.seconds = harness_now() - asked.seconds;
	asked.cut = answer_at(message, "result.structuredContent.cut_off") != NULL;
	code = json_string_value(answer_at(message, "result.structuredContent.code"));
	snprintf(asked.code, sizeof(asked.code), "%s", code ? code : "");
	json_decref(message);
	return asked;
}

static void go(struct client *client, const char *moment)
{
	client_tool_done(client, "rr_goto", "{s:s}", "moment", moment);
}

static double replay_seconds(struct client *client)
{
	double seconds[RUNS];

	for (int i = 0; i < RUNS; i++) {
		go(client, START);
		seconds[i] = harness_now();
		go(client, END);
		seconds[i] = harness_now() - seconds[i];
	}
	return median(seconds, RUNS);
}

static void measure(struct client *client, const struct question *question, double replay)
{
	const double limit = question->passes * replay + question->seconds;
	double seconds[RUNS], taken;
	struct asked asked;
	char most[64];
	int runs = 0;

	do {
		go(client, question->at);
		asked = ask(client, question);
		seconds[runs++] = asked.seconds;
	} while (runs < RUNS && !asked.cut && !asked.code[0]);
	taken = runs < RUNS ? asked.seconds : median(seconds, RUNS);
	snprintf(most, sizeof(most), "%.1f passes + %.1f s", question->passes, question->seconds);
	if (asked.code[0])
		figure(question->what, most, "%.2f s / %.2f s: %s", taken, replay, asked.code);
	else if (asked.cut)
		figure(question->what, most, "%.2f s / %.2f s: cut off", taken, replay);
	else if (taken <= limit)
		figure(question->what, most, "%.2f s / %.2f s: holds", taken, replay);
	else
		figure(question->what, most, "%.2f s / %.2f s: misses by %.1f s", taken, replay,
		    taken - limit);
}

/* Of a check, what others take for the same on the program itself, without rr. */
static void measure_alone(
    const char *what, const char *const *prefix, const struct subject *subject, double replay)
{
	const char *argv[16];
	double seconds = harness_now();
	size_t count = 0;
	int status = -1;
	pid_t pid;

	while (*prefix)
		argv[count++] = *prefix++;
	for (const char *const *word = subject->command; *word && count < 15; word++)
		argv[count++] = own_program(*word);
	argv[count] = NULL;
	pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
			execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 127)
		return;
	figure(what, "", "%.2f s / %.2f s", harness_now() - seconds, replay);
}

static void measure_yardsticks(const struct subject *subject, double replay)
{
	static const char *const memcheck[] = {"valgrind", "-q", "--trace-children=yes", NULL};
	static const char *const drd[] = {
	    "valgrind", "-q", "--trace-children=yes", "--tool=drd", NULL};
	static const char *const alone[] = {NULL};

	if (subject->questions == of_any)
		measure_alone("the program under valgrind memcheck", memcheck, subject, replay);
	if (subject->questions != of_callers && subject->questions != of_threads)
		return;
	measure_alone("the program under valgrind drd", drd, subject, replay);
	if (subject->questions == of_callers) {
		struct subject twin = *subject;

		twin.command[0] = "tests/programs/callers_tsan";
		measure_alone("the program built with ThreadSanitizer", alone, &twin, replay);
	}
}

/* False: it is not on this machine. */
static bool record(const struct subject *subject, const char *trace)
{
	struct client *client;
	json_t *command = json_array();

	if (subject->command[0][0] == '/' && access(subject->command[0], X_OK) != 0) {
		json_decref(command);
		return false;
	}
	for (const char *const *word = subject->command; *word; word++)
		json_array_append_new(command, json_string(own_program(*word)));
	client = client_start(NULL);
	client_tool_done(client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir", trace);
	client_end(client);
	return true;
}

static void bench(const struct subject *subject, const char *scratch)
{
	char *trace = harness_path(scratch, "trace");
	struct client *client;
	double replay;

	if (!record(subject, trace)) {
		printf("\n%s is not installed here: it is left out\n", subject->name);
		free(trace);
		return;
	}
	client = client_start(NULL);
	free(client_replay(client, trace));
	replay = replay_seconds(client);
	figures_head(subject->name);
	for (size_t i = 0; i < subject->count; i++)
		measure(client, &subject->questions[i], replay);
	measure_yardsticks(subject, replay);
	client_end(client);
	harness_shell("rm -r '%s'", trace);
	free(trace);
}

static void print_machine(void)
{
	struct utsname machine;
	double load[1] = {0};

	if (uname(&machine) == 0 && getloadavg(load, 1) == 1)
		printf("%s, Linux %s, %ld processors, load %.1f; medians of %d: seconds of the "
		       "question / of one plain replay\n",
		    machine.machine, machine.release, sysconf(_SC_NPROCESSORS_ONLN), load[0], RUNS);
}

int main(void)
{
	char *scratch = harness_scratch(0);
	const char *only = getenv("SCAN_ONLY");

	print_machine();
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (!only || strcmp(only, subjects[i].name) == 0)
			bench(&subjects[i], scratch);
	harness_scratch_free(scratch);
	return 0;
}
