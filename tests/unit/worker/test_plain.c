/*
 * Values of C++ in plain form. The long texts are gdb's own, of objects of libstdc++ 12 and 14.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/plain.h"
#include "tests/runner.h"

#define ALLOCATOR                                                                                  \
	"<std::allocator<char>> = {<std::__new_allocator<char>> = {<No data fields>}, <No data "   \
	"fields>}"
#define STRING(text, length, local)                                                                \
	"{_M_dataplus = {" ALLOCATOR ", _M_p = 0x7ffe10 " text "}, _M_string_length = " length     \
	", {_M_local_buf = " local ", _M_allocated_capacity = 478560413032}}"
#define HELLO STRING("\"hello\"", "5", "\"hello\", '\\000' <repeats 10 times>")

static const struct {
	const char *gdb, *plain; /* NULL: it stays as it is */
} values[] = {
    /* strings */
    {HELLO, "\"hello\""},
    {STRING("\"\"", "0", "'\\000' <repeats 15 times>"), "\"\""},
    {STRING("\"ab\"", "5", "\"ab\\000cd\""), "\"ab\" (length 5)"},
    {STRING("\"a\\t\\\"b\\001\"", "5", "\"\""), "\"a\\t\\\"b\\001\""},
    {STRING("\"a\", 'x' <repeats 30 times>, \"b\"...", "300", "\"\""),
	"\"a\", 'x' <repeats 30 times>, \"b\"... (length 300)"},
    {STRING("L\"wide\"", "4", "L\"wide\""), "L\"wide\""},
    {"{static npos = 18446744073709551615, _M_len = 4, _M_str = 0x4010 \"view\"}", "\"view\""},
    {"{static npos = 18446744073709551615, _M_len = 2, _M_str = 0x4010 \"view\"}",
	"{_M_len = 2, _M_str = 0x4010 \"view\"}"},
    /* a string that cannot be read keeps its members */
    {"{_M_dataplus = {" ALLOCATOR
     ", _M_p = 0x8 <error: Cannot access memory at address 0x8>}, _M_string_length = 5, "
     "{_M_local_buf = \"\", _M_allocated_capacity = 0}}",
	"{_M_p = 0x8 <error: Cannot access memory at address 0x8>, _M_string_length = 5, "
	"{_M_local_buf = \"\", _M_allocated_capacity = 0}}"},
    /* containers */
    {"{_M_t = {_M_impl = {<std::allocator<int>> = {<No data fields>}, "
     "<std::_Rb_tree_key_compare<std::less<int> >> = {_M_key_compare = {<No data fields>}}, "
     "<std::_Rb_tree_header> = {_M_header = {_M_color = std::_S_red, _M_parent = 0x10, _M_left = "
     "0x20, _M_right = 0x30}, _M_node_count = 2}, <No data fields>}}}",
	"{2 elements}"},
    {"{<std::_Vector_base<int, std::allocator<int> >> = {_M_impl = {<std::allocator<int>> = {<No "
     "data fields>}, <std::_Vector_base<int, std::allocator<int> >::_Vector_impl_data> = "
     "{_M_start = 0x10, _M_finish = 0x1c, _M_end_of_storage = 0x20}, <No data fields>}}, <No data "
     "fields>}",
	"{_M_start = 0x10, _M_finish = 0x1c, _M_end_of_storage = 0x20}"},
    {"{<std::__cxx11::_List_base<int, std::allocator<int> >> = {_M_impl = {<std::allocator<int>> = "
     "{<No data fields>}, _M_node = {<std::__detail::_List_node_base> = {_M_next = 0x10, _M_prev = "
     "0x20}, _M_size = 1}}}, <No data fields>}",
	"{1 element}"},
    /* what holds one thing, and what holds several */
    {"{_M_t = {<std::__uniq_ptr_impl<W, std::default_delete<W> >> = {_M_t = {<std::_Tuple_impl<0, "
     "W*, std::default_delete<W> >> = {<std::_Tuple_impl<1, std::default_delete<W> >> = "
     "{<std::_Head_base<1, std::default_delete<W>, true>> = {_M_head_impl = {<No data fields>}}, "
     "<No data fields>}, <std::_Head_base<0, W*, false>> = {_M_head_impl = 0x14f0}, <No data "
     "fields>}, <No data fields>}}, <No data fields>}}",
	"0x14f0"},
    {"{<std::_Tuple_impl<0, int, char>> = {<std::_Tuple_impl<1, char>> = {<std::_Head_base<1, "
     "char, "
     "false>> = {_M_head_impl = 99 'c'}, <No data fields>}, <std::_Head_base<0, int, false>> = "
     "{_M_head_impl = 1}, <No data fields>}, <No data fields>}",
	"{[0] = 1, [1] = 99 'c'}"},
    /* options and results of Rust, but not in texts */
    {"core::option::Option<alloc::vec::Vec<i32, alloc::alloc::Global>>::Some(Vec of 1 = {5})",
	"Some(Vec of 1 = {5})"},
    {"a::B {c: core::option::Option<i32>::None, d: core::result::Result<fn() -> u8, ()>::Ok(4)}",
	"a::B {c: None, d: Ok(4)}"},
    {"\"core::option::Option<i32>::None\"", NULL},
    {"core::option::Option<i32>", NULL},
    {"(shop::Square) {<std::_Base> = {<No data fields>}, side = 3}", "(shop::Square) {side = 3}"},
    /* the program's own classes */
    {"{<Empty> = {<No data fields>}, a = 1, static s = 4}", "{a = 1, static s = 4}"},
    {"{<Base> = {<No data fields>}, <No data fields>}", "{}"},
    {"{<Base<int>> = {_M_size = 3}, next = 0x0}", NULL},
    {"{{n = " HELLO ", v = 1}, {n = " HELLO ", v = 2}}",
	"{{n = \"hello\", v = 1}, {n = \"hello\", v = 2}}"},
    {"{{n = " HELLO "}}", "{{n = \"hello\"}}"}, /* an array of one */
    {"{<std::allocator<int>> = {<No data fields>}, call = 0x401 <operator<<(A const&, B)+4>, less "
     "= "
     "0x402 <S::operator<(S const&) const>}",
	"{call = 0x401 <operator<<(A const&, B)+4>, less = 0x402 <S::operator<(S const&) const>}"},
    {"(world &) @0x4010: {ages = " HELLO "}", "(world &) @0x4010: {ages = \"hello\"}"},
    /* neither C++ nor whole */
    {"{a = 1, b = {2, 3}}", NULL},
    {"7", NULL},
    {"{_M_p = \"<No data fields>\"}", NULL},
    {"{<Empty> = {<No data fields>}, a = 1", NULL},
    {"{<Empty> = {<No data fields>}, a = \"1}", NULL},
    {"{<Empty = {<No data fields>}, a = 1}", NULL},
};

