/*
 * Whatever dies, every request gets one answer, other sessions go on, the session itself comes
 * back, and nothing is left. The tests kill each process of a session, while it is idle and while
 * it runs.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/at_work.h"
#include "tests/e2e/scene.h"

#define PROGRAM	   "many_watch"
#define WORKER	   "rr-warden-worke" /* as comm cuts it */
#define INTERRUPTS 10

enum victim { VICTIM_GDB, VICTIM_RR, VICTIM_TRACEE, VICTIM_WORKER, VICTIM_COUNT };

/* Call it while there is only one session. */
static pid_t find_victim(pid_t server, enum victim victim)
{
	pid_t pid = 0;
	switch (victim) {
	case VICTIM_GDB:
		pid = census_find(server, "gdb", 0);
		break;
	case VICTIM_RR:
		pid = census_find(server, "rr", 0);
		break;
	case VICTIM_TRACEE:
		pid = census_child(census_find(server, "rr", 0));
		break;
	case VICTIM_WORKER:
		pid = census_find(server, WORKER, 0);
		break;
	case VICTIM_COUNT:
		break;
	}
	if (pid == 0)
		harness_fail("victim %d is not there", (int)victim);
	return pid;
}

/* Until the server knows that the session's processes are dead; no call reaches a worker. */
static void await_resting(struct client *client, const char *session)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;

	for (bool rests = false; !rests; usleep(2000)) {
		json_auto_t *answer = client_tool(client, "rr_sessions", NULL);
		const json_t *row;
		size_t i;

		json_array_foreach(answer_at(answer, "sessions"), i,
		    row) if (strcmp(answer_text(row, "session"), session) == 0) rests =
		    strcmp(answer_text(row, "state"), "resting") == 0;
		if (harness_now() > end)
			harness_fail("%s does not rest: %s", session, answer_show(answer));
	}
}

/* The first session waits at the last call of toggle, so that a long run meets no breakpoint. */
static void go_somewhere(struct scene *scene)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s, s:s}", "location", "toggle",
	    "session", scene->session);
	client_tool_done(
	    scene->client, "rr_continue", "{s:i, s:s}", "count", 7, "session", scene->session);
	client_tool_done(scene->client, "rr_select_frame", "{s:i, s:s}", "frame_level", 1,
	    "session", scene->session);
}

/* A tracee's death shows only when rr runs it, so that call fails. */
static void notice_death(struct scene *scene)
{
	client_tool_refused(scene->client, "rr_step", NULL, "{s:s, s:s}", "unit", "instruction",
	    "session", scene->session);
}

/* The next call restores it at its last stop, with frame and breakpoint. */
static void expect_restored(struct scene *scene)
{
	expect_all(client_tool(scene->client, "rr_evaluate", "{s:s, s:s}", "expression", "i",
		       "session", scene->session),
	    TRUE("restored"), IS("value", "6") /* frame 1's i */);
	expect_all(
	    client_tool(scene->client, "rr_breakpoint_list", "{s:s}", "session", scene->session),
	    COUNT("breakpoints", 1), FALSE("restored"));
	expect_all(client_tool(scene->client, "rr_continue", "{s:b, s:s}", "reverse", 1, "session",
		       scene->session),
	    IS("reason", "breakpoint"), IS("frame.function", "toggle"));
}

START_TEST(killed_while_idle_the_session_comes_back_where_it_was)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	go_somewhere(&scene);
	pid_t victim = find_victim(client_pid(scene.client), (enum victim)_i);
	cleanup_free char *other = client_replay(scene.client, scene_trace(PROGRAM));
	kill(victim, SIGKILL);
	expect_alive(scene.client, other);
	if (_i == VICTIM_TRACEE)
		notice_death(&scene);
	else
		await_resting(scene.client, scene.session);
	expect_restored(&scene);
	expect_alive(scene.client, other);
}
END_TEST

/* As rr 5.6 does at some steps back. Each of these has a process of its own, so rr is what is seen
 * at work. */
