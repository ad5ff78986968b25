/*
 * rr_frame_story: what one call did, as the program's source says and as steps over its lines show.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define LINES_MAX 200
#define STEPS_MAX 200

static json_t *tell(struct scene *scene, const char *function)
{
	return client_tool(scene->client, "rr_frame_story", "{s:s}", "location", function);
}

/* A text of the list at `name` that contains all that is given, in this order; NULL: there is none.
 */
static const char *find_text(
    const json_t *answer, const char *name, const char *first, const char *second)
{
	json_t *text;
	size_t i;

	json_array_foreach(json_object_get(answer, name), i, text)
	{
		const char *at = strstr(json_string_value(text), first);

		if (at && (!second || strstr(at, second)))
			return json_string_value(text);
	}
	return NULL;
}

#define expect_found(answer, name, first, second)                                                  \
	do {                                                                                       \
		char *all_ = json_dumps(json_object_get((answer), (name)), JSON_INDENT(1));        \
		ck_assert_msg(find_text((answer), (name), (first), (second)) != NULL,              \
		    "no \"%s\" in %s", (first), all_ ? all_ : "nothing");                          \
		free(all_);                                                                        \
	} while (0)

/* ---- The known stories ----------------------------------------------------------------------- */

START_TEST(a_call_tells_its_arguments_calls_changes_and_result)
{
	static const char *const programs[] = {"stories", "stories_O2"};
	cleanup_scene struct scene scene = scene_open(programs[_i], NULL);
	json_auto_t *answer = tell(&scene, "book");

	expect_within(answer, "conclusion", "book(account=0x");
	expect_within(answer, "conclusion", "returned 7");
	expect_text(answer, "returned", "7");
	expect_text(answer_at(answer, "caller"), "function", "main");
	expect_found(answer, "story", "calls fee(200) = 3", NULL);
	expect_found(answer, "branches", "if (cost > 5): next", _i ? NULL : "28 (1 time)");
	expect_found(answer, "changed",
	    "*account: {balance = 1000, moves = 0} -> {balance = 797, moves = 9}", NULL);
	expect_found(answer, "changed", "*charged: 0 -> 3", NULL);
	expect_found(answer, "changed", "total: 0 -> 200", NULL);
	ck_assert_int_eq(answer_at(answer, "notes") != NULL, _i == 1);
}
END_TEST

START_TEST(a_later_call_goes_the_other_way)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_auto_t *first = tell(&scene, "book");
	json_auto_t *answer = client_tool(scene.client, "rr_frame_story", "{s:s, s:s}", "location",
	    "book", "from", answer_text(first, "returned_at"));

	expect_text(answer, "returned", "-1");
	expect_found(answer, "branches", "if (cost > 5): next 27 (1 time)", NULL);
	ck_assert_ptr_null(answer_at(answer, "changed"));
}
END_TEST

START_TEST(a_recursive_call_tells_only_its_own_lines)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_auto_t *answer = tell(&scene, "climb");

	expect_within(answer, "conclusion", "climb(n=4) returned 24 after 4 lines and 1 call");
	expect_found(answer, "story", "calls climb(3) = 6", NULL);
}
END_TEST

/* By a pointer, in both builds; by a jump at its end. */
static const struct {
	const char *program, *function, *list, *said, *returned;
} indirect[] = {
    {"stories", "through", "story", "calls fee(300) = 4", "5"},
    {"stories_O2", "through", "story", "calls fee(300) = 4", "5"},
    {"stories_O2", "handed_on", "notes", "it ended by jumping to fee", "3"},
};

START_TEST(a_call_names_what_it_called_indirectly)
{
	cleanup_scene struct scene scene = scene_open(indirect[_i].program, NULL);
	json_auto_t *answer = tell(&scene, indirect[_i].function);

	expect_found(answer, indirect[_i].list, indirect[_i].said, NULL);
	expect_text(answer, "returned", indirect[_i].returned);
}
END_TEST

