/*
 * An interrupt, the client's cancellation or a deadline may reach a call between any two commands
 * that it gives gdb, or in the middle of one. The answer is the whole one, or says that it was cut
 * off; and the session stands exactly where it did, or where it says. The gdb is a double from
 * tests/doubles that hands each command on to the real one, and holds one of them until the
 * interrupt is on its way.
 *
 * CUTS=all aims at every command; without it, cancellations and deadlines aim at some. CUTS_CALL is
 * the number of the only call to make.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/doubles/gdb.h"
#include "tests/e2e/scene.h"

#define PROGRAM "walks_static"

/* Where each call begins: on a breakpoint, at a known number of hits. */
#define LOCATION "touch"
#define HITS	 7

#define AWAY	  "$away" /* in arguments: the moment of the hit AWAY_HITS before */
#define AWAY_HITS 3

#define COMMANDS_MAX 60 /* that a call may give gdb */
#define NEVER	     (GDB_LATER - 1)
#define DEADLINE_S   1
#define PASS_US	     4000 /* how long an interrupt takes from the server to gdb or rr */

static const struct {
	const char *tool, *arguments;
	int step;	       /* every command, or one of so many */
	const char *condition; /* of a watchpoint that is set meanwhile */
} calls[] = {
    {"rr_backtrace", "{\"full\": true}", 1, NULL},
    {"rr_type", "{\"expression\": \"field\"}", 1, NULL},
    {"rr_expand", "{\"expression\": \"field\"}", 1, NULL},
    {"rr_locals", "{}", 1, NULL},
    {"rr_evaluate", "{\"expression\": \"value\", \"at\": \"end\"}", 5, NULL},
    {"rr_last_change", "{\"expression\": \"value\"}", 7, NULL},
    {"rr_value_history", "{\"expression\": \"value\"}", 3, NULL},
    {"rr_continue", "{\"reverse\": true}", 1, NULL},
    {"rr_next", "{\"reverse\": true}", 1, NULL},
    {"rr_step", "{}", 1, NULL},
    {"rr_finish", "{\"reverse\": true}", 7, NULL},
    {"rr_continue", "{}", 3, NULL},
    {"rr_continue", "{\"reverse\": true, \"count\": 3}", 9, NULL},
    {"rr_continue", "{\"reverse\": true}", 6, "value % 5 == 3"},
    {"rr_next", "{\"unit\": \"instruction\", \"reverse\": true, \"count\": 3}", 3, NULL},
    {"rr_step", "{\"reverse\": true}", 3, NULL},
    {"rr_finish", "{}", 3, NULL},
    {"rr_goto", "{\"moment\": \"" AWAY "\"}", 5, NULL},
    {"rr_goto", "{\"moment\": \"end\"}", 3, NULL},
};
#define CALL_COUNT TIMES(calls)
#define FIRST_MOVE 5 /* from here on they take a deadline */

enum way { INTERRUPT, CANCEL, DEADLINE, WAYS };

/* One command of so many, where not all are aimed at. */
static const int sparse[WAYS] = {[INTERRUPT] = 1, [CANCEL] = 5, [DEADLINE] = 17};

struct stage {
	struct client *client;
	char *folder, *held, *go;
	char *base; /* the moment where each call begins */
	char *away;
	int row;
	enum way way;
	bool restored;		/* since the answers to compare with: moments have new names */
	json_t *whole, *before; /* the answer without a cut, and where the session stands before */
};

static struct stage stage_open(void)
{
	struct stage stage = {.folder = harness_scratch(0)};
	cleanup_free char *gdb = harness_path(stage.folder, GDB_HOLDS);
	cleanup_free char *real = harness_program("../doubles/gdb");
	char flag[512];

	harness_shell("cp '%s' '%s'", real, gdb);
	snprintf(flag, sizeof(flag), "--gdb=%s", gdb);
	stage.held = harness_path(stage.folder, GDB_HOLDS GDB_HELD);
	stage.go = harness_path(stage.folder, GDB_HOLDS GDB_GO);
	/* The double starts the real gdb, and writes files. */
	stage.client = client_start(&(struct client_options){
	    .args = (const char *const[]){flag, "--sandbox-seccomp=off", "--sandbox-mount_ns=off",
		"--sandbox-landlock=off", NULL}});
	return stage;
}

static void stage_close(struct stage *stage)
{
	client_end(stage->client);
	json_decref(stage->whole);
	json_decref(stage->before);
	free(stage->base);
	free(stage->away);
	free(stage->held);
	free(stage->go);
	harness_scratch_free(stage->folder);
}

/* The answer, whether it is a failure or not. */
static json_t *answer_of(struct client *client, long long id)
{
	json_auto_t *message = client_wait(client, id, HARNESS_TIMEOUT_S);
	json_t *content = json_incref(answer_at(message, "result.structuredContent"));

	ck_assert_ptr_nonnull(content);
	return content;
}

