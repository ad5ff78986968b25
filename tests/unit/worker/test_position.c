/*
 * Where the session stands according to rr, and the ways to another moment.
 */
#include "session.h"
#include "tests/runner.h"
#include "worker/moment/instant/fingerprint.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"

static const struct moment wanted = {.event = 20, .ticks = 500, .tid = 7, .pc = 0x4010};

START_TEST(rrs_words_become_a_moment)
{
	struct failure failure = {0};

	session_begin(SCRIPT({"-exec-continue", STOPPED("", "0x4010")}, STANDS(12, 345)));
	ck_assert_int_eq(gdb_run(replay->gdb, "-exec-continue"), GDB_DONE);
	ck_assert(position_update(replay, &failure));
	ck_assert_int_eq(replay->moment.event, 12);
	ck_assert_int_eq(replay->moment.ticks, 345);
	ck_assert_int_eq(replay->moment.tid, 7);
	ck_assert_int_eq(replay->moment.pc, 0x4010);
}
END_TEST

START_TEST(an_rr_that_names_the_completed_event_means_the_same)
{
	struct failure failure = {0};
	struct moment moment;

	session_begin(SCRIPT(CONSOLE("when", "Completed event: 11"), TICKS(345)));
	ck_assert(position_read(replay, &moment, &failure));
	ck_assert_int_eq(moment.event, 12);
}
END_TEST

START_TEST(an_rr_that_does_not_say_where_it_stands_is_a_failure)
{
	struct failure failure = {0};
	struct moment moment;

	session_begin(SCRIPT(CONSOLE("when", "not now")));
	ck_assert(!position_read(replay, &moment, &failure));
	ck_assert_int_eq(failure.code, ERROR_RR_FAILED);
	ck_assert_ptr_nonnull(strstr(failure.message, "not now"));
}
END_TEST

/* `run N` ends where N is completed, so the event before is what rr is asked for. */
START_TEST(an_event_is_reached_by_one_restart)
{
	struct failure failure = {0};

	session_begin(SCRIPT(RESTART("19", "0x4000"), STANDS(20, 400)));
	ck_assert(position_go_event(replay, 20, &failure));
	ck_assert_int_eq(replay->moment.event, 20);
}
END_TEST

/* To the event, and from there to a pass of the instruction. */
#define TO_INSTRUCTION                                                                             \
	RESTART("19", "0x4000"), STANDS(20, 400),                                                  \
	    {"-break-insert -h *0x4010", "^done,bkpt={number=\"3\"}"},                             \
	{                                                                                          \
		"-break-list", "^done"                                                             \
	}
#define NEXT_PASS(ticks) {"-exec-continue", STOPPED(BREAKPOINT_HIT(3), "0x4010")}, STANDS(20, ticks)

START_TEST(a_known_instruction_is_reached_by_a_breakpoint_that_is_taken_away)
{
	struct failure failure = {0};

	session_begin(
	    SCRIPT(TO_INSTRUCTION, NEXT_PASS(450), NEXT_PASS(500), {"-break-delete 3", "^done"}));
	ck_assert(position_go(replay, &wanted, &failure));
	ck_assert_int_eq(replay->moment.ticks, 500);
}
END_TEST

/* If the breakpoint misses the ticks, rr seeks them from an earlier event of the task; if that one
 * does, too, steps would go on from there. */
START_TEST(a_moment_that_the_program_does_not_pass_is_an_error)
{
	struct failure failure = {0};

	session_begin(SCRIPT(TO_INSTRUCTION, NEXT_PASS(501), {"-break-delete 3", "^done"},
	    RESTART("18", "0x3000"), STANDS(19, 300), RESTART("t500", "0x4008"), STANDS(20, 501),
	    {"-break-insert -h *0x4010", "^done,bkpt={number=\"4\"}"}, {"-break-list", "^done"},
	    {"-break-delete 4", "^done"}, RESTART("18", "0x3000"), STANDS(19, 300),
	    RESTART("t500", "0x4008"), STANDS(20, 501)));
	ck_assert(!position_go(replay, &wanted, &failure));
	ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "the program does not reach 20:500@4010: "));
}
END_TEST

/* Registers and stack, from which the sum of an instant is made. */
#define SUMMED(rax)                                                                                \
	{"-data-list-register-values --thread 1 --frame 0 x 0 1 *",                                \
	    "^done,register-values=[{number=\"0\",value=\"" rax "\"}]"},                           \
	{                                                                                          \
		"-data-read-memory-bytes *", "^done"                                               \
	}
