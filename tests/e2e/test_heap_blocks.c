/*
 * rr_heap_blocks counts what is live at a moment by the code that allocated it, and rr_check_memory
 * with leaks what nothing points to.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PLAIN	  "heap_sites"
#define OPTIMIZED "heap_sites_O2"
#define LEAKS	  "leaks"
#define NO_LEAKS  "leaks none"
#define STATIC	  "heap_static"
#define OWN	  "own_malloc"
#define LONG	  "tallied 900000000 counter" /* seconds, of two passes, on any machine */

struct row {
	const char *allocated;
	long long blocks, bytes;
};

/* What the list says of all sites whose words begin and go on so: "grow (*called by main". */
static struct row total(const json_t *list, const char *begin, const char *further)
{
	struct row sum = {begin, 0, 0};
	const json_t *site;
	size_t i;

	json_array_foreach(list, i, site)
	{
		const char *words = json_string_value(json_object_get(site, "allocated"));

		if (strncmp(words, begin, strlen(begin)) != 0 || !strstr(words, further))
			continue;
		sum.blocks += json_integer_value(json_object_get(site, "blocks"));
		sum.bytes += json_integer_value(json_object_get(site, "bytes"));
	}
	return sum;
}

static void expect_site(
    const json_t *list, const char *begin, const char *further, long long blocks, long long bytes)
{
	const struct row sum = total(list, begin, further);
	cleanup_free char *text = json_dumps(list, JSON_INDENT(1));

	ck_assert_msg(sum.blocks == blocks && sum.bytes == bytes,
	    "%s%s: %lld blocks of %lld bytes, not %lld of %lld, in %s", begin, further, sum.blocks,
	    sum.bytes, blocks, bytes, text);
}

static void go_to(struct scene *scene, const char *function)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", function);
	expect_all(client_tool(scene->client, "rr_continue", NULL), IS("frame.function", function));
}

START_TEST(live_blocks_are_told_by_who_made_them)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_all(client_tool(scene.client, "rr_heap_blocks", NULL),
	    HAS("conclusion", "the heap has 0 blocks of 0 bytes"), ABSENT("sites"));
	go_to(&scene, "middle");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_heap_blocks", NULL);
	const json_t *sites = json_object_get(answer, "sites");

	expect_number(answer, "blocks", 110);
	expect_number(answer, "bytes", 11600);
	expect_within(answer, "conclusion", "the most: 10 blocks of 10000 bytes, allocated by");
	expect_site(sites, "xmalloc (", "called by load_images (", 10, 10000);
	expect_site(sites, "xmalloc (", "called by load_names (", 100, 1600);
	expect_text(answer, "moment", answer_text(before, "moment"));
	ck_assert_ptr_null(json_object_get(answer, "others"));
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
}
END_TEST

START_TEST(growth_is_what_was_made_since_and_is_still_there)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	go_to(&scene, "middle");
	client_tool_done(scene.client, "rr_bookmark", "{s:s}", "name", "loaded");
	go_to(&scene, "last");
	json_auto_t *answer =
	    client_tool(scene.client, "rr_heap_blocks", "{s:s}", "from", "loaded");
	const json_t *sites = json_object_get(answer, "sites");

	expect_within(answer, "conclusion", "; made since `from`: ");
	expect_site(sites, "xmalloc (", "", 0, 0);
	expect_site(sites, "grow (", "", 255, 255 * 16);
	expect_site(sites, "enlarge (", "", 1, 5000);
	expect_site(sites, "in_thread (", "", 1, 24);
	/* The same moment from elsewhere. */
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	json_auto_t *there = client_tool(scene.client, "rr_heap_blocks", "{s:s,s:s}", "at",
	    answer_text(here, "moment"), "from", "loaded");
	ck_assert(json_equal(json_object_get(there, "sites"), sites));
	/* Some of the images were freed. */
	json_auto_t *all =
	    client_tool(scene.client, "rr_heap_blocks", "{s:s}", "at", answer_text(here, "moment"));
	expect_site(json_object_get(all, "sites"), "xmalloc (", "called by load_images (", 6, 6000);
	client_tool_refused(scene.client, "rr_heap_blocks", "invalid_argument", "{s:s,s:s}", "at",
	    "loaded", "from", answer_text(here, "moment"));
}
END_TEST

