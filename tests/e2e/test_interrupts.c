/*
 * An interrupt may reach a call between any two commands that it gives gdb, or in the middle of
 * one. The answer is the whole one, or says that it was interrupted; and the session stands exactly
 * where it did, or where the answer says. The gdb is a double from tests/doubles that hands each
 * command on to the real one, and holds one of them until the interrupt is on its way.
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

#define COMMANDS_MAX 60 /* that a call may give gdb */
#define NEVER	     (GDB_LATER - 1)

static const struct {
	const char *tool, *arguments;
	int step; /* every command, or one of so many */
} calls[] = {
    {"rr_backtrace", "{\"full\": true}", 1},
    {"rr_type", "{\"expression\": \"field\"}", 1},
    {"rr_expand", "{\"expression\": \"field\"}", 1},
    {"rr_locals", "{}", 1},
    {"rr_evaluate", "{\"expression\": \"value\", \"at\": \"end\"}", 5},
    {"rr_last_change", "{\"expression\": \"value\"}", 7},
    {"rr_continue", "{\"reverse\": true}", 1},
    {"rr_next", "{\"reverse\": true}", 1},
    {"rr_step", "{}", 1},
    {"rr_finish", "{\"reverse\": true}", 7},
};
#define CALL_COUNT TIMES(calls)

struct stage {
	struct client *client;
	char *folder, *held, *go;
	const char *base; /* the moment where each call begins */
};

static struct stage stage_open(void)
{
	struct stage stage = {.folder = harness_scratch(0)};
	char *gdb = harness_path(stage.folder, GDB_HOLDS),
	     *real = harness_program("../doubles/gdb");
	char flag[512];

	harness_shell("cp '%s' '%s'", real, gdb);
	snprintf(flag, sizeof(flag), "--gdb=%s", gdb);
	stage.held = harness_path(stage.folder, GDB_HOLDS GDB_HELD);
	stage.go = harness_path(stage.folder, GDB_HOLDS GDB_GO);
	free(real);
	free(gdb);
	/* The double starts the real gdb, and writes files. */
	stage.client = client_start(&(struct client_options){
	    .args = (const char *const[]){flag, "--sandbox-seccomp=off", "--sandbox-mount_ns=off",
		"--sandbox-landlock=off", NULL}});
	return stage;
}

static void stage_close(struct stage *stage)
{
	client_end(stage->client);
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

static json_t *call(struct client *client, const char *tool, const char *arguments)
{
	return answer_of(client, client_tool_send(client, tool, json_loads(arguments, 0, NULL)));
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

/* The call's answer, with an interrupt at that command. False: it gives gdb fewer commands. */
static bool cut(struct stage *stage, int row, int command, int later, json_t **answer)
{
	char sign[64];
	json_t *message = NULL;
	long long id;
	bool held;

	unlink(stage->held);
	unlink(stage->go);
	snprintf(sign, sizeof(sign), "{\"expression\": \"" GDB_SIGN "%d\"}",
	    later * GDB_LATER + command);
	json_decref(call(stage->client, "rr_evaluate", sign));
	id = client_tool_send(
	    stage->client, calls[row].tool, json_loads(calls[row].arguments, 0, NULL));
	held = is_held(stage, id, &message);
	if (held)
		client_tool_done(stage->client, "rr_interrupt", NULL);
	harness_write_file(stage->go, "");
	*answer = held ? answer_of(stage->client, id)
		       : json_incref(answer_at(message, "result.structuredContent"));
	json_decref(message);
	for (int wait = 0; held && access(stage->go, F_OK) == 0; wait++) {
		ck_assert_int_lt(wait, 10000);
		usleep(1000);
	}
	return held;
}

/* What a client can see of where the session stands. */
static json_t *footing(struct client *client)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "when", call(client, "rr_when", "{}"), "backtrace",
	    call(client, "rr_backtrace", "{\"full\": true}"), "value",
	    call(client, "rr_evaluate", "{\"expression\": \"value\"}"), "breakpoints",
	    json_deep_copy(
		answer_at(call(client, "rr_breakpoint_list", "{}"), "breakpoints.0.at")));
}

static void go_to(struct client *client, const char *moment)
{
	client_tool_done(client, "rr_goto", "{s:s}", "moment", moment);
}

/* The same moment, reached anew. */
static void expect_exact(struct client *client, const char *base)
{
	json_auto_t *here = footing(client), *again = NULL;

	go_to(client, base);
	go_to(client, answer_text(here, "when.moment"));
	again = footing(client);
	ck_assert_msg(json_equal(here, again), "stood at %s, and coming back %s",
	    json_dumps(here, 0), json_dumps(again, 0));
}

/* An answer that is not the whole one must say why. */
static bool tells_interrupt(const json_t *answer)
{
	const json_t *code = answer_at(answer, "code"), *reason = answer_at(answer, "reason");

	return (code && strcmp(json_string_value(code), "cancelled") == 0) ||
	       (reason && strcmp(json_string_value(reason), "interrupted") == 0);
}

static void check_cut(
    struct stage *stage, int command, const json_t *whole, const json_t *answer, json_t *before)
{
	json_auto_t *here = NULL;

	if (json_equal(whole, answer))
		return;
	ck_assert_msg(tells_interrupt(answer), "interrupted at command %d: %s", command,
	    json_dumps(answer, 0));
	here = footing(stage->client);
	if (answer_at(answer, "code"))
		ck_assert_msg(json_equal(here, before), "command %d moved it: %s", command,
		    json_dumps(here, 0));
	else if (!json_equal(here, before))
		expect_exact(stage->client, stage->base);
}

/* The interrupt reaches gdb before one command, and in the next. */
static void interrupt_each(struct stage *stage, int row)
{
	json_t *whole, *before, *answer;
	int told = 0;
	bool held = true;

	ck_assert(!cut(stage, row, NEVER, 0, &whole));
	go_to(stage->client, stage->base);
	before = footing(stage->client);
	for (int command = 1; held && command < COMMANDS_MAX; command += calls[row].step) {
		held = cut(stage, row, command, command % 2, &answer);
		told += tells_interrupt(answer);
		check_cut(stage, command, whole, answer, before);
		json_decref(answer);
		go_to(stage->client, stage->base);
	}
	ck_assert_int_gt(told, 0);
	json_decref(whole);
	json_decref(before);
}

START_TEST(an_interrupt_at_any_command_is_told_and_moves_nothing_unseen)
{
	struct stage stage = stage_open();
	json_auto_t *stop = NULL;

	fprintf(stderr, "%s\n", calls[_i].tool);
	json_decref(client_tool(
	    stage.client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM)));
	json_decref(client_tool(stage.client, "rr_breakpoint_set", "{s:s}", "location", LOCATION));
	stop = client_tool(stage.client, "rr_continue", "{s:i}", "count", HITS);
	stage.base = answer_text(stop, "moment");
	interrupt_each(&stage, _i);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_interrupt_at_any_command_is_told_and_moves_nothing_unseen, CALL_COUNT}, {NULL, 0}};

	return scene_main_loops("interrupts", tests, (const char *const[]){PROGRAM, NULL});
}
