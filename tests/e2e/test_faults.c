/*
 * Checks the table of faults.h: each cell starts a server with one session, brings the fault into
 * the real process in that phase, and compares what the client then sees. Several cells run side by
 * side, because most of them wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/at_work.h"
#include "tests/e2e/faults.h"
#include "tests/e2e/inject.h"
#include "tests/e2e/scene.h"

#define PROGRAM	     "many_watch"
#define CELL_S	     300 /* for one cell, on a busy machine */
#define SIDE_BY_SIDE 5
#define PLAYS	     3
#define ANSWER_S     30
#define ENOUGH_MS    300 /* for what happens at once */

/* How a process that ran one cell ends. */
enum verdict { AS_EXPECTED, NOT_AS_EXPECTED, SKIPPED, TOO_LATE };

static const char *const process_names[] = {
#define X(name, text) text,
    FAULT_PROCESSES(X)
#undef X
};
static const char *const kind_names[] = {
#define X(name, text) text,
    FAULT_KINDS(X)
#undef X
};
static const char *const phase_names[] = {
#define X(name, text) text,
    FAULT_PHASES(X)
#undef X
};

struct cell {
	enum fault_process process;
	enum fault_kind kind;
	enum fault_phase phase;
	unsigned expected; /* of enum fault_outcome; 0: it cannot happen */
};

static const struct row {
	enum fault_process process;
	enum fault_kind kind;
	unsigned expected[FAULT_PHASE_COUNT];
	const char *remark;
} rows[] = {
#define ROW(process, kind, starting, ready, running, interrupting, stopping, remark)               \
	{process, kind, {starting, ready, running, interrupting, stopping}, remark},
    FAULT_TABLE(ROW)
#undef ROW
};

/* ---- The processes of a session ------------------------------------------------------------- */

static bool command_has(pid_t pid, const char *word)
{
	char path[64], text[4096];
	int fd;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	return length > 0 && memmem(text, (size_t)length, word, strlen(word) + 1) != NULL;
}

/* Not the rr that only prints its version or its gdb commands. */
static pid_t find_rr(pid_t server)
{
	struct census census;

	census_take(server, &census);
	for (size_t i = 0; i < census.count; i++)
		if (strcmp(census.processes[i].name, "rr") == 0 &&
		    command_has(census.processes[i].pid, "replay"))
			return census.processes[i].pid;
	return 0;
}

/* Not the child in which rr's library tries the processor out: that one is still called rr. */
static pid_t find_tracee(pid_t rr)
{
	struct census census;

	census_take(rr, &census);
	for (size_t i = 0; i < census.count; i++)
		if (strcmp(census.processes[i].name, "rr") != 0)
			return census.processes[i].pid;
	return 0;
}

static pid_t find(pid_t server, enum fault_process process)
{
	pid_t rr, keeper;

	switch (process) {
	case SUPERVISOR:
		return server;
	case KEEPER:
		return census_child(server);
	case LAUNCHER:
		keeper = census_child(server);
		return keeper ? census_child(keeper) : 0;
	case WORKER:
		return census_find(server, "rr-warden-worke", 0);
	case RR:
		return find_rr(server);
	case GDB:
		return census_find(server, "gdb", 0);
	case TRACEE:
		rr = find_rr(server);
		return rr ? find_tracee(rr) : 0;
	case FAULT_PROCESS_COUNT:
		break;
	}
	return 0;
}

static pid_t await_process(pid_t server, enum fault_process process)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;
	pid_t pid;

	while ((pid = find(server, process)) == 0 && harness_now() < end)
		usleep(1000);
	if (pid == 0)
		harness_fail("no process number %d of the table", (int)process);
	return pid;
}

/* ---- Faults -------------------------------------------------------------------------------- */

struct view {
	struct client *client;
	const struct cell *cell;
	int voice; /* the victim's descriptor for garbage; -1: not known yet */
	bool brought;
	char first[64], next[64]; /* outcome of the call in flight, and of the next one */
	char last[64];		  /* of the one after that, if the next one met the fault */
};

/* The descriptor on which a process talks to the one above it: a socket for our own processes,
 * stdout for the tools. While the launcher starts a worker, it has more sockets than this one, so
 * ask before. */
static int voice_of(enum fault_process process, pid_t pid)
{
	return process == RR || process == GDB ? STDOUT_FILENO : inject_find_socket(pid);
}

