/*
 * When rr itself stops or is killed, no answer takes that for the program's end, and the trace can
 * be replayed up to there.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "tests/e2e/scene.h"

#define PROGRAM "recorder_dies"
#define EVENTS	(1 << 20)

/* Records the program with an argument; rr stops. */
static json_t *record(struct place *place, const char *what)
{
	cleanup_free char *program = harness_program(PROGRAM);

	return client_tool_fails(place->client, "rr_record", "rr_failed", "{s:[s,s], s:s}",
	    "command", program, what, "trace_dir", place->trace);
}

static void expect_end(struct client *client, const char *trace, const char *why)
{
	expect_answer_within(
	    client_tool(client, "rr_crash_report", "{s:s}", "trace_dir", trace), "conclusion", why);
	expect_all(
	    client_tool(client, "rr_replay_start", "{s:s, s:s}", "trace_dir", trace, "at", "end"),
	    IS("reason", "end"), HAS("note", "the program had not ended"), HAS("note", why));
	expect_value(client, "reached", "1");
	expect_all(client_tool(client, "rr_continue", "{s:b}", "reverse", 1), ABSENT("note"));
}

START_TEST(an_rr_that_stops_is_no_end_of_the_program)
{
	cleanup_place struct place place = place_open();
	json_auto_t *answer = record(&place, _i ? "others" : "int1");

	expect_within(answer, "message", "rr itself stopped at event ");
	expect_within(answer, "message", "(assertion: expected breakpoint");
	expect_within(answer, "message", "the program had not ended");
	expect_within(answer, "message", "can be replayed");
	expect_text(answer, "stdout", "working\n");
	expect_within(answer, "stderr", "before\n");
	ck_assert_ptr_null(strstr(answer_text(answer, "stderr"), "FATAL"));
	ck_assert_ptr_null(json_object_get(answer, "exit_code"));
	/* to the end, which rr 5.9 words in another way */
	harness_shell(
	    "grep -q '^.FATAL' '%1$s' && grep -qE '=== End rr backtrace|aborting emergency' '%1$s'",
	    answer_text(answer, "rr_said"));
	expect_all(client_tool(place.client, "rr_ps", "{s:s}", "trace_dir", place.trace),
	    ABSENT("processes.0.exit_code"), ABSENT("processes.0.signal"));
	expect_end(place.client, place.trace, "rr itself stopped at event ");
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "end"),
	    HAS("note", "the program had not ended"));
}
END_TEST

/* Takes the last block of events, which the server wrote, out of the trace again. */
static void open_end(const char *trace)
{
	cleanup_free char *path = harness_path(trace, "events");
	static uint8_t bytes[EVENTS];
	uint32_t size;
	off_t at = 0, last = 0;

	ck_assert_int_eq(chmod(path, 0600), 0);
	cleanup_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t length = read(fd, bytes, sizeof(bytes));
	while (at < length) {
		last = at;
		memcpy(&size, bytes + at, sizeof(size));
		at += 8 + size;
	}
	ck_assert_int_eq(at, length);
	ck_assert_int_eq(ftruncate(fd, last), 0);
}

/* One for each way in which rr meets it: in its buffer, behind the call, and before it. */
static const char *const bad_pointers[] = {"read", "getitimer", "sendmmsg"};

START_TEST(a_bad_pointer_that_rr_does_not_survive_is_named_as_the_cause)
{
	cleanup_place struct place place = place_open();
	json_auto_t *answer = record(&place, bad_pointers[_i]);

	expect_within(answer, "message", "the program had not ended");
	expect_within(answer, "hint", "answers a bad pointer with EFAULT");
	expect_answer_within(
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace),
	    "conclusion", "rr itself stopped at event ");
}
END_TEST

START_TEST(a_trace_that_is_cut_off_works_up_to_its_end)
{
	cleanup_place struct place place = place_open();

	json_decref(record(&place, "int1"));
	open_end(place.trace);
	expect_end(place.client, place.trace, "rr itself stopped at event ");
	expect_answer_within(client_tool_fails(place.client, "rr_continue", NULL, NULL), "message",
	    "the program had not ended");
	expect_all(client_tool(place.client, "rr_goto", "{s:s}", "moment", "end"),
	    HAS("note", "the program had not ended"));
}
END_TEST