START_TEST(a_value_of_the_library_reads_as_people_write_it)
{
	cleanup_free char *plain = plain_value(values[_i].gdb);

	if (values[_i].plain)
		ck_assert_str_eq(plain, values[_i].plain);
	else
		ck_assert_ptr_null(plain);
}
END_TEST

START_TEST(what_is_plain_stays_as_it_is)
{
	if (values[_i].plain)
		ck_assert_ptr_null(plain_value(values[_i].plain));
}
END_TEST

/* Hostile programs name their types and fill their strings as they like. */
START_TEST(any_cut_and_any_changed_byte_is_survived)
{
	static const char bytes[] = "{}<>()\"', =\\";
	char text[4096];
	size_t length = strlen(values[_i].gdb);

	for (size_t at = 0; at < length; at++) {
		snprintf(text, sizeof(text), "%s", values[_i].gdb);
		text[at] = '\0';
		free(plain_value(text));
		for (size_t i = 0; bytes[i]; i++) {
			snprintf(text, sizeof(text), "%s", values[_i].gdb);
			text[at] = bytes[i];
			char *plain = plain_value(text);
			ck_assert(!plain || strlen(plain) < length);
			free(plain);
		}
	}
}
END_TEST

START_TEST(every_value_in_a_result_becomes_plain)
{
	json_auto_t *results = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:s}", "value", HELLO,
	    "value2", "old", HELLO, "new", "7", "args", "value", HELLO, "type", HELLO);

	plain_results(results);
	json_auto_t *expected =
	    json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:s}", "value", "\"hello\"", "value2", "old",
		HELLO, "new", "7", "args", "value", "\"hello\"", "type", HELLO);
	ck_assert(json_equal(results, expected));
}
END_TEST

#define LOCAL(text, length, bytes)                                                                 \
	"{_M_dataplus = {<std::allocator<char>> = {<No data fields>}, _M_p = 0x55c0 "              \
	"<text+16> " text "}, _M_string_length = " length ", {_M_local_buf = " bytes               \
	", _M_allocated_capacity = 7}}"
#define FAR(pointer, text)                                                                         \
	"{_M_dataplus = {<std::allocator<char>> = {<No data fields>}, _M_p = " pointer text        \
	"}, _M_string_length = 40, {_M_local_buf = \"(\", '\\000' <repeats 14 times>, "            \
	"_M_allocated_capacity = 40}}"