/* False when this user may not. */
static bool bring(struct view *view, pid_t victim)
{
	static const char garbage[] = "\x7f}{ no word of it is true\n";
	const struct cell *cell = view->cell;
	struct client *client = view->client;

	switch (cell->kind) {
	case KILLED:
		return kill(victim, SIGKILL) == 0;
	case STOPPED:
		return kill(victim, SIGSTOP) == 0;
	case EXITED:
		return inject_exit(victim, 7);
	case INPUT_ENDED:
		client_close_stdin(client);
		return true;
	case GARBAGE:
		if (cell->process != SUPERVISOR)
			return inject_write(victim,
			    view->voice >= 0 ? view->voice : voice_of(cell->process, victim),
			    garbage, sizeof(garbage) - 1);
		client_send_bytes(client, garbage, sizeof(garbage) - 1);
		return true;
	case NO_MEMORY:
		return inject_no_memory(victim);
	case NO_DESCRIPTORS:
		return inject_no_descriptors(victim);
	case DISK_FULL:
		return false; /* nobody here writes to a disk */
	case FAULT_KIND_COUNT:
		break;
	}
	return false;
}

/* ---- One cell ------------------------------------------------------------------------------ */

static struct client *start_server(void)
{
	return client_start(&(struct client_options){
	    .args = (const char *const[]){"--timeout-startup=6", "--timeout-connect=6",
		"--timeout-forward=60", "--timeout-eval=4", NULL}});
}

static long long send_open(struct client *client)
{
	return client_tool_send(
	    client, "rr_replay_start", json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)));
}

/* rr cannot heed it before it goes on. */
static long long interrupt_deaf_run(struct view *view, pid_t victim)
{
	long long id = at_work_step(view->client, NULL);
	pid_t rr = await_process(client_pid(view->client), RR);
	bool first = victim == rr && view->cell->kind != STOPPED; /* what sleeps cannot act */

	kill(rr, SIGSTOP);
	client_tool_send(view->client, "rr_interrupt", NULL);
	usleep(50 * 1000);
	if (first)
		kill(rr, SIGCONT);
	view->brought = bring(view, victim);
	if (!first && (victim != rr || view->cell->kind != STOPPED))
		kill(rr, SIGCONT);
	return id;
}

static long long stop_deaf_worker(struct view *view, pid_t victim)
{
	pid_t worker = await_process(client_pid(view->client), WORKER);
	bool first = victim == worker && view->cell->kind != STOPPED;

	kill(worker, SIGSTOP);
	long long id = client_tool_send(view->client, "rr_replay_stop", NULL);
	usleep(20 * 1000);
	if (first)
		kill(worker, SIGCONT);
	/* A worker that goes on may end before the fault has found it. */
	view->brought = bring(view, victim) || first;
	if (!first && (victim != worker || view->cell->kind != STOPPED))
		kill(worker, SIGCONT);
	return id;
}

/* A server that has just started runs other processes first: a worker comes and goes before a
 * session's processes exist. */
