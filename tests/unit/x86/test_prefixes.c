/*
 * Where the opcode is behind prefixes, and which of them count.
 */
#include <check.h>
#include "worker/x86/prefixes.h"
#include "tests/runner.h"

#define BYTES(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

static const struct {
	const uint8_t *bytes;
	size_t length, prefixes;
	bool short_operand;
	uint8_t rex;
} rows[] = {
    {BYTES("\x9c"), 0, false, 0},
    {BYTES("\xf3\x9c"), 1, false, 0},
    {BYTES("\xf2\x9c"), 1, false, 0},
    {BYTES("\x26\x2e\x36\x3e\x64\x65\x67\x9c"), 7, false, 0},
    {BYTES("\x66\x9c"), 1, true, 0},
    {BYTES("\x66\x48\xcf"), 2, true, 0x48},
    {BYTES("\x48\x66\xcf"), 2, true, 0},
    {BYTES("\x48\x2e\xcf"), 2, false, 0},
    {BYTES("\x41\x48\xcf"), 2, false, 0x48},
    {BYTES("\x48\x41\xcf"), 2, false, 0x41},
    {BYTES("\xf0\x9c"), 0, false, 0},
    {BYTES("\x48\x66"), 2, true, 0},
    {BYTES(""), 0, false, 0},
};

START_TEST(prefixes_are_skipped_and_a_rex_counts_right_before_the_opcode)
{
	const struct prefixes found = prefixes_of(rows[_i].bytes, rows[_i].length);

	ck_assert_uint_eq(found.length, rows[_i].prefixes);
	ck_assert_int_eq(found.short_operand, rows[_i].short_operand);
	ck_assert_uint_eq(found.rex, rows[_i].rex);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prefixes");
	TCase *all = tcase_create("prefixes");

	tcase_add_loop_test(all, prefixes_are_skipped_and_a_rex_counts_right_before_the_opcode, 0,
	    sizeof(rows) / sizeof(*rows));
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
