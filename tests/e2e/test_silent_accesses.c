/*
 * rr_race_scan of a place that is accessed often: most accesses are counted without a stop. It says
 * what it says where each of them stops, and what the program itself has counted.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PLACE "room[8192]"

static struct place open_run(const char *program, const char *const *words)
{
	struct place place = place_open();
	cleanup_free char *path = harness_program(program);
	json_t *command = json_pack("[s]", path);

	for (; *words; words++)
		json_array_append_new(command, json_string(*words));
	client_tool_done(
	    place.client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir", place.trace);
	free(client_replay(place.client, place.trace));
	return place;
}

static json_t *scan(struct client *client, int limit)
{
	return client_tool(client, "rr_race_scan", "{s:s, s:i, s:i}", "expression", PLACE, "limit",
	    limit, "deadline", 250);
}

/* ---- Beside stops ---------------------------------------------------------------------------- */

static const struct {
	const char *program, *words[4];
	bool stops; /* rr goes back behind a string instruction, so each access has to stop */
} runs[] = {
    {"raced_often", {"1"}, false},
    {"raced_often", {"2", "40", "atomic"}, false},
    {"raced_often", {"3", "40", "strings"}, true},
    {"raced_often_O2", {"4"}, false},
    {"raced_often_O2", {"5", "40", "atomic"}, false},
};

START_TEST(it_says_what_it_says_where_each_access_stops)
{
	cleanup_place struct place place = open_run(runs[_i].program, runs[_i].words);
	json_t *stopping = scan(place.client, 1000), *silent = scan(place.client, 1);
	const long long total = answer_number(stopping, "total");
	static const char *const other[] = {"accesses", "more", "slow"};

	ck_assert_int_gt(total, 100);
	ck_assert_int_lt(total, 1000);
	ck_assert_uint_eq(answer_count(silent, "accesses"), 1);
	ck_assert_ptr_null(answer_at(stopping, "slow"));
	ck_assert_int_eq(answer_at(silent, "slow") != NULL, runs[_i].stops);
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++) {
		json_object_del(stopping, other[i]);
		json_object_del(silent, other[i]);
	}
	expect_same(stopping, silent);
}
END_TEST

/* ---- Beside the program's own count ---------------------------------------------------------- */

static void expect_counts_of(const json_t *threads, const long long counts[3])
{
	const json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		if (answer_number(thread, "tid") != counts[0])
			continue;
		expect_number(thread, "reads", counts[1]);
		expect_number(thread, "writes", counts[2]);
		return;
	}
	ck_abort_msg("no thread %lld", counts[0]);
}

static void expect_counts(const json_t *answer, const char *output)
{
	const json_t *threads = answer_at(answer, "threads");
	long long counts[3];
	size_t lines = 0;

	for (; *output; output = strchr(output, '\n') + 1) {
		char *at = (char *)output;

		for (size_t i = 0; i < 3; i++)
			counts[i] = strtoll(at, &at, 10);
		if (counts[1] == 0 && counts[2] == 0)
			continue;
		lines++;
		expect_counts_of(threads, counts);
	}
	ck_assert_uint_eq(json_array_size(threads), lines);
}

START_TEST(each_thread_has_as_many_accesses_as_it_has_counted)
{
	static const char *const programs[] = {"raced_often", "raced_often_O2"};
	const char *const words[] = {"7", "20000", "plain", NULL};
	cleanup_place struct place place = open_run(programs[_i], words);
	json_auto_t *end = client_tool(place.client, "rr_goto", "{s:s}", "moment", "end");
	json_auto_t *answer = scan(place.client, 20);

	expect_text(answer, "verdict", "race");
	ck_assert_int_gt(answer_number(answer, "total"), 100000);
	expect_counts(answer, answer_text(end, "output"));
	ck_assert_ptr_null(answer_at(answer, "cut_off"));
	ck_assert_ptr_null(answer_at(answer, "slow"));
}
END_TEST

START_TEST(the_examples_are_where_they_are_said_to_be)
{
	const char *const words[] = {"8", "5000", "plain", NULL};
	static const char *const sides[] = {"first", "second"};
	cleanup_place struct place place = open_run("raced_often", words);
	json_auto_t *answer = scan(place.client, 5);
	const json_t *pair;
	size_t i;

	ck_assert_uint_gt(answer_count(answer, "pairs"), 3);
	json_array_foreach(answer_at(answer, "pairs"), i, pair)
	{
		for (size_t j = 0; j < 2; j++) {
			const json_t *side = json_object_get(pair, sides[j]);
			const char *now = json_string_value(json_object_get(side, "new"));
			json_t *stop = client_tool(place.client, "rr_goto", "{s:s}", "moment",
			    answer_text(side, "moment"));

			ck_assert_int_eq(answer_number(stop, "tid"), answer_number(side, "tid"));
			expect_text(stop, "frame.function", answer_text(side, "frame.function"));
			expect_value(place.client, PLACE, now ? now : answer_text(side, "value"));
			json_decref(stop);
		}
	}
}
END_TEST

/* ---- A part of a run ------------------------------------------------------------------------- */

START_TEST(a_stretch_has_the_accesses_in_it)
{
	cleanup_place struct place place = open_run("raced_often", runs[0].words);
	json_auto_t *whole = scan(place.client, 1000);
	const size_t total = answer_count(whole, "accesses");
	const json_t *accesses = answer_at(whole, "accesses");
	const size_t from = total / 5, to = total / 2;
	json_auto_t *part =
	    client_tool(place.client, "rr_race_scan", "{s:s, s:i, s:s, s:s}", "expression", PLACE,
		"limit", 1, "from", answer_text(json_array_get(accesses, from), "moment"), "to",
		answer_text(json_array_get(accesses, to), "moment"));

	/* From behind the first one, and with the last. */
	expect_number(part, "total", (long long)(to - from));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {it_says_what_it_says_where_each_access_stops, TIMES(runs)},
	    {each_thread_has_as_many_accesses_as_it_has_counted, 2},
	    {the_examples_are_where_they_are_said_to_be, 1},
	    {a_stretch_has_the_accesses_in_it, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {NULL};

	return scene_main_loops("silent_accesses", tests, programs);
}