START_TEST(an_rr_that_aborts_on_the_way_back_is_told_with_other_ways)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "set_late");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	pid_t rr = find_victim(client_pid(scene.client), VICTIM_RR);
	long long id = at_work_step_back(scene.client, rr);
	kill(rr, SIGABRT);
	json_auto_t *failed = client_tool_failure(scene.client, id, "rr_failed", HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(strstr(answer_text(failed, "message"), "Aborted"));
	ck_assert_ptr_null(strstr(answer_text(failed, "message"), "Launch"));
	ck_assert_ptr_nonnull(strstr(answer_text(failed, "hint"), "rr_goto"));
	expect_all(client_tool(scene.client, "rr_when", NULL), TRUE("restored"),
	    IS("moment", answer_text(before, "moment")));
}
END_TEST

START_TEST(killed_while_running_the_call_fails_at_once_and_the_session_comes_back)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	go_somewhere(&scene);
	pid_t victim = find_victim(client_pid(scene.client), (enum victim)_i);
	cleanup_free char *other = client_replay(scene.client, scene_trace(PROGRAM));
	long long running = at_work_step(scene.client, scene.session);
	kill(victim, SIGKILL);
	json_auto_t *failed = client_tool_failure(scene.client, running, NULL, 30);
	const char *code = answer_text(failed, "code");
	ck_assert(strcmp(code, "worker_died") == 0 || strcmp(code, "rr_failed") == 0 ||
		  strcmp(code, "gdb_failed") == 0);
	expect_alive(scene.client, other);
	expect_restored(&scene);
}
END_TEST

static void kill_gdb(struct scene *scene)
{
	pid_t gdb = census_find(client_pid(scene->client), "gdb", 0);
	kill(gdb, SIGKILL);
	await_resting(scene->client, scene->session);
}

START_TEST(checkpoints_come_back_with_the_session)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "set_late");
	json_auto_t *saved = client_tool(scene.client, "rr_checkpoint_save", NULL);
	json_int_t id = answer_number(saved, "checkpoint_id");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	kill_gdb(&scene);
	expect_all(client_tool(scene.client, "rr_checkpoint_list", NULL), TRUE("restored"),
	    COUNT("checkpoints", 1));
	json_auto_t *stop =
	    client_tool(scene.client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id", id);
	expect_text(stop, "frame.function", "set_late");
	ck_assert(json_equal(answer_at(stop, "moment"), answer_at(saved, "moment")));
}
END_TEST

START_TEST(the_chosen_thread_comes_back_with_the_session)
{
	cleanup_scene struct scene scene = scene_open_at("threads", "take_turns");
	json_auto_t *stopped = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *list = client_tool(scene.client, "rr_thread_list", NULL);
	ck_assert_int_ne(answer_number(list, "threads.0.tid"), answer_number(stopped, "tid"));
	json_int_t other = answer_number(list, "threads.0.tid");
	client_tool_done(scene.client, "rr_thread_select", "{s:I}", "thread_id", other);
	json_auto_t *chosen = client_tool(scene.client, "rr_when", NULL);
	ck_assert_int_eq(answer_number(chosen, "tid"), answer_number(list, "threads.0.tid"));
	kill_gdb(&scene);
	expect_all(client_tool(scene.client, "rr_when", NULL), TRUE("restored"),
	    NUMBER("tid", answer_number(chosen, "tid")),
	    IS("moment", answer_text(chosen, "moment")));
}
END_TEST

START_TEST(a_session_at_its_crash_comes_back_behind_the_signal)
{
	cleanup_scene struct scene scene = scene_open("crash", NULL);
	json_auto_t *stop = client_tool(scene.client, "rr_continue", NULL);
	expect_text(stop, "reason", "signal");
	kill_gdb(&scene);
	expect_all(client_tool(scene.client, "rr_when", NULL), TRUE("restored"),
	    NUMBER("event", answer_event(stop, "moment")),
	    IS("moment", answer_text(stop, "moment")));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "end");
}
END_TEST

/* Waits until the keeper has another launcher than `dead`. */
static void await_launcher(pid_t keeper, pid_t dead)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;
	pid_t now;
	do {
		usleep(2000);
		now = census_child(keeper);
	} while ((now == 0 || now == dead) && harness_now() < end);
	ck_assert(now != 0 && now != dead);
}

/* The answer, which may be a failure. */
static json_t *try_backtrace(struct client *client)
{
	long long id = client_tool_send(client, "rr_backtrace", NULL);
	json_auto_t *message = client_wait(client, id, HARNESS_TIMEOUT_S);
	json_t *answer = json_incref((json_t *)answer_at(message, "result.structuredContent"));
	return answer;
}

