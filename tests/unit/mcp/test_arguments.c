/*
 * Arguments as models send them: the core accepts what is clear and refuses the rest. The refusal's
 * text says everything, because only the text of an error reaches the model.
 */
#include "tests/unit/mcp/exchange.h"

static json_t *answer;

static void close_and_drop(void)
{
	json_decref(answer);
	answer = NULL;
	exchange_close();
}

/* Calls echo_arguments and compares what came to the tool. */
static void assert_taken(const char *arguments, const char *expected)
{
	json_decref(answer);
	answer = call("echo_arguments", arguments);
	json_auto_t *wanted = json_loads(expected, 0, NULL);
	json_t *given = at(answer, "result/structuredContent/given");
	ck_assert_msg(given && json_equal(given, wanted), "%s: %s", arguments,
	    text_at(answer, "result/content/0/text"));
}

static void assert_refused_by(const char *tool, const char *arguments, const char *words)
{
	json_decref(answer);
	answer = call(tool, arguments);
	ck_assert_msg(json_is_true(at(answer, "result/isError")), "%s was taken", arguments);
	ck_assert_str_eq(text_at(answer, "result/structuredContent/code"), "invalid_argument");
	const char *text = text_at(answer, "result/content/0/text");
	ck_assert_msg(holds(text, words), "\"%s\" does not say \"%s\"", text, words);
}

static void assert_refused(const char *arguments, const char *words)
{
	assert_refused_by("echo_arguments", arguments, words);
}

START_TEST(arguments_of_the_right_type_arrive_as_they_are)
{
	const char *given = "{\"count\":5,\"ratio\":0.5,\"reverse\":true,\"location\":\"main.c:4\","
			    "\"unit\":\"line\",\"command\":[\"a\",\"\"],\"env\":{\"A\":\"b\"},"
			    "\"claims\":[{\"x\":[1]}]}";
	assert_taken(given, given);
}

START_TEST(one_string_stands_for_a_list_of_it_where_a_row_says_so)
{
	assert_taken("{\"files\":\"a b\"}", "{\"files\":[\"a b\"]}");
	assert_taken("{\"files\":\"12\"}", "{\"files\":[\"12\"]}");
	assert_taken("{\"files\":\"[\\\"a\\\",\\\"b\\\"]\"}", "{\"files\":[\"a\",\"b\"]}");
	assert_refused("{\"files\":{}}", "must be an array of strings");
	assert_refused("{\"files\":[\"a\",\"b\",\"c\"]}", "2 elements");
}

START_TEST(numbers_arrive_as_strings_too)
{
	assert_taken("{\"count\":\"5\"}", "{\"count\":5}");
	assert_taken("{\"count\":\" 7 \"}", "{\"count\":7}");
	assert_taken("{\"count\":5.0}", "{\"count\":5}");
	assert_taken("{\"ratio\":\"0.25\"}", "{\"ratio\":0.25}");
	assert_taken("{\"ratio\":2}", "{\"ratio\":2.0}");
}

START_TEST(booleans_arrive_as_strings_too)
{
	assert_taken("{\"reverse\":\"true\"}", "{\"reverse\":true}");
	assert_taken("{\"reverse\":\"False\"}", "{\"reverse\":false}");
}

START_TEST(arrays_and_objects_arrive_as_strings_too)
{
	assert_taken("{\"command\":\"[\\\"ls\\\",\\\"-l\\\"]\"}", "{\"command\":[\"ls\",\"-l\"]}");
	assert_taken("{\"env\":\"{\\\"A\\\":\\\"b\\\"}\"}", "{\"env\":{\"A\":\"b\"}}");
	assert_taken("{\"claims\":\"[{\\\"x\\\":1}]\"}", "{\"claims\":[{\"x\":1}]}");
}

START_TEST(scalars_become_strings_where_strings_are_taken)
{
	assert_taken("{\"location\":4096}", "{\"location\":\"4096\"}");
	assert_taken("{\"command\":[\"seq\",3]}", "{\"command\":[\"seq\",\"3\"]}");
	assert_taken("{\"env\":{\"N\":3,\"ON\":true}}", "{\"env\":{\"N\":\"3\",\"ON\":\"true\"}}");
}

START_TEST(null_is_an_argument_left_out)
{
	assert_taken("{\"count\":null,\"location\":null}", "{}");
	assert_taken("null", "{}");
	assert_refused_by("hold_call", "{\"expression\":null}", "\"expression\" is missing");
}

START_TEST(an_unknown_argument_names_the_nearest_right_one)
{
	assert_refused("{\"locaton\":\"main\"}", "did you mean \"location\"?");
	assert_refused("{\"loc\":\"main\"}", "did you mean \"location\"?");
	assert_refused("{\"cuont\":1}", "did you mean \"count\"?");
	assert_refused("{\"Reverse\":1}", "did you mean \"reverse\"?");
}

