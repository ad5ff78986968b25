/*
 * A program whose main thread ends before the others begin: what its threads do is counted, checked
 * and found all the same. The program says what is true.
 */
#include <check.h>
#include "tests/e2e/scene.h"

#define PROGRAM "main_leaves"
#define COUNTED 60000

START_TEST(each_line_of_the_later_threads_counts)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	expect_all(client_tool(scene.client, "rr_lines_executed", "{s:s}", "location", "count"),
	    HAS("conclusion", "8 of 8 lines"), HAS("source", "   60000    "));
}
END_TEST

START_TEST(each_of_their_accesses_is_seen)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	expect_all(client_tool(scene.client, "rr_race_scan", "{s:s, s:i}", "expression", "counted",
		       "limit", 3),
	    NUMBER("total", 2 * COUNTED + 1), IS("verdict", "ordered"), ABSENT("slow"));
	expect_all(client_tool(scene.client, "rr_check_races", NULL), HAS("checked", "4 threads"));
}
END_TEST

START_TEST(their_heap_is_checked)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	expect_all(client_tool(scene.client, "rr_check_memory", NULL), COUNT("findings", 1),
	    HAS("findings.0.what", "byte 24 of a block of 24 bytes"));
}
END_TEST

/* Asked in the middle, where rr has their memory by a descriptor of the thread that has ended. */
START_TEST(so_it_is_from_a_moment_in_one_of_them)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *history = client_tool(
	    scene.client, "rr_value_history", "{s:s, s:i}", "expression", "counted", "limit", 3);

	expect_all(json_incref(history), NUMBER("total", COUNTED), ABSENT("cut_off"));
	expect_all(client_tool(scene.client, "rr_lines_executed", "{s:s, s:s}", "location", "count",
		       "from", answer_text(history, "changes.0.moment")),
	    HAS("source", "   59999    "));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {each_line_of_the_later_threads_counts, 1},
	    {each_of_their_accesses_is_seen, 1},
	    {their_heap_is_checked, 1},
	    {so_it_is_from_a_moment_in_one_of_them, 1},
	    {NULL, 0},
	};

	return scene_main_loops("main_leaves", tests, (const char *const[]){PROGRAM, NULL});
}
