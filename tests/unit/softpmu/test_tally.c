/*
 * Which changes rr sees and what the table says of the others, of a process that is this one.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/traps/tracees.h"

/* Of DR7: register i watches four bytes for writes. */
#define WATCHES(i) (1ull << (2 * (i)) | 0xdull << (16 + 4 * (i)))

enum { HERE = 0x1000, THERE = 0x2000 };

static struct conditions conditions;
static struct tally *const tally = &conditions.tally;
static struct tracee tracee;
static volatile int value __attribute__((aligned(8)));
static int memory = -1;

static struct tally_table table(void)
{
	struct tally_table read;

	ck_assert(tally_read(tally, memory, TALLYMARK, &read, sizeof read));
	return read;
}

/* Counts from here on, with `n` or with `w` and numbers. */
static void begin(const char *mode, const char *numbers)
{
	char packet[128];
	uint8_t bytes[sizeof value];

	memcpy(bytes, (const void *)&value, sizeof bytes);
	snprintf(packet, sizeof packet, "$QRRWarden.tally:%s;%llx,4,%02x%02x%02x%02x%s#00", mode,
	    (unsigned long long)(uintptr_t)&value, bytes[0], bytes[1], bytes[2], bytes[3], numbers);
	conditions_take(&conditions, packet, strlen(packet));
	ck_assert_uint_eq(table().state, TALLY_ON);
}

static enum tally_verdict change(int to, uint64_t pc)
{
	value = to;
	return tally_hit(tally, &tracee, 1, pc);
}

static void rr_writes(int to)
{
	value = to;
	tally_rr_wrote(tally, (uintptr_t)&value, sizeof value);
}

static void setup(void)
{
	if (memory < 0)
		memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	conditions_connect(&conditions, 3);
	tracee = (struct tracee){.tid = getpid()};
	debug_registers_reset(&tracee.debug);
	tracee.debug.rr_address[0] = (uintptr_t)&value;
	tracee.debug.rr_control = WATCHES(0);
	value = 0;
}

START_TEST(the_first_change_of_each_instruction_is_shown)
{
	begin("n", "");
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(2, HERE), TALLY_HIDES);
	ck_assert_int_eq(change(3, THERE), TALLY_SHOWS);
	ck_assert_int_eq(change(4, HERE), TALLY_HIDES);
	ck_assert_int_eq(change(4, HERE), TALLY_HIDES);
	ck_assert_int_eq(change(5, THERE), TALLY_HIDES);
	const struct tally_table seen = table();
	ck_assert_uint_eq(seen.state, TALLY_ON);
	ck_assert_uint_eq(seen.total, 5);
	ck_assert_uint_eq(seen.shown, 3);
	ck_assert_uint_eq(seen.count, 2);
	ck_assert_uint_eq(seen.row[0].pc, HERE);
	ck_assert_uint_eq(seen.row[0].count, 3);
	ck_assert_uint_eq(seen.row[0].first, 1);
	ck_assert_uint_eq(seen.row[0].last, 4);
	ck_assert_uint_eq(seen.row[1].count, 2);
	ck_assert_uint_eq(seen.row[1].last, 5);
}
END_TEST

START_TEST(one_of_many_changes_is_shown)
{
	begin("n", "");
	for (int i = 1; i <= 2 * TALLY_EVERY + 1; i++)
		ck_assert_int_eq(
		    change(i, HERE), i == 1 || i % TALLY_EVERY == 0 ? TALLY_SHOWS : TALLY_HIDES);
	ck_assert_uint_eq(table().row[0].count, 2 * TALLY_EVERY + 1);
}
END_TEST

