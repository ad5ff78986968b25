/*
 * Functions that hand their arguments on to malloc, free or memcpy are passed over, to who calls
 * them. The ones that compute what they ask for are not.
 */
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

static void expect_parts(const char *text, const char *const *parts)
{
	for (const char *at = text; *parts; parts++) {
		const char *found = strstr(at, *parts);

		ck_assert_msg(found != NULL, "no \"%s\" in \"%s\"", *parts, text);
		at = found;
	}
}

static void stand_at_the_end(struct place *place, const char *program)
{
	json_decref(client_record(place->client, place->trace, program, NULL));
	json_decref(
	    client_tool(place->client, "rr_replay_start", "{s:s}", "trace_dir", place->trace));
	char where[60];

	snprintf(where, sizeof(where), "wrappers.c:%lld", harness_line("wrappers.c", "/* ends */"));
	client_tool_done(place->client, "rr_breakpoint_set", "{s:s}", "location", where);
	client_tool_done(place->client, "rr_continue", NULL);
}

START_TEST(a_block_is_told_with_who_called_the_wrappers)
{
	static const struct {
		const char *pointer, *main, *parts[4];
	} rows[] = {
	    {"text", "events.0.callers.1",
		{"xmalloc (", ", called by load (", "xfree (", ", called by unload ("}},
	    {"zone", "events.0.callers.2",
		{"xmalloc (", ", called by zone_take (", ", called by load_zone (", NULL}},
	};
	static const char *const builds[] = {"wrappers", "wrappers_O2"};
	cleanup_place struct place place = place_open();

	stand_at_the_end(&place, builds[_i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_auto_t *life = client_tool(
		    place.client, "rr_heap_history", "{s:s}", "pointer", rows[i].pointer);
		const char *parts[5] = {
		    rows[i].parts[0], rows[i].parts[1], rows[i].parts[2], rows[i].parts[3], NULL};

		expect_parts(answer_text(life, "conclusion"), parts);
		expect_within(life, rows[i].main, "main (");
	}
	json_auto_t *node =
	    client_tool(place.client, "rr_heap_history", "{s:s}", "pointer", "node");
	expect_within(node, "conclusion", "make_node (");
	ck_assert_ptr_null(strstr(answer_text(node, "conclusion"), "called by"));
}
END_TEST

START_TEST(a_copy_is_told_with_who_called_the_wrapper)
{
	static const char *const builds[] = {"wrappers", "wrappers_O2"};
	static const char *const parts[] = {
	    "called by copy_bytes (", "called by fill_table (", NULL};
	cleanup_place struct place place = place_open();

	stand_at_the_end(&place, builds[_i]);
	json_auto_t *change =
	    client_tool(place.client, "rr_last_change", "{s:s}", "expression", "table[3]");
	expect_parts(answer_text(change, "conclusion"), parts);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_block_is_told_with_who_called_the_wrappers, 2},
	    {a_copy_is_told_with_who_called_the_wrapper, 2},
	    {NULL, 0},
	};

	return scene_main_loops("wrappers", tests, (const char *const[]){NULL});
}
