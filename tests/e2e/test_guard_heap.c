/*
 * Recordings with the guard heap: programs that use the heap well run as they do without it, the
 * answer says how many blocks were not guarded, and programs in which it cannot work are refused.
 */
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
	json_auto_t *recorded = client_tool(place.client, "rr_record",
	    "{s:[s, s], s:s, s:{s:s}, s:s}", "command", program, "many", "heap", modes[_i], "env",
	    "RR_WARDEN_HEAP_LIMIT", "50", "trace_dir", place.trace);

	expect_number(recorded, "exit_code", 0);
	expect_text(recorded, "stdout", "clean\n");
	/* 350 and more of the 400 blocks in each of three rounds. */
	ck_assert_int_gt(answer_number(recorded, "heap.unguarded"), 1000);
	ck_assert_int_lt(
	    answer_number(recorded, "heap.unguarded"), answer_number(recorded, "heap.blocks"));
	ck_assert_int_gt(answer_number(recorded, "heap.reused"), 100);
	expect_within(recorded, "note", "blocks were not guarded");
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

int main(void)
{
	const struct looped tests[] = {{a_clean_program_stays_clean_and_every_block_is_guarded, 2},
	    {blocks_above_the_limit_share_pages_and_are_counted, 2},
	    {a_program_in_which_it_cannot_work_is_refused, 3},
	    {a_process_with_an_allocator_of_its_own_is_told, 1},
	    {what_the_program_preloads_stays_preloaded, 1}, {NULL, 0}};

	return scene_main_loops("guard_heap", tests, (const char *const[]){NULL});
}
