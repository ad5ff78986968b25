/*
 * Programs without symbols, instructions and mappings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

/* "stripped+0x1234", counted from where the file begins in memory according to rr_memory_map. */
static void expect_place(struct place *place, const json_t *answer, const char *path)
{
	const json_t *frame = answer_at(answer, path);
	const char *at = answer_text(frame, "at"), *address = answer_text(frame, "address");
	json_auto_t *map = client_tool(place->client, "rr_memory_map", "{s:s}", "address", address);
	const char *mapping = json_string_value(json_array_get(answer_at(map, "mappings"), 0));
	/* "0xSTART-0xEND rights 0xOFFSET ..." */
	const char *rights = strchr(mapping, ' '), *third = strchr(rights + 1, ' ');
	unsigned long long start = strtoull(mapping, NULL, 16), offset = strtoull(third, NULL, 16);

	ck_assert_int_eq(strncmp(at, "stripped+0x", 11), 0);
	ck_assert(strtoull(at + 9, NULL, 16) == strtoull(address, NULL, 16) - start + offset);
}

START_TEST(frames_without_symbols_say_where_they_are_and_are_told_apart)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("list_corruption");
	char command[2048];
	cleanup_free char *stripped = harness_path(place.folder, "stripped");

	snprintf(command, sizeof(command), "strip -o '%s' '%s'", stripped, program);
	ck_assert_int_eq(system(command), 0);
	client_tool_done(place.client, "rr_record", "{s:[s], s:s}", "command", stripped,
	    "trace_dir", place.trace);
	free(client_replay(place.client, place.trace));
	json_auto_t *stop = client_tool(place.client, "rr_continue", NULL);
	expect_text(stop, "signal", "SIGSEGV");
	expect_place(&place, stop, "frame");
	/* report_total and main, at two addresses. */
	json_auto_t *trace = client_tool(place.client, "rr_backtrace", NULL);
	ck_assert_ptr_null(answer_at(trace, "frames.1.folded"));
	expect_place(&place, trace, "frames.0");
	expect_place(&place, trace, "frames.1");
	ck_assert_str_ne(answer_text(trace, "frames.0.at"), answer_text(trace, "frames.1.at"));
	for (size_t i = 0; i < answer_count(trace, "frames"); i++) {
		const json_t *frame = json_array_get(answer_at(trace, "frames"), i);
		if (json_object_get(frame, "folded") != NULL)
			expect_within(frame, "what", " in libc");
	}
}
END_TEST

START_TEST(instructions_are_shown_from_a_function_and_from_here)
{
	cleanup_scene struct scene scene = scene_open_at("many_watch", "set_late");
	json_auto_t *here = client_tool(scene.client, "rr_disassemble", "{s:i}", "count", 5);
	ck_assert_uint_eq(answer_count(here, "instructions"), 5);
	const char *line = json_string_value(json_array_get(answer_at(here, "instructions"), 0));
	ck_assert_int_eq(strncmp(line, "=> 0x", 5), 0);
	ck_assert_ptr_nonnull(strstr(line, "<set_late+"));
	json_auto_t *there = client_tool(
	    scene.client, "rr_disassemble", "{s:s, s:i}", "location", "toggle", "count", 3);
	line = json_string_value(json_array_get(answer_at(there, "instructions"), 0));
	ck_assert_ptr_nonnull(strstr(line, "<toggle+0>"));
	ck_assert_ptr_null(strstr(line, "=>"));
	client_tool_refused(
	    scene.client, "rr_disassemble", "invalid_argument", "{s:s}", "location", "0x10");
	client_tool_refused(
	    scene.client, "rr_disassemble", "invalid_argument", "{s:s}", "location", "nothing");
}
END_TEST

START_TEST(the_memory_map_is_that_of_the_moment)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	json_auto_t *early = client_tool(scene.client, "rr_memory_map", NULL);

	scene_run_to(&scene, "set_late");
	json_auto_t *map = client_tool(scene.client, "rr_memory_map", NULL);
	ck_assert_uint_gt(answer_count(map, "mappings"), answer_count(early, "mappings"));
	cleanup_free char *text = answer_show(map);
	ck_assert_ptr_nonnull(strstr(text, "r-xp"));
	ck_assert_ptr_nonnull(strstr(text, "libc.so.6"));
	ck_assert_ptr_nonnull(strstr(text, "[stack]"));
	json_auto_t *one = client_tool(scene.client, "rr_memory_map", "{s:s}", "address", "&late");
	ck_assert_uint_eq(answer_count(one, "mappings"), 1);
	const char *line = json_string_value(json_array_get(answer_at(one, "mappings"), 0));
	ck_assert_ptr_nonnull(strstr(line, "rw-p"));
	ck_assert_ptr_nonnull(strstr(line, "many_watch"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {frames_without_symbols_say_where_they_are_and_are_told_apart,
	    instructions_are_shown_from_a_function_and_from_here,
	    the_memory_map_is_that_of_the_moment, NULL};
	return scene_main("code", tests, (const char *const[]){"many_watch", NULL});
}
