/*
 * A watched byte is not an accessed byte: where a mask leaves bytes out, no tool says that the
 * instruction accessed them.
 */
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

static struct scene open_at_end(void)
{
	struct scene scene = scene_open("masked", NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	return scene;
}

START_TEST(a_history_has_no_access_that_a_mask_leaves_out)
{
	cleanup_scene struct scene scene = open_at_end();
	json_auto_t *kept = client_tool(scene.client, "rr_value_history", "{s:s, s:s}",
	    "expression", "wide.kept[0]", "access", "access");

	/* Two writes and a read. Of the last load, whose mask is gone, nothing is said. */
	expect_all(json_incref(kept), NUMBER("total", 3), HAS("masked", "1 that may be accesses"));
	/* What a mask selects is there: two stores and two loads. */
	expect_all(client_tool(scene.client, "rr_value_history", "{s:s, s:s}", "expression",
		       "wide.near[1]", "access", "access"),
	    NUMBER("total", 4));
}
END_TEST

START_TEST(a_masked_load_of_the_block_below_is_no_use_after_free)
{
	cleanup_scene struct scene scene = open_at_end();

	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "stale"),
	    HAS("conclusion", "no use after that was seen"));
}
END_TEST

START_TEST(a_masked_load_of_another_thread_beside_it_is_no_race)
{
	cleanup_scene struct scene scene = open_at_end();
	json_auto_t *race =
	    client_tool(scene.client, "rr_race_scan", "{s:s}", "expression", "wide.kept[0]");

	ck_assert_msg(strstr(answer_text(race, "conclusion"), "only thread") != NULL, "%s",
	    answer_text(race, "conclusion"));
}
END_TEST

START_TEST(an_origin_is_behind_a_masked_store_that_leaves_it_out)
{
	cleanup_scene struct scene scene = open_at_end();
	char place[64];

	snprintf(place, sizeof(place), "masked.c:%lld", harness_line("masked", "/* set again */"));
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "wide.kept[0]"),
	    HAS("conclusion", place));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_history_has_no_access_that_a_mask_leaves_out,
	    a_masked_load_of_the_block_below_is_no_use_after_free,
	    a_masked_load_of_another_thread_beside_it_is_no_race,
	    an_origin_is_behind_a_masked_store_that_leaves_it_out, NULL};

	return scene_main("masked", tests, (const char *const[]){"masked", NULL});
}
