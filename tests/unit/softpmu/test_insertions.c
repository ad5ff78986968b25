/*
 * Which removals of an int3 come too late, in memory of this process.
 */
#include <check.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/softpmu/rrfix/insertions.h"
#include "tests/runner.h"

#define INT3 0xcc

static struct insertions insertions;
static uint8_t *page;
static uint64_t address;
static int mem;

/* A page with code, and this process's memory as rr opens that of a tracee. */
static void set_up(void)
{
	insertions = (struct insertions){0};
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	page[8] = 'H';
	address = (uint64_t)(uintptr_t)&page[8];
	mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(mem, 0);
}

static void tear_down(void)
{
	close(mem);
	munmap(page, 4096);
}

/* What pwrite64 does with a byte. */
static bool write_byte(uint8_t byte)
{
	if (insertions_gone(&insertions, mem, address, byte))
		return false;
	ck_assert_int_eq(pwrite(mem, &byte, 1, (off_t)address), 1);
	return true;
}

/* rr inserts: it looks at the byte first. */
static bool insert(void)
{
	insertions_note_read(&insertions, mem, address, 1);
	return write_byte(INT3);
}

START_TEST(an_int3_that_is_there_is_taken_out)
{
	for (int i = 0; i < 3; i++) {
		ck_assert(insert());
		ck_assert_int_eq(page[8], INT3);
		ck_assert(write_byte('H'));
		ck_assert_int_eq(page[8], 'H');
	}
	ck_assert_uint_eq(insertions.count, 0);
}
END_TEST

START_TEST(an_int3_in_memory_that_is_gone_is_not_taken_out)
{
	ck_assert(insert());
	ck_assert_int_eq(munmap(page, 4096), 0);
	ck_assert(!write_byte('H'));
	ck_assert_uint_eq(insertions.count, 0);
}
END_TEST

START_TEST(other_code_at_the_same_place_stays_as_it_is)
{
	ck_assert(insert());
	page[8] = 'U'; /* a new mapping */
	ck_assert(!write_byte('H'));
	ck_assert_int_eq(page[8], 'U');
	/* From here it is a place like any other. */
	ck_assert(insert());
	ck_assert(write_byte('U'));
	ck_assert_int_eq(page[8], 'U');
}
END_TEST

START_TEST(what_the_program_wrote_is_written_over_an_int3)
{
	ck_assert(insert());
	ck_assert(write_byte('x')); /* the result of a system call; then rr inserts again */
	ck_assert(insert());
	ck_assert(write_byte('x'));
	ck_assert_int_eq(page[8], 'x');
	ck_assert(write_byte('H'));
	ck_assert_int_eq(page[8], 'H');
}
END_TEST

START_TEST(an_int3_of_the_program_is_its_own)
{
	page[8] = INT3;
	ck_assert(insert());
	page[8] = 'U';
	ck_assert(write_byte(INT3 - 1));
	ck_assert_uint_eq(insertions.count, 0);
}
END_TEST

/* The bytes of a stream, which rr copies one by one to the same variable. */
static void expect_data(void)
{
	static const uint8_t stream[] = {'e', INT3, 0x81, 'e', INT3, INT3, 'e', 0, INT3, 0};

	for (size_t i = 0; i < sizeof(stream); i++) {
		ck_assert(write_byte(stream[i]));
		ck_assert_int_eq(page[8], stream[i]);
	}
	ck_assert_uint_eq(insertions.count, 0);
}

START_TEST(a_byte_of_data_is_no_int3)
{
	expect_data();
	/* rr has recorded the byte of the call before; the program has run since. */
	insertions_note_read(&insertions, mem, address, 1);
	insertions_note_run(&insertions);
	expect_data();
	/* It has read something else. */
	insertions_note_read(&insertions, mem, address + 1, 1);
	expect_data();
	insertions_note_read(&insertions, mem, address, 2);
	expect_data();
	insertions_note_read(&insertions, mem + 1, address, 1);
	expect_data();
	/* What it has read counts for one write. */
	insertions_note_read(&insertions, mem, address, 1);
	ck_assert(write_byte('e'));
	expect_data();
}
END_TEST

START_TEST(a_closed_file_is_forgotten)
{
	ck_assert(insert());
	insertions_close(&insertions, mem + 1);
	ck_assert_uint_eq(insertions.count, 1);
	insertions_close(&insertions, mem);
	ck_assert_uint_eq(insertions.count, 0);
	page[8] = 'U';
	ck_assert(write_byte('H'));
}
END_TEST

START_TEST(more_than_can_be_watched_are_written_all_the_same)
{
	uint64_t first = address - 8;

	for (int i = 0; i < INSERTIONS_MAX + 8; i++) {
		address = first + (uint64_t)i;
		ck_assert(insert());
	}
	ck_assert_uint_eq(insertions.count, INSERTIONS_MAX);
	ck_assert(write_byte(0));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_int3_that_is_there_is_taken_out,
	    an_int3_in_memory_that_is_gone_is_not_taken_out,
	    other_code_at_the_same_place_stays_as_it_is,
	    what_the_program_wrote_is_written_over_an_int3,
	    an_int3_of_the_program_is_its_own,
	    a_byte_of_data_is_no_int3,
	    a_closed_file_is_forgotten,
	    more_than_can_be_watched_are_written_all_the_same,
	    NULL,
	};

	return run_tests("softpmu insertions", tests, set_up, tear_down);
}
