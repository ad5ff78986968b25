/*
 * rr_check_races: the accesses of a program's threads to the same memory that nothing orders.
 * rr_race_scan, which stops at each access and each lock, is the oracle of the programs with many
 * ways to be in order or not.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define LONG "tallied 900000000 counter" /* seconds on any machine */

/* How many findings there are of a variable. */
static size_t count_of(const json_t *answer, const char *variable)
{
	const json_t *finding;
	size_t i, count = 0;

	json_array_foreach(json_object_get(answer, "findings"), i, finding)
	{
		const char *name = json_string_value(json_object_get(finding, "variable"));

		count += strcmp(name, variable) == 0;
	}
	return count;
}

static const json_t *finding_of(const json_t *answer, const char *variable)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(answer, "findings"), i, finding)
	{
		if (strcmp(json_string_value(json_object_get(finding, "variable")), variable) == 0)
			return finding;
	}
	harness_fail("no finding of %s in %s", variable, answer_show(answer));
}

/* ---- What is in order, and what is not ------------------------------------------------------- */

static const struct way {
	const char *program, *way, *variable;
	bool races;
} ways[] = {
    {"races", "plain", "counter", true},
    {"races", "locked", "counter", false},
    {"races", "two_locks", "counter", true},
    {"races", "half_locked", "counter", true},
    {"races", "trylock", "counter", false},
    {"races", "ignores_trylock", "counter", true},
    {"races", "timedlock", "counter", false},
    {"races", "recursive", "counter", false},
    {"races", "errors", "counter", false},
    {"races", "rwlock", "counter", false},
    {"races", "writes_as_reader", "counter", true},
    {"races", "spinlock", "counter", false},
    {"races", "condition", "counter", false},
    {"races", "semaphore", "counter", false},
    {"races", "barrier", "counter", false},
    {"races", "once", "counter", false},
    {"races", "own_lock", "counter", false},
    {"races", "futex", "counter", true},
    {"races", "atomic", "counter", false},
    {"races", "joined", "counter", false},
    {"races_classes", "plain", "bank::first.balance", true},
    {"races_classes", "guarded", "bank::first.balance", false},
    {"races_classes", "shared", "bank::first.balance", false},
    {"races_classes", "writes_as_reader", "bank::first.balance", true},
    {"races_classes", "recursive", "bank::first.balance", false},
    {"races_classes", "condition", "bank::first.balance", false},
    {"races_classes", "once", "bank::first.balance", false},
    {"races_classes", "flag", "bank::first.balance", false},
    {"races_classes", "atomic", "bank::total", false},
};

#define WAYS (sizeof(ways) / sizeof(*ways))

/* Whether rr_race_scan, too, says that this is a race; own_lock and flag it cannot know. */
static void expect_scan(struct place *place, const struct way *way)
{
	json_auto_t *scan = NULL;

	if (strcmp(way->way, "own_lock") == 0 || strcmp(way->way, "flag") == 0 ||
	    strcmp(way->way, "atomic") == 0)
		return;
	scan = client_tool(place->client, "rr_race_scan", "{s:s}", "expression", way->variable);
	ck_assert_int_eq(strcmp(answer_text(scan, "verdict"), "race") == 0, way->races);
}

static void expect_way(const char *program, const struct way *way)
{
	cleanup_place struct place place = place_replay(program, way->way);
	json_auto_t *answer = client_tool(place.client, "rr_check_races", NULL);
	const size_t count = count_of(answer, way->variable);
	cleanup_free char *shown = answer_show(answer);

	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	ck_assert_ptr_null(json_object_get(answer, "unfinished"));
	ck_assert_msg(way->races ? count > 0 : count == 0, "%s %s: %s", program, way->way, shown);
	if (strcmp(way->program, "races_classes") == 0)
		ck_assert_uint_eq(json_array_size(json_object_get(answer, "findings")), count);
	expect_scan(&place, way);
}

START_TEST(what_nothing_orders_is_found_and_nothing_else)
{
	char program[64];

	snprintf(program, sizeof(program), "%s%s", ways[_i / 2].program, _i % 2 ? "_O2" : "");
	expect_way(program, &ways[_i / 2]);
}
END_TEST

/* ---- One finding ----------------------------------------------------------------------------- */

/* The session goes there, and the next instruction touches the bytes. */
static void expect_access(struct scene *scene, const json_t *side, const char *line)
{
	const char *moment = json_string_value(json_object_get(side, "moment"));
	char at[80];

	ck_assert_msg(moment != NULL, "no moment in %s", answer_show(side));
	snprintf(at, sizeof(at), "raced.c:%lld", line ? harness_line("raced.c", line) : 0);
	ck_assert(!line || strstr(json_string_value(answer_at(side, "frame.at")), at));
	expect_all(client_tool(scene->client, "rr_goto", "{s:s}", "moment", moment),
	    IS("moment", moment), NUMBER("tid", json_integer_value(json_object_get(side, "tid"))));
}

