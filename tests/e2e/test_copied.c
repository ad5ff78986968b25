/*
 * rr_check_memory finds each copy between blocks that overlap, by the name that its caller used,
 * and never takes memmove for one.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PLAIN	  "copied"
#define OPTIMIZED "copied_O2"
#define UNSTUBBED "copied_unstubbed"
#define RIGHT	  "copied -1"
#define RIGHT_O2  "copied_O2 -1"

static json_t *check_all(struct scene *scene)
{
	return client_tool(scene->client, "rr_check_memory", "{s:i}", "limit", 100);
}

/* What each says, in the order of the calls; whoever is inlined into main has no row's name. */
static const struct row {
	const char *what, *function;
	unsigned long long read, written;
	long long apart; /* from the source to the destination */
} rows[] = {
    {"memcpy", "copy_up", 20, 20, 8},
    {"memcpy", "copy_down", 30, 30, -1},
    {"mempcpy", "copy_and_go_on", 6, 6, 5},
    {"strcpy", "copy_string", 34, 34, -3},
    {"strncpy", "copy_part", 10, 10, 2},
    {"strcat", "add_string", 3, 6, -1},
    {"strcpy", "copy_by_itself", 34, 34, 0},
    {"memcpy", "last", 16, 16, -4},
    {"memcpy", "copy_often", 40, 40, 16},
};

/* The number behind the next `words`, and moves *text behind it. */
static unsigned long long number_behind(const char **text, const char *words)
{
	const char *at = strstr(*text, words);
	unsigned long long number;
	char *end;

	ck_assert_msg(at != NULL, "no \"%s\" in %s", words, *text);
	number = strtoull(at + strlen(words), &end, 0);
	*text = end;
	return number;
}

static void expect_row(const json_t *finding, const struct row *row)
{
	const char *what = answer_text(finding, "what");
	unsigned long long from, to;

	ck_assert_msg(strncmp(what, row->what, strlen(row->what)) == 0, "%s", what);
	what += strlen(row->what);
	ck_assert_uint_eq(number_behind(&what, " reads "), row->read);
	from = number_behind(&what, " bytes at ");
	ck_assert_uint_eq(number_behind(&what, " and writes "), row->written);
	to = number_behind(&what, " bytes at ");
	ck_assert_int_eq((long long)(to - from), row->apart);
	ck_assert_str_eq(what, ", which overlap");
	expect_within(finding, "frame.at", "copied.c:");
	ck_assert_ptr_nonnull(json_object_get(finding, "moment"));
}

static void expect_rows(const char *program, bool by_name)
{
	cleanup_scene struct scene scene = scene_open(program, NULL);
	json_auto_t *answer = check_all(&scene);
	const json_t *list = json_object_get(answer, "findings"), *finding;
	cleanup_free char *text = json_dumps(answer, JSON_INDENT(1));
	size_t i;

	ck_assert_msg(json_array_size(list) == sizeof(rows) / sizeof(*rows), "%s", text);
	json_array_foreach(list, i, finding)
	{
		expect_row(finding, &rows[i]);
		if (by_name)
			expect_text(finding, "frame.function", rows[i].function);
	}
	expect_within(answer, "findings.0.allocated", "copy_up (");
}

START_TEST(each_copy_of_overlapping_blocks_is_found_with_what_it_reads_and_writes)
{
	expect_rows(PLAIN, true);
}
END_TEST

START_TEST(optimized_code_calls_under_the_same_names)
{
	expect_rows(OPTIMIZED, false);
}
END_TEST

START_TEST(a_call_without_a_stub_is_found_as_well)
{
	expect_rows(UNSTUBBED, true);
}
END_TEST

START_TEST(memmove_and_blocks_side_by_side_are_no_findings)
{
	static const char *const programs[] = {RIGHT, RIGHT_O2};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		cleanup_scene struct scene scene = scene_open(programs[i], NULL);

		expect_all(check_all(&scene), ABSENT("findings"), ABSENT("cut_off"),
		    HAS("conclusion", "nothing was copied between blocks that overlap,"));
	}
}
END_TEST

START_TEST(the_moment_is_that_of_the_call)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);
	json_auto_t *answer = check_all(&scene);

	json_decref(client_tool(
	    scene.client, "rr_goto", "{s:s}", "moment", answer_text(answer, "findings.0.moment")));
	expect_all(client_tool(scene.client, "rr_backtrace", NULL),
	    HAS("frames.0.function", "memcpy"), IS("frames.1.function", "copy_up"));
}
END_TEST

START_TEST(a_check_with_copies_changes_nothing)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_same_end(&scene, check_all);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    each_copy_of_overlapping_blocks_is_found_with_what_it_reads_and_writes,
	    optimized_code_calls_under_the_same_names, a_call_without_a_stub_is_found_as_well,
	    memmove_and_blocks_side_by_side_are_no_findings, the_moment_is_that_of_the_call,
	    a_check_with_copies_changes_nothing, NULL};

	return scene_main("copied", tests,
	    (const char *const[]){PLAIN, OPTIMIZED, UNSTUBBED, RIGHT, RIGHT_O2, NULL});
}