/* The launcher is the keeper's child. The test's number says whether something runs then. */
START_TEST(after_its_launcher_the_session_comes_back)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	pid_t keeper = census_find(client_pid(scene.client), "rr-warden", 0);
	pid_t launcher = census_child(keeper);
	long long running = _i == 0 ? 0 : at_work_step(scene.client, scene.session);

	kill(launcher, SIGKILL);
	if (running != 0)
		json_decref(client_tool_failure(scene.client, running, "worker_died", 30));
	await_launcher(keeper, launcher);
	/* A call that comes before the server knows of the death fails with it, and the next does
	 * not. */
	json_t *back = try_backtrace(scene.client);
	if (answer_at(back, "code") != NULL) {
		expect_text(back, "code", "worker_died");
		json_decref(back);
		back = try_backtrace(scene.client);
	}
	ck_assert(answer_true(back, "restored"));
	json_decref(back);
}
END_TEST

/* Once for each; a stopped rr shows only when it is needed. */
static const enum victim stopped[] = {VICTIM_GDB, VICTIM_WORKER};

START_TEST(a_stopped_process_costs_its_deadline_and_no_other_session)
{
	cleanup_client struct client *client = client_start(
	    &(struct client_options){.args = (const char *const[]){"--timeout-eval=2", NULL}});
	cleanup_free char *one = client_replay(client, scene_trace(PROGRAM));
	pid_t victim = find_victim(client_pid(client), stopped[_i]);
	cleanup_free char *two = client_replay(client, scene_trace(PROGRAM));
	kill(victim, SIGSTOP);
	long long stuck = client_tool_send(client, "rr_evaluate",
	    json_pack("{s:s, s:s}", "expression", "counter", "session", one));
	expect_alive(client, two);
	json_auto_t *failed = client_tool_failure(client, stuck, NULL, 60);
	const char *code = answer_text(failed, "code");
	ck_assert(strcmp(code, "timeout") == 0 || strcmp(code, "worker_died") == 0);
	expect_all(client_tool(client, "rr_evaluate", "{s:s, s:s}", "expression", "counter",
		       "session", one),
	    TRUE("restored"));
}
END_TEST

/* ---- How clients end us -------------------------------------------------------------------- */

/* Two idle sessions, one that runs and a recording. */
static struct client *busy_server(char **scratch)
{
	struct client *client = client_start(NULL);
	cleanup_free char *one = client_replay(client, scene_trace(PROGRAM));
	free(client_replay(client, scene_trace(PROGRAM)));
	*scratch = harness_scratch(0);
	cleanup_free char *trace = harness_path(*scratch, "t");
	client_tool_send(client, "rr_record",
	    json_pack("{s:[s,s], s:s}", "command", "/bin/sleep", "3600", "trace_dir", trace));
	census_await(client_pid(client), "sleep");
	at_work_step(client, one);
	return client;
}

static const struct {
	const char *name;
	int signals[2];
	useconds_t pause_us;
	bool eof;
} endings[] = {
    {"EOF", {0, 0}, 0, true},
    {"EOF and SIGTERM at once", {SIGTERM, 0}, 0, true},
    {"SIGINT, SIGTERM 100 ms later, never EOF", {SIGINT, SIGTERM}, 100000, false},
    {"SIGTERM", {SIGTERM, 0}, 0, false},
    {"SIGHUP", {SIGHUP, 0}, 0, false},
    {"SIGKILL", {SIGKILL, 0}, 0, false},
};
#define ENDING_COUNT TIMES(endings)

START_TEST(every_ending_of_a_client_leaves_no_process)
{
	char *scratch;
	struct client *client = busy_server(&scratch);
	pid_t server = client_pid(client);
	double start = harness_now();
	if (endings[_i].eof)
		client_close_stdin(client);
	for (int i = 0; i < 2 && endings[_i].signals[i] != 0; i++) {
		if (i > 0)
			usleep(endings[_i].pause_us);
		kill(server, endings[_i].signals[i]);
	}
	client_wait_exit(client, HARNESS_TIMEOUT_S);
	ck_assert(census_await_none(getpid(), HARNESS_TIMEOUT_S) >= 0);
	fprintf(stderr, "ended by %s: all gone in %.0f ms\n", endings[_i].name,
	    (harness_now() - start) * 1e3);
	client_abandon(client);
	harness_scratch_free(scratch);
}
END_TEST

