/*
 * rr_heap_history: names use after free, overrun, double free and mismatch with function and line,
 * in C and C++, at -O0 and -O2; and names none where there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define BUILDS 4

static const struct {
	const char *program, *source;
} builds[BUILDS] = {{"heap_bugs", "heap_bugs.c"}, {"heap_bugs_O2", "heap_bugs.c"},
    {"heap_bugs_cc", "heap_bugs_cc.cc"}, {"heap_bugs_cc_O2", "heap_bugs_cc.cc"}};

static struct scene open_at_end(const char *program)
{
	struct scene scene = scene_open(program, NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	return scene;
}

/* "FUNCTION (PATH:LINE)", the line that has `mark`, is in the text. */
static void expect_named(
    const char *told, const char *source, const char *function, const char *mark)
{
	char place[200];

	snprintf(place, sizeof(place), "%s (tests/programs/%s:%lld)", function, source,
	    harness_line(source, mark));
	ck_assert_msg(strstr(told, place) != NULL, "no %s in: %s", place, told);
}

static json_t *life_of(struct scene *scene, const char *pointer, const char *begin)
{
	json_t *life = client_tool(scene->client, "rr_heap_history", "{s:s}", "pointer", pointer);
	const char *told = answer_text(life, "conclusion");

	ck_assert_msg(strncmp(told, begin, strlen(begin)) == 0, "%s", told);
	return life;
}

START_TEST(a_use_after_free_is_named_with_who_freed_and_who_allocated)
{
	cleanup_scene struct scene scene = open_at_end(builds[_i].program);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);

	json_auto_t *life = life_of(&scene, "stale", "use after free: read_late (");
	const char *told = answer_text(life, "conclusion");
	expect_named(told, builds[_i].source, "read_late", "/* used after free */");
	expect_named(told, builds[_i].source, "drop", "/* dropped here */");
	expect_named(told, builds[_i].source, "make_record", "/* made here */");
	ck_assert_ptr_nonnull(strstr(told, "reads the block"));
	/* The session has not moved; the answer's moment is that of the use. */
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
	expect_answer_within(
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(life, "moment")),
	    "frame.function", "read_late");
}
END_TEST

/* By its address, and in gdb's way to write one. */
START_TEST(a_block_is_found_through_a_pointer_to_its_pointer)
{
	cleanup_scene struct scene scene = open_at_end(builds[_i].program);
	char address[64];

	json_decref(life_of(&scene, "*&stale", "use after free: read_late ("));
	json_auto_t *value =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "(long) stale");
	snprintf(address, sizeof(address), "*%s", answer_text(value, "value"));
	json_decref(life_of(&scene, address, "use after free: read_late ("));
}
END_TEST

START_TEST(an_overrun_is_named_from_both_blocks)
{
	cleanup_scene struct scene scene = open_at_end(builds[_i].program);

	json_t *life = life_of(&scene, "victim", "overrun: fill (");
	expect_named(
	    answer_text(life, "conclusion"), builds[_i].source, "fill", "/* beyond the end */");
	expect_named(
	    answer_text(life, "conclusion"), builds[_i].source, "main", "/* the victim */");
	expect_within(life, "conclusion", "just below");
	json_decref(life);
	life = life_of(&scene, "low + 100", "overrun: fill (");
	expect_named(
	    answer_text(life, "conclusion"), builds[_i].source, "fill", "/* beyond the end */");
	expect_within(life, "conclusion", "with room for 2040 bytes");
	json_decref(life);
}
END_TEST

START_TEST(a_double_free_is_named_with_both_frees)
{
	cleanup_scene struct scene scene = open_at_end(builds[_i].program);

	json_t *life = life_of(&scene, "twice", "double free: release_again (");
	const char *told = answer_text(life, "conclusion");
	expect_named(told, builds[_i].source, "release_again", "/* freed twice */");
	expect_named(told, builds[_i].source, "release", "/* freed first */");
	json_decref(life);
	life = life_of(&scene, "kept", "the block at 0x");
	told = answer_text(life, "conclusion");
	expect_named(told, builds[_i].source, "make_record", "/* made here */");
	ck_assert_ptr_nonnull(strstr(told, "and not freed"));
	ck_assert_ptr_null(answer_at(life, "moment"));
	ck_assert_ptr_null(answer_at(life, "incomplete"));
	expect_answer_within(
	    client_tool(scene.client, "rr_crash_report", NULL), "hint", "says who freed it before");
	json_decref(life);
}
END_TEST

static const char *const far_fields[] = {"far_fields", "far_fields_O2"};

START_TEST(a_use_after_free_is_named_in_a_field_far_from_the_pointer)
{
	cleanup_scene struct scene scene = scene_open(far_fields[_i], NULL);

	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "finish");
	json_auto_t *life = life_of(&scene, "used", "use after free: weigh (");
	expect_named(
	    answer_text(life, "conclusion"), "far_fields.cc", "weigh", "/* used after free */");
	expect_named(answer_text(life, "conclusion"), "far_fields.cc", "grow", "/* it grows */");
}
END_TEST

