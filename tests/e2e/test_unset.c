/*
 * rr_origin_of of values that nobody has set: the answer says so, and does not take malloc's own
 * data or what an earlier call or block left behind for their origin. And of values that pass
 * through arithmetic that leaves them as they are.
 */
#include <check.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	     "unset_values"
#define NEUTRAL	     "origins_neutral"
#define KINDS	     "unset_kinds"
#define CLASSES	     "unset_kinds_cc"
#define IN_REGISTERS "unset_registers"
#define LIVES	     "unset_lives"
#define LIVES_STATIC "unset_lives_static"

/* An expression, and what rr_origin_of says of it; line: of its frame, NULL: there is none. */
struct origin {
	const char *expression, *kind, *says, *line;
};

static void expect_origins(
    struct scene *scene, const char *source, const struct origin *expected, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_auto_t *answer = client_tool(
		    scene->client, "rr_origin_of", "{s:s}", "expression", expected[i].expression);
		expect_text(answer, "kind", expected[i].kind);
		expect_within(answer, "conclusion", expected[i].says);
		if (expected[i].line)
			expect_line(answer, "frame", harness_line(source, expected[i].line));
	}
}

static const struct origin rows[] = {
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

	expect_origins(&scene, PROGRAM, rows, sizeof(rows) / sizeof(*rows));
}
END_TEST

/* left: the line whose store is still there; NULL: none is told; OR_NOT: where malloc splits a
 * block it leaves words of its own, which differs between versions of glibc. */
#define OR_NOT "or not"
static const struct {
	const char *program, *expression, *kind, *says, *line, *left;
} kinds[] = {
    {KINDS, "aligned", "uninitialized", "was allocated by aligned_alloc", "taken: aligned_alloc",
	OR_NOT},
    {KINDS, "by_memalign", "uninitialized", "was allocated by memalign", "taken: memalign", OR_NOT},
    {KINDS, "by_posix", "uninitialized", "was allocated by posix_memalign", "taken: posix_memalign",
	OR_NOT},
    {KINDS, "reused", "uninitialized", "was allocated by malloc", "taken: again", "left behind"},
    {KINDS, "again_aligned", "uninitialized", "was allocated by aligned_alloc",
	"taken: aligned again", "left behind"},
    {KINDS, "not_reused", "uninitialized", "released the block", "given back", "left behind"},
    {KINDS, "of_vla", "uninitialized", "the call of stack that began", NULL, NULL},
    {KINDS, "of_alloca", "uninitialized", "the call of stack that began", NULL, NULL},
    {KINDS, "of_local", "uninitialized", "the call of stack that began", NULL, NULL},
    {KINDS, "of_array", "uninitialized", "the call of stack that began", NULL, NULL},
    {KINDS, "padding", "uninitialized", "the call of stack that began", NULL, NULL},
    {KINDS, "heap_padding", "uninitialized", "was allocated by malloc", NULL, NULL},
    {KINDS, "half_set", "constant", "(bytes 0 to 0) comes from a constant", "set: half", NULL},
    {KINDS, "from_pool", "constant", "$0x1092", "by the former owner", NULL},
    {CLASSES, "of_array", "uninitialized", "was allocated by operator new[]", "taken: array",
	"left behind"},
    {CLASSES, "of_one", "uninitialized", "was allocated by operator new", "taken: one", NULL},
    {CLASSES, "of_aligned", "uninitialized", "was allocated by operator new", "taken: aligned",
	NULL},
    {CLASSES, "of_vector", "uninitialized", "was allocated by operator new", "taken: vector",
	"left behind"},
    {CLASSES, "behind_size", "constant", "$0x0", "set before", NULL},
};

