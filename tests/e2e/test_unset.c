/*
 * rr_origin_of of values that nobody has set: the answer says so, and does not take malloc's own
 * data or what an earlier call or block left behind for their origin. And of values that pass
 * through arithmetic that leaves them as they are.
 */
#include <check.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "unset_values"
#define NEUTRAL "origins_neutral"

static const struct {
	const char *expression, *kind, *says, *line;
} rows[] = {
    {"fresh", "uninitialized", "was allocated by malloc", "taken: malloc"},
    {"next_link", "uninitialized", "nothing", NULL},
    {"key", "uninitialized", "was allocated by malloc", "taken: malloc"},
    {"after_free", "uninitialized", "since free released the block", NULL},
    {"cleared", "filled", "calloc", "taken: calloc"},
    {"kept", "constant", "$0x4d", "now set"},
    {"grown", "uninitialized", "since realloc made the block at", "taken: realloc"},
    {"passed", "uninitialized", "the call of stack that began", NULL},
    {"mapped", "initial", "nothing wrote it, and new memory is zero", NULL},
    {"never_set[1]", "initial", "it is zero since the program was loaded", NULL},
};

START_TEST(what_nobody_set_is_told_so)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "look");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_auto_t *answer = client_tool(
		    scene.client, "rr_origin_of", "{s:s}", "expression", rows[i].expression);
		expect_text(answer, "kind", rows[i].kind);
		expect_within(answer, "conclusion", rows[i].says);
		if (rows[i].line)
			expect_line(answer, "frame", harness_line(PROGRAM, rows[i].line));
	}
}
END_TEST

static const struct {
	const char *expression, *kind, *says, *line, *did;
} ways[] = {
    {"by_lea", "constant", "0x12340", "origin: neutral", "left as it was by `lea"},
    {"by_one", "constant", "0x12340", "origin: neutral", "left as it was by `imul $0x1"},
    {"changed", "computed", "lea 0x8(", NULL, "stored at"},
    {"from_table", "constant", "0x12340", "origin: neutral", "loaded from table[3]"},
    {"from_map", "input", "byte 11 of the file /tmp/origins-neutral-", "origin: file", "loaded"},
};

START_TEST(what_changes_nothing_is_passed_and_loads_name_their_place)
{
	cleanup_scene struct scene scene = scene_open_at(NEUTRAL, "look");

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		json_auto_t *answer = client_tool(
		    scene.client, "rr_origin_of", "{s:s}", "expression", ways[i].expression);
		expect_text(answer, "kind", ways[i].kind);
		expect_within(answer, "conclusion", ways[i].says);
		expect_within(answer, "hops.0.did", ways[i].did);
		if (ways[i].line)
			expect_line(answer, "frame", harness_line(NEUTRAL, ways[i].line));
	}
	/* In rbx of the caller, which look saves. */
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "$rbx"),
	    IS("kind", "constant"), HAS("conclusion", "= 4711 comes from a constant"));
	client_tool_refused(
	    scene.client, "rr_origin_of", "invalid_argument", "{s:s}", "expression", "$rdx");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_nobody_set_is_told_so,
	    what_changes_nothing_is_passed_and_loads_name_their_place, NULL};

	return scene_main("unset", tests, (const char *const[]){PROGRAM, NEUTRAL, NULL});
}
