/*
 * The exchange with gdb: commands and answers, runs and stops, interrupts, and the ways it ends.
 */
#include "scripted.h"
#include "tests/runner.h"
#include "worker/gdb/check.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"

static struct scripted peer;

static struct gdb *begin(const struct line *script)
{
	scripted_begin(&peer, script, NULL);
	return peer.gdb;
}

static void end(void)
{
	gdb_free(peer.gdb);
	scripted_end(&peer);
}

START_TEST(a_command_gets_its_result)
{
	struct gdb *gdb =
	    begin(SCRIPT({"-data-evaluate-expression 1", "^done,value=\"1\"\n(gdb) "}));
	json_t *results;

	ck_assert_int_eq(gdb_command(gdb, &results, "-data-evaluate-expression %d", 1), GDB_DONE);
	ck_assert_str_eq(mi_text(results, "value"), "1");
	json_decref(results);
	end();
}
END_TEST

START_TEST(an_answer_with_another_token_is_nobodys)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "^done\n77^error,msg=\"not this one\""}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	end();
}
END_TEST

START_TEST(a_refusal_is_told_in_gdbs_words)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "^error,msg=\"No symbol \\\"x\\\".\""}));
	struct failure failure = {0};

	ck_assert(!gdb_check(gdb, gdb_command(gdb, NULL, "-a"), ERROR_NOT_FOUND, "look", &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_FOUND);
	ck_assert_str_eq(failure.message, "No symbol \"x\".");
	ck_assert(!peer.worker.broken);
	end();
}
END_TEST

START_TEST(what_a_command_prints_is_kept_until_the_next)
{
	struct gdb *gdb = begin(
	    SCRIPT({"-interpreter-exec console \"when\"", "~\"Current event: \"\n~\"7\\n\"\n^done"},
		{"-a", "^done"}));
	const char *text;

	ck_assert_int_eq(gdb_console(gdb, &text, "when"), GDB_DONE);
	ck_assert_str_eq(text, "Current event: 7\n");
	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	ck_assert_str_eq(gdb_console_text(gdb), "");
	end();
}
END_TEST

START_TEST(what_gdb_was_only_told_prints_into_no_answer)
{
	struct gdb *gdb = begin(SCRIPT({"-b", "~\"1 printer disabled\\n\"\n^done"},
	    {"-interpreter-exec console \"when\"", "~\"Completed event: 7\\n\"\n^done"}));
	const char *text;

	gdb_tell(gdb, "-b\n");
	ck_assert_int_eq(gdb_console(gdb, &text, "when"), GDB_DONE);
	ck_assert_str_eq(text, "Completed event: 7\n");
	end();
}
END_TEST

