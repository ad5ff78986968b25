/*
 * rr_value_history: it shows the same accesses as a plain run forward, of the right place for as
 * long as that exists, and the session stays as it was.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"
#include "tests/e2e/sweep.h"

static const struct point points[] = {
    {"value", true},
    {"*(unsigned *)&field", true},
    {"*(long *)&text[8]", true},
    {NULL, false},
};

static json_t *at(const json_t *changes, size_t row, const char *name)
{
	return json_object_get(json_array_get(changes, row), name);
}

static long long event_of(const char *moment, long long *ticks)
{
	char *colon;
	long long event = strtoll(moment, &colon, 10);

	*ticks = strtoll(colon + 1, NULL, 10);
	return event;
}

static void expect_hit(const json_t *changes, size_t row, const struct hit *hit)
{
	long long ticks, event = event_of(json_string_value(at(changes, row, "moment")), &ticks);

	ck_assert_int_eq(event, hit->at.event);
	ck_assert_int_eq(ticks, hit->at.ticks);
	ck_assert_int_eq(json_integer_value(at(changes, row, "tid")), hit->at.tid);
	ck_assert_str_eq(json_string_value(at(changes, row, "old")), hit->old);
	ck_assert_str_eq(json_string_value(at(changes, row, "new")), hit->new);
}

/* The history of a point, from after one of its hits (NULL: the start) up to another one (NULL: the
 * end), has exactly the sweep's hits. */
static void expect_sweep(struct client *client, const struct sweep *sweep, int point,
    const struct hit *from, const struct hit *to)
{
	json_auto_t *answer = client_tool(client, "rr_value_history", "{s:s, s:s, s:s, s:i}",
	    "expression", sweep->points[point].what, "from", from ? from->at.moment : "start", "to",
	    to ? to->at.moment : "end", "limit", 1000);
	const json_t *changes = json_object_get(answer, "changes");
	size_t row = 0;

	for (size_t i = 0; i < sweep->hit_count; i++) {
		const struct hit *hit = &sweep->hits[i];

		if (hit->point != point || (from && hit <= from) || (to && hit > to))
			continue;
		ck_assert_uint_lt(row, json_array_size(changes));
		expect_hit(changes, row++, hit);
	}
	ck_assert_uint_eq(row, json_array_size(changes));
	expect_number(answer, "total", (long long)row);
}

static const struct hit *nth(const struct sweep *sweep, int point, int number)
{
	for (size_t i = 0; i < sweep->hit_count; i++)
		if (sweep->hits[i].point == point && number-- == 0)
			return &sweep->hits[i];
	return NULL;
}

/* threads, forks or signals */
static void compare(const char *kind)
{
	cleanup_place struct place place = place_replay("walks", kind);
	struct sweep *sweep = sweep_make(place.client, points);
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "start");

	for (int point = 0; points[point].what; point++) {
		const struct hit *second = nth(sweep, point, 1), *fourth = nth(sweep, point, 3);

		expect_sweep(place.client, sweep, point, NULL, NULL);
		expect_sweep(place.client, sweep, point, second, fourth);
	}
	sweep_free(sweep);
}

START_TEST(a_history_of_several_threads_is_what_a_run_forward_shows)
{
	compare("threads");
}
END_TEST

START_TEST(a_history_beside_forks_is_what_a_run_forward_shows)
{
	compare("forks");
}
END_TEST

START_TEST(a_history_among_signals_is_what_a_run_forward_shows)
{
	compare("signals");
}
END_TEST

/* rr_goto comes to where the write has just been made, also among passes of one instruction that
 * share event and ticks, of which gdb notes all but the first without a stop. */
START_TEST(each_row_names_a_moment_where_its_value_is_new)
{
	cleanup_scene struct scene scene = scene_open("straight", NULL);
	json_auto_t *answer =
	    client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "passed");
	const json_t *changes = json_object_get(answer, "changes");

	ck_assert_uint_eq(json_array_size(changes), 3 * 4);
	for (size_t i = json_array_size(changes); i > 0; i--) {
		client_tool_done(
		    scene.client, "rr_goto", "{s:O}", "moment", at(changes, i - 1, "moment"));
		expect_answer(
		    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "passed"),
		    "value", json_string_value(at(changes, i - 1, "new")));
	}
}
END_TEST

/* Where every access stops: gdb notes only writes. */
START_TEST(what_gdb_notes_is_what_stops_show)
{
	static const char *const expressions[] = {"passed", "value", "counter"};
	cleanup_place struct place place = place_replay("straight", "300");

	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		json_auto_t *noted = client_tool(place.client, "rr_value_history", "{s:s, s:i}",
		    "expression", expressions[i], "limit", 1000);
		json_auto_t *stopped =
		    client_tool(place.client, "rr_value_history", "{s:s, s:s, s:i}", "expression",
			expressions[i], "access", "access", "limit", 1000);
		const json_t *changes = json_object_get(noted, "changes"),
			     *all = json_object_get(stopped, "changes");
		size_t row = 0;

		for (size_t k = 0; k < json_array_size(all); k++) {
			if (!at(all, k, "old"))
				continue;
			ck_assert_uint_lt(row, json_array_size(changes));
			for (size_t n = 0; n < 5; n++) {
				static const char *const names[] = {
				    "moment", "tid", "old", "new", "frame"};
				ck_assert(
				    json_equal(at(all, k, names[n]), at(changes, row, names[n])));
			}
			row++;
		}
		ck_assert_uint_gt(row, 10);
	}
}
END_TEST

