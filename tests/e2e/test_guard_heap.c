/*
 * Recordings with the guard heap: programs that use the heap well run as they do without it, the
 * answer says how many blocks were not guarded, and programs in which it cannot work are refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define CLEAN "guarded_clean"

static const char *const modes[] = {"guard", "guard_before"};

START_TEST(a_clean_program_stays_clean_and_every_block_is_guarded)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(CLEAN);

	expect_all(client_tool(place.client, "rr_record", "{s:[s], s:s, s:s}", "command", program,
		       "heap", modes[_i], "trace_dir", place.trace),
	    NUMBER("exit_code", 0), IS("stdout", "clean\n"), IS("heap.mode", modes[_i]),
	    NUMBER("heap.unguarded", 0), NUMBER("heap.processes", 1), ABSENT("heap.reused"),
	    ABSENT("note"));
	/* It can be replayed to its end, which is the same. */
	client_tool_done(
	    place.client, "rr_replay_start", "{s:s, s:s}", "trace_dir", place.trace, "at", "end");
}
END_TEST

START_TEST(blocks_above_the_limit_share_pages_and_are_counted)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(CLEAN);
	json_auto_t *recorded =
	    client_tool(place.client, "rr_record", "{s:[s, s], s:s, s:i, s:s}", "command", program,
		"many", "heap", modes[_i], "heap_limit", 50, "trace_dir", place.trace);

	expect_number(recorded, "exit_code", 0);
	expect_text(recorded, "stdout", "clean\n");
	/* 350 and more of the 400 blocks in each of three rounds. */
	ck_assert_int_gt(answer_number(recorded, "heap.unguarded"), 1000);
	ck_assert_int_lt(
	    answer_number(recorded, "heap.unguarded"), answer_number(recorded, "heap.blocks"));
	ck_assert_int_gt(answer_number(recorded, "heap.reused"), 100);
	expect_within(
	    recorded, "note", "blocks were not guarded, because heap_limit allows no more");
	client_tool_refused(place.client, "rr_record", "invalid_argument", "{s:[s], s:i}",
	    "command", program, "heap_limit", 50);
}
END_TEST

static const struct {
	const char *program, *why;
} impossible[] = {{"heap_static", "linked statically"},
    {"sanitized", "built with AddressSanitizer"}, {"own_malloc", "an allocator of its own inside"}};

START_TEST(a_program_in_which_it_cannot_work_is_refused)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(impossible[_i].program);
	json_auto_t *failed = client_tool_fails(place.client, "rr_record", "unsupported",
	    "{s:[s], s:s, s:s}", "command", program, "heap", "guard", "trace_dir", place.trace);

	expect_within(failed, "message", impossible[_i].why);
	expect_within(failed, "hint", "without heap");
	/* Without it, the program is recorded. */
	client_tool_done(place.client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir",
	    place.trace);
}
END_TEST

START_TEST(a_limit_of_memory_leaves_the_program_what_it_needs)
{
	static const char *const arguments[] = {"--memory=4G", NULL};
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	cleanup_free char *program = harness_program(CLEAN);
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.args = arguments});

	expect_all(client_tool(client, "rr_record", "{s:[s], s:s, s:s}", "command", program, "heap",
		       modes[_i], "trace_dir", trace),
	    NUMBER("exit_code", 0), IS("stdout", "clean\n"), NUMBER("heap.unguarded", 0));
}
END_TEST

/* Not one of the same name in the working directory. */
START_TEST(the_program_is_looked_at_that_PATH_finds)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *fixed = harness_program("heap_static");
	cleanup_free char *linked = harness_program(CLEAN);
	char path[4096];

	harness_shell("cd '%s' && mkdir here there && cp '%s' here/one && cp '%s' here/other && "
		      "cp '%s' there/one && cp '%s' there/other",
	    place.folder, fixed, linked, linked, fixed);
	snprintf(path, sizeof(path), "%s/there:/usr/bin", place.folder);
	cleanup_free char *here = harness_path(place.folder, "here");
	expect_all(client_tool(place.client, "rr_record", "{s:[s], s:s, s:s, s:s, s:{s:s}}",
		       "command", "one", "heap", "guard", "trace_dir", place.trace,
		       "working_directory", here, "env", "PATH", path),
	    IS("stdout", "clean\n"), NUMBER("heap.processes", 1));
	expect_answer_within(client_tool_fails(place.client, "rr_record", "unsupported",
				 "{s:[s], s:s, s:s, s:{s:s}}", "command", "other", "heap", "guard",
				 "working_directory", here, "env", "PATH", path),
	    "message", "linked statically");
}
END_TEST