START_TEST(an_unknown_argument_that_is_near_nothing_lists_what_there_is)
{
	assert_refused("{\"zzzzzzzzzzzzzzz\":1}", "unknown argument \"zzzzzzzzzzzzzzz\"");
	ck_assert(!holds(text_at(answer, "result/content/0/text"), "did you mean"));
	ck_assert(holds(text_at(answer, "result/content/0/text"), "count, ratio, reverse"));
	assert_refused_by("take_nothing", "{\"x\":1}", "takes no arguments");
}

START_TEST(a_missing_argument_is_named)
{
	assert_refused_by("hold_call", "{}", "\"expression\" is missing");
	ck_assert_uint_eq(exchange.calls, 0);
}

START_TEST(an_integer_out_of_range_names_the_range)
{
	assert_refused("{\"count\":0}", "from 1 to 100");
	assert_refused("{\"count\":101}", "from 1 to 100");
	assert_refused("{\"count\":\"-9223372036854775808\"}", "from 1 to 100");
}

START_TEST(the_wrong_type_names_the_right_one)
{
	assert_refused("{\"count\":\"five\"}", "must be an integer");
	assert_refused("{\"count\":1.5}", "must be an integer");
	assert_refused("{\"count\":\"99999999999999999999\"}", "must be an integer");
	assert_refused("{\"count\":true}", "must be an integer");
	assert_refused("{\"ratio\":\"much\"}", "must be a number");
	assert_refused("{\"ratio\":\"inf\"}", "must be a number");
	assert_refused("{\"reverse\":1}", "must be true or false");
	assert_refused("{\"location\":{}}", "must be a string");
	assert_refused("{\"command\":\"ls -l\"}", "must be an array of strings");
	assert_refused("{\"command\":[[]]}", "must be an array of strings");
	assert_refused("{\"env\":[]}", "must be an object of strings");
	assert_refused("{\"env\":{\"A\":{}}}", "must be an object of strings");
	assert_refused("{\"claims\":[1]}", "must be an array of objects");
	assert_refused("{\"claims\":\"[{]\"}", "must be an array of objects");
}

START_TEST(an_unknown_choice_names_the_nearest_and_all)
{
	assert_refused("{\"unit\":\"lines\"}", "did you mean \"line\"?");
	ck_assert(holds(text_at(answer, "result/content/0/text"), "line, instruction"));
}

START_TEST(what_is_too_long_names_its_limit)
{
	assert_refused("{\"location\":\"12345678901234567890123456789012345678901\"}", "40 bytes");
	assert_refused("{\"command\":[\"a\",\"b\",\"c\",\"d\"]}", "3 elements");
}

/* The limits of the line hold for the inner text too. */
START_TEST(stringified_json_cannot_nest_deeper_than_a_line_may)
{
	char arguments[1024] = "{\"command\":\"";

	memset(arguments + strlen(arguments), '[', 300);
	strlcat(arguments, "\"}", sizeof(arguments));
	assert_refused(arguments, "must be an array of strings");
}

/* C strings end at a NUL. The text after one must not get lost silently. */
START_TEST(a_nul_within_a_string_is_refused)
{
	assert_refused("{\"location\":\"a\\u0000b\"}", "must be a string");
	assert_refused("{\"count\":\"5\\u00006\"}", "must be an integer");
	assert_refused("{\"command\":[\"a\\u0000b\"]}", "must be an array of strings");
	assert_refused("{\"claims\":[{\"value\":\"a\\u0000b\"}]}", "holds a NUL character");
	assert_refused("{\"claims\":[{\"a\":[{\"b\":\"\\u0000\"}]}]}", "holds a NUL character");
}

START_TEST(a_strangers_long_name_is_quoted_cut_on_a_character)
{
	char arguments[512] = "{\"x";

	for (int i = 0; i < 100; i++)
		strlcat(arguments, "\u00e9", sizeof(arguments));
	strlcat(arguments, "\":1}", sizeof(arguments));
	assert_refused(arguments, "unknown argument");
	ck_assert_uint_lt(strlen(text_at(answer, "result/content/0/text")), 400);
	/* if it were cut within a character, everything but ASCII would have become '?' */
	ck_assert(holds(text_at(answer, "result/content/0/text"), "\u00e9\"\n"));
}

int main(void)
{
	const TTest *const tests[] = {arguments_of_the_right_type_arrive_as_they_are,
	    one_string_stands_for_a_list_of_it_where_a_row_says_so, numbers_arrive_as_strings_too,
	    booleans_arrive_as_strings_too, arrays_and_objects_arrive_as_strings_too,
	    scalars_become_strings_where_strings_are_taken, null_is_an_argument_left_out,
	    an_unknown_argument_names_the_nearest_right_one,
	    an_unknown_argument_that_is_near_nothing_lists_what_there_is,
	    a_missing_argument_is_named, an_integer_out_of_range_names_the_range,
	    the_wrong_type_names_the_right_one, an_unknown_choice_names_the_nearest_and_all,
	    what_is_too_long_names_its_limit, stringified_json_cannot_nest_deeper_than_a_line_may,
	    a_nul_within_a_string_is_refused, a_strangers_long_name_is_quoted_cut_on_a_character,
	    NULL};

	return run_tests("arguments", tests, exchange_open_legacy, close_and_drop);
}