START_TEST(an_rr_that_is_killed_says_by_what)
{
	static const struct {
		int signal;
		const char *said;
	} rows[] = {{SIGKILL, "rr itself was killed by SIGKILL: the machine ran out of memory"},
	    {SIGXFSZ, "rr itself was killed by SIGXFSZ: a file of the trace reached the limit"}};
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);
	char number[16];

	snprintf(number, sizeof(number), "%d", rows[_i].signal);
	json_auto_t *answer = client_tool_fails(place.client, "rr_record", "rr_failed",
	    "{s:[s,s,s], s:s}", "command", program, "kill", number, "trace_dir", place.trace);
	expect_within(answer, "message", rows[_i].said);
	expect_within(answer, "message", "the program had not ended");
	expect_within(answer, "message", "cannot be replayed");
	ck_assert_int_ne(access(place.trace, F_OK), 0);
}
END_TEST

START_TEST(an_attempt_in_which_rr_stops_is_spoilt)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);
	cleanup_free char *file = harness_path(place.folder, "once");
	json_auto_t *answer = client_tool_fails(place.client, "rr_record_until", "rr_failed",
	    "{s:[s], s:i, s:s}", "command", program, "attempts", 5, "trace_dir", place.trace);

	expect_within(
	    answer, "message", "attempt 3 of 5 failed in rr itself: rr itself stopped at");
	expect_number(answer, "attempts", 3);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(json_object_get(answer, "endings"), "rr failed")),
	    3);
	expect_end(place.client, place.trace, "rr itself stopped at event ");
	json_auto_t *mixed = client_tool(place.client, "rr_record_until", "{s:[s,s,s], s:i}",
	    "command", program, "once", file, "attempts", 3);
	expect_within(mixed, "note", "It never failed in the 2 attempts");
	expect_within(mixed, "note", "1 more");
	ck_assert_int_eq(
	    json_integer_value(json_object_get(json_object_get(mixed, "endings"), "rr failed")), 1);
}
END_TEST

START_TEST(record_until_says_that_rr_stopped)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);

	harness_shell("cd '%s' && _RR_TRACE_DIR=$PWD '%s' record-until -n 2 '%s' >out 2>err\n"
		      "[ $? = 2 ] && grep -q 'rr itself stopped at event' err && [ ! -s out ] || "
		      "{ cat err out; exit 1; }",
	    place.folder, harness_server(), program);
}
END_TEST

START_TEST(a_bad_name_is_carried_over_rr)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM);

	expect_all(client_tool(place.client, "rr_record", "{s:[s,s], s:s}", "command", program,
		       "null", "trace_dir", place.trace),
	    NUMBER("exit_code", 7), IS("stdout", "working\n"));
	harness_shell(
	    "'%s' --pmu=software rr replay -a '%s' >/dev/null 2>&1", harness_server(), place.trace);
}
END_TEST

START_TEST(a_program_that_traces_others_is_refused_at_once)
{
	static const char *const tracers[] = {"strace", "gdb", "valgrind", "gdbserver-12"};
	cleanup_place struct place place = place_open();
	cleanup_free char *tracer = harness_path(place.folder, tracers[_i]);

	harness_shell("cp /bin/true '%s'", tracer);
	expect_answer_within(client_tool_fails(place.client, "rr_record", "unsupported",
				 "{s:[s,s]}", "command", tracer, "./a"),
	    "message", "a program that traces others cannot be recorded");
}
END_TEST

/* Whatever starts it, and whoever asks. */
static const struct {
	const char *tool, *name;
} started[] = {
    {"rr_record", "gdb"}, {"rr_record", "memcheck-amd64-linux"}, {"rr_record_until", "ltrace"}};