START_TEST(a_pointer_to_what_is_free_is_said_to_dangle)
{
	cleanup_scene struct scene scene = scene_open(far_fields[_i], NULL);

	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "weigh");
	/* Its last field lies beyond the words that are watched at once, and the block's end is
	 * near. */
	json_t *life = life_of(&scene, "unused", "the block at 0x");
	expect_within(life, "conclusion", "a pointer to it dangles there");
	expect_within(life, "conclusion", "no use after that was seen");
	expect_within(life, "watched", "56 bytes from");
	json_decref(life);
	/* Before the free, the pointer is good. */
	client_tool_done(scene.client, "rr_continue", "{s:b, s:s}", "reverse", 1, "until", "grow");
	life = life_of(&scene, "unused", "the block at 0x");
	expect_within(life, "conclusion", "no use after that was seen");
	ck_assert_ptr_null(strstr(answer_text(life, "conclusion"), "dangles"));
	json_decref(life);
}
END_TEST

/* The life of a block without a mistake: the conclusion, and what happened last. */
static void expect_well_until(struct scene *scene, const char *to, const char *pointer,
    const char *function, const char *mark, const char *last)
{
	json_auto_t *life = client_tool(
	    scene->client, "rr_heap_history", "{s:s, s:s}", "pointer", pointer, "to", to);
	const json_t *events = json_object_get(life, "events");
	const json_t *event = json_array_get(events, json_array_size(events) - 1);

	ck_assert_int_eq(strncmp(answer_text(life, "conclusion"), "the block at 0x", 15), 0);
	expect_named(answer_text(life, "conclusion"), "heap_lives.c", function, mark);
	ck_assert_msg(strncmp(answer_text(event, "what"), last, strlen(last)) == 0, "%s: %s",
	    pointer, answer_text(event, "what"));
	ck_assert_ptr_null(answer_at(life, "moment"));
	ck_assert_ptr_null(answer_at(life, "incomplete"));
}

static void expect_well(struct scene *scene, const char *pointer, const char *function,
    const char *mark, const char *last)
{
	expect_well_until(scene, "end", pointer, function, mark, last);
}

static const char *const lives[] = {"heap_lives", "heap_lives_O2"};

START_TEST(memory_that_somebody_else_got_is_not_used_after_free)
{
	cleanup_scene struct scene scene = open_at_end(lives[_i]);

	expect_well(&scene, "reused", "take", "/* taken here */", "allocated");
	expect_well(&scene, "split + 2900", "take", "/* taken here */", "freed");
	expect_well(&scene, "of_thread", "take", "/* taken here */", "freed");
	expect_well(&scene, "mapped + 116", "take", "/* taken here */", "freed");
}
END_TEST

START_TEST(every_way_to_allocate_is_seen)
{
	cleanup_scene struct scene scene = scene_open(lives[_i], NULL);
	json_auto_t *resized =
	    client_tool(scene.client, "rr_continue", "{s:s}", "until", "allocate_otherwise");
	const char *to = answer_text(resized, "moment");

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	/* Later blocks may lie in what realloc left. */
	expect_well_until(&scene, to, "grown", "take", "/* taken here */", "resized in place");
	expect_well_until(&scene, to, "moved + 4000", "take", "/* taken here */", "moved to 0x");
	expect_well(&scene, "moved_to", "resize", "/* moved here */", "allocated");
	expect_well(&scene, "zeroed", "allocate_otherwise", "/* zeroed here */", "allocated");
	expect_well(&scene, "aligned", "allocate_otherwise", "/* aligned here */", "allocated");
	expect_well(&scene, "posix_aligned", "allocate_otherwise", "/* aligned to order here */",
	    "allocated");
	expect_well(&scene, "stream", "let_the_library_free", "/* closed here */", "freed");
}
END_TEST

/* Of many lives of one block, the search goes to the last ones: it finds what it finds of a few. */
static const struct {
	const char *times, *lives;
} again[] = {{"5", "handed out 5 times; events has the last ones"},
    {"300", "handed out at least 300 times; events has the last ones, and all but the last seven"}};

START_TEST(a_block_with_many_lives_is_followed_in_its_last_ones)
{
	cleanup_place struct place place = place_open();
	struct scene scene = {.client = place.client};
	json_auto_t *life = NULL;

	json_decref(client_record(place.client, place.trace, "heap_again", again[_i].times));
	client_tool_done(place.client, "rr_replay_start", "{s:s}", "trace_dir", place.trace);
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "end");
	life = life_of(&scene, "last", "use after free: use (");
	expect_named(answer_text(life, "conclusion"), "heap_again.c", "use", "/* too late */");
	expect_named(answer_text(life, "conclusion"), "heap_again.c", "live", "/* given back */");
	expect_named(answer_text(life, "conclusion"), "heap_again.c", "live", "/* taken */");
	ck_assert_ptr_nonnull(strstr(answer_text(life, "lives"), again[_i].lives));
	/* Three lives, and the use. */
	ck_assert_uint_eq(json_array_size(json_object_get(life, "events")), 7);
}
END_TEST

