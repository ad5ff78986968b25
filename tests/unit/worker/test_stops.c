/*
 * What agents learn about a stop, from the output of gdb and rr.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/breaks/breakpoints.h"
#include "worker/run/stop.h"

/* Whatever tells the passes of one instruction apart. */
#define INSTANT                                                                                    \
	{"-data-list-register-values --thread 1 --frame 0 x "                                      \
	 "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",                                                  \
	    "^done,register-values=[{number=\"0\",value=\"0x7\"}]"},                               \
	{                                                                                          \
		"-data-read-memory-bytes --thread 1 --frame 0 $sp 128",                            \
		    "^error,msg=\"Unable to read memory.\""                                        \
	}
#define STOPS(reason) {"-exec-continue", STOPPED(reason, "0x4010")}, STANDS(12, 345), INSTANT

static json_t *stop; /* the answer of the test that runs */

/* Runs, stops as in the script, and describes it. */
static void describe(enum direction direction)
{
	struct failure failure = {0};

	ck_assert_int_eq(gdb_run(replay->gdb, "-exec-continue"), GDB_DONE);
	stop = stop_describe(replay, direction, NULL, &failure);
	ck_assert_msg(stop != NULL, "%s", failure.message);
}

static void expect(const char *name, const char *text)
{
	ck_assert_str_eq(json_string_value(json_object_get(stop, name)), text);
}

static void expect_in(const char *part, const char *name, const char *text)
{
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_object_get(stop, part), name)), text);
}

static void expect_change(const char *expression, const char *old, const char *new)
{
	expect_in("watch", "expression", expression);
	expect_in("watch", "old", old);
	expect_in("watch", "new", new);
}

static void keep(bool watches, const char *what, int gdb_number)
{
	struct breakpoint breakpoint = {.watches = watches, .what = strdup(what)};
	struct failure failure = {0};

	ck_assert_ptr_nonnull(breakpoints_keep(replay, &breakpoint, gdb_number, &failure));
}

static void end(void)
{
	json_decref(stop);
	stop = NULL;
	session_end();
}

static const char *moment_told(void)
{
	return json_string_value(json_object_get(stop, "moment"));
}

START_TEST(a_breakpoint_is_named_by_the_clients_number)
{
	session_begin(SCRIPT(STOPS(BREAKPOINT_HIT(5))));
	keep(false, "first", 4);
	keep(false, "main", 5);
	describe(FORWARD);
	expect("reason", "breakpoint");
	ck_assert_int_eq(strncmp(moment_told(), "12:345@4010.", 12), 0);
	expect_in("frame", "function", "main");
	ck_assert_int_eq(json_integer_value(json_object_get(stop, "breakpoint")), 2);
}
END_TEST

START_TEST(a_temporary_breakpoint_is_forgotten_when_it_was_hit)
{
	session_begin(SCRIPT(STOPS("reason=\"breakpoint-hit\",disp=\"del\",bkptno=\"5\",")));
	keep(false, "main", 5);
	describe(FORWARD);
	ck_assert_int_eq(json_integer_value(json_object_get(stop, "breakpoint")), 1);
	ck_assert_uint_eq(replay->breakpoints->count, 0);
}
END_TEST

START_TEST(an_internal_breakpoint_has_no_number_for_clients)
{
	session_begin(SCRIPT(STOPS(BREAKPOINT_HIT(6))));
	keep(false, "main", 5);
	describe(FORWARD);
	ck_assert_ptr_null(json_object_get(stop, "breakpoint"));
}
END_TEST

#define CHANGED                                                                                    \
	"reason=\"watchpoint-trigger\",wpt={number=\"5\",exp=\"*(int *) 0x10\"},"                  \
	"value={old=\"1\",new=\"2\"},"

START_TEST(a_change_is_told_in_the_clients_words)
{
	session_begin(SCRIPT(STOPS(CHANGED)));
	keep(true, "counter", 5);
	describe(FORWARD);
	expect("reason", "watchpoint");
	expect_change("counter", "1", "2");
}
END_TEST

