/*
 * The copies of a tracee's pages, with pages that all want the same place in the table: 128 MB from
 * one to the next.
 */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/softpmu/guest.h"

enum { PLACES = 16, MAPPED = PLACES + 4, OLD = 0x11, NEW = 0x22 };

#define FIRST	 0x200000000000ul
#define DISTANCE (1ul << 27)

static struct guest *guest;
static pid_t tracee;

static uint64_t page_at(unsigned n)
{
	return FIRST + n * DISTANCE;
}

static void set_up(void)
{
	for (unsigned n = 0; n < MAPPED; n++) {
		volatile uint8_t *page =
		    mmap((void *)page_at(n), GUEST_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		ck_assert(page != MAP_FAILED);
		*page = OLD;
	}
	tracee = fork();
	if (tracee == 0) {
		for (;;)
			pause();
	}
	guest = guest_new();
	ck_assert_ptr_nonnull(guest);
	guest_begin(guest, tracee, false);
}

static void tear_down(void)
{
	kill(tracee, SIGKILL);
	waitpid(tracee, NULL, 0);
}

static void write_to(unsigned n)
{
	uint8_t *byte = guest_access(guest, page_at(n), 1, true);

	ck_assert_ptr_nonnull(byte);
	*byte = NEW;
}

static unsigned read_from(unsigned n)
{
	const uint8_t *byte = guest_access(guest, page_at(n), 1, false);

	ck_assert_ptr_nonnull(byte);
	return *byte;
}

/* All places taken, the last by a page that was written to. */
static void fill_the_table(void)
{
	for (unsigned n = 0; n + 1 < PLACES; n++)
		ck_assert_uint_eq(read_from(n), OLD);
	write_to(PLACES - 1);
}

START_TEST(a_page_that_was_only_read_gives_way)
{
	fill_the_table();
	for (unsigned n = PLACES; n < MAPPED; n++)
		ck_assert_uint_eq(read_from(n), OLD);
	for (unsigned n = 0; n + 1 < PLACES; n++)
		ck_assert_uint_eq(read_from(n), OLD);
	ck_assert_uint_eq(read_from(PLACES - 1), NEW);
}
END_TEST

START_TEST(what_was_written_stays_when_a_page_is_not_to_be_had)
{
	fill_the_table();
	ck_assert_ptr_null(guest_access(guest, page_at(MAPPED), 1, false));
	ck_assert_uint_eq(read_from(PLACES - 1), NEW);
	ck_assert(guest_write_back(guest));
	guest_begin(guest, tracee, false);
	ck_assert_uint_eq(read_from(PLACES - 1), NEW);
}
END_TEST

START_TEST(a_table_of_written_pages_is_full)
{
	for (unsigned n = 0; n < PLACES; n++)
		write_to(n);
	ck_assert_ptr_null(guest_access(guest, page_at(PLACES), 1, false));
	for (unsigned n = 0; n < PLACES; n++)
		ck_assert_uint_eq(read_from(n), NEW);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("softpmu guest");
	TCase *tests = tcase_create("pages");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_page_that_was_only_read_gives_way);
	tcase_add_test(tests, what_was_written_stays_when_a_page_is_not_to_be_had);
	tcase_add_test(tests, a_table_of_written_pages_is_full);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