static json_t *call(struct stage *stage, const char *tool, const char *arguments)
{
	json_t *answer = answer_of(
	    stage->client, client_tool_send(stage->client, tool, json_loads(arguments, 0, NULL)));

	stage->restored |= answer_true(answer, "restored");
	return answer;
}

/* Whether gdb's command is held before the call is answered; then *answer is still to come. */
static bool is_held(const struct stage *stage, long long id, json_t **message)
{
	double until = harness_now() + HARNESS_TIMEOUT_S;

	while (harness_now() < until) {
		if (access(stage->held, F_OK) == 0)
			return true;
		*message = client_wait(stage->client, id, 0.002);
		if (*message)
			return false;
	}
	harness_fail("neither an answer nor a command that is held");
}

/* The answer to compare with has no deadline: on a busy machine it would be a cut one. */
static json_t *arguments_of(const struct stage *stage, int command)
{
	json_t *arguments = json_loads(calls[stage->row].arguments, 0, NULL);
	const char *moment = json_string_value(json_object_get(arguments, "moment"));

	if (moment && strcmp(moment, AWAY) == 0)
		json_object_set_new(arguments, "moment", json_string(stage->away));
	if (stage->way == DEADLINE && command != NEVER)
		json_object_set_new(arguments, "deadline", json_integer(DEADLINE_S));
	return arguments;
}

/* Returns when the interrupt is on its way to the worker, and has had time to reach gdb. */
static void cut_off(const struct stage *stage, long long id, double begun)
{
	double left = begun + DEADLINE_S - harness_now();

	switch (stage->way) {
	case INTERRUPT:
		client_tool_done(stage->client, "rr_interrupt", NULL);
		break;
	case CANCEL:
		client_cancel(stage->client, id);
		/* The answer to this says that the server has read the cancellation. */
		json_decref(client_tool(stage->client, "rr_sessions", NULL));
		break;
	case DEADLINE:
		usleep(left > 0 ? (useconds_t)(left * 1000000) : 0);
		break;
	case WAYS:
		break;
	}
	usleep(PASS_US);
}

/* A call that is cancelled is not answered: what was asked next says that it is over. */
static json_t *silence(struct stage *stage, long long id)
{
	json_t *message;

	json_decref(call(stage, "rr_when", "{}"));
	message = client_wait(stage->client, id, 0.001);
	ck_assert_msg(message == NULL, "a cancelled call was answered");
	return json_pack("{s:s}", "code", "cancelled");
}

/* The call's answer, cut off at that command. False: it gives gdb fewer commands. */
static bool cut(struct stage *stage, int command, int later, json_t **answer)
{
	char sign[64];
	json_t *message = NULL;
	double begun;
	long long id;
	bool held;

	unlink(stage->held);
	unlink(stage->go);
	snprintf(sign, sizeof(sign), "{\"expression\": \"" GDB_SIGN "%d\"}",
	    later * GDB_LATER + command);
	json_decref(call(stage, "rr_evaluate", sign));
	begun = harness_now();
	id = client_tool_send(stage->client, calls[stage->row].tool, arguments_of(stage, command));
	held = is_held(stage, id, &message);
	if (held)
		cut_off(stage, id, begun);
	harness_write_file(stage->go, "");
	if (!held)
		*answer = json_incref(answer_at(message, "result.structuredContent"));
	else
		*answer = stage->way == CANCEL ? silence(stage, id) : answer_of(stage->client, id);
	json_decref(message);
	for (int wait = 0; held && access(stage->go, F_OK) == 0; wait++) {
		ck_assert_int_lt(wait, 10000);
		usleep(1000);
	}
	return held;
}

/* What a client can see of where the session stands. Last, it runs: that comes from where rr really
 * is, whatever gdb and the server believe. */
static json_t *footing(struct stage *stage)
{
	json_auto_t *points = call(stage, "rr_breakpoint_list", "{}");
	json_t *footing =
	    json_pack("{s:o, s:o, s:o, s:o, s:o}", "when", call(stage, "rr_when", "{}"),
		"backtrace", call(stage, "rr_backtrace", "{\"full\": true}"), "registers",
		call(stage, "rr_registers", "{}"), "value",
		call(stage, "rr_evaluate", "{\"expression\": \"value\"}"), "breakpoints",
		json_deep_copy(answer_at(points, "breakpoints.0.at")));

	json_object_set_new(footing, "next", call(stage, "rr_continue", "{}"));
	return footing;
}

static void go_to(struct client *client, const char *moment)
{
	client_tool_done(client, "rr_goto", "{s:s}", "moment", moment);
}

/* The same moment, reached anew. */
static void expect_exact(struct stage *stage, const json_t *here)
{
	json_auto_t *again = NULL;

	go_to(stage->client, stage->base);
	go_to(stage->client, answer_text(here, "when.moment"));
	again = footing(stage);
	ck_assert_msg(json_equal(here, again), "stood at %s, and coming back %s",
	    json_dumps(here, 0), json_dumps(again, 0));
}