START_TEST(a_warning_is_kept_unless_it_is_about_a_source_that_was_not_found)
{
	struct gdb *gdb =
	    begin(SCRIPT({"-a", "&\"warning: 44\\t./nptl/x.c: No such file or directory\\n\"\n"
				"&\"warning: value is cut: No such file or directory\\n\"\n^done"},
		{"-b", "^done"}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	ck_assert_int_eq(gdb_command(gdb, NULL, "-b"), GDB_DONE);
	json_auto_t *warnings = exchange_take_warnings(gdb_exchange(gdb));
	ck_assert_uint_eq(json_array_size(warnings), 1);
	ck_assert_ptr_nonnull(strstr(json_string_value(json_array_get(warnings, 0)), "is cut"));
	end();
}
END_TEST

START_TEST(a_command_that_is_too_long_is_not_sent)
{
	static char text[GDB_COMMAND_MAX];
	struct gdb *gdb = begin(SCRIPT({"-a", "^done"}));

	memset(text, 'x', sizeof(text) - 1);
	ck_assert_int_eq(gdb_command(gdb, NULL, "%s", text), GDB_REFUSED);
	ck_assert_str_eq(gdb_message(gdb), "the command is too long");
	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	end();
}
END_TEST

START_TEST(a_run_lasts_until_the_program_has_stopped)
{
	struct gdb *gdb = begin(SCRIPT({"-exec-continue",
	    "^running\n*running,thread-id=\"all\"\n*stopped,reason=\"breakpoint-hit\""}));

	ck_assert_int_eq(gdb_run(gdb, "-exec-continue"), GDB_DONE);
	ck_assert_str_eq(mi_text(gdb_last_stop(gdb), "reason"), "breakpoint-hit");
	end();
}
END_TEST

START_TEST(of_several_stops_the_last_is_waited_for)
{
	struct gdb *gdb = begin(SCRIPT({"-exec-run", "^running\n*stopped,reason=\"first\""},
	    {"-gdb-show confirm", "*running,thread-id=\"all\"\n^done,value=\"off\"\n"
				  "*stopped,reason=\"second\""}));

	ck_assert_int_eq(gdb_run(gdb, "-exec-run"), GDB_DONE);
	ck_assert_int_eq(gdb_settle(gdb), GDB_DONE);
	ck_assert_str_eq(mi_text(gdb_last_stop(gdb), "reason"), "second");
	end();
}
END_TEST

START_TEST(a_run_that_fails_after_its_start_says_why)
{
	struct gdb *gdb = begin(SCRIPT({"-exec-continue",
	    "^running\n*running,thread-id=\"all\"\n&\"Warning:\\n\"\n"
	    "&\"Cannot insert breakpoint 2.\\n\"\n^error,msg=\"Command aborted.\""}));

	ck_assert_int_eq(gdb_run(gdb, "-exec-continue"), GDB_REFUSED);
	ck_assert_str_eq(gdb_message(gdb), "Cannot insert breakpoint 2. ");
	end();
}
END_TEST

START_TEST(a_run_that_an_assertion_of_gdb_ends_loses_the_session)
{
	struct gdb *gdb = begin(SCRIPT({"-exec-next",
	    "^running\n*running,thread-id=\"all\"\n&\"infrun.c:1: internal-error: f: no.\\n\"\n"
	    "&\"Command aborted.\\n\""}));
	struct failure failure = {0};

	ck_assert(!gdb_check(gdb, gdb_run(gdb, "-exec-next"), ERROR_NOT_FOUND, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_GDB_FAILED);
	ck_assert_ptr_nonnull(strstr(failure.message, "an assertion of gdb itself failed"));
	end();
}
END_TEST

START_TEST(the_breakpoint_that_a_command_makes_is_known_until_it_is_forgotten)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "=breakpoint-created,bkpt={number=\"4\"}\n^done"}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	ck_assert_int_eq(mi_number(gdb_created_breakpoint(gdb), "number", 0), 4);
	gdb_forget_created(gdb);
	ck_assert_ptr_null(gdb_created_breakpoint(gdb));
	end();
}
END_TEST

START_TEST(a_gdb_that_ends_loses_the_session_and_what_follows_is_not_sent)
{
	struct gdb *gdb = begin(SCRIPT({"-a", NULL}));
	struct failure failure = {0};

	ck_assert(!gdb_check(gdb, gdb_command(gdb, NULL, "-a"), ERROR_NOT_FOUND, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_GDB_FAILED);
	ck_assert_str_eq(failure.message, "gdb: it has ended");
	ck_assert(peer.worker.broken);
	ck_assert_int_eq(gdb_command(gdb, NULL, "-b"), GDB_LOST);
	end();
}
END_TEST

START_TEST(a_record_that_cannot_be_read_loses_the_session)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "1^done,value={"}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_LOST);
	ck_assert(peer.worker.broken);
	end();
}
END_TEST

/* From then on every call gets this error, and the session must be restored. */
START_TEST(a_gdb_that_disagrees_with_rr_about_the_registers_loses_the_session)
{
	static const char *const said[] = {
	    ("^error,msg=\"Remote 'g' packet reply is too long (expected 560 bytes, got 816 "
	     "bytes): "
	     "00\""),
	    "^error,msg=\"Truncated register 37 in remote 'g' packet\"",
	    "&\"Remote 'g' packet reply is too long (expected 560 bytes, got 816 bytes): 00\\n\"",
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		struct gdb *gdb = begin(SCRIPT({"-a", said[i]}));
		struct failure failure = {0};

		ck_assert(
		    !gdb_check(gdb, gdb_command(gdb, NULL, "-a"), ERROR_NOT_FOUND, NULL, &failure));
		ck_assert_int_eq(failure.code, ERROR_GDB_FAILED);
		ck_assert_ptr_nonnull(strstr(failure.message, "registers"));
		ck_assert(peer.worker.broken);
		end();
	}
}
END_TEST

