/*
 * What orders threads beside locks, or may do so: the initialization of static variables, and an
 * allocator of the program's own; and what many places and very many threads do to the answers.
 */
#include <check.h>
#include <stdlib.h>
#include "tests/e2e/hang.h"
#include "tests/e2e/scene.h"

/* Opens a session on a run, whose output the caller frees. */
static struct place open_run(const char *program, const char *way, char **output)
{
	struct place place = place_open();
	json_auto_t *record = client_record(place.client, place.trace, program, way);

	expect_number(record, "exit_code", 0);
	*output = strdup(answer_text(record, "stdout"));
	free(client_replay(place.client, place.trace));
	return place;
}

/* The compiler's guard orders the initialization with all uses, and nothing else. */
START_TEST(the_initialization_of_a_static_variable_comes_before_its_uses)
{
	static const char *const builds[] = {"lazy_static", "lazy_static_O2"};
	char *output;
	cleanup_place struct place place = open_run(builds[_i], NULL, &output);
	json_auto_t *scan = client_tool(
	    place.client, "rr_race_scan", "{s:s}", "expression", "*(long *) &'config()::one'");

	expect_text(scan, "verdict", "ordered");
	expect_within(scan, "conclusion", "the initialization of config()::one");
	free(output);
}
END_TEST

START_TEST(what_changes_after_the_initialization_still_races)
{
	char *output;
	cleanup_place struct place place = open_run("lazy_static", "changes", &output);
	json_auto_t *scan = client_tool(
	    place.client, "rr_race_scan", "{s:s}", "expression", "config()::one.changes");
	long long initialized = harness_line("lazy_static.cc", "/* the initialization */");

	expect_text(scan, "verdict", "race");
	for (size_t i = 0; i < answer_count(scan, "pairs"); i++) {
		const json_t *pair = json_array_get(answer_at(scan, "pairs"), i);

		ck_assert_int_ne(answer_line(pair, "first.frame"), initialized);
		expect_line(
		    pair, "second.frame", harness_line("lazy_static.cc", "/* the change */"));
	}
	free(output);
}
END_TEST

START_TEST(of_very_many_places_each_access_has_its_own)
{
	char *output;
	cleanup_place struct place place = open_run("many_places", NULL, &output);
	json_auto_t *scan = client_tool(
	    place.client, "rr_race_scan", "{s:s, s:i}", "expression", "number", "limit", 200);
	long long last = harness_line("many_places", "/* the last place */");
	int once = 0;

	expect_within(scan, "places", "more than 64 places");
	ck_assert_uint_gt(answer_count(scan, "pairs"), 0);
	/* Which thread comes first is rr's choice. */
	for (size_t i = 0; i < answer_count(scan, "pairs"); i++) {
		const json_t *pair = json_array_get(answer_at(scan, "pairs"), i);

		ck_assert((answer_line(pair, "first.frame") == last) !=
			  (answer_line(pair, "second.frame") == last));
	}
	for (size_t i = 0; i < answer_count(scan, "accesses"); i++)
		once +=
		    answer_line(json_array_get(answer_at(scan, "accesses"), i), "frame") == last;
	ck_assert_int_eq(once, 1);
	free(output);
}
END_TEST

START_TEST(what_an_allocator_of_the_programs_own_hands_out_again_is_not_known_to_race)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *pool = harness_program("pool"), *program = harness_program("pooled"),
			  *copy = harness_path(place.folder, "pool");

	/* LD_PRELOAD takes no path with a space, which the tree may have. */
	harness_shell("cp '%s' '%s'", pool, copy);
	expect_all(
	    client_tool(place.client, "rr_record", "{s:[s, s, s, s, s], s:s}", "command", "/bin/sh",
		"-c", "LD_PRELOAD=\"$0\" exec \"$1\"", copy, program, "trace_dir", place.trace),
	    IS("stdout", "the same\n"));
	client_tool_done(
	    place.client, "rr_replay_start", "{s:s, s:s}", "trace_dir", place.trace, "at", "end");
	json_auto_t *scan =
	    client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "last[0][5]");
	expect_text(scan, "verdict", "unknown");
	expect_within(scan, "unknown", "a malloc of its own");
}
END_TEST

START_TEST(a_ring_is_found_among_very_many_threads)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("crowd");
	json_auto_t *report = NULL;

	hang_record(place.client, place.trace, json_pack("[s]", program), 73);
	report = client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_within(report, "conclusion", "deadlock: ");
	ck_assert_uint_eq(answer_count(report, "threads"), 64);
	expect_number(report, "more_threads", 73 - 64);
	expect_within(report, "threads.63.waits_for", "mutex ");
}
END_TEST

static const struct {
	const char *way, *verdict;
} waits[] = {{"mutex", "unknown"}, {"condition", "unknown"}, {"barrier", "unknown"},
    {"semaphore", "unknown"}, {"joined", "unknown"}, {"asleep", "race"}};

/* A search from the start sees what orders it, and one from the middle does not call it a race. */
START_TEST(a_wait_that_began_before_the_search_may_order)
{
	char *output;
	cleanup_place struct place place = open_run("halfway", waits[_i].way, &output);

	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "halfway");
	json_auto_t *stop = client_tool(place.client, "rr_continue", NULL);
	json_auto_t *whole =
	    client_tool(place.client, "rr_race_scan", "{s:s}", "expression", "value");
	json_auto_t *part = client_tool(place.client, "rr_race_scan", "{s:s, s:s}", "expression",
	    "value", "from", answer_text(stop, "moment"));

	expect_text(whole, "verdict", strcmp(waits[_i].verdict, "race") == 0 ? "race" : "ordered");
	expect_text(part, "verdict", waits[_i].verdict);
	if (strcmp(waits[_i].verdict, "unknown") == 0)
		expect_within(part, "unknown", "waited for another one where the search begins");
	free(output);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_initialization_of_a_static_variable_comes_before_its_uses, 2},
	    {what_changes_after_the_initialization_still_races, 1},
	    {of_very_many_places_each_access_has_its_own, 1},
	    {what_an_allocator_of_the_programs_own_hands_out_again_is_not_known_to_race, 1},
	    {a_ring_is_found_among_very_many_threads, 1},
	    {a_wait_that_began_before_the_search_may_order, TIMES(waits)},
	    {NULL, 0},
	};

	return scene_main_loops("orders", tests, (const char *const[]){NULL});
}
