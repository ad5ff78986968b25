/*
 * The packets between gdb and rr, and the corrections on the way: the thread of a reverse resume,
 * an interrupt that surely ends the run.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/relay.h"
#include "tests/runner.h"

static struct relay *relay;

static void begin(void)
{
	relay = relay_new();
	ck_assert_ptr_nonnull(relay);
}

static void end(void)
{
	relay_free(relay);
}

static void say(enum relay_end from, const char *bytes)
{
	ck_assert(relay_take(relay, from, bytes, strlen(bytes)));
}

/* Expects these packets for one end, and removes them. */
static void expect(enum relay_end to, const char *bytes)
{
	size_t length;
	const char *pending = relay_pending(relay, to, &length);

	ck_assert_msg(length == strlen(bytes) && (!length || !memcmp(pending, bytes, length)),
	    "%.*s where %s was expected", (int)length, pending ? pending : "", bytes);
	relay_sent(relay, to, length);
}

/* Every session begins so: it switches acknowledgements off. */
static void begin_without_acks(void)
{
	begin();
	say(RELAY_GDB, "+$QStartNoAckMode#b0");
	expect(RELAY_GDB, "+");
	expect(RELAY_RR, "$QStartNoAckMode#b0");
	say(RELAY_RR, "+$OK#9a");
	expect(RELAY_RR, "+");
	expect(RELAY_GDB, "$OK#9a");
	say(RELAY_GDB, "+");
	expect(RELAY_RR, "");
}

/* gdb resumes all threads, and the program stops in one. */
static void stop_forward_in(const char *thread)
{
	char failure[64];

	say(RELAY_GDB, "$vCont;c#a8");
	expect(RELAY_RR, "$vCont;c#a8");
	snprintf(failure, sizeof(failure), "$T05thread:%s;#00", thread);
	say(RELAY_RR, failure);
	expect(RELAY_GDB, failure);
}

/* Its reply waits until our kernel has confirmed that. */
START_TEST(an_acknowledgement_that_rr_writes_alone_is_confirmed)
{
	begin();
	say(RELAY_GDB, "$vMustReplyEmpty#3a");
	expect(RELAY_GDB, "+");
	expect(RELAY_RR, "$vMustReplyEmpty#3a");
	say(RELAY_RR, "+");
	expect(RELAY_RR, "+");
	say(RELAY_RR, "$#00");
	expect(RELAY_RR, "+");
	expect(RELAY_GDB, "$#00");
	end();
}
END_TEST

START_TEST(packets_pass_as_they_are_whole_or_in_pieces)
{
	begin_without_acks();
	say(RELAY_GDB, "$m40");
	expect(RELAY_RR, "");
	say(RELAY_GDB, "00,8#");
	expect(RELAY_RR, "");
	say(RELAY_GDB, "11$g#67");
	expect(RELAY_RR, "$m4000,8#11$g#67");
	say(RELAY_RR, "$00#60");
	expect(RELAY_GDB, "$00#60");
	end();
}
END_TEST

START_TEST(before_a_reverse_continue_rr_is_told_again_whom_gdb_means)
{
	begin_without_acks();
	say(RELAY_GDB, "$Hcp1.-1#00");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "$Hcp1.-1#00");
	expect(RELAY_GDB, "$OK#9a");
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$bc#c5");
	say(RELAY_RR, "$T05thread:p1.1;#00");
	expect(RELAY_GDB, "$T05thread:p1.1;#00");
	stop_forward_in("p1.2");
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$Hcp1.-1#d8$bc#c5");
	/* gdb did not ask, so it gets no answer. */
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, "");
	say(RELAY_RR, "$T05thread:p1.3;#00");
	expect(RELAY_GDB, "$T05thread:p1.3;#00");
	/* And again when gdb resumes by itself. */
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$Hcp1.-1#d8$bc#c5");
	end();
}
END_TEST

START_TEST(a_step_back_is_of_the_thread_that_gdb_named)
{
	begin_without_acks();
	say(RELAY_GDB, "$Hcp1.2#00");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "$Hcp1.2#00");
	expect(RELAY_GDB, "$OK#9a");
	stop_forward_in("p1.3");
	say(RELAY_GDB, "$bs#d5");
	expect(RELAY_RR, "$Hcp1.2#ac$bs#d5");
	say(RELAY_RR, "$OK#9a$T05thread:p1.2;#00");
	expect(RELAY_GDB, "$T05thread:p1.2;#00");
	/* A row of steps stays a row to rr. */
	say(RELAY_GDB, "$bs#d5");
	expect(RELAY_RR, "$bs#d5");
	end();
}
END_TEST