START_TEST(a_use_by_a_library_function_and_a_bad_free_are_named)
{
	cleanup_scene struct scene scene = open_at_end("heap_lives");
	json_auto_t *life = life_of(&scene, "stale_copy", "use after free: copy_from_freed (");

	expect_named(
	    answer_text(life, "conclusion"), "heap_lives.c", "give_back", "/* given back here */");
	json_decref(life_of(&scene, "inner", "bad free: give_back ("));
}
END_TEST

START_TEST(addresses_of_no_block_are_said_to_be_none)
{
	cleanup_scene struct scene scene = open_at_end("heap_lives");

	expect_answer_within(
	    life_of(&scene, "$sp", "malloc handed out no block with 0x"), "conclusion", "[stack]");
	expect_answer_within(life_of(&scene, "0", "malloc handed out no block with 0x0 "),
	    "conclusion", "no mapping");
	expect_answer_within(life_of(&scene, "&seen", "malloc handed out no block with 0x"),
	    "conclusion", "heap_lives");
	client_tool_refused(
	    scene.client, "rr_heap_history", "invalid_argument", "{s:s}", "pointer", "nobody");
	client_tool_refused(scene.client, "rr_heap_history", "not_found", "{s:s, s:s}", "pointer",
	    "&seen", "to", "yesterday");
	/* Before its first block, it has none yet. */
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	json_auto_t *stop = client_tool(scene.client, "rr_continue", "{s:s}", "until", "main");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer_within(
	    client_tool_fails(scene.client, "rr_heap_history", "unsupported", "{s:s, s:s}",
		"pointer", "stream", "to", answer_text(stop, "moment")),
	    "message", "malloc did not run up to that moment");
}
END_TEST

static const char *const kinds[] = {"heap_kinds", "heap_kinds_O2"};

static void expect_mismatch(struct scene *scene, const char *pointer, const char *needs)
{
	expect_answer_within(life_of(scene, pointer, "mismatch: release_"), "conclusion", needs);
}

START_TEST(a_block_that_is_released_in_the_wrong_way_is_named)
{
	cleanup_scene struct scene scene = open_at_end(kinds[_i]);

	expect_mismatch(&scene, "as_array", "it needs delete[]");
	expect_mismatch(&scene, "as_malloc", "it needs free");
	expect_mismatch(&scene, "as_new", "it needs delete");
	json_decref(life_of(&scene, "as_it_should", "the block at 0x"));
	json_decref(life_of(&scene, "text_block", "the block at 0x"));
	json_decref(life_of(&scene, "numbers_block", "the block at 0x"));
}
END_TEST

START_TEST(a_static_program_has_a_heap_as_well)
{
	cleanup_scene struct scene scene = open_at_end("heap_static");

	json_decref(life_of(&scene, "stale", "use after free: read_late ("));
	json_decref(life_of(&scene, "twice", "double free: release_again ("));
	json_decref(life_of(&scene, "kept", "the block at 0x"));
}
END_TEST

/* gdb calls that one's malloc too, where the program stands in the dynamic linker. */
START_TEST(the_dynamic_linkers_malloc_is_not_the_programs)
{
	char location[64];

	snprintf(location, sizeof(location), "loads_first.c:%lld",
	    harness_line("loads_first", "/* it is there */"));
	cleanup_scene struct scene scene = scene_open_at("loads_first", location);
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "block"),
	    HAS("conclusion", "was allocated by main ("), ABSENT("replaced"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_use_after_free_is_named_with_who_freed_and_who_allocated, BUILDS},
	    {a_block_is_found_through_a_pointer_to_its_pointer, BUILDS},
	    {an_overrun_is_named_from_both_blocks, BUILDS},
	    {a_double_free_is_named_with_both_frees, BUILDS},
	    {a_use_after_free_is_named_in_a_field_far_from_the_pointer, 2},
	    {a_pointer_to_what_is_free_is_said_to_dangle, 2},
	    {memory_that_somebody_else_got_is_not_used_after_free, 2},
	    {every_way_to_allocate_is_seen, 2},
	    {a_block_with_many_lives_is_followed_in_its_last_ones, sizeof(again) / sizeof(*again)},
	    {a_use_by_a_library_function_and_a_bad_free_are_named, 1},
	    {addresses_of_no_block_are_said_to_be_none, 1},
	    {a_block_that_is_released_in_the_wrong_way_is_named, 2},
	    {a_static_program_has_a_heap_as_well, 1},
	    {the_dynamic_linkers_malloc_is_not_the_programs, 1},
	    {NULL, 0},
	};
	return scene_main_loops("heap", tests,
	    (const char *const[]){builds[0].program, builds[1].program, builds[2].program,
		builds[3].program, "heap_lives", "heap_lives_O2", "heap_kinds", "heap_kinds_O2",
		"heap_static", "loads_first", "far_fields", "far_fields_O2", NULL});
}