START_TEST(a_tracer_that_a_shell_starts_ends_the_recording)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *tracer = harness_path(place.folder, started[_i].name);
	char script[512];

	harness_shell("cp /bin/sleep '%s'", tracer);
	snprintf(script, sizeof(script), "(trap '' TERM; '%s' 1000; :); :", tracer);
	json_auto_t *answer = client_tool_fails(place.client, started[_i].tool, "unsupported",
	    "{s:[s,s,s], s:s}", "command", "/bin/sh", "-c", script, "trace_dir", place.trace);
	expect_within(answer, "message", "it started one that traces others");
	expect_within(answer, "message", _i == 1 ? "memcheck-amd64-" : started[_i].name);
	expect_within(answer, "hint", "record the traced program itself");
	ck_assert_int_ne(access(place.trace, F_OK), 0);
}
END_TEST

/* Programs of Go and of releases, for instance. */
START_TEST(a_program_with_the_processor_in_its_name_is_no_tracer)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *named = harness_path(place.folder, "tool-amd64");
	cleanup_free char *trace = harness_path(place.folder, "started");

	harness_shell("cp /bin/sleep '%s'", named);
	expect_all(client_tool(place.client, "rr_record", "{s:[s,s], s:s}", "command", named, "0.1",
		       "trace_dir", place.trace),
	    NUMBER("exit_code", 0));
	/* Longer than from one look for tracers to the next. */
	expect_all(client_tool(place.client, "rr_record", "{s:[s,s,s,s], s:s}", "command",
		       "/bin/sh", "-c", "\"$0\" 2.5; exit 3", named, "trace_dir", trace),
	    NUMBER("exit_code", 3), ABSENT("ended_by"));
}
END_TEST

/* The words by which rr says that it could not make the trace's directory. */
START_TEST(a_program_that_prints_words_of_rr_is_recorded_once)
{
	cleanup_place struct place place = place_open();

	expect_all(
	    client_tool(place.client, "rr_record", "{s:[s,s,s], s:s, s:s}", "command", "/bin/sh",
		"-c", "echo make_trace_dir: already exists >&2; echo >>runs; exit $(wc -l <runs)",
		"working_directory", place.folder, "trace_dir", place.trace),
	    NUMBER("exit_code", 1), IS("trace_dir", place.trace));
}
END_TEST

/* rr takes these for what never changes, but for the last one, and would keep their names alone: a
 * replay is not shown any file that a trace names, and the file may be gone by then. */
static const struct {
	const char *mode, *way;
} mapped[] = {{"0444", "private"}, {"0444", "shared"}, {"0555", "private"}, {"0644", "private"}};

START_TEST(a_file_of_data_that_is_mapped_is_in_the_recording)
{
	cleanup_place struct place place = place_open();
	setenv("TMPDIR", "/var/tmp", 1); /* rr copies all that is below /tmp */
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("maps_data"),
			  *data = harness_path(folder, "data");

	harness_shell("echo 'the old words' >'%s' && chmod %s '%s'", data, mapped[_i].mode, data);
	json_decref(client_tool(place.client, "rr_record", "{s:[s,s,s], s:s}", "command", program,
	    data, mapped[_i].way, "trace_dir", place.trace));
	harness_shell("rm -f '%s' && echo 'the new words' >'%s'", data, data);
	free(client_replay(place.client, place.trace));
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "end"),
	    HAS("output", "the old words"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {an_rr_that_stops_is_no_end_of_the_program, 2},
	    {a_bad_pointer_that_rr_does_not_survive_is_named_as_the_cause, TIMES(bad_pointers)},
	    {a_trace_that_is_cut_off_works_up_to_its_end, 1},
	    {an_rr_that_is_killed_says_by_what, 2},
	    {an_attempt_in_which_rr_stops_is_spoilt, 1},
	    {record_until_says_that_rr_stopped, 1},
	    {a_bad_name_is_carried_over_rr, 1},
	    {a_program_that_traces_others_is_refused_at_once, 4},
	    {a_tracer_that_a_shell_starts_ends_the_recording, TIMES(started)},
	    {a_program_with_the_processor_in_its_name_is_no_tracer, 1},
	    {a_program_that_prints_words_of_rr_is_recorded_once, 1},
	    {a_file_of_data_that_is_mapped_is_in_the_recording, TIMES(mapped)},
	    {NULL, 0},
	};

	return scene_main_loops("recorder", tests, (const char *const[]){NULL});
}