/* An answer that is not the whole one must say why. */
static bool tells_cut(const struct stage *stage, const json_t *answer)
{
	static const char *const codes[WAYS] = {"cancelled", "cancelled", "timeout"};
	const json_t *code = answer_at(answer, "code"), *reason = answer_at(answer, "reason");
	const json_t *part = answer_at(answer, "cut_off");

	return part || (code && strcmp(json_string_value(code), codes[stage->way]) == 0) ||
	       (reason && strcmp(json_string_value(reason), "interrupted") == 0);
}

/* What the answer says of where the session stands: where it did, at a moment, or nothing. */
static void check_told(struct stage *stage, int command, const json_t *answer, const json_t *here)
{
	const json_t *moment = answer_at(answer, "moment");

	if (moment)
		expect_text(here, "when.moment", json_string_value(moment));
	else if (stage->way != CANCEL || stage->row < FIRST_MOVE)
		ck_assert_msg(json_equal(here, stage->before), "command %d moved it: %s", command,
		    json_dumps(here, 0));
}

/* A session that did not stop in time on a busy machine has been brought back. */
static void check_cut(struct stage *stage, int command, const json_t *answer)
{
	json_auto_t *here = NULL;

	if (json_equal(stage->whole, answer))
		return;
	ck_assert_msg(tells_cut(stage, answer), "cut off at command %d: %s, and whole: %s", command,
	    json_dumps(answer, 0), json_dumps(stage->whole, 0));
	here = footing(stage);
	if (!stage->restored)
		check_told(stage, command, answer, here);
	if (!json_equal(here, stage->before))
		expect_exact(stage, here);
}

static int step_of(const struct stage *stage)
{
	const char *which = getenv("CUTS");
	bool all = which && strcmp(which, "all") == 0;

	return all ? 1 : calls[stage->row].step * sparse[stage->way];
}

/* What the cut calls are compared with. */
static void look(struct stage *stage)
{
	json_decref(stage->whole);
	json_decref(stage->before);
	stage->restored = false;
	ck_assert(!cut(stage, NEVER, 0, &stage->whole));
	go_to(stage->client, stage->base);
	stage->before = footing(stage);
	go_to(stage->client, stage->base);
}

/* The interrupt reaches gdb before one command, and in the next. */
static void cut_each(struct stage *stage)
{
	json_t *answer;
	int told = 0;
	bool held = true;

	look(stage);
	for (int command = 1; held && command < COMMANDS_MAX; command += step_of(stage)) {
		held = cut(stage, command, command % 2, &answer);
		told += tells_cut(stage, answer);
		check_cut(stage, command, answer);
		json_decref(answer);
		go_to(stage->client, stage->base);
		if (stage->restored)
			look(stage);
	}
	ck_assert_int_gt(told, 0);
}

static char *run_on(struct client *client, int hits)
{
	json_auto_t *stop = client_tool(client, "rr_continue", "{s:i}", "count", hits);

	return strdup(answer_text(stop, "moment"));
}

static void cut_call(enum way way, int row)
{
	const char *only = getenv("CUTS_CALL");
	struct stage stage;

	if (only && strtol(only, NULL, 10) != row)
		return;
	stage = stage_open();
	stage.way = way;
	stage.row = row;
	fprintf(stderr, "%s %s\n", calls[row].tool, calls[row].arguments);
	json_decref(client_tool(
	    stage.client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM)));
	json_decref(client_tool(stage.client, "rr_breakpoint_set", "{s:s}", "location", LOCATION));
	stage.away = run_on(stage.client, HITS - AWAY_HITS);
	stage.base = run_on(stage.client, AWAY_HITS);
	if (calls[row].condition)
		json_decref(client_tool(stage.client, "rr_watchpoint_set", "{s:s, s:s}",
		    "expression", "value", "condition", calls[row].condition));
	cut_each(&stage);
	stage_close(&stage);
}

START_TEST(an_interrupt_at_any_command_is_told_and_moves_nothing_unseen)
{
	cut_call(INTERRUPT, _i);
}
END_TEST

START_TEST(a_cancellation_at_any_command_leaves_the_session_where_it_says)
{
	cut_call(CANCEL, _i);
}
END_TEST

START_TEST(a_deadline_at_any_command_is_told_and_the_session_stands_where_it_says)
{
	cut_call(DEADLINE, FIRST_MOVE + _i);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_interrupt_at_any_command_is_told_and_moves_nothing_unseen, CALL_COUNT},
	    {a_cancellation_at_any_command_leaves_the_session_where_it_says, CALL_COUNT},
	    {a_deadline_at_any_command_is_told_and_the_session_stands_where_it_says,
		CALL_COUNT - FIRST_MOVE},
	    {NULL, 0}};

	return scene_main_loops("interrupts", tests, (const char *const[]){PROGRAM, NULL});
}
