/*
 * Which writes rr need not see, of a process that is this one.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/conditions.h"

/* Of DR7: register i watches four bytes for writes, or for writes and reads. */
#define WATCHES(i) (1ull << (2 * (i)) | 0xdull << (16 + 4 * (i)))
#define READS(i)   (1ull << (2 * (i)) | 0xfull << (16 + 4 * (i)))
#define BREAKS(i)  (1ull << (2 * (i)))

static struct conditions conditions;
static struct debug_registers registers;
static volatile int values[2] __attribute__((aligned(8)));

/* 100 < values[which] */
static void hush(int which)
{
	char packet[128];

	snprintf(packet, sizeof packet, "$QRRWarden.hushed:226425%016llx1916201427#00",
	    (unsigned long long)(uintptr_t)&values[which]);
	conditions_take(&conditions, packet, strlen(packet));
}

static bool passes(unsigned hits)
{
	return hushed_may_pass(&conditions.hushed, getpid(), &registers, hits);
}

static void setup(void)
{
	conditions_connect(&conditions, 3);
	debug_registers_reset(&registers);
	registers.rr_address[0] = (uintptr_t)&values[0];
	registers.rr_address[1] = (uintptr_t)&values[1];
	registers.rr_control = WATCHES(0);
	values[0] = values[1] = 0;
}

START_TEST(a_write_passes_until_the_expression_holds)
{
	hush(0);
	ck_assert(passes(1));
	values[0] = 100;
	ck_assert(passes(1));
	values[0] = 101;
	ck_assert(!passes(1));
	values[0] = -5;
	ck_assert(passes(1));
}
END_TEST

START_TEST(what_another_register_hits_is_shown)
{
	registers.rr_control |= BREAKS(2);
	hush(0);
	ck_assert(passes(1));
	ck_assert(!passes(0));
	ck_assert(!passes(1 | 4));
	ck_assert(!passes(4));
}
END_TEST

START_TEST(with_two_watches_or_with_reads_every_hit_is_shown)
{
	hush(0);
	registers.rr_control = WATCHES(0) | WATCHES(1);
	ck_assert(!passes(1));
	registers.rr_control = READS(0);
	ck_assert(!passes(1));
}
END_TEST

START_TEST(an_expression_that_reads_what_is_not_watched_is_not_trusted)
{
	hush(1);
	ck_assert(!passes(1));
}
END_TEST

START_TEST(no_code_or_code_that_is_not_understood_hushes_nothing)
{
	static const char *const packets[] = {"$QRRWarden.hushed:#00", "$QRRWarden.hushed:22002#00",
	    "$QRRWarden.hushed:2200zz#00", "$QRRWarden.hushed:22#00", "$QRRWarden.hushed:00#00"};

	ck_assert(!passes(1));
	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
		hush(0);
		ck_assert(passes(1));
		conditions_take(&conditions, packets[i], strlen(packets[i]));
		ck_assert_msg(!passes(1), "%s", packets[i]);
	}
	hush(0);
	conditions_connect(&conditions, -1);
	ck_assert(!passes(1));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_write_passes_until_the_expression_holds,
	    what_another_register_hits_is_shown,
	    with_two_watches_or_with_reads_every_hit_is_shown,
	    an_expression_that_reads_what_is_not_watched_is_not_trusted,
	    no_code_or_code_that_is_not_understood_hushes_nothing,
	    NULL,
	};

	return run_tests("softpmu hushed", tests, setup, NULL);
}