/* x86 has no debug register for reads alone. */
START_TEST(a_read_may_have_been_a_write_and_that_is_told)
{
	session_begin(SCRIPT(
	    {"-exec-continue",
		STOPPED("reason=\"read-watchpoint-trigger\",hw-rwpt={number=\"5\",exp=\"x\"},"
			"value={value=\"2\"},",
		    "0x4010")},
	    STANDS(12, 345),
	    {"-var-create --thread 1 --frame 0 v * \"(unsigned long)$pc\"",
		"^done,value=\"16400\",type=\"unsigned long\""},
	    {"-var-delete v", ""},
	    {"-data-read-memory-bytes 0x4001 15",
		"^done,memory=[{begin=\"0x4001\",offset=\"0x0\",end=\"0x4010\",contents="
		"\"909090909090909090909090908b00\"}]"},
	    {"-var-create --thread 1 --frame 0 v * \"sizeof(void *)\"",
		"^done,value=\"8\",type=\"unsigned long\""},
	    {"-var-delete v", ""}, INSTANT));
	keep(true, "x", 5);
	describe(FORWARD);
	ck_assert_ptr_nonnull(
	    strstr(json_string_value(json_object_get(stop, "note")), "rr_value_history"));
}
END_TEST

START_TEST(backward_old_and_new_are_those_of_the_program)
{
	session_begin(SCRIPT(STOPS(CHANGED)));
	keep(true, "counter", 5);
	describe(BACKWARD);
	expect_change("counter", "2", "1");
}
END_TEST

START_TEST(a_watched_local_that_is_gone_is_forgotten)
{
	session_begin(SCRIPT(STOPS("reason=\"watchpoint-scope\",wpnum=\"5\",")));
	keep(true, "local", 5);
	describe(FORWARD);
	ck_assert(json_is_true(json_object_get(json_object_get(stop, "watch"), "out_of_scope")));
	ck_assert_uint_eq(replay->breakpoints->count, 0);
}
END_TEST

#define describe_signal(name, direction)                                                           \
	do {                                                                                       \
		session_begin(                                                                     \
		    SCRIPT(STOPS("reason=\"signal-received\",signal-name=\"" name "\",")));        \
		describe(direction);                                                               \
	} while (0)

START_TEST(a_signal_is_told_by_its_name)
{
	describe_signal("SIGSEGV", FORWARD);
	expect("reason", "signal");
	expect("signal", "SIGSEGV");
	ck_assert(replay->at_signal);
}
END_TEST

/* rr stops with SIGKILL there. */
START_TEST(the_end_is_told_as_such_and_known_from_then_on)
{
	describe_signal("SIGKILL", FORWARD);
	expect("reason", "end");
	ck_assert(replay->at_end);
	ck_assert_int_eq(replay->end.event, 12);
}
END_TEST

/* rr gives no reason there. */
START_TEST(backward_a_stop_without_a_reason_is_the_start)
{
	describe_signal("0", BACKWARD);
	expect("reason", "start");
}
END_TEST

START_TEST(without_a_moment_there_is_no_answer)
{
	struct failure failure = {0};

	session_begin(SCRIPT({"-exec-continue", STOPPED(BREAKPOINT_HIT(5), "0x4010")}, THREAD(1, 7),
	    CONSOLE("when", "not now")));
	ck_assert_int_eq(gdb_run(replay->gdb, "-exec-continue"), GDB_DONE);
	ck_assert_ptr_null(stop_answer(replay, FORWARD, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_RR_FAILED);
}
END_TEST

START_TEST(a_run_that_took_too_long_says_where_it_was_interrupted)
{
	struct failure failure = {0};

	session_begin(SCRIPT({"-exec-continue", "^running\n*running,thread-id=\"all\""},
	    {INTERRUPTED,
		"*stopped,reason=\"signal-received\",signal-name=\"0\",frame={func=\"f\"},"
		"thread-id=\"1\""},
	    STANDS(12, 345)));
	peer.worker.interrupt = INTERRUPT_TIMEOUT;
	ck_assert_int_eq(gdb_run(replay->gdb, "-exec-continue"), GDB_DONE);
	ck_assert_ptr_null(stop_answer(replay, FORWARD, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_TIMEOUT);
	stop = failure.details;
	expect("reason", "interrupted");
	ck_assert_ptr_nonnull(strstr(failure.message, "now at 12:345"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_breakpoint_is_named_by_the_clients_number,
	    a_temporary_breakpoint_is_forgotten_when_it_was_hit,
	    an_internal_breakpoint_has_no_number_for_clients, a_change_is_told_in_the_clients_words,
	    a_read_may_have_been_a_write_and_that_is_told,
	    backward_old_and_new_are_those_of_the_program,
	    a_watched_local_that_is_gone_is_forgotten, a_signal_is_told_by_its_name,
	    the_end_is_told_as_such_and_known_from_then_on,
	    backward_a_stop_without_a_reason_is_the_start, without_a_moment_there_is_no_answer,
	    a_run_that_took_too_long_says_where_it_was_interrupted, NULL};

	return run_tests("stops", tests, NULL, end);
}
