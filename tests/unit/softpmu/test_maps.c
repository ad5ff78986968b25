/*
 * /proc/PID/maps with [vvar] in one piece.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/rrfix/maps.h"
#include "tests/runner.h"

#define LINE(range, name) range " r--p 00000000 00:00 0                          " name "\n"

static void joins_to(const char *text, const char *expected)
{
	cleanup_free char *copy = strdup(text);
	size_t length = maps_join_vvar(copy, strlen(text));

	ck_assert_int_eq(length, strlen(expected));
	ck_assert(memcmp(copy, expected, length) == 0);
}

START_TEST(vvar_and_vvar_vclock_become_one_mapping)
{
	joins_to(LINE("7ffc1000-7ffc3000", "[stack]") LINE("7ffd2000-7ffd6000", "[vvar]")
		     LINE("7ffd6000-7ffd8000", "[vvar_vclock]") LINE("7ffd8000-7ffda000", "[vdso]"),
	    LINE("7ffc1000-7ffc3000", "[stack]") LINE("7ffd2000-7ffd8000", "[vvar]")
		LINE("7ffd8000-7ffda000", "[vdso]"));
}
END_TEST

START_TEST(maps_of_an_older_kernel_stay_as_they_are)
{
	const char *text = LINE("7ffd2000-7ffd6000", "[vvar]") LINE("7ffd6000-7ffd8000", "[vdso]");

	joins_to(text, text);
}
END_TEST

START_TEST(mappings_that_do_not_touch_are_not_joined)
{
	const char *text =
	    LINE("7ffd2000-7ffd6000", "[vvar]") LINE("7ffd7000-7ffd8000", "[vvar_vclock]");

	joins_to(text, text);
}
END_TEST

START_TEST(a_file_that_is_only_called_so_is_not_joined)
{
	const char *text =
	    LINE("7ffd2000-7ffd6000", "/x[vvar]") LINE("7ffd6000-7ffd8000", "[vvar_vclock]");

	joins_to(text, text);
}
END_TEST

START_TEST(a_text_cut_off_anywhere_is_taken)
{
	const char *text =
	    LINE("7ffd2000-7ffd6000", "[vvar]") LINE("7ffd6000-7ffd8000", "[vvar_vclock]");

	for (size_t length = 0; length < strlen(text); length++) {
		char *copy = malloc(length + 1);

		memcpy(copy, text, length);
		ck_assert_uint_le(maps_join_vvar(copy, length), length);
		free(copy);
	}
}
END_TEST

START_TEST(only_maps_files_are_maps_files)
{
	ck_assert(maps_is_maps_path("/proc/12/maps"));
	ck_assert(maps_is_maps_path("/proc/12/task/13/maps"));
	ck_assert(!maps_is_maps_path("/proc/12/smaps"));
	ck_assert(!maps_is_maps_path("/home/x/maps"));
	ck_assert(!maps_is_maps_path("/proc/maps"));
	ck_assert(!maps_is_maps_path(NULL));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    vvar_and_vvar_vclock_become_one_mapping,
	    maps_of_an_older_kernel_stay_as_they_are,
	    mappings_that_do_not_touch_are_not_joined,
	    a_file_that_is_only_called_so_is_not_joined,
	    a_text_cut_off_anywhere_is_taken,
	    only_maps_files_are_maps_files,
	    NULL,
	};

	return run_tests("softpmu maps", tests, NULL, NULL);
}
