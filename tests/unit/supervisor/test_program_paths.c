/*
 * How much work a trace can make for the monitor: the directories of the files that it names are
 * looked at once each, and only so far.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/program_paths.h"
#include "supervisor/monitor/recorded_files.h"
#include "tests/runner.h"

#define LINKS	  4000
#define LIBRARIES 200
#define MOST	  100000 /* entries that are too many in any case */

static char folder[] = "/tmp/rr-warden-unit.XXXXXX";
static char names[LIBRARIES * 80]; /* what the trace says was mapped, each with its NUL */
static size_t names_length, scans, entries, others;

/* ---- In place of the monitor's and the C library's ---------------------------------------------
 */

size_t recorded_files_list(int trace, const struct sandbox_policy *policy, char *list, size_t size)
{
	(void)trace, (void)policy;
	ck_assert_uint_le(names_length, size);
	memcpy(list, names, names_length);
	return names_length;
}

DIR *opendir(const char *name)
{
	DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");

	scans++;
	return real(name);
}

/* The links of the libraries come behind others, which lead nowhere. */
struct dirent *readdir(DIR *directory)
{
	static struct dirent link = {.d_type = DT_LNK, .d_name = "none"};
	struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");

	ck_assert_uint_lt(++entries, MOST);
	return entries <= others ? &link : real(directory);
}

/* ---- The directory -----------------------------------------------------------------------------
 */

static void make_library(int number)
{
	const unsigned char start[64] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
	    ELFDATA2LSB, EV_CURRENT, [EI_NIDENT] = ET_DYN};
	char path[80];
	FILE *file;

	names_length += 1 + (size_t)snprintf(names + names_length, sizeof(names) - names_length,
				"%s/lib%d.so.1.0", folder, number);
	snprintf(path, sizeof(path), "%s/lib%d.so.1.0", folder, number);
	file = fopen(path, "w");
	ck_assert(file && fwrite(start, sizeof(start), 1, file) == 1 && fclose(file) == 0);
}

/* Each library has a link to it. */
static void set_up(void)
{
	char path[80], target[80];

	memcpy(strrchr(folder, '.') + 1, "XXXXXX", 7);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	names_length = scans = entries = 0;
	for (int i = 0; i < LIBRARIES; i++) {
		make_library(i);
		snprintf(path, sizeof(path), "%s/lib%d.so.1", folder, i);
		snprintf(target, sizeof(target), "lib%d.so.1.0", i);
		ck_assert_int_eq(symlink(target, path), 0);
	}
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void look(struct composition *composition)
{
	struct sandbox_policy policy;

	sandbox_policy_default(&policy);
	composition->settings = settings_new();
	program_paths_add(composition, -1, &policy);
	settings_free((struct settings *)composition->settings);
}

START_TEST(a_directory_of_links_is_looked_at_once_for_all_files_in_it)
{
	static struct composition composition;

	others = LINKS;
	look(&composition);
	ck_assert_uint_eq(scans, 1);
	ck_assert_uint_eq(entries, LINKS + 2 * LIBRARIES + 3); /* with ".", "..", and the end */
	ck_assert_uint_eq(composition.visible.counts[VISIBLE_READ], LIBRARIES);
	ck_assert_uint_eq(composition.visible.link_count, LIBRARIES);
}
END_TEST

START_TEST(a_directory_without_an_end_is_left)
{
	static struct composition composition;

	others = SIZE_MAX;
	look(&composition);
	ck_assert_uint_eq(composition.visible.counts[VISIBLE_READ], LIBRARIES);
	ck_assert_uint_eq(composition.visible.link_count, 0);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_directory_of_links_is_looked_at_once_for_all_files_in_it, 1},
	    {a_directory_without_an_end_is_left, 1},
	    {NULL, 0},
	};

	return run_loops("program_sight", tests, set_up, tear_down);
}