/* Its caller goes on at the same place with the same stack, as if it had returned. */
START_TEST(a_call_that_longjmp_left_did_not_return)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);

	expect_all(tell(&scene, "jump_out"), HAS("conclusion", "was left without a return"),
	    ABSENT("returned_at"));
	json_auto_t *caller = tell(&scene, "tries");
	expect_found(caller, "story", "calls jump_out(3): left without a return", NULL);
	expect_within(caller, "conclusion", "tries() returned after");
	expect_found(caller, "changed", "total: 200 -> 1200", NULL);
}
END_TEST

/* Into a function that had returned: its return goes to where that of the call would go. */
START_TEST(a_call_that_longjmp_left_for_a_dead_frame_did_not_return)
{
	cleanup_scene struct scene scene = scene_open("dead_frame", NULL);
	json_auto_t *answer = tell(&scene, "jump");

	expect_within(answer, "conclusion", "was left without a return");
	ck_assert_ptr_null(answer_at(answer, "returned"));
	ck_assert_ptr_null(answer_at(answer, "returned_at"));
	expect_all(tell(&scene, "arm"), IS("returned", "4"));
}
END_TEST

START_TEST(a_call_that_crashed_ends_with_its_last_line)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_auto_t *crashed = tell(&scene, "last");
	const json_t *rows = answer_at(crashed, "story");

	expect_within(crashed, "conclusion", "did not return: the program ended in it");
	ck_assert_ptr_nonnull(strstr(
	    json_string_value(json_array_get(rows, json_array_size(rows) - 1)), "*where = 1;"));
	json_auto_t *caller = tell(&scene, "main");
	expect_found(caller, "story", "calls last(0x0): did not come back", NULL);
}
END_TEST

/* The frame that is meant can be given by its level, and the session stays where it is. Two threads
 * run the function at once. */
START_TEST(a_frame_of_one_of_several_threads_is_told_from_where_the_session_stands)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_t *stop, *answer;

	scene_run_to(&scene, "count_to");
	stop = client_tool(scene.client, "rr_when", NULL);
	answer = client_tool(scene.client, "rr_frame_story", NULL);
	expect_within(answer, "conclusion", "count_to(end=");
	expect_number(answer, "tid", answer_number(stop, "tid"));
	json_decref(answer);
	answer = client_tool(scene.client, "rr_frame_story", "{s:i}", "level", 1);
	expect_within(answer, "conclusion", "work(end=");
	expect_found(answer, "story", "19 passes of a loop like this", NULL);
	json_decref(answer);
	answer = client_tool(scene.client, "rr_when", NULL);
	ck_assert(json_equal(stop, answer));
	json_decref(answer);
	json_decref(stop);
}
END_TEST

START_TEST(methods_and_exceptions_are_told)
{
	static const char *const programs[] = {"stories_classes", "stories_classes_O2"};
	cleanup_scene struct scene scene = scene_open(programs[_i], NULL);
	json_t *answer = tell(&scene, "Meter::raise");
	json_t *second;

	expect_text(answer, "returned", "false");
	expect_found(
	    answer, "changed", "*this: {level = 1.5, reads = 0", "-> {level = 4, reads = 1");
	json_decref(answer);
	answer = tell(&scene, "guarded");
	expect_found(answer, "story", "calls parse(", "= 4");
	second = client_tool(scene.client, "rr_frame_story", "{s:s, s:s}", "location", "guarded",
	    "from", answer_text(answer, "returned_at"));
	expect_found(second, "story", "calls parse(", "left without a return: an exception");
	expect_text(second, "returned", "-1");
	json_decref(answer);
	answer = client_tool(scene.client, "rr_frame_story", "{s:s, s:s}", "location", "parse",
	    "from", answer_text(second, "moment"));
	expect_within(answer, "conclusion", "was left without a return");
	json_decref(answer);
	json_decref(second);
}
END_TEST

