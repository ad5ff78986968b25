/*
 * gdb's values without what says nothing.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/shorten.h"
#include "tests/runner.h"

static const struct {
	const char *gdb, *shorter; /* NULL: it stays as it is */
} values[] = {
    /* options and results of Rust, but not in texts */
    {"core::option::Option<alloc::vec::Vec<i32, alloc::alloc::Global>>::Some(Vec of 1 = {5})",
	"Some(Vec of 1 = {5})"},
    {"a::B {c: core::option::Option<i32>::None, d: core::result::Result<fn() -> u8, ()>::Ok(4)}",
	"a::B {c: None, d: Ok(4)}"},
    {"\"core::option::Option<i32>::None\"", NULL},
    {"core::option::Option<i32>", NULL},
    /* bases of C++ without data */
    {"{<Empty> = {<No data fields>}, a = 1, static s = 4}", "{a = 1, static s = 4}"},
    {"{<Base> = {<No data fields>}, <No data fields>}", "{}"},
    {"{<Base<int>> = {b = 1}, <No data fields>}", "{<Base<int>> = {b = 1}}"},
    {"{<A> = {<No data fields>}, <B<C<int> >> = {<No data fields>}, a = 1}", "{a = 1}"},
    {"(shop::Square) {<std::_Base> = {<No data fields>}, side = 3}", "(shop::Square) {side = 3}"},
    {"(world &) @0x4010: {<A> = {<No data fields>}, {n = 1}}", "(world &) @0x4010: {{n = 1}}"},
    {"{<A> = {<No data fields>}, call = 0x401 <operator<<(A const&, B)+4>}",
	"{call = 0x401 <operator<<(A const&, B)+4>}"},
    {"{empty = {<No data fields>}, a = \"<A> = {<No data fields>}, \"}", NULL},
    /* neither, and not whole */
    {"{a = 1, b = {2, 3}}", NULL},
    {"7", NULL},
    {"{<Empty = {<No data fields>}, a = 1}", NULL},
};

START_TEST(a_value_says_what_it_holds)
{
	cleanup_free char *shorter = shorten_value(values[_i].gdb);

	if (values[_i].shorter)
		ck_assert_str_eq(shorter, values[_i].shorter);
	else
		ck_assert_ptr_null(shorter);
}
END_TEST

/* Hostile programs name their types and fill their strings as they like. */
START_TEST(any_cut_and_any_changed_byte_is_survived)
{
	static const char bytes[] = "{}<>()\"', =\\";
	char text[256];
	size_t length = strlen(values[_i].gdb);

	for (size_t at = 0; at < length; at++) {
		snprintf(text, sizeof(text), "%s", values[_i].gdb);
		text[at] = '\0';
		free(shorten_value(text));
		for (size_t i = 0; bytes[i]; i++) {
			snprintf(text, sizeof(text), "%s", values[_i].gdb);
			text[at] = bytes[i];
			char *shorter = shorten_value(text);
			ck_assert(!shorter || strlen(shorter) < length);
			free(shorter);
		}
	}
}
END_TEST

START_TEST(every_value_in_a_result_is_shortened)
{
	static const char some[] = "core::option::Option<i32>::Some(5)";
	json_auto_t *results = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:s}", "value", some,
	    "value2", "old", some, "new", "7", "args", "value", some, "type", some);

	shorten_results(results);
	json_auto_t *expected = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:s}", "value", "Some(5)",
	    "value2", "old", "Some(5)", "new", "7", "args", "value", "Some(5)", "type", some);
	ck_assert(json_equal(results, expected));
}
END_TEST

int main(void)
{
	const struct looped looped[] = {
	    {a_value_says_what_it_holds, TIMES(values)},
	    {any_cut_and_any_changed_byte_is_survived, TIMES(values)},
	    {NULL, 0},
	};

	TCase *cases = new_case("shorten", NULL, NULL);

	add_loops(cases, looped);
	tcase_add_test(cases, every_value_in_a_result_is_shortened);
	return run_case("shorten", cases);
}