START_TEST(an_instruction_can_be_shown_each_time)
{
	static const char packet[] = "$QRRWarden.always:1000#00";

	begin("n", "");
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	conditions_take(&conditions, packet, strlen(packet));
	ck_assert_int_eq(change(2, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(3, THERE), TALLY_SHOWS);
	ck_assert_int_eq(change(4, THERE), TALLY_HIDES);
}
END_TEST

/* So that it differs from what rr saw last. */
START_TEST(before_a_wanted_change_the_one_before_it_is_shown)
{
	begin("w", ";3;5");
	ck_assert_int_eq(change(1, HERE), TALLY_HIDES);
	ck_assert_int_eq(change(0, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().shown, 0);
	ck_assert_int_eq(change(1, THERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().shown, 3);
	ck_assert_int_eq(change(0, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(0, THERE), TALLY_HIDES);
}
END_TEST

START_TEST(what_leads_back_to_what_rr_saw_is_not_called_shown)
{
	begin("n", "");
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(2, HERE), TALLY_HIDES);
	change(1, THERE);
	ck_assert_uint_eq(table().shown, 1);
	ck_assert_uint_eq(table().row[1].count, 1);
}
END_TEST

START_TEST(a_write_of_rr_that_gdb_sees_is_another_change)
{
	begin("n", "");
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	rr_writes(7);
	ck_assert_uint_eq(table().others, 1);
	tally_resume(tally, &tracee);
	ck_assert_int_eq(change(8, HERE), TALLY_HIDES);
	const struct tally_table seen = table();
	ck_assert_uint_eq(seen.state, TALLY_ON);
	ck_assert_uint_eq(seen.total, 2);
}
END_TEST

START_TEST(two_writes_of_rr_at_one_stop_are_one_change)
{
	begin("n", "");
	rr_writes(7);
	rr_writes(8);
	ck_assert_uint_eq(table().others, 1);
	rr_writes(0);
	ck_assert_uint_eq(table().others, 2);
	tally_resume(tally, &tracee);
	ck_assert_uint_eq(table().state, TALLY_ON);
}
END_TEST

static void write_unheard(void)
{
	change(1, HERE);
	change(2, HERE);
	rr_writes(1); /* as rr saw it last */
}

static void write_untold(void)
{
	rr_writes(7);
	tally_resume(tally, &tracee);
}

static void write_without_a_trap(void)
{
	value = 3;
	tally_resume(tally, &tracee);
}

static void watch_twice(void)
{
	tracee.debug.rr_address[1] = (uintptr_t)&tracee;
	tracee.debug.rr_control |= WATCHES(1);
	change(1, HERE);
}

static void run_another_process(void)
{
	int ends[2], status;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	tracee.tid = fork();
	if (tracee.tid == 0)
		_exit(read(ends[0], &byte, 1) != 1);
	change(1, HERE);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	waitpid(tracee.tid, &status, 0);
}

static void use_many_places(void)
{
	for (int i = 1; i <= TALLY_ROWS + 1; i++)
		change(i, HERE + (uint64_t)i);
}

START_TEST(what_may_be_missed_is_said_for_good_and_all_is_shown)
{
	static void (*const ways[])(void) = {write_unheard, write_untold, write_without_a_trap,
	    watch_twice, run_another_process, use_many_places};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		setup();
		begin("n", "");
		ways[i]();
		ck_assert_msg(table().state == (TALLY_ON | TALLY_LOST), "way %zu", i);
		ck_assert_int_eq(change(100, HERE), TALLY_IS_NOT_ASKED);
		tally_resume(tally, &tracee);
		ck_assert_uint_eq(table().state, TALLY_ON | TALLY_LOST);
	}
}
END_TEST

START_TEST(what_another_breakpoint_hits_is_shown)
{
	begin("n", "");
	ck_assert_int_eq(tally_hit(tally, &tracee, 2, HERE), TALLY_IS_NOT_ASKED);
	change(1, HERE);
	value = 2;
	ck_assert_int_eq(tally_hit(tally, &tracee, 1 | 2, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().row[0].count, 2);
	ck_assert_int_eq(tally_hit(tally, &tracee, 1 | 2, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().total, 2);
}
END_TEST

START_TEST(what_is_not_understood_begins_nothing)
{
	static const char *const packets[] = {"$QRRWarden.tally:#00", "$QRRWarden.tally:n#00",
	    "$QRRWarden.tally:n;1000,9,00#00", "$QRRWarden.tally:n;1000,4,000000#00",
	    "$QRRWarden.tally:n;1000,0,#00", "$QRRWarden.tally:w;1000,1,00;#00",
	    "$QRRWarden.tally:w;1000,1,0g#00"};
	struct tally_table read;

	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
		begin("n", "");
		conditions_take(&conditions, packets[i], strlen(packets[i]));
		ck_assert_msg(
		    !tally_read(tally, memory, TALLYMARK, &read, sizeof read), "%s", packets[i]);
		ck_assert_int_eq(change((int)i + 1, HERE), TALLY_IS_NOT_ASKED);
	}
	begin("n", "");
	ck_assert(!tally_read(tally, memory, TALLYMARK + 8, &read, sizeof read));
	ck_assert(!tally_read(tally, memory, TALLYMARK - 8, &read, sizeof read));
	ck_assert(tally_read(tally, memory, TALLYMARK + 8, &read, 8));
	conditions_connect(&conditions, -1);
	ck_assert(!tally_read(tally, memory, TALLYMARK, &read, 8));
}
END_TEST

/* What the code cache may count, tally.h tells: not without capitals, nor before a process is
 * known. */
START_TEST(the_code_cache_counts_only_where_it_was_asked_to)
{
	begin("n", "");
	tally_resume(tally, &tracee);
	ck_assert(!tally_is_inlined(tally, &tracee));
	begin("N", "");
	ck_assert(!tally_is_inlined(tally, &tracee));
	tally_resume(tally, &tracee);
	ck_assert(tally_is_inlined(tally, &tracee));
	write_without_a_trap();
	ck_assert(!tally_is_inlined(tally, &tracee));
}
END_TEST

START_TEST(what_the_code_cache_counts_is_in_the_table_and_is_not_lost)
{
	begin("N", "");
	ck_assert_int_eq(change(1, HERE), TALLY_SHOWS);
	for (int i = 2; i <= TALLY_EVERY; i++) {
		ck_assert_uint_eq(tally_last(tally), (uint64_t)i - 1);
		tally_note(tally, i % 2 ? HERE : THERE, (uint64_t)i);
	}
	value = TALLY_EVERY;
	tally_resume(tally, &tracee);
	const struct tally_table seen = table();
	ck_assert_uint_eq(seen.state, TALLY_ON);
	ck_assert_uint_eq(seen.total, TALLY_EVERY);
	ck_assert_uint_eq(seen.shown, 1);
	ck_assert_uint_eq(seen.row[0].count, TALLY_EVERY / 2);
	ck_assert_uint_eq(seen.row[1].last, TALLY_EVERY);
	ck_assert_int_eq(change(0, HERE), TALLY_HIDES);
}
END_TEST

START_TEST(the_code_cache_has_room_up_to_the_change_before_a_wanted_one)
{
	begin("N", "");
	ck_assert_uint_eq(tally_room(tally), UINT64_MAX);
	begin("W", ";2;5;9");
	ck_assert_uint_eq(tally_room(tally), 0);
	change(1, HERE);
	ck_assert_int_eq(change(2, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(tally_room(tally), 1);
	tally_note(tally, HERE, 3);
	ck_assert_uint_eq(tally_room(tally), 0);
	ck_assert_int_eq(change(4, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(5, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().shown, 5);
	ck_assert_uint_eq(tally_room(tally), 2);
	for (int i = 6; i <= 9; i++)
		change(i, HERE);
	ck_assert_uint_eq(tally_room(tally), UINT64_MAX);
}
END_TEST

/* A store that has not been shown is the hardware's when it touches the bytes. */
START_TEST(a_store_counts_by_itself_when_it_has_been_shown_or_has_asked_often)
{
	static const char packet[] = "$QRRWarden.always:1000#00";

	begin("N", "");
	ck_assert_int_eq(tally_ask(tally, HERE, true), TALLY_ASKS_AGAIN);
	ck_assert_int_eq(tally_ask(tally, THERE, false), TALLY_NEEDS_NO_ASK);
	change(1, HERE);
	ck_assert(!tally_counts_inline(tally, HERE));
	ck_assert_int_eq(tally_ask(tally, HERE, true), TALLY_IS_INLINE);
	ck_assert(tally_counts_inline(tally, HERE));
	for (int i = 2; i < TALLY_ASKS_MAX; i++)
		ck_assert_int_eq(tally_ask(tally, THERE, true), TALLY_ASKS_AGAIN);
	ck_assert_int_eq(tally_ask(tally, THERE, true), TALLY_IS_INLINE);
	begin("N", "");
	ck_assert(!tally_counts_inline(tally, HERE));
	change(2, HERE);
	conditions_take(&conditions, packet, strlen(packet));
	ck_assert_int_eq(tally_ask(tally, HERE, true), TALLY_ASKS_AGAIN);
	begin("W", ";100");
	ck_assert_int_eq(tally_ask(tally, HERE, true), TALLY_IS_INLINE);
}
END_TEST

/* value == 5 */
static void take_predicate(void)
{
	char packet[80];

	snprintf(packet, sizeof packet, "$QRRWarden.hushed:25%016llx1922051327#00",
	    (unsigned long long)(uintptr_t)&value);
	conditions_take(&conditions, packet, strlen(packet));
}

START_TEST(the_change_behind_which_a_predicate_may_hold_is_shown_and_all_behind_it)
{
	take_predicate();
	begin("p", "");
	ck_assert_int_eq(change(4, HERE), TALLY_HIDES);
	ck_assert_uint_eq(table().found, 0);
	ck_assert_int_eq(change(5, THERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().found, 2);
	ck_assert_int_eq(change(6, HERE), TALLY_SHOWS);
	ck_assert_int_eq(change(5, HERE), TALLY_SHOWS);
	ck_assert_uint_eq(table().found, 2);
}
END_TEST

START_TEST(the_code_cache_looks_for_a_predicate_behind_many_changes)
{
	take_predicate();
	begin("P", "");
	tally_resume(tally, &tracee);
	for (int i = 0; i < TALLY_LOOKS; i++) {
		ck_assert(!tally_is_inlined(tally, &tracee));
		ck_assert_int_eq(change(i % 2 + 6, HERE), TALLY_HIDES);
	}
	ck_assert(tally_is_inlined(tally, &tracee));
	tally_note(tally, HERE, 4);
	ck_assert_uint_gt(tally_room(tally), 0);
	tally_note(tally, HERE, 5);
	tally_note(tally, HERE, 6);
	value = 6;
	ck_assert_uint_eq(table().found, TALLY_LOOKS + 2);
	ck_assert_uint_eq(tally_room(tally), 0);
	ck_assert(!tally_is_inlined(tally, &tracee));
	ck_assert_int_eq(change(7, HERE), TALLY_SHOWS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_first_change_of_each_instruction_is_shown,
	    one_of_many_changes_is_shown,
	    an_instruction_can_be_shown_each_time,
	    before_a_wanted_change_the_one_before_it_is_shown,
	    what_leads_back_to_what_rr_saw_is_not_called_shown,
	    a_write_of_rr_that_gdb_sees_is_another_change,
	    two_writes_of_rr_at_one_stop_are_one_change,
	    what_may_be_missed_is_said_for_good_and_all_is_shown,
	    what_another_breakpoint_hits_is_shown,
	    what_is_not_understood_begins_nothing,
	    the_code_cache_counts_only_where_it_was_asked_to,
	    what_the_code_cache_counts_is_in_the_table_and_is_not_lost,
	    the_code_cache_has_room_up_to_the_change_before_a_wanted_one,
	    a_store_counts_by_itself_when_it_has_been_shown_or_has_asked_often,
	    the_change_behind_which_a_predicate_may_hold_is_shown_and_all_behind_it,
	    the_code_cache_looks_for_a_predicate_behind_many_changes,
	    NULL,
	};
	const TTest *const none[] = {NULL};

	/* Where they do nothing, it counts nothing. */
	return run_tests("softpmu tally", processor()->debug_registers ? tests : none, setup, NULL);
}
