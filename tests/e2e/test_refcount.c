/*
 * rr_trace_calls as a ledger: what each caller adds, whoever hands the calls on, and answers that
 * say no more than was asked.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

/* The key of calls from the line with that text: "borrow (…/refcount.c:46)" and what follows. */
static bool is_from(const json_t *group, const char *function, const char *line, const char *then)
{
	char place[64];

	snprintf(
	    place, sizeof(place), "refcount.c:%lld)%s", harness_line("refcount.c", line), then);
	return strncmp(answer_text(group, "key"), function, strlen(function)) == 0 &&
	       strstr(answer_text(group, "key"), place) != NULL;
}

static const json_t *group_from(
    const json_t *answer, const char *function, const char *line, const char *then)
{
	json_t *group;
	size_t i;

	json_array_foreach(json_object_get(answer, "groups"), i, group)
	{
		if (is_from(group, function, line, then))
			return group;
	}
	ck_abort_msg("no group of %s at %s: %s", function, line,
	    json_dumps(json_object_get(answer, "groups"), JSON_INDENT(1)));
	return NULL;
}

static json_t *changes(struct scene *scene, const char *sum, json_t *skip)
{
	return client_tool(scene->client, "rr_trace_calls", "{s:s, s:s, s:s*, s:o*}", "location",
	    "change", "group_by", "caller", "sum", sum, "skip", skip);
}

static void expect_group(const json_t *group, long long count, long long sum)
{
	ck_assert_int_eq(answer_number(group, "count"), count);
	ck_assert_int_eq(answer_number(group, "sum"), sum);
}

START_TEST(a_sum_by_caller_shows_who_kept_what)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);
	json_auto_t *answer = changes(&scene, "delta", json_pack("[s, s]", "take", "give"));

	expect_number(answer, "total", 21);
	expect_number(answer, "sum", 3);
	expect_within(answer, "conclusion", "the sum of delta is 3");
	ck_assert_ptr_null(answer_at(answer, "hits"));
	expect_group(group_from(answer, "keep (", "/* first */", ""), 3, 3);
	expect_group(group_from(answer, "keep (", "/* second */", ""), 3, 3);
	expect_group(group_from(answer, "keep (", "/* only one */", ""), 3, -3);
	expect_group(group_from(answer, "borrow (", "/* of borrow */", ""), 3, 3);
}
END_TEST

START_TEST(a_caller_has_a_frame_of_its_own)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);
	json_auto_t *answer = changes(&scene, NULL, NULL);

	ck_assert_uint_eq(answer_count(answer, "groups"), 6);
	expect_number(group_from(answer, "borrow (", "/* of borrow */", ""), "count", 3);
	expect_number(
	    group_from(answer, "look (", "/* of look */", ", through touch ("), "count", 3);
	expect_number(group_from(answer, "take (", "change(object, 1, 1)", ""), "count", 6);
	expect_number(
	    group_from(answer, "give (", "change(object, -1, 1); /* given */", ""), "count", 3);
}
END_TEST

START_TEST(a_sum_by_value_shows_what_each_adds)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);

	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:s}", "location",
		       "change", "group_by", "delta", "sum", "delta * 2"),
	    COUNT("groups", 2), IS("groups.0.key", "1"), NUMBER("groups.0.sum", 24),
	    NUMBER("groups.1.sum", -18), NUMBER("sum", 6));
}
END_TEST

/* Without groups, each row has the sum up to it, and all are counted, whatever the limit. */
START_TEST(rows_have_the_sum_up_to_them)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);

	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:i}", "location",
		       "change", "sum", "delta", "limit", 6),
	    NUMBER("total", 21), NUMBER("sum", 3), COUNT("hits", 6), NUMBER("hits.0.sum", 1),
	    NUMBER("hits.1.sum", 0), NUMBER("hits.5.sum", 2), HAS("more", "15 more are counted"));
}
END_TEST