START_TEST(each_finding_leads_to_both_accesses)
{
	static const char *const programs[] = {"raced", "raced_O2"};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		cleanup_scene struct scene scene = scene_open(programs[i], NULL);
		json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
		json_auto_t *answer = client_tool(scene.client, "rr_check_races", NULL);
		const json_t *sum = finding_of(answer, "sums.second");

		expect_all(client_tool(scene.client, "rr_when", NULL),
		    IS("moment", answer_text(before, "moment")));
		ck_assert_uint_eq(count_of(answer, "own[0]") + count_of(answer, "own[1]"), 0);
		/* What is inlined is told as its call. */
		expect_access(&scene, sum, i ? NULL : "/* shown */");
		expect_access(&scene, json_object_get(sum, "earlier"), i ? NULL : "/* added */");
	}
}
END_TEST

/* Both accesses are memcpy's. */
START_TEST(what_the_c_library_is_asked_to_touch_counts)
{
	cleanup_scene struct scene scene = scene_open("raced", NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_check_races", NULL);
	const json_t *first = json_array_get(json_object_get(answer, "findings"), 0);

	expect_text(answer_at(first, "frame"), "function", "name_box");
	expect_within(first, "access", "write of");
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "findings")), 3);
}
END_TEST

/* ---- Stretches and bounds -------------------------------------------------------------------- */

START_TEST(only_what_is_in_the_stretch_is_told)
{
	cleanup_scene struct scene scene = scene_open("raced", NULL);
	json_auto_t *all = client_tool(scene.client, "rr_check_races", NULL);
	const char *shown =
	    json_string_value(json_object_get(finding_of(all, "sums.second"), "moment"));
	json_auto_t *late = client_tool(scene.client, "rr_check_races", "{s:s}", "from", shown);
	json_auto_t *early = client_tool(scene.client, "rr_check_races", "{s:s}", "to",
	    json_string_value(answer_at(finding_of(all, "sums.second"), "earlier.moment")));
	json_auto_t *one = client_tool(scene.client, "rr_check_races", "{s:i}", "limit", 1);

	ck_assert_uint_eq(count_of(early, "sums.second"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(early, "findings")), 1);
	finding_of(late, "sums.second");
	ck_assert_uint_eq(json_array_size(json_object_get(one, "findings")), 1);
	expect_within(one, "more", "2 more pairs");
	expect_all(
	    client_tool(scene.client, "rr_check_races", "{s:s, s:s}", "from", shown, "to", shown),
	    HAS("conclusion", "nothing was searched"),
	    HAS("warning", "the earlier moment as from"));
}
END_TEST

START_TEST(one_thread_cannot_race)
{
	cleanup_scene struct scene scene = scene_open("conditional 40", NULL);

	expect_all(client_tool(scene.client, "rr_check_races", NULL),
	    HAS("conclusion", "nothing can race"), ABSENT("findings"));
}
END_TEST

/* Neighbours that a mask leaves out are no part of it. */
START_TEST(a_mask_tells_what_a_thread_touches)
{
	const bool avx_512 = __builtin_cpu_supports("avx512f") &&
			     __builtin_cpu_supports("avx512bw") &&
			     __builtin_cpu_supports("avx512vl");
	cleanup_scene struct scene scene = scene_open("vector_masks races", NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_check_races", NULL);

	ck_assert_uint_eq(json_array_size(json_object_get(answer, "findings")), avx_512);
	if (avx_512)
		expect_within(answer, "findings.0.variable", "raced");
}
END_TEST

START_TEST(a_check_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);

	expect_all(client_tool(scene.client, "rr_check_races", "{s:i}", "deadline", 1),
	    HAS("cut_off", "give a longer deadline"));
	expect_alive(scene.client, scene.session);
}
END_TEST

START_TEST(what_is_no_stretch_is_refused)
{
	cleanup_scene struct scene scene = scene_open("raced", NULL);

	client_tool_refused(scene.client, "rr_check_races", "invalid_argument", "{s:s, s:s}",
	    "from", "end", "to", "start");
	client_tool_refused(
	    scene.client, "rr_check_races", "not_found", "{s:s}", "from", "nowhere");
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_nothing_orders_is_found_and_nothing_else, 2 * WAYS},
	    {each_finding_leads_to_both_accesses, 1},
	    {what_the_c_library_is_asked_to_touch_counts, 1},
	    {only_what_is_in_the_stretch_is_told, 1},
	    {one_thread_cannot_race, 1},
	    {a_mask_tells_what_a_thread_touches, 1},
	    {a_check_that_is_cut_off_says_so, 1},
	    {what_is_no_stretch_is_refused, 1},
	    {NULL, 0},
	};

	return scene_main_loops("check_races", tests,
	    (const char *const[]){
		"raced", "raced_O2", "conditional 40", LONG, "vector_masks races", NULL});
}