/* gdb reads the text of both now. */
static const struct {
	const char *old, *new, *told_old, *told_new;
	enum plain_side now;
} strings[] = {
    {LOCAL("\"two\"", "3", "\"one\", '\\000' <repeats 12 times>"),
	LOCAL("\"two\"", "3", "\"two\", '\\000' <repeats 12 times>"), "\"one\"", "\"two\"",
	PLAIN_BEHIND},
    {LOCAL("\"three\"", "5", "\"t\\\"\\000g\\000\""),
	LOCAL("\"three\"", "5", "\"three\\000g\\000\""), "\"t\\\"\" (length 5)", "\"three\"",
	PLAIN_BEHIND},
    {LOCAL("\"x\"", "1", "'\\000' <repeats 15 times>"),
	LOCAL("\"x\"", "1", "\"x\", '\\000' <repeats 14 times>"), "\"\" (length 1)", "\"x\"",
	PLAIN_BEHIND},
    /* Freed, and used again. */
    {FAR("0x55c1", " \"W:\\021\""), FAR("0x55d2", " \"another text\""),
	"{_M_p = 0x55c1, _M_string_length = 40, {_M_local_buf = \"(\", '\\000' <repeats 14 "
	"times>, _M_allocated_capacity = 40}}",
	"\"another text\" (length 40)", PLAIN_BEHIND},
    {FAR("0x55c1", " \"W:\\021\""), FAR("0x55d2", " \"another text\""),
	"{_M_p = 0x55c1, _M_string_length = 40, {_M_local_buf = \"(\", '\\000' <repeats 14 "
	"times>, _M_allocated_capacity = 40}}",
	"\"another text\" (length 40)", PLAIN_BEFORE},
    {LOCAL("\"one\"", "3", "\"one\", '\\000' <repeats 12 times>"),
	LOCAL("\"one\"", "3", "\"two\", '\\000' <repeats 12 times>"), "\"one\"", "\"two\"",
	PLAIN_BEFORE},
};

START_TEST(a_former_string_has_no_text_that_came_later)
{
	struct plain_change change;

	plain_change(&change, strings[_i].old, strings[_i].new, strings[_i].now);
	ck_assert_str_eq(change.old, strings[_i].told_old);
	ck_assert_str_eq(change.new, strings[_i].told_new);
	plain_change_end(&change);
}
END_TEST

START_TEST(any_cut_of_a_former_string_is_survived)
{
	const char *old = strings[_i].old, *new = strings[_i].new;

	for (size_t length = 0; length <= strlen(old); length++) {
		char *cut = strndup(old, length);
		struct plain_change change;

		plain_change(&change, cut, new, PLAIN_BEHIND);
		ck_assert_ptr_nonnull(change.old);
		plain_change_end(&change);
		plain_change(&change, new, cut, PLAIN_BEFORE);
		ck_assert_ptr_nonnull(change.old);
		plain_change_end(&change);
		free(cut);
	}
}
END_TEST

START_TEST(a_change_is_plain_unless_it_would_not_show)
{
	static const char moved[] = STRING("\"hello\"", "5", "\"another\"");
	static const char other[] = STRING("\"other\"", "5", "\"other\"");
	struct plain_change change;

	plain_change(&change, HELLO, other, PLAIN_BEHIND);
	ck_assert_str_eq(change.old, "\"hello\"");
	ck_assert_str_eq(change.new, "\"other\"");
	plain_change_end(&change);
	plain_change(&change, HELLO, moved, PLAIN_BEHIND);
	ck_assert_str_eq(change.old, HELLO);
	ck_assert_str_eq(change.new, moved);
	plain_change_end(&change);
	plain_change(&change, "1", "2", PLAIN_BEFORE);
	ck_assert_str_eq(change.old, "1");
	ck_assert_str_eq(change.new, "2");
	plain_change_end(&change);
}
END_TEST

int main(void)
{
	const struct looped looped[] = {
	    {a_former_string_has_no_text_that_came_later, TIMES(strings)},
	    {any_cut_of_a_former_string_is_survived, TIMES(strings)},
	    {a_value_of_the_library_reads_as_people_write_it, TIMES(values)},
	    {what_is_plain_stays_as_it_is, TIMES(values)},
	    {any_cut_and_any_changed_byte_is_survived, TIMES(values)},
	    {NULL, 0},
	};

	TCase *cases = new_case("plain", NULL, NULL);

	add_loops(cases, looped);
	tcase_add_test(cases, every_value_in_a_result_becomes_plain);
	tcase_add_test(cases, a_change_is_plain_unless_it_would_not_show);
	return run_case("plain", cases);
}
