/*
 * Who is told of an interrupt, and when: at each time of each kind of command.
 */
#include "tests/runner.h"
#include "worker/gdb/interruption.h"

#define TOKEN 7

static struct interruption interruption;
static struct interrupted met;
static bool works;

static void meet(bool resuming)
{
	interruption = (struct interruption){0};
	works = true;
	met = (struct interrupted){
	    .now = 1000, .token = TOKEN, .resuming = resuming, .has_rr = true, .rr_runs = resuming};
}

static enum interruption_step after(long long ms)
{
	met.now += ms;
	met.worked += works ? ms : 0;
	return interruption_next(&interruption, &met);
}

START_TEST(a_brief_command_is_let_end_and_a_long_one_gets_one_signal)
{
	meet(false);
	ck_assert_int_eq(interruption_wait(&interruption, -1), -1);
	ck_assert_int_eq(after(0), TELL_NOBODY);
	ck_assert_int_gt(interruption_wait(&interruption, -1), 0);
	ck_assert_int_eq(after(400), TELL_NOBODY);
	ck_assert_int_eq(after(200), TELL_GDB);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
	ck_assert_int_eq(interruption_wait(&interruption, -1), -1);
}
END_TEST

/* On a busy machine. */
START_TEST(gdb_has_its_time_as_work_of_its_own_but_not_for_ever)
{
	for (int runs = 0; runs < 2; runs++) {
		meet(runs);
		ck_assert_int_eq(after(0), runs ? TELL_RR : TELL_NOBODY);
		met.rr_runs = works = false;
		ck_assert_int_eq(after(0), TELL_NOBODY);
		ck_assert_int_eq(after(1900), TELL_NOBODY);
		ck_assert_int_eq(after(1200), TELL_GDB);
	}
}
END_TEST

START_TEST(what_tells_how_far_it_came_has_longer)
{
	meet(false);
	ck_assert_int_eq(after(0), TELL_NOBODY);
	met.token++;
	ck_assert_int_eq(after(2000), TELL_NOBODY);
	met.resuming = true; /* to go back */
	ck_assert_int_eq(after(60000), TELL_NOBODY);
	met.resuming = false;
	ck_assert_int_eq(after(0), TELL_GDB);
}
END_TEST

START_TEST(rr_is_told_at_once_and_gdb_has_its_time_from_the_stop_on)
{
	meet(true);
	ck_assert_int_eq(after(0), TELL_RR);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
	met.rr_runs = false;
	ck_assert_int_eq(after(0), TELL_NOBODY);
	ck_assert_int_eq(after(900), TELL_NOBODY);
	met.rr_runs = true; /* gdb lets it go on */
	ck_assert_int_eq(after(900), TELL_NOBODY);
	met.rr_runs = false;
	ck_assert_int_eq(after(0), TELL_NOBODY);
	ck_assert_int_eq(after(1100), TELL_GDB);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
}
END_TEST

START_TEST(what_follows_a_run_or_restarts_is_not_signalled)
{
	meet(true);
	met.restarting = true;
	ck_assert_int_eq(after(0), TELL_RR);
	met.rr_runs = false;
	ck_assert_int_eq(after(60000), TELL_NOBODY);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
	met.resuming = met.restarting = false;
	met.token++;
	ck_assert_int_eq(after(0), TELL_NOBODY);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
}
END_TEST

START_TEST(a_run_without_rr_is_gdbs)
{
	meet(true);
	met.has_rr = false;
	ck_assert_int_eq(after(0), TELL_GDB);
	ck_assert_int_eq(after(60000), TELL_NOBODY);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_brief_command_is_let_end_and_a_long_one_gets_one_signal,
	    gdb_has_its_time_as_work_of_its_own_but_not_for_ever,
	    what_tells_how_far_it_came_has_longer,
	    rr_is_told_at_once_and_gdb_has_its_time_from_the_stop_on,
	    what_follows_a_run_or_restarts_is_not_signalled, a_run_without_rr_is_gdbs, NULL};

	return run_tests("interruption", tests, NULL, NULL);
}