/* gdb tells only its log, and answers that all is well. */
START_TEST(a_watchpoint_that_gdb_does_not_enable_is_no_success)
{
	static const char unread[] = "&\"Cannot enable watchpoint 8: No symbol \\\"x\\\".\\n\"\n";
	char both[300], one[200];
	struct gdb *gdb;
	const char *log;
	char why[40];

	snprintf(both, sizeof(both), "%s&\"Cannot enable watchpoint 7: Quit\\n\"\n^done\n(gdb) ",
	    unread);
	snprintf(one, sizeof(one), "%s^done\n(gdb) ", unread);
	gdb = begin(SCRIPT({"-break-enable 7 8", both}, {"-break-enable 7 8", one}));
	/* An interrupt that was meant for the command before: once more. */
	gdb_must(gdb, NULL, "-break-enable 7 8");
	ck_assert(!peer.worker.broken);
	log = gdb_log_text(gdb);
	ck_assert_int_eq(exchange_unenabled(&log, why, sizeof(why)), 8);
	ck_assert_str_eq(why, "No symbol \"x\".");
	ck_assert_int_eq(exchange_unenabled(&log, why, sizeof(why)), 0);
	end();
}
END_TEST

static const struct {
	const char *log, *message;
} given_up[] = {
    {"&\"Error evaluating expression for watchpoint 72\\n\"\n&\"Quit\\n\"\n",
	"gdb: it was interrupted while it compared a watched value, and gave the watchpoint up"},
    {"&\"Error in re-setting breakpoint 3: Quit\\n\"\n",
	"gdb: it was interrupted while it set a breakpoint again"},
};

/* A run in which gdb logs this. */
static enum gdb_outcome run_with(const char *log)
{
	char answer[200];
	struct gdb *gdb;

	snprintf(answer, sizeof(answer), "^running\n%s*stopped,thread-id=\"1\"\n(gdb) ", log);
	gdb = begin(SCRIPT({"-exec-continue", answer}));
	return gdb_run(gdb, "-exec-continue");
}

START_TEST(what_gdb_gives_up_by_itself_loses_the_session)
{
	for (size_t i = 0; i < sizeof(given_up) / sizeof(*given_up); i++) {
		ck_assert_int_eq(run_with(given_up[i].log), GDB_LOST);
		ck_assert_str_eq(gdb_message(peer.gdb), given_up[i].message);
		end();
	}
}
END_TEST

/* A search notices by itself that a value cannot be read, and a name may have gone with its
 * library. */
START_TEST(what_gdb_cannot_read_or_set_again_loses_nothing)
{
	static const char *const logs[] = {"&\"Error evaluating expression for watchpoint 3\\n\"\n"
					   "&\"Division by zero\\n\"\n&\"Quit\\n\"\n",
	    "&\"Error in re-setting breakpoint 3: No symbol \\\"x\\\".\\n\"\n"};

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		ck_assert_int_eq(run_with(logs[i]), GDB_DONE);
		end();
	}
}
END_TEST

START_TEST(other_lines_between_the_records_do_not_matter)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "BFD: something is odd\n^done"}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	end();
}
END_TEST

#define CUT_OFF "^error,msg=\"Remote connection closed\""

START_TEST(without_rr_the_session_is_lost)
{
	struct gdb *gdb = begin(SCRIPT({"-a", CUT_OFF}));

	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_LOST);
	ck_assert_str_eq(gdb_message(gdb), "gdb: it lost its connection to rr");
	end();
}
END_TEST

START_TEST(where_rr_may_end_a_run_ends_with_it)
{
	struct gdb *gdb = begin(
	    SCRIPT({"-exec-continue",
		       "^running\n*running,thread-id=\"all\"\n&\"Remote connection closed\\n\""},
		{"-gdb-show confirm", "^done"}));

	gdb_expect_end(gdb, true);
	ck_assert_int_eq(gdb_run(gdb, "-exec-continue"), GDB_DONE);
	ck_assert(gdb_has_lost_rr(gdb));
	ck_assert(!peer.worker.broken);
	ck_assert_int_eq(gdb_settle(gdb), GDB_DONE);
	gdb_expect_end(gdb, false);
	ck_assert(!gdb_has_lost_rr(gdb));
	end();
}
END_TEST

START_TEST(parting_from_rr_forgets_the_stop)
{
	struct gdb *gdb = begin(SCRIPT({"-exec-continue", "^running\n*stopped,reason=\"x\""},
	    {"-target-disconnect", CUT_OFF}, {"-a", CUT_OFF}));

	gdb_run(gdb, "-exec-continue");
	ck_assert_int_eq(gdb_disconnect(gdb), GDB_DONE);
	ck_assert_ptr_null(gdb_last_stop(gdb));
	/* From then on, rr is needed again. */
	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_LOST);
	end();
}
END_TEST

