/*
 * rr_heap_history knows how many bytes of a block were asked for, and tells of writes behind these;
 * its events name the callers of a wrapper.
 */
#include <check.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "heap_slack"

START_TEST(a_write_behind_what_was_asked_for_is_an_overrun)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "rounded"),
	    HAS("conclusion", "overrun: write_at ("), HAS("conclusion", "beyond the 20 bytes"),
	    HAS("block", "20 bytes asked for, room for 24"), PRESENT("moment"),
	    HAS("events.0.callers.0", "make_name"), HAS("events.0.callers.1", "main"));
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "grown"),
	    HAS("conclusion", "overrun: write_at ("), HAS("conclusion", "beyond the 100 bytes"));
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "exact"),
	    HAS("conclusion", "of 24 bytes, was allocated by xmalloc"),
	    HAS("watched", "malloc added no bytes"), HAS("watched", "reads outside of it"));
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "zeroed"),
	    HAS("conclusion", "not freed"), HAS("block", "21 bytes asked for, room for 24"),
	    HAS("watched", "writes to 3 bytes that malloc added"));
	/* Zeros over zeros, and a wide read of them. */
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "text"),
	    HAS("conclusion", ", called by copy_text ("), HAS("conclusion", "beyond the 12 bytes"));
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "copied"),
	    HAS("conclusion", ", called by copy_bytes ("),
	    HAS("conclusion", "beyond the 12 bytes"));
	expect_all(client_tool(scene.client, "rr_heap_history", "{s:s}", "pointer", "read_behind"),
	    HAS("conclusion", "not freed"), HAS("watched", "writes to 12 bytes that malloc added"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_write_behind_what_was_asked_for_is_an_overrun, NULL};

	return scene_main("slack", tests, (const char *const[]){PROGRAM, NULL});
}
