/*
 * What agents learn about a stop, from the output of gdb and rr.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/session/breakpoints.h"
#include "worker/session/stop.h"

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

/* Runs, stops as in the script, and describes it. */
static json_t *describe(enum direction direction)
{
	struct failure failure = {0};
	json_t *stop;

	ck_assert_int_eq(gdb_run(replay->gdb, "-exec-continue"), GDB_DONE);
	stop = stop_describe(replay, direction, NULL, &failure);
	ck_assert_msg(stop != NULL, "%s", failure.message);
	return stop;
}

static void expect(const json_t *stop, const char *name, const char *text)
{
	ck_assert_str_eq(json_string_value(json_object_get(stop, name)), text);
}

static void keep(bool watches, const char *what, int gdb_number)
{
	struct breakpoint breakpoint = {.watches = watches, .what = strdup(what)};
	struct failure failure = {0};

	ck_assert_ptr_nonnull(breakpoints_keep(replay, &breakpoint, gdb_number, &failure));
}

static void end(json_t *stop)
{
	json_decref(stop);
	session_end();
}

START_TEST(a_breakpoint_is_named_by_the_clients_number)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS(BREAKPOINT_HIT(5))));
	keep(false, "first", 4);
	keep(false, "main", 5);
	stop = describe(FORWARD);
	expect(stop, "reason", "breakpoint");
	expect(stop, "moment", "12:345");
	expect(json_object_get(stop, "frame"), "function", "main");
	ck_assert_int_eq(json_integer_value(json_object_get(stop, "breakpoint")), 2);
	end(stop);
}
END_TEST

START_TEST(a_temporary_breakpoint_is_forgotten_when_it_was_hit)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS("reason=\"breakpoint-hit\",disp=\"del\",bkptno=\"5\",")));
	keep(false, "main", 5);
	stop = describe(FORWARD);
	ck_assert_int_eq(json_integer_value(json_object_get(stop, "breakpoint")), 1);
	ck_assert_uint_eq(replay->breakpoints.count, 0);
	end(stop);
}
END_TEST

START_TEST(an_internal_breakpoint_has_no_number_for_clients)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS(BREAKPOINT_HIT(6))));
	keep(false, "main", 5);
	stop = describe(FORWARD);
	ck_assert_ptr_null(json_object_get(stop, "breakpoint"));
	end(stop);
}
END_TEST

#define CHANGED                                                                                    \
	"reason=\"watchpoint-trigger\",wpt={number=\"5\",exp=\"*(int *) 0x10\"},"                  \
	"value={old=\"1\",new=\"2\"},"

START_TEST(a_change_is_told_in_the_clients_words)
{
	json_t *stop, *watch;

	session_begin(SCRIPT(STOPS(CHANGED)));
	keep(true, "counter", 5);
	stop = describe(FORWARD);
	watch = json_object_get(stop, "watch");
	expect(stop, "reason", "watchpoint");
	expect(watch, "expression", "counter");
	expect(watch, "old", "1");
	expect(watch, "new", "2");
	end(stop);
}
END_TEST

/* x86 has no debug register for reads alone. */
START_TEST(a_read_may_have_been_a_write_and_that_is_told)
{
	json_t *stop;

	session_begin(
	    SCRIPT(STOPS("reason=\"read-watchpoint-trigger\",hw-rwpt={number=\"5\",exp=\"x\"},"
			 "value={value=\"2\"},")));
	keep(true, "x", 5);
	stop = describe(FORWARD);
	ck_assert_ptr_nonnull(
	    strstr(json_string_value(json_object_get(stop, "note")), "rr_value_history"));
	end(stop);
}
END_TEST

START_TEST(backward_old_and_new_are_those_of_the_program)
{
	json_t *stop, *watch;

	session_begin(SCRIPT(STOPS(CHANGED)));
	keep(true, "counter", 5);
	stop = describe(BACKWARD);
	watch = json_object_get(stop, "watch");
	expect(watch, "old", "2");
	expect(watch, "new", "1");
	end(stop);
}
END_TEST

START_TEST(a_watched_local_that_is_gone_is_forgotten)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS("reason=\"watchpoint-scope\",wpnum=\"5\",")));
	keep(true, "local", 5);
	stop = describe(FORWARD);
	ck_assert(json_is_true(json_object_get(json_object_get(stop, "watch"), "out_of_scope")));
	ck_assert_uint_eq(replay->breakpoints.count, 0);
	end(stop);
}
END_TEST

START_TEST(a_signal_is_told_by_its_name)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS("reason=\"signal-received\",signal-name=\"SIGSEGV\",")));
	stop = describe(FORWARD);
	expect(stop, "reason", "signal");
	expect(stop, "signal", "SIGSEGV");
	ck_assert(replay->at_signal);
	end(stop);
}
END_TEST

/* rr stops with SIGKILL there. */
START_TEST(the_end_is_told_as_such_and_known_from_then_on)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS("reason=\"signal-received\",signal-name=\"SIGKILL\",")));
	stop = describe(FORWARD);
	expect(stop, "reason", "end");
	ck_assert(replay->at_end);
	ck_assert_int_eq(replay->end.event, 12);
	end(stop);
}
END_TEST

/* rr gives no reason there. */
START_TEST(backward_a_stop_without_a_reason_is_the_start)
{
	json_t *stop;

	session_begin(SCRIPT(STOPS("reason=\"signal-received\",signal-name=\"0\",")));
	stop = describe(BACKWARD);
	expect(stop, "reason", "start");
	end(stop);
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
	end(NULL);
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
	expect(failure.details, "reason", "interrupted");
	ck_assert_ptr_nonnull(strstr(failure.message, "event 12, ticks 345"));
	end(failure.details);
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

	return run_tests("stops", tests, NULL, NULL);
}