/* The compiler makes one function of several, and the ways are many. */
START_TEST(optimized_code_gives_the_same_sums)
{
	cleanup_scene struct scene scene = scene_open(OPTIMIZED, NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_heap_blocks", "{s:s}", "at", "end");
	const json_t *sites = json_object_get(answer, "sites");

	expect_site(sites, "xmalloc (", "called by load_images (", 6, 6000);
	expect_site(sites, "xmalloc (", "called by load_names (", 100, 1600);
	expect_site(sites, "grow (", "", 255, 255 * 16);
	expect_site(sites, "enlarge (", "", 1, 5000);
}
END_TEST

START_TEST(a_list_that_is_too_long_says_what_it_leaves_out)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	go_to(&scene, "middle");
	expect_all(client_tool(scene.client, "rr_heap_blocks", "{s:i}", "limit", 1),
	    COUNT("sites", 1), HAS("others", "100 blocks of 1600 bytes, of other calls"));
	client_tool_refused(
	    scene.client, "rr_heap_blocks", "invalid_argument", "{s:i}", "limit", 0);
}
END_TEST

START_TEST(what_nothing_points_to_is_lost)
{
	cleanup_scene struct scene scene = scene_open(LEAKS, NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_check_memory", "{s:b}", "leaks", 1);
	const json_t *lost = json_object_get(answer, "leaks");

	expect_within(answer, "conclusion", "nothing points to them: ");
	expect_site(lost, "make (", "called by lose_one (", 2, 96);
	expect_site(lost, "make (", "called by lose_list (", 10, 480);
	expect_site(lost, "make (", "called by lose_cycle (", 2, 96);
	expect_site(lost, "make (", "called by in_thread (", 1, 48);
	expect_site(lost, "lose_big (", "", 1, 300000);
	expect_site(lost, "overwrite (", "", 1, 6);
	expect_site(lost, "", "", 17, 2 * 48 + 480 + 2 * 48 + 48 + 300000 + 6);
}
END_TEST

START_TEST(what_something_points_to_is_not_lost)
{
	static const char *const programs[] = {NO_LEAKS, PLAIN};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		cleanup_scene struct scene scene = scene_open(programs[i], NULL);

		expect_all(client_tool(scene.client, "rr_check_memory", "{s:b}", "leaks", 1),
		    HAS("conclusion", "; no block is lost"), ABSENT("leaks"));
	}
}
END_TEST

START_TEST(other_allocators_are_followed)
{
	static const char *const programs[] = {STATIC, OWN};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		cleanup_scene struct scene scene = scene_open(programs[i], NULL);

		expect_all(client_tool(scene.client, "rr_heap_blocks", "{s:s}", "at", "end"),
		    HAS("followed", i == 0 ? "calls of glibc's malloc" : "one of its own"));
		expect_alive(scene.client, scene.session);
	}
}
END_TEST

START_TEST(one_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);

	expect_all(
	    client_tool(scene.client, "rr_heap_blocks", "{s:s, s:i}", "at", "end", "deadline", 1),
	    HAS("cut_off", "give a longer deadline"));
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {live_blocks_are_told_by_who_made_them,
	    growth_is_what_was_made_since_and_is_still_there, optimized_code_gives_the_same_sums,
	    a_list_that_is_too_long_says_what_it_leaves_out, what_nothing_points_to_is_lost,
	    what_something_points_to_is_not_lost, other_allocators_are_followed,
	    one_that_is_cut_off_says_so, NULL};

	return scene_main("heap_blocks", tests,
	    (const char *const[]){PLAIN, OPTIMIZED, LEAKS, NO_LEAKS, STATIC, OWN, LONG, NULL});
}