START_TEST(each_kind_of_memory_says_what_set_it_and_what_was_left_there)
{
	const char *program = _i ? CLASSES : KINDS, *source = _i ? CLASSES ".cc" : KINDS;
	cleanup_scene struct scene scene = scene_open_at(program, "look");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].program, program) != 0)
			continue;
		json_auto_t *answer = client_tool(
		    scene.client, "rr_origin_of", "{s:s}", "expression", kinds[i].expression);
		expect_text(answer, "kind", kinds[i].kind);
		expect_within(answer, "conclusion", kinds[i].says);
		if (kinds[i].line)
			expect_line(answer, "frame", harness_line(source, kinds[i].line));
		if (kinds[i].left && strcmp(kinds[i].left, OR_NOT) == 0)
			continue;
		ck_assert_msg(!kinds[i].left == !json_object_get(answer, "left_behind"), "%s",
		    kinds[i].expression);
		if (kinds[i].left) {
			expect_line(
			    answer, "left_behind.frame", harness_line(source, kinds[i].left));
			expect_within(answer, "conclusion", "was left there before, stored at ");
		}
	}
	if (_i)
		return;
	/* Of the outermost frame: that there is none further out is no failure. */
	client_tool_done(scene.client, "rr_finish", "{}");
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "block"),
	    IS("kind", "allocation"), ABSENT("warnings"));
}
END_TEST

static const struct origin lives[] = {
    {"after_realloc", "uninitialized", "was allocated by malloc", "taken: after realloc"},
    {"after_split", "uninitialized", "was allocated by malloc", "taken: the rest"},
    {"after_calloc", "uninitialized", "was allocated by malloc", "taken: behind calloc's"},
    {"beside_aligned", "uninitialized", "was allocated by malloc", "taken: beside"},
    {"by_reallocarray", "uninitialized", "since reallocarray handed out the block",
	"taken: reallocarray"},
    {"longer_in_place", "uninitialized", "was allocated by malloc", "taken: made longer"},
    {"never_handed_out", "uninitialized", "since malloc left a free block at", "cut off: the rest"},
    {"copied", "constant", "$0x1267", "left behind"},
    {"after_jump", "uninitialized", "was allocated by malloc", "taken: after a jump"},
    {"copied_by_jump", "constant", "$0x1267", "left behind"},
};

START_TEST(the_call_that_handed_a_block_out_is_told_and_none_that_touched_it_before)
{
	cleanup_scene struct scene scene = scene_open_at(_i ? LIVES_STATIC : LIVES, "look");

	expect_origins(&scene, LIVES, lives, sizeof(lives) / sizeof(*lives));
	/* Zero was stored over zero: somebody wrote it, and nobody changed it. */
	expect_answer_within(client_tool_fails(scene.client, "rr_last_change", "not_found", "{s:s}",
				 "expression", "by_reallocarray"),
	    "message", "nothing changed by_reallocarray before this moment");
}
END_TEST

static const struct {
	const char *sink, *kind, *says, *line;
} sinks[] = {
    {"see_handed", "uninitialized",
	"nothing wrote %rdi in the call of hand_on that begins here, which gets no argument there",
	NULL},
    {"see_left", "uninitialized",
	"nothing wrote %rdi since scramble had returned, which no function returns a value in",
	"left behind"},
    {"see_kept", "uninitialized",
	"nothing wrote %rbx in the call of keep that begins here: what is there was its caller's",
	NULL},
    {"see_set", "computed", "lea", NULL},
    {"see_passed", "constant", "$0x1092", "handed over"},
};

START_TEST(a_variable_in_a_register_that_nobody_set_is_told_so)
{
	cleanup_scene struct scene scene = scene_open_at(IN_REGISTERS, sinks[_i].sink);
	json_auto_t *answer =
	    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "value");

	expect_text(answer, "kind", sinks[_i].kind);
	expect_within(answer, "conclusion", sinks[_i].says);
	if (sinks[_i].line)
		expect_line(answer, "frame", harness_line(IN_REGISTERS, sinks[_i].line));
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
	const struct looped tests[] = {{what_nobody_set_is_told_so, 1},
	    {each_kind_of_memory_says_what_set_it_and_what_was_left_there, 2},
	    {the_call_that_handed_a_block_out_is_told_and_none_that_touched_it_before, 2},
	    {a_variable_in_a_register_that_nobody_set_is_told_so, TIMES(sinks)},
	    {what_changes_nothing_is_passed_and_loads_name_their_place, 1}, {NULL, 0}};

	return scene_main_loops("unset", tests,
	    (const char *const[]){
		PROGRAM, NEUTRAL, KINDS, CLASSES, IN_REGISTERS, LIVES, LIVES_STATIC, NULL});
}
