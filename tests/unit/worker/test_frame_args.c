/*
 * The arguments of a frame as text: values may be cut, names never are in their middle.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/runner.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/frames/frame.h"

static void expect_argument(size_t name_length, const char *value, const char *shown)
{
	char name[2000], expected[2100];
	memset(name, 'n', name_length);
	name[name_length] = '\0';
	json_t *frame = json_pack("{s:[{s:s,s:s}]}", "args", "name", name, "value", value);
	json_t *args = frame_args(frame);

	if (name_length >= BRIEF_NAME_MAX)
		strlcpy(name + BRIEF_NAME_MAX - sizeof("..."), "...", sizeof("..."));
	snprintf(expected, sizeof(expected), "%s=%s", name, shown);
	ck_assert_str_eq(json_string_value(args), expected);
	json_decref(args);
	json_decref(frame);
}

START_TEST(a_name_is_whole_or_ends_in_dots)
{
	char value[400], shown[400];

	expect_argument(1, "5", "5");
	expect_argument(120, "5", "5");
	expect_argument(BRIEF_NAME_MAX - 1, "5", "5");
	expect_argument(1999, "5", "5");
	memset(value, '7', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	snprintf(shown, sizeof(shown), "%.200s...", value);
	expect_argument(120, value, shown);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_name_is_whole_or_ends_in_dots, NULL};

	return run_tests("frame_args", tests, NULL, NULL);
}
