/*
 * A processor's counter that counts, but with which rr cannot record or replay: the server finds
 * that out with /bin/true before the first recording, and goes on with the software counter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tests/e2e/scene.h"

#define PATH_SIZE 4096

/* rr is the real one, but `%s` fails with the processor's counter. What works with that counter
 * works with the software counter in truth, whose library is not passed on by a shell. It notes in
 * a file beside it what it does with the processor's, as long as it may write there.
 */
#define RR                                                                                         \
	"#!/bin/sh\n"                                                                              \
	"number='/^rr version/ { print $3 * 10000 + $4 * 100 + $5 }'\n"                            \
	"RR_WARDEN_RR_VERSION=$(/usr/bin/rr --version | awk -F '[ .]' \"$number\")\n"              \
	"export RR_WARDEN_RR_VERSION LD_LIBRARY_PATH='%s' LD_PRELOAD=softpmu.so\n"                 \
	"unset RR_WARDEN_SOFTPMU\n"                                                                \
	"case $1 in record|replay) ;; *) exec /usr/bin/rr \"$@\";; esac\n"                         \
	"{ echo $1 >>\"$0.log\"; } 2>/dev/null\n"                                                  \
	"[ $1 != %s ] || exit 1\n"                                                                 \
	"exec /usr/bin/rr -A 'Intel Skylake' \"$@\"\n"

struct machine {
	char *folder, *rr, *trace;
	struct client *client;
};

/* A server on a machine with such a counter. */
static struct machine machine_with(const char *broken, const char *mode)
{
	struct machine machine = {.folder = harness_scratch(0)};
	cleanup_free char *library = harness_program("../doubles/counter.so");
	char script[2 * PATH_SIZE], preload[PATH_SIZE], temporary[PATH_SIZE], rr[PATH_SIZE];

	machine.rr = harness_path(machine.folder, "rr");
	machine.trace = harness_path(machine.folder, "trace");
	cleanup_free char *libraries = harness_program("../../libexec/rr-warden");
	snprintf(script, sizeof(script), RR, libraries, broken);
	harness_write_file(machine.rr, script);
	ck_assert_int_eq(chmod(machine.rr, 0700), 0);
	/* The loader takes a space in LD_PRELOAD for the end of a name. */
	harness_shell("cp '%s' '%s'", library, machine.folder);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/counter.so", machine.folder);
	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", machine.folder);
	snprintf(rr, sizeof(rr), "--rr=%s", machine.rr);
	machine.client =
	    client_start(&(struct client_options){.args = (const char *const[]){rr, mode, NULL},
		.env = (const char *const[]){preload, temporary, NULL}});
	return machine;
}

static void machine_end(struct machine *machine)
{
	client_end(machine->client);
	free(machine->rr);
	free(machine->trace);
	harness_scratch_free(machine->folder);
}

/* How often rr was asked for this, with a counter of the processor. */
static int times(const struct machine *machine, const char *command)
{
	cleanup_free char *path = harness_path(machine->folder, "rr.log");
	cleanup_free char *log = harness_file(path);
	int count = 0;

	if (!log)
		return 0;
	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		count += strcmp(line, command) == 0;
	return count;
}

/* False on a processor that this rr does not know, at all or yet: there is nothing to try. Only who
 * asks for its counter is told. */
static bool processor_is_known(void)
{
	struct machine machine = machine_with("nothing", "--pmu=hardware");
	long long id = client_tool_send(
	    machine.client, "rr_record", json_pack("{s:[s]}", "command", "/bin/true"));
	json_auto_t *answer = client_wait(machine.client, id, HARNESS_TIMEOUT_S);
	cleanup_free char *text = json_dumps(answer, 0);
	bool known = text && !strstr(text, "rr does not know th");

	if (!known)
		puts("skipped: rr does not know this processor");
	machine_end(&machine);
	return known;
}

static void expect_recording(struct machine *machine, const char *pmu)
{
	json_auto_t *recorded =
	    client_tool(machine->client, "rr_record", "{s:[s]}", "command", "/bin/true");

	expect_text(recorded, "pmu", pmu);
	client_tool_done(
	    machine->client, "rr_rm", "{s:s}", "trace_dir", answer_text(recorded, "trace_dir"));
}

static void expect_fallback(const char *broken, const char *why)
{
	if (!processor_is_known())
		return;
	struct machine machine = machine_with(broken, "--pmu=auto");
	json_auto_t *status = client_tool(machine.client, "rr_status", NULL);

	expect_text(status, "pmu.kind", "software");
	ck_assert_msg(strstr(answer_text(status, "pmu.why"), why) != NULL, "%s",
	    answer_text(status, "pmu.why"));
	expect_recording(&machine, "software");
	expect_recording(&machine, "software");
	ck_assert_int_eq(times(&machine, "record"), 1);
	harness_shell("test -z \"$(ls -d '%s'/rr-warden-proof* 2>/dev/null)\"", machine.folder);
	machine_end(&machine);
}

START_TEST(a_counter_that_rr_cannot_record_with_is_not_used)
{
	expect_fallback("record", "rr could not record /bin/true with it");
}
END_TEST

START_TEST(a_counter_whose_recording_does_not_replay_is_not_used)
{
	expect_fallback("replay", "rr could not replay a recording of /bin/true with it");
}
END_TEST

START_TEST(a_counter_proves_itself_once_and_is_used)
{
	if (!processor_is_known())
		return;
	struct machine machine = machine_with("nothing", "--pmu=auto");

	expect_recording(&machine, "hardware");
	expect_recording(&machine, "hardware");
	ck_assert_int_eq(times(&machine, "replay"), 1);
	machine_end(&machine);
}
END_TEST

START_TEST(who_asks_for_the_processors_counter_gets_it_untried)
{
	if (!processor_is_known())
		return;
	struct machine machine = machine_with("replay", "--pmu=hardware");

	expect_recording(&machine, "hardware");
	ck_assert_int_eq(times(&machine, "replay"), 0);
	machine_end(&machine);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_counter_that_rr_cannot_record_with_is_not_used,
	    a_counter_whose_recording_does_not_replay_is_not_used,
	    a_counter_proves_itself_once_and_is_used,
	    who_asks_for_the_processors_counter_gets_it_untried, NULL};
	return scene_main("counter", tests, (const char *const[]){NULL});
}
