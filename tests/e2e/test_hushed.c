/*
 * rr_when_became with writes that the software counter passes over must find what stops find. A
 * predicate in floating point cannot be handed over, so that every write stops: it is the oracle.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define CALM "written 150 without-signals"

static json_t *became(struct scene *scene, const char *predicate)
{
	json_t *answer =
	    client_tool(scene->client, "rr_when_became", "{s:s}", "predicate", predicate);

	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	return answer;
}

/* In both ways; found: whether it ever becomes true. */
static void expect_both(struct scene *scene, const char *predicate, bool found)
{
	static const char *const names[] = {"moment", "tid", "frame", "note", "assumed"};
	char stops[200];

	snprintf(stops, sizeof(stops), "(%s) + 0.0 > 0.5", predicate);
	json_auto_t *hushed = became(scene, predicate);
	json_auto_t *stopped = became(scene, stops);
	ck_assert_msg((json_object_get(stopped, "moment") != NULL) == found, "%s", predicate);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const json_t *one = json_object_get(hushed, names[i]),
			     *other = json_object_get(stopped, names[i]);

		ck_assert_msg(
		    one == other || json_equal(one, other), "%s of %s", names[i], predicate);
	}
}

START_TEST(what_is_passed_over_changes_no_answer)
{
	static const struct {
		const char *predicate;
		bool found;
	} questions[] = {
	    {"tally > 117", true},
	    {"tally > 150", false},
	    {"waves == 7", false},
	    {"tally > 40 && waves == 3", true},
	    {"alarms == 5", true},
	    {"turns == 71", true},
	    {"halves[2] == 122", true},
	    {"filled == 31", true},
	    {"filled < -40", true},
	    {"copied[9] == 77", true},
	    {"copied[9] == 78", false},
	    {"*(unsigned short *)&copied[8] == 0x4d44", true},
	};
	cleanup_scene struct scene scene = scene_open("written", NULL);

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		expect_both(&scene, questions[i].predicate, questions[i].found);
}
END_TEST

/* How often rr has told gdb that a watchpoint was hit. */
static size_t shown(const char *predicate, const char *conclusion)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *log = harness_path(folder, "log");
	const char *const args[] = {"--log", log, "--log-level=gdb", NULL};
	const struct client_options options = {.args = args};
	struct scene scene = scene_open(CALM, &options);
	json_auto_t *answer = became(&scene, predicate);
	cleanup_free char *text = NULL;

	expect_within(answer, "conclusion", conclusion);
	scene_close(&scene);
	text = harness_file(log);
	return harness_count(text, "watch:");
}

/* Near a signal's moment rr compares at stops of its own. Writes of the kernel are always shown;
 * the first one changes nothing. */
START_TEST(rr_shows_only_the_write_that_matters)
{
	ck_assert_uint_eq(shown("tally == 140", "became true"), 1);
	ck_assert_uint_eq(shown("tally == 151", "never true"), 0);
	ck_assert_uint_eq(shown("filled == 31", "became true"), 31);
	ck_assert_uint_gt(shown("tally == 140.0", "became true"), 139);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    what_is_passed_over_changes_no_answer,
	    rr_shows_only_the_write_that_matters,
	    NULL,
	};
	const char *const programs[] = {"written", CALM, NULL};

	return scene_main("hushed", tests, programs);
}