static void settle(struct view *view)
{
	pid_t server = client_pid(view->client), launcher;
	enum fault_process process = view->cell->process;

	client_tool_done(view->client, "rr_ps", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	launcher = await_process(server, LAUNCHER);
	while (census_child(launcher) != 0)
		usleep(1000);
	if (process == KEEPER || process == LAUNCHER)
		view->voice = voice_of(process, find(server, process));
}

/* Brings the session into the phase and the fault into the process; returns the call in flight. */
static long long suffer(struct view *view)
{
	struct client *client = view->client;
	const struct cell *cell = view->cell;
	long long id = 0;

	if (cell->phase == STARTING) {
		settle(view);
		id = send_open(client);
	} else {
		free(client_replay(client, scene_trace(PROGRAM)));
	}
	pid_t victim = await_process(client_pid(client), cell->process);
	if (cell->phase == INTERRUPTING)
		return interrupt_deaf_run(view, victim);
	if (cell->phase == STOPPING)
		return stop_deaf_worker(view, victim);
	if (cell->phase == RUNNING)
		id = at_work_step(client, NULL);
	view->brought = bring(view, victim);
	usleep(ENOUGH_MS * 1000);
	if (cell->phase == READY)
		id = client_tool_send(
		    client, "rr_evaluate", json_pack("{s:s}", "expression", "&toggled, toggled"));
	if (cell->phase == RUNNING)
		client_tool_send(client, "rr_interrupt", NULL);
	return id;
}

/* "ok", "restored", the error's code, or "nothing". */
static void describe(json_t *answer, char *text, size_t size)
{
	const json_t *result = json_object_get(answer, "result");
	const json_t *content = json_object_get(result, "structuredContent");
	const char *code = json_string_value(json_object_get(content, "code"));

	if (answer == NULL)
		snprintf(text, size, "nothing");
	else if (!json_is_true(json_object_get(result, "isError")))
		snprintf(text, size, "%s",
		    json_is_true(json_object_get(content, "restored")) ? "restored" : "ok");
	else
		snprintf(text, size, "%s", code == NULL ? "no code" : code);
}

static bool is_one_of(const char *text, const char *words)
{
	const char *found = strstr(words, text);

	return found != NULL && *text && (found[strlen(text)] == ' ' || !found[strlen(text)]);
}

static bool says_what_died(const char *outcome)
{
	return is_one_of(outcome, "worker_died rr_failed gdb_failed");
}

static unsigned outcome_of(const struct view *view, bool ended, bool held)
{
	bool ok = strcmp(view->first, "ok") == 0, restored = strcmp(view->first, "restored") == 0;
	bool alive = strcmp(view->next, "ok") == 0, back = strcmp(view->next, "restored") == 0;
	bool gone = strcmp(view->next, "no_session") == 0;

	if (ended)
		return ENDS;
	if (held)
		return ok && (alive || gone) ? HELD : 0;
	if (ok && alive)
		return LIVES;
	if (ok && gone)
		return view->cell->phase == STOPPING ? CLOSED : 0;
	if (ok && (back || (says_what_died(view->next) && strcmp(view->last, "restored") == 0)))
		return LIVES | BACK;
	if (restored && alive)
		return BACK;
	if (says_what_died(view->first) && back)
		return BACK;
	if (is_one_of(view->first, "timeout cancelled") && back)
		return LATE;
	return gone && view->cell->phase == STARTING && !ok ? REFUSED : 0;
}

/* A busy machine is slow even without a fault. A launcher that has one cannot restore the session,
 * and one that is stopped does not answer.
 */
static bool is_late(const struct view *view)
{
	bool mute = view->cell->process == LAUNCHER && view->cell->kind == STOPPED;

	return is_one_of(view->first, "timeout cancelled") &&
	       is_one_of(view->next, mute ? "timeout" : "restored internal");
}

/* The session had started before the fault came: on a busy machine we may be the slower one. */
static bool came_too_late(const struct view *view)
{
	return view->cell->phase == STARTING && strcmp(view->first, "ok") == 0 &&
	       is_one_of(view->next, "ok restored timeout");
}

/* An error must not mention a session that does not exist. */
static bool hints_are_true(json_t *answer)
{
	const json_t *content =
	    json_object_get(json_object_get(answer, "result"), "structuredContent");
	const char *hint = json_string_value(json_object_get(content, "hint"));
	bool alive = json_is_true(json_object_get(content, "session_alive"));

	return hint == NULL || alive || strstr(hint, "restores") == NULL;
}

static bool has_ended(struct client *client)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)client_pid(client));
	cleanup_free char *text = harness_file(path);
	char *state = text == NULL ? NULL : strrchr(text, ')');
	bool ended = state == NULL || strlen(state) < 3 || strchr("ZX", state[2]) != NULL;
	return ended;
}

/* The answer, or NULL if the server ended, or is stopped until we continue it. */
static json_t *await_answer(struct view *view, long long id, bool *held)
{
	bool holds = view->cell->process == SUPERVISOR && view->cell->kind == STOPPED;
	json_t *answer = client_wait(view->client, id, holds ? 1 : ANSWER_S);

	if (answer != NULL || !holds)
		return answer;
	*held = true;
	kill(client_pid(view->client), SIGCONT);
	return client_wait(view->client, id, ANSWER_S);
}

/* Whether the server ended with the fault. It may or may not answer what came around its end. */
static bool ends(const struct view *view, const json_t *next)
{
	bool must = view->cell->expected == ENDS;

	for (int ms = 0; must && ms < ANSWER_S * 1000 && !has_ended(view->client); ms += 10)
		usleep(10 * 1000);
	return (must || next == NULL) && has_ended(view->client);
}

static enum verdict judge(struct view *view, bool last_play)
{
	const struct cell *cell = view->cell;
	bool held = false;
	long long id = suffer(view);
	json_t *answer = await_answer(view, id, &held);
	json_t *next = client_wait(
	    view->client, client_tool_send(view->client, "rr_backtrace", NULL), ANSWER_S);
	json_t *twice = client_wait(view->client, id, 0.02);
	bool honest = hints_are_true(answer);