START_TEST(the_session_stays_where_it_was_with_its_breakpoints)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "add");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "other_work");
	client_tool_done(scene.client, "rr_continue", "{s:i}", "count", 3);
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	json_auto_t *when = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *points_before = client_tool(scene.client, "rr_breakpoint_list", NULL);

	client_tool_done(scene.client, "rr_value_history", "{s:s}", "expression", "block->sum");

	json_auto_t *now = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *points_now = client_tool(scene.client, "rr_breakpoint_list", NULL);
	ck_assert(json_equal(when, now));
	ck_assert(json_equal(points_before, points_now));
	expect_number(points_now, "breakpoints.0.hits", 3);
	expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "rounds"),
	    "value", "10");
	expect_all(client_tool(scene.client, "rr_continue", NULL), NUMBER("breakpoint", 1));
}
END_TEST

START_TEST(a_block_of_the_heap_is_followed_from_before_it_was_allocated)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "local_work");

	expect_all(
	    client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "block->sum"),
	    NUMBER("total", 10), IS("changes.0.old", "0"), IS("changes.9.new", "55"),
	    IS("changes.9.frame.function", "add"),
	    LINE("changes.9.frame", harness_line("histories", "block->sum += amount")));
}
END_TEST

START_TEST(the_history_of_a_local_is_that_of_its_own_call)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "local_work");
	scene_run_to(&scene, "local_work");
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s}", "expression", "mine"),
	    NUMBER("total", 4), IS("changes.0.new", "100"), IS("changes.3.new", "106"),
	    HAS("conclusion", "the call of local_work"));

	/* From start to end, its place also holds variables of other calls. */
	json_auto_t *all = client_tool(scene.client, "rr_value_history", "{s:s, s:s, s:s}",
	    "expression", "mine", "from", "start", "to", "end");
	ck_assert_int_gt(answer_number(all, "total"), 12);
}
END_TEST

START_TEST(what_the_kernel_writes_is_told_of_the_call_that_asked_for_it)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:i}", "expression",
		       "&from_pipe", "length", 8),
	    NUMBER("total", 1), IS("changes.0.frame.function", "write_by_kernel"));
}
END_TEST

START_TEST(a_write_of_the_same_value_is_an_access_but_no_read)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
		       "phase", "access", "read"),
	    NUMBER("total", 1), IS("changes.0.frame.function", "main"), IS("changes.0.value", "3"));
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression", "flag",
		       "access", "access"),
	    NUMBER("total", 10), IS("changes.0.access", "write"), IS("changes.0.value", "0"),
	    IS("changes.3.new", "1"));
}
END_TEST

START_TEST(what_does_not_fit_is_counted_and_can_be_asked_for)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "local_work");

	json_auto_t *first = client_tool(
	    scene.client, "rr_value_history", "{s:s, s:i}", "expression", "block->sum", "limit", 4);
	expect_number(first, "total", 10);
	ck_assert_uint_eq(answer_count(first, "changes"), 4);
	expect_number(first, "by.0.write", 10);
	expect_within(first, "more", "6 more");
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
		       "block->sum", "from", answer_text(first, "changes.3.moment")),
	    COUNT("changes", 6), IS("changes.0.old", answer_text(first, "changes.3.new")));
}
END_TEST

START_TEST(what_is_no_place_in_memory_or_no_stretch_is_refused_with_the_reason)
{
	cleanup_scene struct scene scene = scene_open_at("histories", "local_work");
	static const struct {
		const char *expression, *from, *to, *said;
	} cases[] = {
	    {"phase + 1", "start", "end", "not in memory"},
	    {"$rax", "start", "end", "not in memory"},
	    {"nosuch", "start", "end", "No symbol"},
	    {"phase", "end", "start", "nothing to search"},
	    {"phase", "100", "20", "nothing to search"},
	    {"phase", "1:x", "end", "moment must be"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_auto_t *failure = client_tool_fails(scene.client, "rr_value_history",
		    "invalid_argument", "{s:s, s:s, s:s}", "expression", cases[i].expression,
		    "from", cases[i].from, "to", cases[i].to);
		ck_assert_msg(strstr(answer_text(failure, "message"), cases[i].said) != NULL,
		    "%s: %s", cases[i].expression, answer_text(failure, "message"));
	}
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s, s:s}", "expression",
		       "phase", "from", "start", "to", "2"),
	    NUMBER("total", 0), HAS("conclusion", "no change of phase"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_history_of_several_threads_is_what_a_run_forward_shows,
	    a_history_beside_forks_is_what_a_run_forward_shows,
	    a_history_among_signals_is_what_a_run_forward_shows,
	    each_row_names_a_moment_where_its_value_is_new, what_gdb_notes_is_what_stops_show,
	    the_session_stays_where_it_was_with_its_breakpoints,
	    a_block_of_the_heap_is_followed_from_before_it_was_allocated,
	    the_history_of_a_local_is_that_of_its_own_call,
	    what_the_kernel_writes_is_told_of_the_call_that_asked_for_it,
	    a_write_of_the_same_value_is_an_access_but_no_read,
	    what_does_not_fit_is_counted_and_can_be_asked_for,
	    what_is_no_place_in_memory_or_no_stretch_is_refused_with_the_reason, NULL};
	const char *const programs[] = {"histories", "straight", NULL};

	return scene_main("histories", tests, programs);
}