START_TEST(an_interrupt_reaches_rr_while_it_runs_and_its_stop_reaches_gdb)
{
	begin_without_acks();
	say(RELAY_GDB, "$vCont;c#a8");
	expect(RELAY_RR, "$vCont;c#a8");
	ck_assert(relay_is_running(relay));
	relay_interrupt(relay);
	relay_interrupt(relay);
	expect(RELAY_RR, "\003");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$qC#b4");
	expect(RELAY_GDB, "");
	/* rr still means the thread of the stop before, and is told. */
	say(RELAY_RR, "$QCp1.2#00");
	expect(RELAY_RR, "$Hcp1.1#ab");
	expect(RELAY_GDB, "$T00thread:p1.1;#00");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, "");
	ck_assert(!relay_is_running(relay));
	end();
}
END_TEST

START_TEST(the_answer_to_an_interrupt_that_came_too_late_is_no_stop_of_the_next_run)
{
	begin_without_acks();
	say(RELAY_GDB, "$vCont;c#a8");
	expect(RELAY_RR, "$vCont;c#a8");
	relay_interrupt(relay);
	expect(RELAY_RR, "\003");
	say(RELAY_RR, "$T05thread:p1.1;#00$T00thread:p1.1;#00");
	expect(RELAY_GDB, "");
	say(RELAY_RR, "$QCp1.1#00");
	expect(RELAY_GDB, "$T05thread:p1.1;#00");
	end();
}
END_TEST

START_TEST(what_gdb_resumes_by_itself_after_an_interrupt_has_stopped_already)
{
	begin_without_acks();
	stop_forward_in("p1.4");
	relay_interrupt(relay);
	expect(RELAY_RR, "");
	say(RELAY_GDB, "$vCont;r401000,401008:p1.4#00");
	expect(RELAY_RR, "");
	expect(RELAY_GDB, "$T00thread:p1.4;#a4");
	relay_permit(relay);
	say(RELAY_GDB, "$vCont;s:p1.4#00");
	expect(RELAY_RR, "$vCont;s:p1.4#00");
	end();
}
END_TEST

START_TEST(a_seek_is_let_finish)
{
	begin_without_acks();
	say(RELAY_GDB, "$vRun;;3132#00");
	expect(RELAY_RR, "$vRun;;3132#00");
	ck_assert(relay_is_running(relay));
	relay_interrupt(relay);
	expect(RELAY_RR, "");
	say(RELAY_RR, "$T05thread:p1.1;#00");
	expect(RELAY_GDB, "$T05thread:p1.1;#00");
	ck_assert(!relay_is_running(relay));
	end();
}
END_TEST

/* gdb runs back once, and then again by itself. */
static void run_back_twice(void)
{
	for (int i = 0; i < 2; i++) {
		say(RELAY_GDB, "$bc#c5");
		expect(RELAY_RR, "$bc#c5");
		say(RELAY_RR, "$T05thread:p1.1;watch:4000;#00");
		expect(RELAY_GDB, "$T05thread:p1.1;watch:4000;#00");
	}
}

START_TEST(gdb_passes_hits_by_going_back_as_often_as_it_may)
{
	begin_without_acks();
	relay_limit_back(relay, 2);
	run_back_twice();
	ck_assert(!relay_reached_limit(relay));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "");
	expect(RELAY_GDB, "$T00thread:p1.1;#a1");
	ck_assert(relay_reached_limit(relay));
	relay_limit_back(relay, 0);
	ck_assert(!relay_reached_limit(relay));
	run_back_twice();
	run_back_twice();
	ck_assert(!relay_reached_limit(relay));
	end();
}
END_TEST

/* gdb steps back the thread that it calls pb.d, and rr answers that. */
static void step_back(const char *stop)
{
	say(RELAY_GDB, "$Hcpb.d#00");
	say(RELAY_RR, "$OK#9a");
	say(RELAY_GDB, "$bs#d5");
	say(RELAY_RR, stop);
}

/* rr's names have zeros before the number, gdb's have none. */
START_TEST(a_step_back_that_ends_in_another_thread_is_known)
{
	begin_without_acks();
	step_back("$T05thread:p0b.0d;#00");
	ck_assert(!relay_stepped_before_thread(relay));
	step_back("$T00thread:p0b.0b;#00");
	ck_assert(relay_stepped_before_thread(relay));
	step_back("$T00thread:p0b.0d;#00");
	ck_assert(!relay_stepped_before_thread(relay));
	end();
}
END_TEST

