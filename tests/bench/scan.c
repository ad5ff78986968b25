/*
 * What a question about a whole run costs, beside a plain replay of the same trace in the same run:
 * from the start to the end in a session that is there already. Each row has its limit, in passes
 * of that replay and seconds. Some programs are then asked as an investigation does, by a list of
 * calls. Exits 0 whatever the figures are. SCAN_ONLY=bzip2 measures one program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/figures.h"
#include "tests/bench/scan_ask.h"
#include "tests/bench/scan_calls.h"
#include "tests/bench/scan_subjects.h"

#define RUNS   3
#define LONG_S 20 /* a call that takes longer is made once */

/* A subject that is recorded; the second trace only of one with `other`. */
struct bench {
	const struct subject *subject;
	char *traces[2];
	struct client *client;
	char *session;	     /* of the first one */
	double replay, both; /* seconds of a plain replay of the first, and of all */
};

/* One of ours by its path; what it returns is kept. */
static const char *own_program(const char *word)
{
	static const char prefix[] = "tests/programs/";

	return strncmp(word, prefix, sizeof(prefix) - 1) == 0
		   ? harness_program(word + sizeof(prefix) - 1)
		   : word;
}

static void go_to(const struct bench *bench, const char *moment)
{
	client_tool_done(
	    bench->client, "rr_goto", "{s:s, s:s}", "moment", moment, "session", bench->session);
}

/* False: nothing is there. */
static bool go(const struct bench *bench, const char *at)
{
	char *location, *condition;
	json_t *hits = NULL;
	const char *moment;

	if (strcmp(at, START) == 0 || strcmp(at, END) == 0) {
		go_to(bench, at);
		return true;
	}
	location = strdup(at);
	condition = location ? strstr(location, " if ") : NULL;
	if (!condition)
		harness_fail("no condition: %s", at);
	*condition = '\0';
	scan_ask(bench->client, "rr_trace_calls",
	    json_pack("{s:s, s:s, s:i, s:s}", "location", location, "condition",
		condition + strlen(" if "), "limit", 1, "session", bench->session),
	    &hits);
	free(location);
	moment = json_string_value(answer_at(hits, "result.structuredContent.hits.0.moment"));
	if (moment)
		go_to(bench, moment);
	json_decref(hits);
	return moment != NULL;
}

static double replay_seconds(const struct bench *bench)
{
	double seconds[RUNS];

	for (int i = 0; i < RUNS; i++) {
		go_to(bench, START);
		seconds[i] = harness_now();
		go_to(bench, END);
		seconds[i] = harness_now() - seconds[i];
	}
	return median(seconds, RUNS);
}

static struct asked ask_anew(const struct bench *bench, const struct question *question)
{
	json_t *arguments = scan_arguments(question->arguments), *answer = NULL;
	const bool pair = strcmp(question->at, PAIR) == 0;
	struct asked asked;
	const char *session;

	json_object_set_new(arguments, pair ? "good" : "trace_dir", json_string(bench->traces[0]));
	if (pair)
		json_object_set_new(arguments, "bad", json_string(bench->traces[1]));
	asked = scan_ask(bench->client, question->tool, arguments, &answer);
	session = json_string_value(answer_at(answer, "result.structuredContent.session"));
	if (session)
		client_tool_done(bench->client, "rr_replay_stop", "{s:s}", "session", session);
	json_decref(answer);
	return asked;
}

static struct asked ask(const struct bench *bench, const struct question *question)
{
	json_t *arguments;

	if (strcmp(question->at, OPENS) == 0 || strcmp(question->at, PAIR) == 0)
		return ask_anew(bench, question);
	if (!go(bench, question->at))
		return (struct asked){.code = "nothing to ask about"};
	arguments = scan_arguments(question->arguments);
	json_object_set_new(arguments, "session", json_string(bench->session));
	return scan_ask(bench->client, question->tool, arguments, NULL);
}

static void measure(const struct bench *bench, const struct question *question)
{
	const double replay = strcmp(question->at, PAIR) == 0 ? bench->both : bench->replay;
	double seconds[RUNS];
	struct asked asked;
	char most[64];
	int runs = 0;

	do {
		asked = ask(bench, question);
		seconds[runs++] = asked.seconds;
	} while (runs < RUNS && !asked.cut && !asked.code[0] && asked.seconds < LONG_S);
	if (runs == RUNS)
		asked.seconds = median(seconds, RUNS);
	snprintf(most, sizeof(most), "%.1f passes + %.1f s", question->passes, question->seconds);
	scan_figure(
	    question->what, most, asked, replay, question->passes * replay + question->seconds);
}

