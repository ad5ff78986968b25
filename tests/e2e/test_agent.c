/*
 * How an agent gets from a failing program to the line at fault in few calls and few characters: it
 * reads each answer's text, and takes its next question from there.
 */
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define CALLS_MAX      4
#define CHARACTERS_MAX 4000

struct agent {
	struct place place;
	char *read; /* all that it has read */
	int calls;
};

static struct agent agent_open(void)
{
	return (struct agent){.place = place_open(), .read = strdup("")};
}

static void agent_close(struct agent *agent)
{
	ck_assert_int_le(agent->calls, CALLS_MAX);
	ck_assert_msg(strlen(agent->read) <= CHARACTERS_MAX, "%zu characters: %s",
	    strlen(agent->read), agent->read);
	free(agent->read);
	place_close(&agent->place);
}

static void ask(struct agent *agent, const char *tool, json_t *args)
{
	long long id = client_tool_send(agent->place.client, tool, args);
	json_auto_t *answer = client_wait(agent->place.client, id, HARNESS_TIMEOUT_S);
	char *all = NULL;

	if (answer == NULL || answer_true(answer, "result.isError"))
		harness_fail("%s: %s", tool, answer_show(answer));
	if (asprintf(&all, "%s%s\n", agent->read, answer_text(answer, "result.content.0.text")) < 0)
		harness_fail("out of memory");
	free(agent->read);
	agent->read = all;
	agent->calls++;
}

static void record(struct agent *agent, const char *name)
{
	cleanup_free char *program = harness_program(name);

	ask(agent, "rr_record",
	    json_pack("{s:[s], s:s}", "command", program, "trace_dir", agent->place.trace));
	ask(agent, "rr_crash_report", json_pack("{s:s}", "trace_dir", agent->place.trace));
}

static void expect_read(const struct agent *agent, const char *text)
{
	ck_assert_msg(strstr(agent->read, text) != NULL, "no \"%s\" in:\n%s", text, agent->read);
}

/* "store (tests/programs/lost_update.c:30)" */
static void expect_place(
    const struct agent *agent, const char *format, const char *program, const char *line)
{
	char text[200];

	snprintf(text, sizeof(text), format, program, harness_line(program, line));
	expect_read(agent, text);
}

START_TEST(what_took_the_queue_away_is_found)
{
	struct agent agent = agent_open();

	record(&agent, "early_close");
	expect_read(&agent, "SIGSEGV");
	expect_place(&agent, "consume (tests/programs/%s.c:%lld)", "early_close",
	    "pthread_mutex_lock(&fifo->lock);");
	expect_place(&agent, "main () at tests/programs/%s.c:%lld", "early_close",
	    "pthread_barrier_wait(&closed);");
	/* In newer C libraries, its waiting part has no name of its own. */
	if (strverscmp(gnu_get_libc_version(), "2.41") < 0)
		expect_read(&agent, "waits_for barrier closed:");
	ck_assert_ptr_null(strstr(agent.read, "waits_for mutex")); /* it crashes there */
	ask(&agent, "rr_last_change", json_pack("{s:s}", "expression", "fifo"));
	expect_place(&agent, "queue_close wrote fifo (tests/programs/%s.c:%lld)", "early_close",
	    "fifo = NULL");
	/* main calls it, while the consumer still runs. */
	expect_place(
	    &agent, "main () at tests/programs/%s.c:%lld", "early_close", "queue_close(); /*");
	agent_close(&agent);
}
END_TEST

START_TEST(the_clerk_that_wrote_what_was_no_longer_true_is_found)
{
	struct agent agent = agent_open();

	record(&agent, "lost_update");
	expect_read(&agent, "balance 110, not 160");
	ask(&agent, "rr_last_change", json_pack("{s:s}", "expression", "account.balance"));
	expect_place(&agent, "store wrote account.balance (tests/programs/%s.c:%lld)",
	    "lost_update", "account.balance = value;");
	/* 150 was there, and what is written comes from the 100 that was read before. */
	expect_read(&agent, "it was 150\nand is  110");
	expect_place(&agent, "#1 slow_clerk (amount=0xa) at tests/programs/%s.c:%lld",
	    "lost_update", "store(seen + (long)amount);");
	agent_close(&agent);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_took_the_queue_away_is_found,
	    the_clerk_that_wrote_what_was_no_longer_true_is_found, NULL};
	return scene_main("agent", tests, (const char *const[]){NULL});
}