#define FRAME(pc)                                                                                  \
	{                                                                                          \
		"-stack-info-frame --thread 1 --frame 0",                                          \
		    "^done,frame={level=\"0\",addr=\"" pc "\"}"                                    \
	}
#define RAX(rax)                                                                                   \
	{                                                                                          \
		"-data-list-register-values --thread 1 --frame 0 x 0",                             \
		    "^done,register-values=[{number=\"0\",value=\"" rax "\"}]"                     \
	}
#define IN_CALL "0xffffffffffffffda"

static unsigned sum_of_call_that_returned(void)
{
	unsigned sum;

	session_begin(SCRIPT(SUMMED("0x0")));
	replay->selected.number = 1;
	sum = fingerprint_sum(replay);
	return sum;
}

/* rr stopped after it had run mmap, and before it counted the event as done. */
START_TEST(a_call_done_before_its_event_is_where_the_next_event_begins)
{
	struct moment done = wanted;
	struct failure failure = {0};

	done.sum = sum_of_call_that_returned();
	session_begin(SCRIPT(RESTART("19", "0x4010"), STANDS(20, 500), SUMMED(IN_CALL),
	    RAX(IN_CALL), RESTART("20", "0x4010"), STANDS(21, 500), FRAME("0x4010"), SUMMED("0x0"),
	    FRAME("0x4010"), SUMMED("0x0")));
	ck_assert_msg(position_go(replay, &done, &failure), "%s", failure.message);
	ck_assert_int_eq(replay->moment.event, 21);
}
END_TEST

START_TEST(beyond_the_end_no_event_is_sought)
{
	struct failure failure = {0};

	session_begin(SCRIPT({0}));
	replay->end = (struct moment){.event = 15, .ticks = 400, .tid = 7};
	ck_assert(position_is_beyond(replay, wanted.event, &failure));
	ck_assert_ptr_nonnull(strstr(failure.message, "the process ends at event 15"));
}
END_TEST

START_TEST(from_the_end_rr_is_not_asked_for_a_later_event)
{
	struct failure failure = {0};

	session_begin(SCRIPT({0}));
	replay->moment = replay->end = (struct moment){.event = 15, .ticks = 400, .tid = 7};
	ck_assert(position_go_event(replay, REPLAY_EVENT_FAR, &failure));
}
END_TEST

START_TEST(what_rr_holds_is_returned_to_by_its_number_as_long_as_that_rr_lives)
{
	struct failure failure = {0};
	int held;

	session_begin(SCRIPT(CONSOLE("checkpoint", "Checkpoint 4 at 0x4010"),
	    RESTART("c4", "0x4010"), STANDS(20, 500), CONSOLE("delete checkpoint 4", "")));
	held = position_hold(replay);
	ck_assert(position_is_held(replay, held));
	ck_assert(position_return(replay, held, NULL, &failure));
	position_release(replay, held);
	replay->rr_number++;
	ck_assert(!position_is_held(replay, held));
	position_release(replay, held);
}
END_TEST

START_TEST(where_rr_keeps_no_checkpoint_nothing_is_held)
{
	session_begin(SCRIPT(CONSOLE("checkpoint", "The program is not being run.")));
	ck_assert_int_eq(position_hold(replay), 0);
	ck_assert(!position_is_held(replay, 0));
}
END_TEST

START_TEST(a_moment_survives_as_json)
{
	struct moment back, exact = {.event = 20, .ticks = 1LL << 60, .tid = 7, .pc = 0xffff8000};
	json_auto_t *json = moment_json(&exact);

	ck_assert(moment_from_json(json, &back));
	ck_assert(back.event == exact.event && back.ticks == exact.ticks && back.tid == exact.tid &&
		  back.pc == exact.pc);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {rrs_words_become_a_moment,
	    an_rr_that_names_the_completed_event_means_the_same,
	    an_rr_that_does_not_say_where_it_stands_is_a_failure,
	    an_event_is_reached_by_one_restart,
	    a_known_instruction_is_reached_by_a_breakpoint_that_is_taken_away,
	    a_moment_that_the_program_does_not_pass_is_an_error,
	    a_call_done_before_its_event_is_where_the_next_event_begins,
	    beyond_the_end_no_event_is_sought, from_the_end_rr_is_not_asked_for_a_later_event,
	    what_rr_holds_is_returned_to_by_its_number_as_long_as_that_rr_lives,
	    where_rr_keeps_no_checkpoint_nothing_is_held, a_moment_survives_as_json, NULL};

	return run_tests("position", tests, NULL, session_end);
}
