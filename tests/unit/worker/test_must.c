/*
 * What gdb refuses although later answers rest on it: the session is lost, and no answer is made
 * from what comes after.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/gdb/library.h"
#include "worker/gdb/must.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/values/printers.h"
#include "worker/session/selection.h"
#include "worker/moment/signals.h"

#define NO   "^error,msg=\"No.\""
#define QUIT "^error,msg=\"Quit\""
#define PYTHON_QUIT                                                                                \
	"&\"Traceback (most recent call last):\\nKeyboardInterrupt\\n\"\n"                         \
	"^error,msg=\"Error while executing Python code.\""
#define SAYS(command) "-interpreter-exec console \"" command "\""

/* The worker makes an error of every answer once there is a loss, and restores the session. */
static void expect_lost(const char *words)
{
	ck_assert(peer.worker.broken);
	ck_assert_int_eq(peer.worker.loss.code, ERROR_GDB_FAILED);
	ck_assert_msg(strstr(peer.worker.loss.message, words), "%s", peer.worker.loss.message);
	ck_assert_int_eq(gdb_command(replay->gdb, NULL, "-break-list"), GDB_LOST);
	session_end();
}

static void keep_one(int number)
{
	struct breakpoint breakpoint = {.what = strdup("f")};
	struct failure failure = {0};

	ck_assert_ptr_nonnull(breakpoints_keep(replay, &breakpoint, number, &failure));
}

static void suspend(void)
{
	keep_one(3);
	breakpoints_suspend(replay);
}

static void count_hits(void)
{
	keep_one(3);
	breakpoints_count_hits(replay);
}

static void leave(void)
{
	keep_one(3);
	breakpoints_leave(replay);
}

static void delete_internal(void)
{
	temporary_breakpoint_delete(replay, 5);
}

static void insert_internal(void)
{
	ck_assert_int_eq(temporary_breakpoint_insert(replay, "*0x4010"), 0);
}

static void find_thread(void)
{
	ck_assert_int_eq(selection_number(replay, 7), 0);
}

static void pass_signals(void)
{
	signals_pass_all(replay);
}

static void stop_at_faults(void)
{
	signals_stop_at_faults(replay);
}

static void end_printers(void)
{
	replay->taught.printers_loaded = true;
	printers_begin(replay);
	printers_end(replay);
}

/* Each sends a command that is refused: as the first one, or after one that is obeyed. */
START_TEST(what_must_be_obeyed_and_is_refused_costs_the_session)
{
	static const struct {
		void (*act)(void);
		struct line before, refused;
	} cases[] = {
	    {suspend, {0}, {"-break-disable 3", NO}},
	    {count_hits, {0}, {"-break-list", NO}},
	    {leave, {0}, {"-break-list", NO}},
	    {leave, {"-break-list", "^done,BreakpointTable={body=[]}"}, {"-break-delete", NO}},
	    {delete_internal, {0}, {"-break-delete 5", NO}},
	    {insert_internal, {0}, {"-break-insert *0x4010", NO}},
	    {find_thread, {0}, {"-thread-info", NO}},
	    {pass_signals, {0}, {SAYS("handle all nostop noprint pass"), NO}},
	    {pass_signals, {SAYS("handle all nostop noprint pass"), "^done"},
		{SAYS("handle SIGKILL stop print pass"), NO}},
	    {stop_at_faults, {0}, {"-interpreter-exec console \"handle SIGSEGV *", NO}},
	    {end_printers, {SAYS(LIBRARY_PRINTERS_ON), "^done"}, {SAYS(LIBRARY_PRINTERS_OFF), NO}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct line one[] = {cases[i].refused, {0}};
		const struct line two[] = {cases[i].before, cases[i].refused, {0}};

		session_begin(cases[i].before.command ? two : one);
		cases[i].act();
		expect_lost("it refused ");
	}
}
END_TEST

/* An interrupt that comes late meets the next command. */
START_TEST(what_an_interrupt_met_is_sent_again)
{
	session_begin(SCRIPT({"-break-delete 5", QUIT}, {"-break-delete 5", "^done"}));
	temporary_breakpoint_delete(replay, 5);
	ck_assert(!peer.worker.broken);
	session_end();
}
END_TEST

START_TEST(what_an_interrupt_met_in_python_is_sent_again)
{
	session_begin(SCRIPT({SAYS("python f()"), PYTHON_QUIT}, {SAYS("python f()"), "^done"}));
	gdb_must_console(replay->gdb, "python f()");
	ck_assert(!peer.worker.broken);
	session_end();
}
END_TEST

START_TEST(a_refusal_that_harms_no_answer_costs_nothing)
{
	json_t *results;

	session_begin(SCRIPT({"-stack-info-frame", NO}, {SAYS("enable pretty-printer"), NO}));
	gdb_try(replay->gdb, &results, "-stack-info-frame");
	ck_assert_ptr_null(results);
	replay->taught.printers_loaded = true;
	printers_begin(replay); /* a gdb without Python has none to disable */
	printers_end(replay);
	ck_assert(!peer.worker.broken);
	session_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_must_be_obeyed_and_is_refused_costs_the_session,
	    what_an_interrupt_met_is_sent_again, what_an_interrupt_met_in_python_is_sent_again,
	    a_refusal_that_harms_no_answer_costs_nothing, NULL};

	return run_tests("must", tests, NULL, session_end);
}
