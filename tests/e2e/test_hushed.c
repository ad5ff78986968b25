/*
 * rr_when_became with writes that the software counter passes over must find what stops find. A
 * predicate in floating point cannot be handed over, so that every write stops: it is the oracle.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define CALM  "written 150 without-signals"
#define OFTEN "written 2400 without-signals" /* behind 1000 changes no debug register stops */
#define LONG  "written 300000000 without-signals"
#define MANY  "written 2000000 without-signals"

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

START_TEST(what_the_code_cache_counts_changes_no_answer)
{
	static const struct {
		const char *predicate;
		bool found;
	} questions[] = {
	    {"tally == 2200", true},
	    {"tally > 1000 && tally % 1100 == 0", true},
	    {"waves == 7", false},
	    {"*(unsigned short *)&halves[1] == 2201", true},
	};
	cleanup_scene struct scene scene = scene_open(OFTEN, NULL);

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		expect_both(&scene, questions[i].predicate, questions[i].found);
}
END_TEST

/* `tally` grows by one. */
START_TEST(one_of_many_changes_is_found)
{
	cleanup_scene struct scene scene = scene_open(MANY, NULL);
	json_auto_t *answer = became(&scene, "tally == 1900000");

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", answer_text(answer, "moment"));
	expect_value(scene.client, "tally", "1900000");
	json_auto_t *never = became(&scene, "tally == 2000001");
	expect_within(never, "conclusion", "never true");
}
END_TEST

/* As if it had not been searched: nobody says that it did not hold. */
START_TEST(what_a_deadline_cuts_off_is_not_called_false)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	json_auto_t *cut = client_tool(scene.client, "rr_when_became", "{s:s, s:i}", "predicate",
	    "tally == 299999999", "deadline", 1);
	const char *from = strstr(answer_text(cut, "cut_off"), "from=");
	cleanup_free char *moment = NULL;

	ck_assert_ptr_nonnull(from);
	moment = strndup(from + 5, strcspn(from + 5, ","));
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", moment);
	expect_alive(scene.client, scene.session);
	json_auto_t *value =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "tally < 299999999");
	expect_text(value, "value", "1");
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
	    what_the_code_cache_counts_changes_no_answer,
	    one_of_many_changes_is_found,
	    what_a_deadline_cuts_off_is_not_called_false,
	    rr_shows_only_the_write_that_matters,
	    NULL,
	};
	const char *const programs[] = {"written", CALM, OFTEN, MANY, LONG, NULL};

	return scene_main("hushed", tests, programs);
}
