/*
 * Behind code without unwind information gdb may invent frames: the answers say so.
 */
#include <stdio.h>
#include "tests/e2e/scene.h"

START_TEST(frames_behind_code_without_unwind_information_are_in_doubt)
{
	cleanup_scene struct scene scene = scene_open_at("without_unwind", "reached");

	expect_all(client_tool(scene.client, "rr_backtrace", NULL),
	    IS("frames.0.function", "reached"), ABSENT("frames.0.unwinding"),
	    HAS("frames.1.unwinding", "may be invented"));
	expect_all(client_tool(scene.client, "rr_crash_report", NULL),
	    HAS("frames.1.unwinding", "may be invented"));
}
END_TEST

/* Every frame of these is known. */
START_TEST(other_frames_are_not_in_doubt)
{
	cleanup_scene struct scene scene = scene_open_at("without_unwind", "main");

	expect_all(client_tool(scene.client, "rr_backtrace", NULL), ABSENT("frames.0.unwinding"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {frames_behind_code_without_unwind_information_are_in_doubt,
	    other_frames_are_not_in_doubt, NULL};

	return scene_main("unwinding", tests, (const char *const[]){"without_unwind", NULL});
}