/* If gdb names any thread of the process, rr steps the thread that stopped last. */
START_TEST(a_step_back_of_any_thread_is_one_of_the_last_that_stopped)
{
	begin_without_acks();
	step_back("$T05thread:p0b.0d;#00");
	say(RELAY_GDB, "$Hcpb.0#00");
	say(RELAY_RR, "$OK#9a");
	say(RELAY_GDB, "$bs#d5");
	say(RELAY_RR, "$T00thread:p0b.0d;#00");
	ck_assert(!relay_stepped_before_thread(relay));
	say(RELAY_GDB, "$bs#d5");
	say(RELAY_RR, "$OK#9a");
	say(RELAY_RR, "$T00thread:p0b.0b;#00");
	ck_assert(relay_stepped_before_thread(relay));
	end();
}
END_TEST

/* rr answers the seek, and the thread that it is told. */
static void land(const char *thread)
{
	char stop[64], ask[64];

	snprintf(stop, sizeof(stop), "$T00thread:%s;#00", thread);
	say(RELAY_RR, stop);
	expect(RELAY_GDB, "");
	ck_assert(!relay_has_sought(relay) || relay_is_running(relay));
	expect(RELAY_RR, "$vCont;c:p1.-1#0f");
	say(RELAY_RR, stop);
	expect(RELAY_GDB, "");
	snprintf(ask, sizeof(ask), "$Hg%s#", thread);
	ck_assert(strncmp(relay_pending(relay, RELAY_RR, &(size_t){0}), ask, strlen(ask)) == 0);
	relay_sent(relay, RELAY_RR, strlen(ask) + 2);
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, stop);
}

START_TEST(a_resume_that_is_to_be_a_seek_is_one)
{
	begin_without_acks();
	ck_assert(relay_seek(relay, "c12"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$vRun;;633132#53");
	land("p1.2");
	ck_assert(relay_has_sought(relay));
	ck_assert(!relay_is_running(relay));
	ck_assert(!relay_took_back(relay));
	/* The next one is none any more. */
	stop_forward_in("p1.3");
	ck_assert(!relay_seek(relay, "4711471147114711471147114711471147114711"));
	end();
}
END_TEST

/* One packet of gdb's that rr does. */
static void pass_packet(const char *packet)
{
	say(RELAY_GDB, packet);
	expect(RELAY_RR, packet);
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, "$OK#9a");
}

START_TEST(a_seek_that_rr_cannot_do_leaves_the_program_where_it_is)
{
	begin_without_acks();
	stop_forward_in("p1.3");
	pass_packet("$Z0,4000,1#00");
	ck_assert(relay_seek(relay, "c12"));
	say(RELAY_GDB, "$vCont;c#a8");
	expect(RELAY_RR, "$vRun;;633132#53");
	say(RELAY_RR, "$E01#a6");
	/* It has forgotten it nevertheless. */
	expect(RELAY_RR, "$Z0,4000,1#d7");
	expect(RELAY_GDB, "");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "");
	expect(RELAY_GDB, "$T00thread:p1.3;#a3");
	ck_assert(!relay_has_sought(relay));
	pass_packet("$z0,4000,1#00");
	stop_forward_in("p1.3");
	end();
}
END_TEST