/* A session keeps what it can restore: long conditions are refused before they do not fit. */
START_TEST(what_was_accepted_comes_back_however_long_it_is)
{
	enum { LENGTH = 3000 };
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	char condition[LENGTH + 1];
	size_t kept = 0;
	memset(condition, ' ', LENGTH);
	memcpy(condition, "1 ==", 4);
	memcpy(condition + LENGTH - 1, "2", 2);
	for (bool refused = false; !refused; kept += !refused) {
		ck_assert_uint_lt(kept, 100);
		long long id = client_tool_send(scene.client, "rr_breakpoint_set",
		    json_pack("{s:s, s:s}", "location", "toggle", "condition", condition));
		json_auto_t *message = client_wait(scene.client, id, HARNESS_TIMEOUT_S);
		const json_t *answer = answer_at(message, "result.structuredContent");
		refused = answer_at(answer, "code") != NULL;
		if (refused)
			expect_text(answer, "code", "limit");
	}
	ck_assert_uint_gt(kept, 3);
	pid_t victim = find_victim(client_pid(scene.client), VICTIM_GDB);
	kill(victim, SIGKILL);
	await_resting(scene.client, scene.session);
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), TRUE("restored"),
	    COUNT("breakpoints", kept));
}
END_TEST

/* Sends the session on, and stops it at an instant that nobody chooses. Returns its registers. */
static json_t *interrupt_somewhere(struct scene *scene)
{
	long long id = client_tool_send(scene->client, "rr_continue", NULL);

	usleep(30 * 1000);
	client_tool_done(scene->client, "rr_interrupt", NULL);
	json_decref(client_tool_result(scene->client, id, HARNESS_TIMEOUT_S));
	return client_tool(scene->client, "rr_registers", NULL);
}

/* Elsewhere and back, by the name of the moment. */
static void go_away_and_back(struct scene *scene)
{
	json_auto_t *here = client_tool(scene->client, "rr_when", NULL);

	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", "start");
	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", answer_text(here, "moment"));
}

/* Half of the events of this program are system calls that rr runs before it counts their event as
 * done. One interrupt in four stops it in between, where no seek ends. */
START_TEST(an_interrupted_session_comes_back_wherever_it_stopped)
{
	cleanup_scene struct scene scene = scene_open_at("mapper", "work");
	for (int i = 0; i < INTERRUPTS; i++) {
		json_t *before = interrupt_somewhere(&scene);
		pid_t victim;
		go_away_and_back(&scene);
		expect_same(json_incref(before), client_tool(scene.client, "rr_registers", NULL));
		victim = find_victim(client_pid(scene.client), VICTIM_RR);
		kill(victim, SIGKILL);
		await_resting(scene.client, scene.session);
		expect_all(client_tool(scene.client, "rr_when", NULL), TRUE("restored"));
		expect_same(before, client_tool(scene.client, "rr_registers", NULL));
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {killed_while_idle_the_session_comes_back_where_it_was, VICTIM_COUNT},
	    {killed_while_running_the_call_fails_at_once_and_the_session_comes_back, VICTIM_COUNT},
	    {an_rr_that_aborts_on_the_way_back_is_told_with_other_ways, 1},
	    {after_its_launcher_the_session_comes_back, 2},
	    {checkpoints_come_back_with_the_session, 1},
	    {the_chosen_thread_comes_back_with_the_session, 1},
	    {an_interrupted_session_comes_back_wherever_it_stopped, 1},
	    {a_session_at_its_crash_comes_back_behind_the_signal, 1},
	    {a_stopped_process_costs_its_deadline_and_no_other_session, TIMES(stopped)},
	    {what_was_accepted_comes_back_however_long_it_is, 1},
	    {every_ending_of_a_client_leaves_no_process, ENDING_COUNT},
	    {NULL, 0},
	};

	return scene_main_loops("containment", tests,
	    (const char *const[]){PROGRAM, "threads", "crash", "mapper", NULL});
}