/* ---- The oracle ------------------------------------------------------------------------------ */

struct way {
	long from, to, count;
};

static size_t note_way(struct way *ways, size_t count, long from, long to)
{
	for (size_t i = 0; i < count; i++) {
		if (ways[i].from != from || ways[i].to != to)
			continue;
		ways[i].count++;
		return count;
	}
	ck_assert_uint_lt(count, LINES_MAX);
	ways[count] = (struct way){from, to, 1};
	return count + 1;
}

/* The ways from line to line that steps over calls show, from where the session stands to the end
 * of the function. */
static size_t step_over(struct scene *scene, const char *function, struct way *ways)
{
	json_t *stop = client_tool(scene->client, "rr_when", NULL);
	json_t *frame;
	long line = 0, next;
	size_t count = 0;

	for (int i = 0; i < STEPS_MAX; i++) {
		json_decref(stop);
		stop = client_tool(scene->client, "rr_next", NULL);
		frame = json_object_get(stop, "frame");
		if (strcmp(json_string_value(json_object_get(frame, "function")), function) != 0)
			break;
		next = answer_line(stop, "frame");
		if (line && next != line)
			count = note_way(ways, count, line, next);
		line = next;
	}
	json_decref(stop);
	return count;
}

/* What an answer says of the branches of a line; NULL: nothing. */
static const char *branch_of(const json_t *answer, long line)
{
	json_t *text;
	size_t i;

	json_array_foreach(json_object_get(answer, "branches"), i, text)
	{
		if (strtol(json_string_value(text), NULL, 10) == line)
			return json_string_value(text);
	}
	return NULL;
}

/* The branches are those that gdb's steps take, and nothing else. */
START_TEST(branches_are_those_that_steps_take)
{
	static const char *const rows[][2] = {{"lines", "walk"}, {"stories", "book"}};
	cleanup_scene struct scene scene = scene_open(rows[_i][0], NULL);
	struct way ways[LINES_MAX];
	char wanted[40];
	int told = 0;

	scene_run_to(&scene, rows[_i][1]);
	json_auto_t *answer = client_tool(scene.client, "rr_frame_story", NULL);
	size_t count = step_over(&scene, rows[_i][1], ways);
	for (size_t i = 0; i < count; i++) {
		const char *branch = branch_of(answer, ways[i].from);

		snprintf(wanted, sizeof(wanted), " %ld (%ld time", ways[i].to, ways[i].count);
		if (!branch)
			continue;
		ck_assert_msg(
		    strstr(branch, wanted) != NULL, "no \"%s\" in \"%s\"", wanted, branch);
		told++;
	}
	ck_assert_int_gt(told, 2);
}
END_TEST

/* ---- What cannot be told --------------------------------------------------------------------- */

START_TEST(what_has_no_story_says_why)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);

	client_tool_refused(
	    scene.client, "rr_frame_story", "invalid_argument", "{s:s}", "location", "jumper");
	client_tool_refused(
	    scene.client, "rr_frame_story", "not_found", "{s:s}", "location", "strlen");
	client_tool_refused(
	    scene.client, "rr_frame_story", "invalid_argument", "{s:i}", "level", 77);
	client_tool_refused(scene.client, "rr_frame_story", "not_allowed", "{s:s}", "location",
	    "book if $_shell(\"id\")");
}
END_TEST

START_TEST(a_story_that_is_long_leaves_out_its_middle)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_auto_t *answer = client_tool(
	    scene.client, "rr_frame_story", "{s:s, s:i}", "location", "book", "limit", 6);

	ck_assert_uint_eq(json_array_size(answer_at(answer, "story")), 7);
	expect_found(answer, "story", "lines left out; limit shows more", NULL);
}
END_TEST