	if (!view->brought)
		return SKIPPED;
	usleep(answer == NULL || next == NULL ? ENOUGH_MS * 1000 : 0);
	describe(answer, view->first, sizeof(view->first));
	describe(next, view->next, sizeof(view->next));
	if (says_what_died(view->next)) {
		json_auto_t *last = client_wait(
		    view->client, client_tool_send(view->client, "rr_backtrace", NULL), ANSWER_S);
		describe(last, view->last, sizeof(view->last));
	}
	unsigned outcome = outcome_of(view, ends(view, next), held);
	bool expected = outcome != 0 && (outcome & cell->expected) == outcome;
	if (expected && twice == NULL && honest)
		return AS_EXPECTED;
	if ((is_late(view) || came_too_late(view)) && twice == NULL && honest && !last_play)
		return TOO_LATE;
	cleanup_free char *shown = answer_show(answer);
	printf("%s, %s, %s: %s, then %s%s%s\n  %.600s\n", process_names[cell->process],
	    kind_names[cell->kind], phase_names[cell->phase], view->first, view->next,
	    twice == NULL ? "" : ", and answered twice", honest ? "" : ", with a wrong hint",
	    shown);
	return NOT_AS_EXPECTED;
}

static enum verdict play_cell(const struct cell *cell, bool last_play)
{
	struct view view = {.client = start_server(), .cell = cell, .voice = -1};

	alarm(CELL_S);
	enum verdict verdict = judge(&view, last_play);
	client_close_stdin(view.client);
	client_wait_exit(view.client, HARNESS_TIMEOUT_S);
	if (census_await_none(getpid(), HARNESS_TIMEOUT_S) < 0) {
		printf("%s, %s, %s: processes are left\n", process_names[cell->process],
		    kind_names[cell->kind], phase_names[cell->phase]);
		verdict = NOT_AS_EXPECTED;
	}
	fflush(stdout);
	client_abandon(view.client);
	return verdict;
}

/* A late result is tried again. */
static enum verdict run_cell(const struct cell *cell)
{
	enum verdict verdict = TOO_LATE;

	for (int play = 1; verdict == TOO_LATE; play++)
		verdict = play_cell(cell, play == PLAYS);
	return verdict;
}

/* ---- The table ----------------------------------------------------------------------------- */

struct tally {
	int running, ran, skipped, wrong;
};

static void reap_one(struct tally *tally)
{
	int status = 0;

	if (wait(&status) < 0)
		harness_fail("wait: %m");
	tally->running--;
	tally->ran++;
	tally->skipped += WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
	tally->wrong += !WIFEXITED(status) || WEXITSTATUS(status) == NOT_AS_EXPECTED;
}

static void start_cell(struct tally *tally, const struct cell *cell)
{
	while (tally->running >= SIDE_BY_SIDE)
		reap_one(tally);
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		harness_fail("fork: %m");
	if (pid == 0)
		_exit((int)run_cell(cell));
	tally->running++;
}

/* The test's number is the process. */
START_TEST(each_fault_has_the_outcome_of_its_cell)
{
	struct tally tally = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int phase = 0; phase < FAULT_PHASE_COUNT; phase++)
			if (rows[i].process == (enum fault_process)_i &&
			    rows[i].expected[phase] != NEVER)
				start_cell(
				    &tally, &(struct cell){rows[i].process, rows[i].kind,
						(enum fault_phase)phase, rows[i].expected[phase]});
	while (tally.running > 0)
		reap_one(&tally);
	if (tally.skipped > 0)
		printf("skipped: %d faults of the %s that only root may bring about\n",
		    tally.skipped, process_names[_i]);
	ck_assert_msg(tally.wrong == 0, "%d of %d cells of the %s are not as the table says",
	    tally.wrong, tally.ran, process_names[_i]);
}
END_TEST

START_TEST(the_table_has_each_fault_of_each_process_and_says_why_one_cannot_happen)
{
	bool has[FAULT_PROCESS_COUNT][FAULT_KIND_COUNT] = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		has[rows[i].process][rows[i].kind] = true;
		for (int phase = 0; phase < FAULT_PHASE_COUNT; phase++)
			ck_assert(rows[i].expected[phase] != NEVER || *rows[i].remark);
	}
	for (int process = 0; process < FAULT_PROCESS_COUNT; process++)
		for (int kind = 0; kind < FAULT_KIND_COUNT; kind++)
			ck_assert_msg(has[process][kind], "no row for %s, %s",
			    process_names[process], kind_names[kind]);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_table_has_each_fault_of_each_process_and_says_why_one_cannot_happen, 1},
	    {each_fault_has_the_outcome_of_its_cell, FAULT_PROCESS_COUNT},
	    {NULL, 0},
	};

	return scene_main_loops("faults", tests, (const char *const[]){PROGRAM, NULL});
}