START_TEST(at_a_seek_rr_gets_the_breakpoints_that_gdb_has_set)
{
	begin_without_acks();
	pass_packet("$Z0,4000,1#00");
	pass_packet("$Z0,5000,1#00");
	pass_packet("$z0,5000,1#00");
	pass_packet("$Z1,6000,1;X3,220127#00");
	pass_packet("$Z1,6000,1;X2,2201#00");
	ck_assert(relay_seek(relay, "99"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$vRun;;3939#f9");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$Z0,4000,1#d7");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "$Z1,6000,1;X2,2201#90");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "$vCont;c:p1.-1#0f");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$Hgp1.1#af");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, "$T00thread:p1.1;#00");
	ck_assert(relay_has_sought(relay));
	pass_packet("$z0,4000,1#00");
	pass_packet("$z1,6000,1#00");
	end();
}
END_TEST

/* rr dies of the removal of one that it does not have. */
START_TEST(a_breakpoint_that_rr_has_no_more_is_not_removed_from_it)
{
	begin_without_acks();
	pass_packet("$Z0,4000,1#00");
	ck_assert(relay_seek(relay, "99"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$vRun;;3939#f9");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$Z0,4000,1#d7");
	say(RELAY_RR, "$E01#a6");
	expect(RELAY_RR, "$vCont;c:p1.-1#0f");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$Hgp1.1#af");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_GDB, "$T00thread:p1.1;#00");
	ck_assert(!relay_has_sought(relay));
	say(RELAY_GDB, "$z0,4000,1#00");
	expect(RELAY_RR, "");
	expect(RELAY_GDB, "$OK#9a");
	pass_packet("$Z0,4000,1#00");
	pass_packet("$z0,4000,1#00");
	end();
}
END_TEST

START_TEST(a_breakpoint_that_rr_refuses_is_none)
{
	begin_without_acks();
	pass_packet("$Z0,4000,1#00");
	say(RELAY_GDB, "$Z0,5000,1#00");
	expect(RELAY_RR, "$Z0,5000,1#00");
	say(RELAY_RR, "$E01#a6");
	expect(RELAY_GDB, "$E01#a6");
	ck_assert(relay_seek(relay, "99"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$vRun;;3939#f9");
	say(RELAY_RR, "$T00thread:p1.1;#00");
	expect(RELAY_RR, "$Z0,4000,1#d7");
	say(RELAY_RR, "$OK#9a");
	expect(RELAY_RR, "$vCont;c:p1.-1#0f");
	end();
}
END_TEST

/* gdb would keep the value that the watchpoint had at another moment. */
START_TEST(where_gdb_watches_it_is_not_taken_elsewhere)
{
	begin_without_acks();
	stop_forward_in("p1.3");
	pass_packet("$Z0,4000,1#00");
	pass_packet("$Z2,6000,8#00");
	ck_assert(relay_seek(relay, "99"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "");
	expect(RELAY_GDB, "$T00thread:p1.3;#a3");
	ck_assert(!relay_has_sought(relay));
	pass_packet("$z2,6000,8#00");
	ck_assert(relay_seek(relay, "99"));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$vRun;;3939#f9");
	end();
}
END_TEST

START_TEST(who_asks_is_told_once_that_the_program_ran_back)
{
	begin_without_acks();
	ck_assert(!relay_took_back(relay));
	say(RELAY_GDB, "$bc#c5");
	expect(RELAY_RR, "$bc#c5");
	say(RELAY_RR, "$T05thread:p1.1;#00");
	expect(RELAY_GDB, "$T05thread:p1.1;#00");
	stop_forward_in("p1.1");
	ck_assert(relay_took_back(relay));
	ck_assert(!relay_took_back(relay));
	end();
}
END_TEST

START_TEST(a_packet_without_end_is_refused)
{
	static char much[RELAY_PACKET_MAX / 2];

	begin();
	memset(much, 'x', sizeof(much));
	ck_assert(relay_take(relay, RELAY_RR, "$", 1));
	ck_assert(relay_take(relay, RELAY_RR, much, sizeof(much)));
	ck_assert(!relay_take(relay, RELAY_RR, much, sizeof(much)));
	end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_acknowledgement_that_rr_writes_alone_is_confirmed,
	    packets_pass_as_they_are_whole_or_in_pieces,
	    before_a_reverse_continue_rr_is_told_again_whom_gdb_means,
	    a_step_back_is_of_the_thread_that_gdb_named,
	    an_interrupt_reaches_rr_while_it_runs_and_its_stop_reaches_gdb,
	    the_answer_to_an_interrupt_that_came_too_late_is_no_stop_of_the_next_run,
	    what_gdb_resumes_by_itself_after_an_interrupt_has_stopped_already,
	    a_seek_is_let_finish,
	    gdb_passes_hits_by_going_back_as_often_as_it_may,
	    a_step_back_that_ends_in_another_thread_is_known,
	    a_step_back_of_any_thread_is_one_of_the_last_that_stopped,
	    a_resume_that_is_to_be_a_seek_is_one,
	    a_seek_that_rr_cannot_do_leaves_the_program_where_it_is,
	    at_a_seek_rr_gets_the_breakpoints_that_gdb_has_set,
	    a_breakpoint_that_rr_has_no_more_is_not_removed_from_it,
	    a_breakpoint_that_rr_refuses_is_none,
	    where_gdb_watches_it_is_not_taken_elsewhere,
	    who_asks_is_told_once_that_the_program_ran_back,
	    a_packet_without_end_is_refused,
	    NULL,
	};

	return run_tests("relay", tests, NULL, NULL);
}
