/*
 * Accesses that rr need not see: which are shown, and how the others are counted. This process
 * stands for a tracee, and what it says of its debug registers for what rr has set.
 */
#include <check.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/scan/accesslog.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/traps/tracees.h"

enum {
	QUIET = 0x1000, /* behind an instruction that is quiet */
	OTHER = 0x2000, /* the same of another one */
	LOUD = 0x3000,	/* behind one that is not */
	/* Register 0 watches 8 bytes for reads and writes. */
	WATCHES = 1 | 0xb << 16,
};

static uint64_t watched = 5;
static struct accesslog accesses;
static struct tracee threads[2];

static void take(const char *packet, uint64_t number)
{
	char text[80];

	snprintf(text, sizeof text, "QRRWarden.access:%s,%lx", packet, (unsigned long)number);
	accesslog_take(&accesses, 0, text);
}

static struct access_table read_table(void)
{
	struct access_table table = {0};
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	ck_assert(accesslog_read(&accesses, memory, ACCESSMARK, &table, sizeof table));
	close(memory);
	return table;
}

static void begin(void)
{
	char text[80];

	snprintf(text, sizeof text, "QRRWarden.access:b,%lx,8", (unsigned long)&watched);
	accesslog_take(&accesses, 0, text);
	for (size_t i = 0; i < 2; i++) {
		threads[i] = (struct tracee){.tid = getpid(), .mode = RESUME_RUN};
		threads[i].debug.rr_address[0] = (uint64_t)&watched;
		threads[i].debug.rr_control = WATCHES;
	}
	read_table();
}

static void begin_quiet(void)
{
	begin();
	take("q", QUIET);
	take("q", OTHER);
}

/* Whether the thread's access is hidden. */
static bool hides(size_t thread, uint64_t pc)
{
	return accesslog_hides(&accesses, &threads[thread], 1, pc);
}

static bool can_run(void)
{
	return processor()->debug_registers;
}

START_TEST(each_access_is_shown_until_its_instruction_is_quiet)
{
	if (!can_run())
		return;
	begin();
	for (int i = 0; i < 3; i++)
		ck_assert(!hides(0, QUIET));
	take("q", QUIET);
	ck_assert(hides(0, QUIET));
	ck_assert(!hides(0, LOUD));
	ck_assert_uint_eq(read_table().total, 5);
	ck_assert_uint_eq(read_table().shown, 5);
	ck_assert_uint_eq(read_table().pc, LOUD);
}
END_TEST

START_TEST(the_first_of_each_thread_is_shown)
{
	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET));
	ck_assert(hides(0, QUIET));
	ck_assert(!hides(1, QUIET));
	ck_assert_uint_eq(read_table().thread, 1);
	ck_assert(hides(1, OTHER));
	ck_assert(hides(0, OTHER));
}
END_TEST

START_TEST(what_is_hidden_is_counted_by_turns_and_instructions)
{
	static const struct access_row rows[] = {
	    {0, QUIET, 2, 3, 5}, {0, OTHER, 1, 4, 4}, {1, QUIET, 1, 6, 6}, {0, QUIET, 2, 7, 8}};
	struct access_table table;

	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET) && !hides(1, QUIET));
	ck_assert(hides(0, QUIET) && hides(0, OTHER) && hides(0, QUIET));
	ck_assert(hides(1, QUIET));
	ck_assert(hides(0, QUIET) && hides(0, QUIET));
	table = read_table();
	ck_assert_uint_eq(table.rows, 4);
	ck_assert_mem_eq(table.row, rows, sizeof rows);
	take("p", 2);
	ck_assert_mem_eq(read_table().row, rows + 2, 2 * sizeof *rows);
	take("f", 0);
	ck_assert(hides(0, QUIET));
	ck_assert_uint_eq(read_table().rows, 1);
	ck_assert_uint_eq(read_table().row[0].first, 9);
}
END_TEST

START_TEST(a_wanted_one_and_the_one_before_it_are_shown)
{
	if (!can_run())
		return;
	begin_quiet();
	take("w", 5);
	take("w", 6);
	take("w", 9);
	for (uint64_t number = 1; number <= 12; number++)
		ck_assert_msg(hides(0, QUIET) == !(number == 1 || (number >= 4 && number <= 6) ||
						     number == 8 || number == 9),
		    "access %lu", (unsigned long)number);
}
END_TEST

START_TEST(of_one_behind_a_hidden_one_the_bytes_before_it_are_told)
{
	struct access_table table;

	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET));
	ck_assert_uint_eq(read_table().stale, 0);
	watched = 77;
	ck_assert(hides(0, QUIET));
	watched = 78;
	ck_assert(!hides(0, LOUD));
	table = read_table();
	ck_assert_uint_eq(table.stale, 1);
	ck_assert_uint_eq(table.old, 77);
	ck_assert(!hides(0, LOUD));
	ck_assert_uint_eq(read_table().stale, 0);
}
END_TEST

START_TEST(what_rr_writes_behind_a_hidden_one_is_lost)
{
	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET));
	accesslog_rr_wrote(&accesses, (uint64_t)&watched, 4);
	ck_assert_uint_eq(read_table().state, ACCESS_ON);
	ck_assert(hides(0, QUIET));
	accesslog_rr_wrote(&accesses, (uint64_t)&watched + 8, 4);
	accesslog_rr_wrote(&accesses, (uint64_t)&watched - 4, 4);
	ck_assert_uint_eq(read_table().state, ACCESS_ON);
	accesslog_rr_wrote(&accesses, (uint64_t)&watched + 7, 4);
	ck_assert_uint_eq(read_table().state, ACCESS_ON | ACCESS_LOST);
	ck_assert(!hides(0, QUIET));
}
END_TEST

START_TEST(in_a_step_of_rrs_own_each_is_shown_and_what_it_may_see_is_told)
{
	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET));
	accesslog_note_step(&accesses, &threads[0], LOUD);
	ck_assert_uint_eq(read_table().step_pc, 0);
	ck_assert(hides(0, QUIET));
	accesslog_note_step(&accesses, &threads[0], LOUD);
	ck_assert_uint_eq(read_table().step_pc, LOUD);
	ck_assert_uint_eq(read_table().step_total, 2);
	threads[0].mode = RESUME_STEP;
	ck_assert(!hides(0, QUIET));
}
END_TEST

START_TEST(what_is_over_hides_nothing)
{
	if (!can_run())
		return;
	begin_quiet();
	ck_assert(!hides(0, QUIET) && hides(0, QUIET));
	accesslog_take(&accesses, 0, "");
	ck_assert(!hides(0, QUIET));
	ck_assert(!accesslog_read(&accesses, -1, ACCESSMARK, &watched, sizeof watched));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_access_is_shown_until_its_instruction_is_quiet,
	    the_first_of_each_thread_is_shown, what_is_hidden_is_counted_by_turns_and_instructions,
	    a_wanted_one_and_the_one_before_it_are_shown,
	    of_one_behind_a_hidden_one_the_bytes_before_it_are_told,
	    what_rr_writes_behind_a_hidden_one_is_lost,
	    in_a_step_of_rrs_own_each_is_shown_and_what_it_may_see_is_told,
	    what_is_over_hides_nothing, NULL};

	return run_tests("softpmu accesslog", tests, NULL, NULL);
}