/* Neither the instruction that returns nor the last lines were stopped at. */
START_TEST(a_call_that_is_too_much_to_follow_is_told_with_its_end_and_its_result)
{
	cleanup_scene struct scene scene = scene_open("stories_long", NULL);
	json_auto_t *wide = tell(&scene, "sprawl");
	json_auto_t *longer = client_tool(
	    scene.client, "rr_frame_story", "{s:s, s:i}", "location", "linger", "limit", 5);

	expect_within(wide, "conclusion", "returned 0");
	expect_text(wide, "returned", "0");
	expect_found(wide, "changed", "100050", "-> ");
	expect_found(wide, "changed", "-> ", "100777");
	expect_within(longer, "conclusion", "returned 77");
	expect_within(longer, "cut_off", "only its first lines were followed");
}
END_TEST

/* Each row's moment names one instruction, as all others do. */
START_TEST(a_row_leads_to_its_line)
{
	cleanup_scene struct scene scene = scene_open("stories", NULL);
	json_auto_t *answer = tell(&scene, "book");
	const json_t *rows = answer_at(answer, "story"), *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
	{
		const char *text = json_string_value(row);
		size_t length = strcspn(text, " ");
		cleanup_free char *moment = strndup(text, length);
		long line = strtol(text + length, NULL, 10);

		/* "2 passes of a loop like this, the last from MOMENT:" */
		if (!strchr(moment, ':'))
			continue;
		ck_assert_msg(strchr(moment, '.'), "%s", text);
		if (line)
			expect_all(client_tool(scene.client, "rr_goto", "{s:s}", "moment", moment),
			    LINE("frame", line));
	}
	ck_assert_uint_gt(i, 5);
}
END_TEST

/* The function's text is longer than an answer. */
START_TEST(the_last_lines_of_a_long_function_have_their_text)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_path(place.folder, "program");
	cleanup_free char *source = harness_path(place.folder, "program.c");

	harness_shell(
	    "{ echo 'int far_away(int n) {'; for i in $(seq 700); do echo '	/* "
	    "------------------------------------------------------------ */'; done; "
	    "printf '\tn += 5;\n\treturn n;\n}\nint main(void) { return far_away(-5); }\n'; "
	    "} > '%s'",
	    source);
	harness_shell("cc -g -O0 -o '%s' '%s'", program, source);
	client_tool_done(place.client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir",
	    place.trace);
	free(client_replay(place.client, place.trace));
	json_auto_t *answer =
	    client_tool(place.client, "rr_frame_story", "{s:s}", "location", "far_away");
	expect_found(answer, "story", "702 n += 5;", NULL);
	expect_found(answer, "story", "703 return n;", NULL);
}
END_TEST

int main(void)
{
	static const char *const programs[] = {"lines", "stories_long", "stories", "stories_O2",
	    "stories_classes", "stories_classes_O2", "dead_frame", NULL};
	const struct looped tests[] = {
	    {a_call_tells_its_arguments_calls_changes_and_result, 2},
	    {a_later_call_goes_the_other_way, 1},
	    {a_recursive_call_tells_only_its_own_lines, 1},
	    {a_call_that_is_too_much_to_follow_is_told_with_its_end_and_its_result, 1},
	    {a_call_that_longjmp_left_did_not_return, 1},
	    {a_call_that_longjmp_left_for_a_dead_frame_did_not_return, 1},
	    {a_call_that_crashed_ends_with_its_last_line, 1},
	    {a_frame_of_one_of_several_threads_is_told_from_where_the_session_stands, 1},
	    {methods_and_exceptions_are_told, 2},
	    {branches_are_those_that_steps_take, 2},
	    {a_row_leads_to_its_line, 1},
	    {the_last_lines_of_a_long_function_have_their_text, 1},
	    {what_has_no_story_says_why, 1},
	    {a_story_that_is_long_leaves_out_its_middle, 1},
	    {a_call_names_what_it_called_indirectly, TIMES(indirect)},
	    {NULL, 0},
	};

	return scene_main_loops("stories", tests, programs);
}