START_TEST(a_process_with_an_allocator_of_its_own_is_told)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("own_malloc");

	expect_all(client_tool(place.client, "rr_record", "{s:[s, s, s, s], s:s, s:s}", "command",
		       "/bin/sh", "-c", "\"$0\"; true", program, "heap", "guard", "trace_dir",
		       place.trace),
	    NUMBER("heap.processes", 2), HAS("note", "not called in 1 of 2 processes"));
}
END_TEST

START_TEST(what_the_program_preloads_stays_preloaded)
{
	cleanup_place struct place place = place_open();

	expect_all(client_tool(place.client, "rr_record", "{s:[s, s, s], s:{s:s}, s:s, s:s}",
		       "command", "/bin/sh", "-c", "echo \"$LD_PRELOAD\"", "env", "LD_PRELOAD",
		       "libm.so.6", "heap", "guard", "trace_dir", place.trace),
	    HAS("stdout", "guardheap.so"), HAS("stdout", "libm.so.6"));
}
END_TEST

/* The loader takes a space in LD_PRELOAD for the end of a name. */
START_TEST(it_works_in_a_directory_with_a_space)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *server = harness_path(folder, "a b/bin/rr-warden");
	cleanup_free char *trace = harness_path(folder, "a b/trace");
	cleanup_free char *program = harness_program(CLEAN);
	cleanup_free char *built = strdup(harness_server());
	*strrchr(built, '/') = '\0';
	harness_shell(
	    "mkdir '%s/a b' && cp -r '%s' '%s/../libexec' '%s/a b/'", folder, built, built, folder);
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.server = server});
	expect_all(client_tool(client, "rr_record", "{s:[s], s:s, s:s}", "command", program, "heap",
		       "guard", "trace_dir", trace),
	    IS("stdout", "clean\n"), NUMBER("heap.processes", 1));
}
END_TEST

static const struct {
	const char *bug, *function, *says, *made, *dropped;
} bugs[] = {
    {"overflow", "overflow", "byte 16 of a block of 16 bytes", "made here", NULL},
    {"use_after_free", "use_after_free", "byte 4 of a block of 24 bytes", "made here",
	"dropped here"},
    {"odd_by_one", "odd_by_one", "wrote byte 13 of a block of 13 bytes", "made here", NULL},
    {"double_free", NULL, "double free of a block of 24 bytes", "made here", "dropped here"},
    {"over_read_word", "over_read_word", "byte 24 of a block of 24 bytes", "made here", NULL},
    {"write_after_free", "write_after_free", "byte 200000 of a block of 300000 bytes", "made here",
	"dropped here"},
    {"after_realloc", "after_realloc", "byte 3 of a block of 16 bytes", "made here", "grown"},
    {"free_middle", NULL, "free of byte 8 of a block of 24 bytes", "made here", NULL},
    {"over_calloc", "over_calloc", "byte 48 of a block of 48 bytes", "cleared", NULL},
    {"in_thread", "write_behind", "byte 19 of a block of 16 bytes", "made here", NULL},
};

/* "(PATH:LINE)" of the line that has the mark. */
static void expect_place(const json_t *report, const char *source, const char *mark)
{
	char comment[80], place[120];

	snprintf(comment, sizeof(comment), "/* %s */", mark);
	snprintf(place, sizeof(place), "%s:%lld)", source, harness_line(source, comment));
	expect_within(report, "conclusion", place);
}

static void expect_bug(const char *program, int row)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *path = harness_program(program);

	client_tool_done(place.client, "rr_record", "{s:[s, s], s:s, s:s}", "command", path,
	    bugs[row].bug, "heap", "guard", "trace_dir", place.trace);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);

	expect_within(report, "conclusion", bugs[row].says);
	expect_place(report, "guarded.c", bugs[row].made);
	if (bugs[row].dropped)
		expect_place(report, "guarded.c", bugs[row].dropped);
	if (bugs[row].function) {
		expect_within(report, "conclusion", bugs[row].function);
		expect_place(report, "guarded.c", bugs[row].bug);
	}
}

