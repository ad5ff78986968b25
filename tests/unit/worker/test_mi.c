/*
 * The MI parser: gdb's output becomes a tree, and malformed output, which a hostile program can
 * cause, becomes an error. Also how gdb gets a client's text.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "tests/runner.h"

static struct mi_record record;
static const char *why;

static int parse(const char *line)
{
	why = NULL;
	return mi_parse(line, strlen(line), &record, &why);
}

static void done(void)
{
	json_decref(record.results);
}

START_TEST(a_result_has_token_class_and_values)
{
	ck_assert_int_eq(parse("42^done,value=\"7\",frame={level=\"0\",args=[]}"), 0);
	ck_assert_int_eq(record.kind, MI_RESULT);
	ck_assert_int_eq(record.token, 42);
	ck_assert_str_eq(record.name, "done");
	ck_assert_str_eq(mi_text(record.results, "value"), "7");
	ck_assert_str_eq(mi_text(json_object_get(record.results, "frame"), "level"), "0");
	done();
}
END_TEST

START_TEST(each_mark_is_its_kind)
{
	static const struct {
		const char *line;
		enum mi_kind kind;
	} lines[] = {{"*stopped", MI_EXEC}, {"+download", MI_STATUS},
	    {"=thread-created", MI_NOTIFY}, {"~\"x\"", MI_CONSOLE}, {"@\"x\"", MI_TARGET},
	    {"&\"x\"", MI_LOG}, {"(gdb) ", MI_PROMPT}};
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		ck_assert_int_eq(parse(lines[i].line), 0);
		ck_assert_int_eq(record.kind, lines[i].kind);
		ck_assert_int_eq(record.token, -1);
		done();
	}
}
END_TEST

START_TEST(a_list_of_results_loses_its_names)
{
	ck_assert_int_eq(
	    parse("^done,stack=[frame={level=\"0\"},frame={level=\"1\"}],l=[\"a\",\"b\"]"), 0);
	json_t *stack = json_object_get(record.results, "stack");
	ck_assert_uint_eq(json_array_size(stack), 2);
	ck_assert_str_eq(mi_text(json_array_get(stack, 1), "level"), "1");
	ck_assert_uint_eq(json_array_size(json_object_get(record.results, "l")), 2);
	done();
}
END_TEST

/* gdb 16 adds its own reason to that of the target. */
START_TEST(of_a_name_that_comes_twice_the_first_value_stays)
{
	ck_assert_int_eq(parse("*stopped,reason=\"no-history\",reason=\"end-stepping-range\","
			       "thread-id=\"1\""),
	    0);
	ck_assert_str_eq(mi_text(record.results, "reason"), "no-history");
	ck_assert_str_eq(mi_text(record.results, "thread-id"), "1");
	done();
}
END_TEST

START_TEST(escapes_are_undone_and_bad_bytes_made_visible)
{
	ck_assert_int_eq(parse("~\"a\\n\\t\\\"\\\\\\303\\244\\377\\033\""), 0);
	ck_assert_str_eq(json_string_value(record.results), "a\n\t\"\\\xc3\xa4\\xff\\x1b");
	done();
}
END_TEST

START_TEST(what_is_not_mi_is_an_error)
{
	static const char *const lines[] = {"", "hello", "12", "^", "^done,", "^done,a",
	    "^done,a=", "^done,a=\"", "^done,a=\"x", "^done,a=\"\\", "^done,a={", "^done,a={b",
	    "^done,a={b=\"\"", "^done,a=[", "^done,a=[\"x\"", "^done,a=[\"x\",", "^done,a={}}",
	    "^done,a=\"x\"y", "~text", "~\"x\"y", "^done,=\"x\"", "99999999999999999999^done",
	    "^done,a=b"};
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		ck_assert_msg(parse(lines[i]) != 0, "taken: %s", lines[i]);
		ck_assert_ptr_nonnull(why);
	}
}
END_TEST

START_TEST(nesting_beyond_the_limit_is_an_error)
{
	char line[8 * 1000 + 32] = "^done,a=";
	memset(line + strlen(line), '[', 4000);
	ck_assert_int_ne(parse(line), 0);
	ck_assert_str_eq(why, "nested too deeply");
}
END_TEST

START_TEST(more_values_than_the_limit_are_an_error)
{
	size_t size = (size_t)MI_NODES_MAX * 3 + 64, length;
	cleanup_free char *line = malloc(size);
	strlcpy(line, "^done,a=[\"\"", size);
	length = strlen(line);
	for (int i = 0; i < MI_NODES_MAX; i++, length += 3)
		memcpy(line + length, ",\"\"", 4);
	ck_assert_int_ne(mi_parse(line, length, &record, &why), 0);
	ck_assert_str_eq(why, "too many values");
}
END_TEST

START_TEST(a_name_beyond_the_limit_is_an_error)
{
	char line[MI_NAME_MAX * 3] = "^done,";
	memset(line + 6, 'n', MI_NAME_MAX * 2 - 8);
	strlcat(line, "=\"\"", sizeof(line));
	ck_assert_int_ne(parse(line), 0);
}
END_TEST

START_TEST(any_cut_and_any_changed_byte_is_survived)
{
	static const char line[] =
	    "7^done,bkpt={number=\"1\",locations=[{a=\"\\\\x\"},{b=[\"1\",c={}]}],t=\"\\303\"}";
	char copy[sizeof(line)];
	for (size_t cut = 0; cut < sizeof(line) - 1; cut++)
		if (mi_parse(line, cut, &record, &why) == 0)
			done();
	for (size_t at = 0; at < sizeof(line) - 1; at++) {
		for (int byte = 0; byte < 256; byte++) {
			memcpy(copy, line, sizeof(line));
			copy[at] = (char)byte;
			if (mi_parse(copy, sizeof(line) - 1, &record, &why) == 0)
				done();
		}
	}
}
END_TEST

START_TEST(a_clients_text_is_one_string)
{
	char to[64];
	ck_assert_int_gt(mi_quote(to, sizeof(to), "a \"b\" \\c -gdb-exit"), 0);
	ck_assert_str_eq(to, "\"a \\\"b\\\" \\\\c -gdb-exit\"");
}
END_TEST

START_TEST(control_characters_are_refused)
{
	char to[64], text[] = "a?b";
	for (int c = 1; c < 0x20; c++) {
		text[1] = (char)c;
		ck_assert_int_eq(mi_quote(to, sizeof(to), text), -1);
	}
	text[1] = 0x7f;
	ck_assert_int_eq(mi_quote(to, sizeof(to), text), -1);
}
END_TEST

START_TEST(what_does_not_fit_is_refused_not_cut)
{
	char to[8];
	ck_assert_int_eq(mi_quote(to, sizeof(to), "12345"), -1);
	ck_assert_int_eq(mi_quote(to, sizeof(to), "1234"), 6);
	ck_assert_int_eq(mi_quote(to, sizeof(to), "12\"\""), -1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_result_has_token_class_and_values,
	    each_mark_is_its_kind,
	    a_list_of_results_loses_its_names,
	    of_a_name_that_comes_twice_the_first_value_stays,
	    escapes_are_undone_and_bad_bytes_made_visible,
	    what_is_not_mi_is_an_error,
	    nesting_beyond_the_limit_is_an_error,
	    more_values_than_the_limit_are_an_error,
	    a_name_beyond_the_limit_is_an_error,
	    any_cut_and_any_changed_byte_is_survived,
	    a_clients_text_is_one_string,
	    control_characters_are_refused,
	    what_does_not_fit_is_refused_not_cut,
	    NULL,
	};

	return run_tests("mi", tests, NULL, NULL);
}
