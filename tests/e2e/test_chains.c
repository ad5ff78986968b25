/*
 * rr_evaluate with next: a chain of values in one call, to its end, a cycle, or what cannot be
 * read.
 */
#include "tests/e2e/scene.h"

#define PROGRAM "chain"

#define WALK(...) client_tool(scene.client, "rr_evaluate", __VA_ARGS__)

START_TEST(a_chain_is_followed_to_its_end_with_what_is_asked_at_each)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "look");

	expect_all(WALK("{s:s, s:s, s:[s, s]}", "expression", "n", "next", "n->next", "show",
		       "n->number", "n->name"),
	    NUMBER("count", 3), IS("ended", "the value is 0"), COUNT("steps", 3),
	    IS("steps.0.show.n->number", "1"), IS("steps.2.show.n->number", "3"),
	    HAS("steps.1.show.n->name", "\"two\""));
	expect_all(WALK("{s:s, s:s, s:s}", "expression", "n", "next", "n->next", "until",
		       "n->number == 3"),
	    NUMBER("count", 2), IS("ended", "n->number == 3"));
}
END_TEST

START_TEST(a_cycle_is_noticed)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "look");

	expect_all(WALK("{s:s, s:s}", "expression", "ring", "next", "ring->next"),
	    NUMBER("count", 2), IS("ended", "a cycle: the next value is that of step 1 again"));
}
END_TEST

START_TEST(a_walk_says_where_it_cannot_go_on)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "look");

	expect_all(WALK("{s:s, s:s}", "expression", "astray", "next", "astray->next"),
	    NUMBER("count", 2), HAS("ended", "astray->next cannot be read"));
	expect_all(WALK("{s:s, s:s, s:i}", "expression", "n", "next", "n->next", "max_elements", 2),
	    NUMBER("count", 2), HAS("ended", "limit"));
	json_decref(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument", "{s:s, s:s}",
	    "expression", "nobody", "next", "nobody->next"));
	json_decref(client_tool_fails(scene.client, "rr_evaluate", "not_allowed", "{s:s, s:s}",
	    "expression", "n", "next", "n = 0"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_chain_is_followed_to_its_end_with_what_is_asked_at_each,
	    a_cycle_is_noticed, a_walk_says_where_it_cannot_go_on, NULL};

	return scene_main("chains", tests, (const char *const[]){PROGRAM, NULL});
}