static void measure_all(const struct bench *bench, const struct questions *questions)
{
	for (size_t i = 0; i < questions->count; i++)
		measure(bench, &questions->of[i]);
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

	if (subject->yardsticks & MEMCHECK)
		measure_alone("the program under valgrind memcheck", memcheck, subject, replay);
	if (subject->yardsticks & DRD)
		measure_alone("the program under valgrind drd", drd, subject, replay);
	if (subject->yardsticks & TSAN) {
		struct subject twin = *subject;

		twin.command[0] = "tests/programs/callers_tsan";
		measure_alone("the program built with ThreadSanitizer", alone, &twin, replay);
	}
}

/* False: it cannot be recorded. */
static bool record(
    const struct subject *subject, const char *const *words, const char *scratch, const char *trace)
{
	cleanup_client struct client *client = client_start(NULL);
	json_t *arguments = scan_arguments(subject->recorded ? subject->recorded : "{}");
	json_t *command = json_array();
	json_t *message;
	bool recorded;

	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		json_array_append_new(command, json_string(own_program(words[i])));
	json_object_set_new(arguments, "command", command);
	json_object_set_new(arguments, "trace_dir", json_string(trace));
	json_object_set_new(arguments, "working_directory", json_string(scratch));
	message = client_wait(
	    client, client_tool_send(client, "rr_record", arguments), HARNESS_TIMEOUT_S);
	recorded = answer_at(message, "result.structuredContent.trace_dir") != NULL;
	json_decref(message);
	return recorded;
}

/* False: it is not on this machine. */
static bool is_here(const struct subject *subject, const char *scratch)
{
	char command[1024];
	int length = snprintf(command, sizeof(command), "cd '%s' && { %s; } >/dev/null 2>&1",
	    scratch, subject->needs ? subject->needs : ":");

	if (length >= (int)sizeof(command))
		harness_fail("%s needs too much", subject->name);
	return system(command) == 0;
}

/* Returns the seconds of a plain replay. */
static double open_session(struct bench *bench, const char *trace)
{
	bench->client = client_start(NULL);
	bench->session = client_replay(bench->client, trace);
	return replay_seconds(bench);
}

static void close_session(struct bench *bench)
{
	client_end(bench->client);
	free(bench->session);
}

static void question_subject(struct bench *bench, struct calls *calls)
{
	const struct subject *subject = bench->subject;

	if (subject->other[0]) {
		bench->both = open_session(bench, bench->traces[1]);
		close_session(bench);
	}
	bench->replay = open_session(bench, bench->traces[0]);
	bench->both += bench->replay;
	figures_head(subject->name);
	measure_all(bench, &subject->questions);
	measure_all(bench, &subject->more);
	measure_all(bench, &everywhere);
	measure_yardsticks(subject, bench->replay);
	close_session(bench);
	if (subject->calls)
		calls_make(calls, subject->calls, bench->traces[0]);
}

static void bench_subject(const struct subject *subject, const char *scratch, struct calls *calls)
{
	struct bench bench = {.subject = subject,
	    .traces = {harness_path(scratch, "trace"), harness_path(scratch, "other")}};

	if (!is_here(subject, scratch))
		printf("\n%s is not installed here: it is left out\n", subject->name);
	else if (!record(subject, subject->command, scratch, bench.traces[0]) ||
		 (subject->other[0] && !record(subject, subject->other, scratch, bench.traces[1])))
		printf("\n%s cannot be recorded here: it is left out\n", subject->name);
	else
		question_subject(&bench, calls);
	harness_shell("rm -rf '%s' '%s'", bench.traces[0], bench.traces[1]);
	free(bench.traces[0]);
	free(bench.traces[1]);
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
	struct calls calls = {0};

	print_machine();
	for (const struct subject *subject = subjects; subject->name; subject++)
		if (!only || strcmp(only, subject->name) == 0)
			bench_subject(subject, scratch, &calls);
	calls_sum(&calls);
	harness_scratch_free(scratch);
	return 0;
}
