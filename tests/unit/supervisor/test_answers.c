/*
 * The form of answers: what is left out, and what the text looks like.
 */
#include <check.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/answers.h"
#include "tests/runner.h"

static void expect_trimmed(const char *from, const char *main, const char *to)
{
	json_auto_t *json = json_loads(from, 0, NULL);
	char *shown;

	answers_trim(json, main, "/home/me");
	shown = json_dumps(json, JSON_COMPACT);
	ck_assert_str_eq(shown, to);
	free(shown);
}

static void expect_said(const char *from, const char *text)
{
	json_auto_t *json = json_loads(from, 0, NULL);
	cleanup_free char *said = answers_text(json);

	ck_assert_str_eq(said, text);
}

START_TEST(what_says_nothing_is_left_out_at_every_level)
{
	expect_trimmed(
	    "{\"a\":false,\"b\":[],\"c\":{\"d\":\"\",\"e\":null},\"f\":[{\"g\":{}}],\"h\":0}", NULL,
	    "{\"f\":[{}],\"h\":0}");
}
END_TEST

START_TEST(what_misleads_is_escaped_in_every_text_and_name)
{
	json_t *json = json_loads("{\"a\":\"x\\u202ey\",\"b\":[{\"c\\u200b\":\"\\u001b[2J\"},"
				  "\"\xf3\xa0\x81\x81\",\"plain \xc3\xa4\"],\"d\":7}",
	    0, NULL);
	char *shown;

	answers_scrub(json);
	shown = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	ck_assert_str_eq(shown,
	    "{\"a\":\"x\\\\xe2\\\\x80\\\\xaey\",\"b\":[{\"c\\\\xe2\\\\x80\\\\x8b\":"
	    "\"\\\\x1b[2J\"},\"\\\\xf3\\\\xa0\\\\x81\\\\x81\",\"plain \xc3\xa4\"],\"d\":7}");
	free(shown);
	json_decref(json);
}
END_TEST

START_TEST(what_is_nested_too_deep_to_be_scrubbed_is_left_out)
{
	char text[256] = "";
	json_t *json;

	for (int i = 0; i < 60; i++)
		strlcat(text, "[", sizeof(text));
	strlcat(text, "\"x\\u202e\"", sizeof(text));
	for (int i = 0; i < 60; i++)
		strlcat(text, "]", sizeof(text));
	json = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(json);
	answers_scrub(json);
	char *shown = json_dumps(json, JSON_COMPACT);
	ck_assert_ptr_null(strstr(shown, "x"));
	free(shown);
	json_decref(json);
}
END_TEST

START_TEST(a_list_that_was_asked_for_stays_when_it_is_empty)
{
	expect_trimmed("{\"breakpoints\":[],\"more\":[]}", "breakpoints", "{\"breakpoints\":[]}");
	expect_trimmed("{\"failed\":false}", "failed", "{}");
}
END_TEST

START_TEST(paths_below_the_directory_are_relative_and_others_stay)
{
	expect_trimmed(
	    "{\"frame\":{\"at\":\"/home/me/a/b.c:7\"},\"frames\":[{\"at\":\"/home/mel/x.c:1\"}]}",
	    NULL, "{\"frame\":{\"at\":\"a/b.c:7\"},\"frames\":[{\"at\":\"/home/mel/x.c:1\"}]}");
	expect_trimmed("{\"conclusion\":\"f wrote it (/home/me/b.c:7)\",\"value\":\"/home/me/x\"}",
	    NULL, "{\"conclusion\":\"f wrote it (b.c:7)\",\"value\":\"/home/me/x\"}");
}
END_TEST

START_TEST(a_stop_is_said_as_a_debugger_says_it)
{
	expect_said(
	    "{\"reason\":\"breakpoint\",\"breakpoint\":2,\"tid\":7,\"thread_name\":\"work\","
	    "\"frame\":{\"level\":0,\"function\":\"store\",\"args\":\"a=0x55, v=94\","
	    "\"at\":\"lost.c:8\",\"address\":\"0x401136\"},"
	    "\"source\":\"=> 8  x = 1;\",\"moment\":\"177:42\"}",
	    "breakpoint 2 at 177:42, thread 7 work\n"
	    "#0 store (a=0x55, v=94) at lost.c:8\n"
	    "=> 8  x = 1;");
	expect_said("{\"reason\":\"watchpoint\",\"breakpoint\":1,\"watch\":{\"expression\":\"n\","
		    "\"old\":\"1\",\"new\":\"2\"},\"moment\":\"5:6\"}",
	    "watchpoint 1, n: 1 -> 2 at 5:6");
	expect_said("{\"reason\":\"signal\",\"signal\":\"SIGSEGV\"}", "signal SIGSEGV");
}
END_TEST