START_TEST(what_cannot_be_summed_is_said)
{
	static const struct {
		const char *sum, *code, *said;
	} rows[] = {
	    {"object->weight", "invalid_argument", "0.5"},
	    {"object", "invalid_argument", "integers"},
	    {"huge", "limit", "64 bits"},
	    {"delta = 1", "not_allowed", "changes the program"},
	};
	cleanup_scene struct scene scene = scene_open("refcount", NULL);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_auto_t *failure = client_tool_fails(scene.client, "rr_trace_calls",
		    rows[i].code, "{s:s, s:s}", "location", "change", "sum", rows[i].sum);

		ck_assert_msg(strstr(answer_text(failure, "message"), rows[i].said) != NULL,
		    "%s: %s", rows[i].sum, answer_text(failure, "message"));
	}
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "change",
		       "sum", "nosuch"),
	    NUMBER("total", 21), ABSENT("sum"), HAS("sum_unread", "at 21 passes"));
}
END_TEST

START_TEST(rows_show_only_what_was_asked)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);
	json_t *skip = json_pack("[s, s]", "take", "give");
	json_auto_t *answer = client_tool(scene.client, "rr_trace_calls",
	    "{s:s, s:[s], s:b, s:o, s:i, s:s}", "location", "change", "evaluate", "delta",
	    "arguments", 0, "skip", skip, "limit", 7, "condition", "huge == 1");

	ck_assert_ptr_null(answer_at(answer, "hits.0.args"));
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(answer, "hits.0.evaluated"), "delta")),
	    "-1");
	expect_within(answer, "hits.2.caller", "keep (");
}
END_TEST

START_TEST(the_work_ends_with_the_limit_unless_all_are_to_be_counted)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);
	struct client *client = scene.client;
	json_t *last;

	expect_all(
	    client_tool(client, "rr_trace_calls", "{s:s, s:i}", "location", "change", "limit", 20),
	    COUNT("hits", 20), ABSENT("total"), HAS("conclusion", "the first 20 times through"),
	    HAS("more", "count=true"));
	expect_all(client_tool(client, "rr_trace_calls", "{s:s, s:i, s:b}", "location", "change",
		       "limit", 20, "count", 1),
	    COUNT("hits", 20), NUMBER("total", 21), HAS("conclusion", "21 times through"),
	    HAS("more", "1 more are counted"));
	expect_all(
	    client_tool(client, "rr_trace_calls", "{s:s, s:i}", "location", "change", "limit", 22),
	    COUNT("hits", 21), NUMBER("total", 21), ABSENT("more"));
	last = client_tool(client, "rr_trace_calls", "{s:s, s:i, s:b}", "location", "keep", "limit",
	    1, "returns", 1);
	/* its row is whole: what it waited for came behind the limit */
	expect_all(last, COUNT("hits", 1), ABSENT("total"), HAS("hits.0.back_at", ":"),
	    HAS("conclusion", "the first time through"));
}
END_TEST

/* As other answers: a path below the client's directory is relative to it. */
START_TEST(callers_have_the_paths_of_other_answers)
{
	cleanup_scene struct scene scene = scene_open("refcount", NULL);
	json_auto_t *answer = changes(&scene, "delta", NULL);
	json_auto_t *rows =
	    client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", "change");

	ck_assert_ptr_nonnull(
	    strstr(answer_text(answer, "groups.0.key"), " (tests/programs/refcount.c:"));
	ck_assert_ptr_nonnull(
	    strstr(answer_text(rows, "hits.0.caller"), " (tests/programs/refcount.c:"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_sum_by_caller_shows_who_kept_what,
	    a_sum_by_value_shows_what_each_adds, a_caller_has_a_frame_of_its_own,
	    rows_have_the_sum_up_to_them, what_cannot_be_summed_is_said,
	    callers_have_the_paths_of_other_answers, rows_show_only_what_was_asked,
	    the_work_ends_with_the_limit_unless_all_are_to_be_counted, NULL};
	const char *const programs[] = {"refcount", NULL};

	return scene_main("refcount", tests, programs);
}
