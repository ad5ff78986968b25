/*
 * What bounds the ledger: its files and their bytes, however many recordings there are, and
 * whatever a recorded program puts beside them.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "supervisor/monitor/ledger.h"
#include "tests/runner.h"

#define DAY (24 * 3600)

/* In memory, because there are thousands. */
static char folder[] = "/dev/shm/rr-warden-ledger.XXXXXX";
static int directory;

static void prepare(void)
{
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
	directory = ledger_directory(path, true);
	ck_assert_int_ge(directory, 0);
}

static void clear(void)
{
	char command[PATH_MAX];

	close(directory);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* Makes it look this old, and this long. */
static void age(const char *name, long seconds, off_t size)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {time(NULL) - seconds, 0}};
	cleanup_fd int fd = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	if (size)
		ck_assert_int_eq(ftruncate(fd, size), 0);
	ck_assert_int_eq(futimens(fd, times), 0);
}

/* A trace with its list, which is this old and this long; the list's name. */
static void record(int number, long seconds, off_t size, char name[NAME_MAX])
{
	struct ledger ledger = {0};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/trace-%d", folder, number);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	cleanup_fd int trace = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(ledger_save(&ledger, directory, trace, path), 0);
	ck_assert_int_eq(ledger_name(trace, name), 0);
	age(name, seconds, size);
}

static void remove_trace(int number)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/trace-%d", folder, number);
	ck_assert_int_eq(rmdir(path), 0);
}

static bool is_kept(const char *name)
{
	return faccessat(directory, name, F_OK, 0) == 0;
}

static size_t files(void)
{
	DIR *entries = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *entry;
	size_t count = 0;

	ck_assert_ptr_nonnull(entries);
	while ((entry = readdir(entries)))
		count += entry->d_name[0] != '.';
	closedir(entries);
	return count;
}

/* Those whose traces are gone go first, and then the oldest. */
START_TEST(a_flood_of_young_lists_pushes_out_the_oldest)
{
	enum { GONE = 3, OLDEST = 4, ALL = LEDGER_FILES_MAX + GONE + OLDEST };
	static char names[ALL][NAME_MAX];

	for (int i = 0; i < ALL; i++)
		record(i, ALL - i, 0, names[i]);
	for (int i = ALL - GONE; i < ALL; i++)
		remove_trace(i);
	ledger_sweep(directory);
	ck_assert_uint_eq(files(), LEDGER_FILES_MAX);
	for (int i = 0; i < ALL; i++)
		ck_assert_msg(is_kept(names[i]) == (i >= OLDEST && i < ALL - GONE), "%d", i);
}
END_TEST

START_TEST(a_list_whose_trace_is_gone_goes_after_a_week)
{
	char gone[NAME_MAX], moved[NAME_MAX], there[NAME_MAX];

	record(0, 8 * DAY, 0, gone);
	record(1, 6 * DAY, 0, moved);
	record(2, 1000 * DAY, 0, there);
	remove_trace(0);
	remove_trace(1);
	ledger_sweep(directory);
	ck_assert(!is_kept(gone) && is_kept(moved) && is_kept(there));
}
END_TEST

START_TEST(bytes_are_bounded_as_well)
{
	char names[12][NAME_MAX];

	for (int i = 0; i < 12; i++)
		record(i, 1000 - i, LEDGER_TOTAL_MAX / 10, names[i]);
	ledger_sweep(directory);
	for (int i = 0; i < 12; i++)
		ck_assert_msg(is_kept(names[i]) == (i >= 2), "%d", i);
}
END_TEST

/* Neither its size nor a date in the future makes a foreign file push out the lists. */
START_TEST(a_planted_file_pushes_nothing_out)
{
	char old[NAME_MAX], next[NAME_MAX];

	record(0, 1000, 0, old);
	age("1-1", 0, (off_t)1 << 40);
	age("1-2", -DAY, 1024L * 1024 * 1024);
	age("1-3.new", -DAY, LEDGER_TOTAL_MAX);
	record(1, 0, 0, next);
	ledger_sweep(directory);
	ck_assert(is_kept(old) && is_kept(next));
	ck_assert(!is_kept("1-1") && !is_kept("1-2") && !is_kept("1-3.new"));
}
END_TEST

START_TEST(what_is_not_a_list_stays)
{
	age("README", 1000 * DAY, 10);
	ck_assert_int_eq(mkdirat(directory, "1-1", 0700), 0);
	ck_assert_int_eq(symlinkat("/etc/passwd", directory, "1-2"), 0);
	ledger_sweep(directory);
	ck_assert(is_kept("README") && is_kept("1-1") && is_kept("1-2"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_flood_of_young_lists_pushes_out_the_oldest,
	    a_list_whose_trace_is_gone_goes_after_a_week, bytes_are_bounded_as_well,
	    a_planted_file_pushes_nothing_out, what_is_not_a_list_stays, NULL};

	return run_tests("ledger", tests, prepare, clear);
}