START_TEST(an_interrupt_breaks_off_what_gdb_computes_once_an_operation)
{
	struct gdb *gdb =
	    begin(SCRIPT({"-a", ""}, {INTERRUPTED, "^error,msg=\"Quit\""}, {"-b", "^done"},
		{"-interpreter-exec console \"maintenance flush register-cache\"", "^done"},
		{"-c", "^done"}));
	struct failure failure = {0};

	peer.worker.interrupt = INTERRUPT_TIMEOUT;
	ck_assert(!gdb_check(gdb, gdb_command(gdb, NULL, "-a"), ERROR_NOT_FOUND, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_TIMEOUT);
	ck_assert(gdb_was_interrupted(gdb));
	/* The commands that describe the stop are not interrupted too. */
	ck_assert_int_eq(gdb_command(gdb, NULL, "-b"), GDB_DONE);
	/* In the next operation, gdb unwinds the frames again. */
	peer.worker.interrupt = INTERRUPT_NONE;
	ck_assert_int_eq(gdb_command(gdb, NULL, "-c"), GDB_DONE);
	ck_assert(!gdb_was_interrupted(gdb));
	end();
}
END_TEST

static char side_bytes[16];

static bool read_side(void *owner, int fd)
{
	ssize_t got = read(fd, side_bytes, sizeof(side_bytes) - 1);

	(void)owner;
	return got > 0;
}

/* A pipe beside gdb, as for the program's output. */
static int watch_side(struct gdb *gdb)
{
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	gdb_watch(gdb, ends[0], read_side);
	return ends[1];
}

START_TEST(what_the_program_prints_is_read_while_gdb_is_waited_for)
{
	struct gdb *gdb = begin(SCRIPT({"-a", "^done"}));
	int side = watch_side(gdb);

	ck_assert_int_eq(write(side, "hello", 5), 5);
	while (!side_bytes[0])
		ck_assert_int_eq(gdb_wait(gdb, -1), GDB_DONE);
	ck_assert_str_eq(side_bytes, "hello");
	ck_assert_int_eq(gdb_command(gdb, NULL, "-a"), GDB_DONE);
	end();
}
END_TEST

static bool explain(void *owner, char *text, size_t size)
{
	(void)owner;
	snprintf(text, size, "rr has died");
	return true;
}

START_TEST(a_tool_that_ends_loses_the_session_for_its_own_reason)
{
	struct gdb *gdb = begin(SCRIPT({0}));
	struct failure failure = {0};

	gdb_on_loss(gdb, explain);
	close(watch_side(gdb));
	ck_assert(!gdb_check(gdb, gdb_wait(gdb, -1), ERROR_NOT_FOUND, NULL, &failure));
	ck_assert_int_eq(failure.code, ERROR_RR_FAILED);
	ck_assert_str_eq(failure.message, "rr has died");
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_command_gets_its_result,
	    an_answer_with_another_token_is_nobodys, a_refusal_is_told_in_gdbs_words,
	    what_a_command_prints_is_kept_until_the_next,
	    what_gdb_was_only_told_prints_into_no_answer,
	    a_warning_is_kept_unless_it_is_about_a_source_that_was_not_found,
	    a_command_that_is_too_long_is_not_sent, a_run_lasts_until_the_program_has_stopped,
	    of_several_stops_the_last_is_waited_for, a_run_that_fails_after_its_start_says_why,
	    a_run_that_an_assertion_of_gdb_ends_loses_the_session,
	    the_breakpoint_that_a_command_makes_is_known_until_it_is_forgotten,
	    a_gdb_that_ends_loses_the_session_and_what_follows_is_not_sent,
	    a_record_that_cannot_be_read_loses_the_session,
	    a_gdb_that_disagrees_with_rr_about_the_registers_loses_the_session,
	    a_watchpoint_that_gdb_does_not_enable_is_no_success,
	    what_gdb_gives_up_by_itself_loses_the_session,
	    what_gdb_cannot_read_or_set_again_loses_nothing,
	    other_lines_between_the_records_do_not_matter, without_rr_the_session_is_lost,
	    where_rr_may_end_a_run_ends_with_it, parting_from_rr_forgets_the_stop,
	    an_interrupt_breaks_off_what_gdb_computes_once_an_operation,
	    what_the_program_prints_is_read_while_gdb_is_waited_for,
	    a_tool_that_ends_loses_the_session_for_its_own_reason, NULL};

	return run_tests("gdb", tests, NULL, NULL);
}
