/*
 * The text that gdb prints of a program's mappings.
 */
#include <check.h>
#include "tests/runner.h"
#include "worker/read/code/mappings.h"

START_TEST(mappings_are_read_with_their_rights_and_files)
{
	struct mappings *mappings = mappings_parse(
	    "process 12\nMapped address spaces:\n\n"
	    "          Start Addr           End Addr       Size     Offset  Perms  objfile\n"
	    "      0x559544b78000     0x559544b79000     0x1000        0x0  r--p   /a b/prog\n"
	    "      0x559544b79000     0x559544b7a000     0x1000     0x1000  r-xp   /a b/prog  \n"
	    "      0x7fa39b6a5000     0x7fa39b6a8000     0x3000        0x0  rw-p   \n"
	    "      nonsense\n"
	    "      0x7ffef2547000     0x7ffef2569000    0x22000        0x0  [stack]\n");
	const struct mapping *code;

	ck_assert_ptr_nonnull(mappings);
	ck_assert_uint_eq(mappings_count(mappings), 4);
	code = mappings_find(mappings, 0x559544b79123);
	ck_assert_ptr_nonnull(code);
	ck_assert_str_eq(code->rights, "r-xp");
	ck_assert_str_eq(code->file, "/a b/prog");
	ck_assert_uint_eq(mappings_base(mappings, code), 0x559544b78000);
	ck_assert_ptr_null(mappings_find(mappings, 0x559544b7a000));
	ck_assert_str_eq(mappings_find(mappings, 0x7fa39b6a5000)->file, "");
	ck_assert_str_eq(mappings_above(mappings, 0x7ffef0000000)->file, "[stack]");
	ck_assert_str_eq(mappings_above(mappings, 0x7ffef0000000)->rights, "");
	ck_assert_ptr_null(mappings_above(mappings, 0x7fffffffffff));
	mappings_free(mappings);
	ck_assert_ptr_null(mappings_parse("warning: unable to open /proc file\n"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {mappings_are_read_with_their_rights_and_files, NULL};

	return run_tests("mappings", tests, NULL, NULL);
}