START_TEST(stacks_have_their_locals_folds_and_modules)
{
	expect_said("{\"frames\":[{\"folded\":3,\"what\":\"raise ... abort in libc\"},"
		    "{\"level\":3,\"function\":\"main\",\"at\":\"a.c:1\",\"locals\":[\"i = 4\"]},"
		    "{\"level\":4,\"address\":\"0x55\",\"at\":\"a.out+0x15\"},"
		    "{\"level\":5,\"function\":\"_start\",\"at\":\"ld.so\"}]}",
	    "   3 frames: raise ... abort in libc\n"
	    "#3 main () at a.c:1\n     i = 4\n"
	    "#4 0x55 in ?? () from a.out+0x15\n"
	    "#5 _start () from ld.so");
}
END_TEST

START_TEST(whatever_else_an_answer_has_is_said_without_json)
{
	expect_said("{\"list\":[{\"pid\":3,\"in\":{\"x\":\"y\"}}],\"words\":[\"a\",\"b\"],"
		    "\"text\":\"one\\ntwo\\n\",\"none\":[],\"yes\":true}",
	    "list:\n  pid=3 in=(x=y)\nwords: a, b\ntext:\none\ntwo\nnone: none\nyes: true");
}
END_TEST

START_TEST(a_dump_is_for_the_text_only)
{
	json_auto_t *json =
	    json_loads("{\"address\":\"0x1\",\"contents\":\"41\",\"dump\":\"0x1 41\\n\"}", 0, NULL);
	cleanup_free char *said = answers_text(json);

	ck_assert_str_eq(said, "0x1 41");
	ck_assert_uint_eq(json_object_size(json), 2);
}
END_TEST

/* The session keeps the whole of it. */
START_TEST(a_full_sandbox_needs_no_layers)
{
	json_auto_t *full =
	    json_loads("{\"level\":\"full\",\"layers\":{\"seccomp\":\"full\"}}", 0, NULL);
	json_auto_t *degraded =
	    json_loads("{\"level\":\"degraded\",\"layers\":{\"seccomp\":\"off\"}}", 0, NULL);
	json_auto_t *result = json_pack("{s:O}", "sandbox", full);

	answers_shorten_sandbox(result);
	ck_assert_ptr_null(json_object_get(json_object_get(result, "sandbox"), "layers"));
	ck_assert_ptr_nonnull(json_object_get(json_object_get(result, "sandbox"), "level"));
	ck_assert_ptr_nonnull(json_object_get(full, "layers"));
	json_object_set(result, "sandbox", degraded);
	answers_shorten_sandbox(result);
	ck_assert(json_equal(json_object_get(result, "sandbox"), degraded));
	ck_assert_ptr_nonnull(json_object_get(degraded, "layers"));
}
END_TEST

/* A block that is freed says it is a list with many elements, which are nowhere. */
static void leave_a_trap(void *block)
{
	size_t size = block == NULL ? 0 : malloc_usable_size(block);

	if (size < sizeof(json_t))
		return;
	memset(block, 0x7f, size);
	((json_t *)block)->type = JSON_ARRAY;
}

START_TEST(a_value_that_was_replaced_is_not_looked_at_again)
{
	json_set_alloc_funcs(malloc, leave_a_trap);
	json_t *json = json_loads("{\"at\":\"/home/me/a.c:7\"}", 0, NULL);

	answers_trim(json, NULL, "/home/me");
	ck_assert_str_eq(json_string_value(json_object_get(json, "at")), "a.c:7");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_says_nothing_is_left_out_at_every_level,
	    what_misleads_is_escaped_in_every_text_and_name,
	    what_is_nested_too_deep_to_be_scrubbed_is_left_out,
	    a_list_that_was_asked_for_stays_when_it_is_empty,
	    paths_below_the_directory_are_relative_and_others_stay,
	    a_stop_is_said_as_a_debugger_says_it, stacks_have_their_locals_folds_and_modules,
	    whatever_else_an_answer_has_is_said_without_json, a_dump_is_for_the_text_only,
	    a_full_sandbox_needs_no_layers, a_value_that_was_replaced_is_not_looked_at_again, NULL};

	return run_tests("answers", tests, NULL, NULL);
}