START_TEST(a_bug_is_told_with_its_block)
{
	expect_bug("guarded", _i);
}
END_TEST

START_TEST(a_bug_is_told_with_its_block_in_optimized_code)
{
	expect_bug("guarded_O2", _i);
}
END_TEST

START_TEST(an_alignment_that_only_the_guard_heap_does_not_give_is_told_with_its_remedy)
{
	static const char *const builds[] = {"guarded", "guarded_O2"};
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(builds[_i]);
	cleanup_free char *again = harness_path(place.folder, "again");

	client_tool_done(place.client, "rr_record", "{s:[s, s], s:s, s:s}", "command", program,
	    "needs_alignment", "heap", "guard", "trace_dir", place.trace);
	expect_answer_within(
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace),
	    "conclusion", "RR_WARDEN_HEAP_ALIGN=16");
	expect_all(client_tool(place.client, "rr_record", "{s:[s, s], s:s, s:s, s:{s:s}}",
		       "command", program, "needs_alignment", "heap", "guard", "trace_dir", again,
		       "env", "RR_WARDEN_HEAP_ALIGN", "16"),
	    NUMBER("exit_code", 0));
}
END_TEST

/* The table has all blocks, whether they are guarded or not. */
START_TEST(the_history_of_a_block_that_shares_pages_is_told_as_well)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *path = harness_program("guarded");
	char pointer[32];

	client_tool_done(place.client, "rr_record", "{s:[s, s], s:s, s:s, s:{s:s}}", "command",
	    path, "double_free", "heap", "guard", "trace_dir", place.trace, "env",
	    "RR_WARDEN_HEAP_LIMIT", "0");
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	snprintf(pointer, sizeof(pointer), "%.*s",
	    (int)strcspn(answer_text(report, "block.block"), ","),
	    answer_text(report, "block.block"));
	json_auto_t *history =
	    client_tool(place.client, "rr_heap_history", "{s:s}", "pointer", pointer);
	expect_within(history, "conclusion", "byte 0 of a block of 24 bytes");
	expect_place(history, "guarded.c", "made here");
	expect_place(history, "guarded.c", "dropped here");
	expect_within(history, "watched", "not guarded");
}
END_TEST

START_TEST(the_history_of_a_guarded_block_is_what_the_guard_heap_knows)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *path = harness_program("guarded");
	static const char *const moments[] = {"end", "start"};
	char pointer[32];

	client_tool_done(place.client, "rr_record", "{s:[s, s], s:s, s:s}", "command", path,
	    "use_after_free", "heap", "guard", "trace_dir", place.trace);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	snprintf(pointer, sizeof(pointer), "%.*s",
	    (int)strcspn(answer_text(report, "block.block"), ","),
	    answer_text(report, "block.block"));
	for (size_t i = 0; i < TIMES(moments); i++) {
		client_tool_done(place.client, "rr_goto", "{s:s}", "moment", moments[i]);
		json_auto_t *history =
		    client_tool(place.client, "rr_heap_history", "{s:s}", "pointer", pointer);
		expect_within(history, "conclusion", "byte 0 of a block of 24 bytes");
		expect_place(history, "guarded.c", "made here");
		expect_place(history, "guarded.c", "dropped here");
		ck_assert_ptr_null(answer_at(history, "replaced"));
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_history_of_a_guarded_block_is_what_the_guard_heap_knows, 1},
	    {a_clean_program_stays_clean_and_every_block_is_guarded, 2},
	    {blocks_above_the_limit_share_pages_and_are_counted, 2},
	    {a_program_in_which_it_cannot_work_is_refused, 3},
	    {a_limit_of_memory_leaves_the_program_what_it_needs, 2},
	    {the_program_is_looked_at_that_PATH_finds, 1},
	    {an_alignment_that_only_the_guard_heap_does_not_give_is_told_with_its_remedy, 2},
	    {the_history_of_a_block_that_shares_pages_is_told_as_well, 1},
	    {a_process_with_an_allocator_of_its_own_is_told, 1},
	    {a_bug_is_told_with_its_block, TIMES(bugs)},
	    {a_bug_is_told_with_its_block_in_optimized_code, TIMES(bugs)},
	    {what_the_program_preloads_stays_preloaded, 1},
	    {it_works_in_a_directory_with_a_space, 1}, {NULL, 0}};

	return scene_main_loops("guard_heap", tests, (const char *const[]){NULL});
}
