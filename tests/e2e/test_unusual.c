/*
 * Unusual programs and traces: too large, changed since the recording, made elsewhere. The server
 * handles each, or refuses it with a reason and a hint, and the session goes on.
 */
#include <asm/prctl.h>
#include <cpuid.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"

static void expect_usable(struct client *client)
{
	expect_all(client_tool(client, "rr_evaluate", "{s:s}", "expression", "1+1"),
	    IS("value", "2"), FALSE("restored"));
}

START_TEST(a_gigabyte_of_output_is_drained_and_its_ends_shown)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_record(place.client, place.trace, "gigabyte", NULL);
	expect_number(recorded, "exit_code", 0);
	ck_assert(answer_true(recorded, "truncated"));
	ck_assert_int_eq(strncmp(answer_text(recorded, "stdout"), "first....", 9), 0);
	expect_within(recorded, "stdout", ".\nlast\n");

	/* The replay prints it again; a part of it is enough. */
	cleanup_free char *second = harness_path(place.folder, "second");
	json_decref(client_record(place.client, second, "gigabyte", "32"));
	free(client_replay(place.client, second));
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "end"),
	    HAS("output", "last\n"));
	expect_usable(place.client);
}
END_TEST

/* The server's limit is so short that a busy machine may reach it. */
static json_t *innermost_frames(struct client *client)
{
	for (double end = harness_now() + HARNESS_TIMEOUT_S;;) {
		const long long id =
		    client_tool_send(client, "rr_backtrace", json_pack("{s:i}", "max_depth", 5));
		json_auto_t *message = client_wait(client, id, HARNESS_TIMEOUT_S);
		json_t *answer = json_incref(answer_at(message, "result.structuredContent"));

		if (!answer_at(answer, "code") || harness_now() > end)
			return answer;
		json_decref(answer);
	}
}

START_TEST(two_hundred_thousand_frames_cost_their_limit_and_are_still_there_behind_it)
{
	cleanup_place struct place place = {.folder = harness_scratch(0)};
	place.trace = harness_path(place.folder, "trace");
	place.client = client_start(
	    &(struct client_options){.args = (const char *const[]){"--timeout-eval=2", NULL}});
	json_decref(client_record(place.client, place.trace, "recursion", "200000"));
	free(client_replay(place.client, place.trace));
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location",
	    "recursion.c:38"); /* only the innermost call comes here */
	json_auto_t *stop = client_tool(place.client, "rr_continue", NULL);
	expect_text(stop, "frame.function", "sum_to");
	expect_text(stop, "frame.args", "number=0");
	json_auto_t *trace = innermost_frames(place.client);
	ck_assert_uint_ge(answer_count(trace, "frames"), 1); /* folded */
	ck_assert_ptr_nonnull(answer_at(trace, "more"));
	client_tool_refused(place.client, "rr_backtrace", "timeout", "{s:i}", "start", 199990);
	client_tool_refused(
	    place.client, "rr_finish", "timeout", "{s:s,s:i}", "function", "main", "deadline", 1);
	/* After an interrupted unwinding, gdb takes the last frame for the outermost one, unless it
	 * is told to unwind again. */
	expect_all(client_tool(place.client, "rr_finish", "{s:s}", "function", "main"),
	    IS("frame.function", "main"), FALSE("restored"));
	expect_answer_within(
	    client_tool_fails(place.client, "rr_finish", "not_found", "{s:s}", "function", "main"),
	    "message", "no caller named main");
}
END_TEST

START_TEST(what_is_optimized_out_is_said_so_with_a_way_to_it)
{
	cleanup_scene struct scene scene = scene_open_at("optimized", "use");
	expect_answer(client_tool(scene.client, "rr_finish", NULL), "frame.function", "work");
	expect_all(client_tool_fails(scene.client, "rr_evaluate", "invalid_argument", "{s:s}",
		       "expression", "gone"),
	    HAS("message", "optimized out"), HAS("hint", "reverse"));
	expect_all(
	    client_tool(scene.client, "rr_evaluate", "{s:[s,s]}", "expressions", "gone", "sink"),
	    HAS("results.0.error", "optimized out"), IS("results.1.value", "4"));
}
END_TEST

/* gdb knows some of them, depending on what the session did before. */
START_TEST(what_arguments_were_at_the_call_is_not_among_the_variables)
{
	cleanup_scene struct scene scene = scene_open_at("optimized", "use");
	json_auto_t *trace = client_tool(scene.client, "rr_backtrace", NULL);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	cleanup_free char *shown = answer_show(locals);

	expect_text(trace, "frames.0.args", "value=4");
	ck_assert_ptr_nonnull(strstr(shown, "value"));
	ck_assert_ptr_null(strstr(shown, "@entry"));
}
END_TEST

/* What happens to the program's file after the recording; the test's number chooses one. */
enum change { CHANGE_REPLACED, CHANGE_OVERWRITTEN, CHANGE_REMOVED, CHANGE_COUNT };

static void change_program(enum change change, const char *other, const char *program)
{
	switch (change) {
	case CHANGE_REPLACED:
		harness_shell("rm '%2$s' && cp '%1$s' '%2$s'", other, program);
		break;
	case CHANGE_OVERWRITTEN:
		harness_shell("cat '%s' > '%s'", other, program);
		break;
	case CHANGE_REMOVED:
		harness_shell("test -e '%s' && rm '%s'", other, program);
		break;
	case CHANGE_COUNT:
		break;
	}
}

START_TEST(a_binary_changed_since_does_not_change_the_recording)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(PROGRAM), *other = harness_program("crash");
	cleanup_free char *copy = harness_path(place.folder, "program");
	harness_shell("cp '%s' '%s'", program, copy);
	client_tool_done(
	    place.client, "rr_record", "{s:[s], s:s}", "command", copy, "trace_dir", place.trace);
	change_program((enum change)_i, other, copy);
	free(client_replay(place.client, place.trace));
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "set_late");
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "breakpoint"),
	    IS("frame.function", "set_late"));
	expect_value(place.client, "counter", "4");
}
END_TEST

START_TEST(a_source_newer_than_the_binary_is_told)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_path(place.folder, "program");
	cleanup_free char *source = harness_path(place.folder, "program.c");
	harness_write_file(source, "static int twice(int n)\n{\n\treturn 2 * n;\n}\n"
				   "int main(void)\n{\n\treturn twice(0);\n}\n");
	harness_shell("cc -g -O0 -o '%s' '%s'", program, source);
	client_tool_done(place.client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir",
	    place.trace);
	struct timespec later[2] = {{.tv_sec = time(NULL) + 3600}, {.tv_sec = time(NULL) + 3600}};
	ck_assert_int_eq(utimensat(AT_FDCWD, source, later, 0), 0);
	free(client_replay(place.client, place.trace));
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "twice");
	json_auto_t *stop = client_tool(place.client, "rr_continue", NULL);
	expect_line(stop, "frame", 3);
	ck_assert_str_ne(answer_text(stop, "source_warning"), "");
}
END_TEST

/* The trace's header is packed: zero bytes are left out. Returns the length. */
static size_t pack(unsigned value, char packed[sizeof(value)])
{
	size_t length = 0;
	for (; value != 0; value >>= 8)
		if (value & 0xff)
			packed[length++] = (char)(value & 0xff);
	return length;
}

/* Gives the processor that the trace names in its header another model number. */
static void move_to_another_machine(const char *trace)
{
	cleanup_free char *path = harness_path(trace, "version");
	char bytes[64 * 1024], model[sizeof(unsigned)];
	unsigned registers[4];
	FILE *file = fopen(path, "r+b");
	ck_assert_ptr_nonnull(file);
	size_t length = fread(bytes, 1, sizeof(bytes), file), model_length;
	__cpuid(1, registers[0], registers[1], registers[2], registers[3]);
	/* The model comes before the features, which are easy to find because they have few zeros.
	 */
	char *features = memmem(bytes, length, &registers[2], 2 * sizeof(*registers));
	ck_assert(features != NULL && features - bytes > 16);
	model_length = pack(registers[0], model);
	char *found = memmem(features - 16, 16, model, model_length);
	ck_assert_ptr_nonnull(found);
	found[0] ^= (found[0] & 0xf0) == 0x10 ? 0x30 : 0x10;
	fseek(file, 0, SEEK_SET);
	ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* Where the processor cannot hide its CPUID, rr would refuse the replay, so nothing is unpacked. */
static void expect_import(struct client *client, const char *file)
{
	json_auto_t *answer = client_wait(client,
	    client_tool_send(client, "rr_import", json_pack("{s:s}", "file", file)),
	    HARNESS_TIMEOUT_S);
	json_t *content = answer_at(answer, "result.structuredContent");
	if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1UL) == 0) {
		expect_within(content, "note", "another kind of processor");
		client_tool_done(
		    client, "rr_rm", "{s:s}", "trace_dir", answer_text(content, "trace_dir"));
	} else {
		expect_text(content, "code", "unsupported");
		expect_within(content, "message", "another kind of processor");
		expect_within(content, "message", "Nothing was unpacked");
		json_auto_t *list = client_tool(client, "rr_list_recordings", NULL);
		cleanup_free char *text = json_dumps(list, 0);
		ck_assert_ptr_null(strstr(text, "import"));
	}
}

START_TEST(a_trace_of_another_machine_is_said_to_be_one)
{
	cleanup_place struct place place = place_open();
	json_decref(client_record(place.client, place.trace, PROGRAM, NULL));
	move_to_another_machine(place.trace);
	expect_all(client_tool(place.client, "rr_traceinfo", "{s:s}", "trace_dir", place.trace),
	    FALSE("cpu.same_as_here"));
	cleanup_free char *file = harness_path(place.folder, "moved.tar");
	char command[4096];
	snprintf(command, sizeof(command), "tar -cf '%s' -C '%s' trace", file, place.folder);
	ck_assert_int_eq(system(command), 0);
	expect_import(place.client, file);
	json_auto_t *answer = client_wait(place.client,
	    client_tool_send(
		place.client, "rr_replay_start", json_pack("{s:s}", "trace_dir", place.trace)),
	    HARNESS_TIMEOUT_S);
	/* If the processor supports it, rr replays CPUID. */
	if (json_is_true(answer_at(answer, "result.isError"))) {
		expect_text(answer, "result.structuredContent.code", "rr_failed");
		expect_within(answer, "result.structuredContent.message", "different CPUID");
		expect_within(answer, "result.structuredContent.hint", "machine");
	}
}
END_TEST

START_TEST(a_child_with_a_program_of_its_own_is_replayed_by_its_pid)
{
	cleanup_client struct client *client = client_start(NULL);
	const char *trace = scene_trace("vfork_exec");
	json_auto_t *list = client_tool(client, "rr_ps", "{s:s}", "trace_dir", trace);
	expect_text(list, "processes.1.command", "true");
	long long pid = answer_number(list, "processes.1.pid");
	expect_all(client_tool(client, "rr_replay_start", "{s:s, s:I}", "trace_dir", trace, "pid",
		       (json_int_t)pid),
	    NUMBER("pid", pid), HAS("command", "true"), NUMBER("tid", pid));
	expect_all(
	    client_tool(client, "rr_continue", NULL), IS("reason", "end"), NUMBER("tid", pid));
}
END_TEST

START_TEST(a_child_that_only_forked_needs_no_more_than_its_pid)
{
	cleanup_client struct client *client = client_start(NULL);
	const char *trace = scene_trace("fork_tree");
	json_auto_t *list = client_tool(client, "rr_ps", "{s:s}", "trace_dir", trace);
	long long pid = answer_number(list, "processes.2.pid");
	expect_all(client_tool(client, "rr_replay_start", "{s:s, s:I}", "trace_dir", trace, "pid",
		       (json_int_t)pid),
	    NUMBER("pid", pid), NUMBER("tid", pid));
}
END_TEST

START_TEST(events_behind_the_end_are_refused_at_the_end_too)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	long long last = answer_event(end, "moment");
	static const int beyond[] = {1, 2, 3, 1000000};
	for (int i = 0; i < 4; i++)
		client_tool_refused(scene.client, "rr_run_to_event", "invalid_argument", "{s:I}",
		    "event_number", (json_int_t)(last + beyond[i]));
	json_auto_t *again =
	    client_tool(scene.client, "rr_run_to_event", "{s:I}", "event_number", (json_int_t)last);
	expect_text(again, "reason", "end");
	ck_assert(json_equal(answer_at(end, "moment"), answer_at(again, "moment")));
}
END_TEST

START_TEST(a_moment_that_is_not_in_the_recording_leaves_the_session_where_it_is)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "set_late");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	char moment[96];
	static const char *const ticks[] = {"1", "999999999"};
	const char *instruction = strchr(answer_text(before, "moment"), '@');
	for (int i = 0; i < 2; i++) {
		snprintf(moment, sizeof(moment), "%lld:%s%s", answer_number(before, "event"),
		    ticks[i], instruction);
		expect_answer_within(client_tool_fails(scene.client, "rr_goto", "invalid_argument",
					 "{s:s}", "moment", moment),
		    "message", ticks[i]);
		json_auto_t *after = client_tool(scene.client, "rr_when", NULL);
		ck_assert(json_equal(before, after));
		expect_answer(client_tool(scene.client, "rr_backtrace", NULL), "frames.0.function",
		    "set_late");
	}
}
END_TEST

#define MOVES 56 /* rr leaves a copy of the program behind at each */

/* The limit is eighty. For an ordinary user, the session would end there in a fork that rr retries
 * for ever. For root without a namespace the limit has no effect, and rr is replaced all the same.
 */
START_TEST(a_session_that_moves_often_does_not_run_out_of_processes)
{
	cleanup_scene struct scene scene = scene_open("walks",
	    &(struct client_options){.args = (const char *const[]){"--processes=80", NULL}});
	json_auto_t *now = client_tool(scene.client, "rr_when", NULL);
	json_int_t first = answer_number(now, "event");
	int restored = 0;

	for (int i = 0; i < MOVES; i++) {
		json_auto_t *stop = client_tool(
		    scene.client, "rr_run_to_event", "{s:I}", "event_number", first + 1 + i);
		restored += answer_true(stop, "restored");
	}
	ck_assert_int_ge(restored, 1);
}
END_TEST

static json_t *go_back(struct scene *scene)
{
	return client_tool(scene->client, "rr_continue", "{s:b}", "reverse", 1);
}

static void break_at(struct scene *scene, const char *location)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", location);
}

/* rr's own breakpoints are in memory, and so never in what the program maps after the place where
 * a search begins. */
START_TEST(a_breakpoint_in_code_that_the_program_made_is_found_backward)
{
	cleanup_scene struct scene scene = scene_open("remapped", NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	break_at(&scene, "*0x31000000");
	break_at(&scene, "data_is_there");
	expect_answer(go_back(&scene), "frame.address", "0x0000000031000000");
	expect_answer(go_back(&scene), "frame.function", "data_is_there");
	expect_answer(go_back(&scene), "reason", "start");
}
END_TEST

/* Where rr stops on its way: while data lies where the plugin's function was, or when nothing does.
 * It then took its breakpoint out of memory that was gone, or put a byte of data into the function.
 */
static const char *const ways[] = {"data_is_there", "nothing_is_there"};

START_TEST(a_breakpoint_goes_with_the_memory_that_it_was_in)
{
	cleanup_scene struct scene scene = scene_open("reloads", NULL);

	ck_assert_int_lt(_i, TIMES(ways));
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	break_at(&scene, "plugin_add");
	for (int i = 0; i <= _i; i++)
		break_at(&scene, ways[i]);
	expect_answer(go_back(&scene), "frame.args", "a=3, b=4");
	for (int i = _i; i >= 0; i--)
		expect_answer(go_back(&scene), "frame.function", ways[i]);
	expect_answer(go_back(&scene), "frame.args", "a=1, b=2");
	expect_answer(go_back(&scene), "reason", "start");
}
END_TEST

/* rr 5.6 cannot replay its death, and a newer one may. */
START_TEST(a_death_with_a_stack_pointer_of_0_is_found_or_said_where_it_is)
{
	cleanup_place struct place place = place_open();
	json_decref(client_record(place.client, place.trace, "no_stack", NULL));
	json_auto_t *answer = client_wait(place.client,
	    client_tool_send(
		place.client, "rr_crash_report", json_pack("{s:s}", "trace_dir", place.trace)),
	    HARNESS_TIMEOUT_S);
	if (!answer_true(answer, "result.isError")) {
		expect_within(answer, "result.structuredContent.conclusion", "SIGSEGV in main");
		return;
	}
	static const char mark[] = "with a stack pointer of 0", where[] = "rr_goto with moment ";
	const char *message = answer_text(answer, "result.structuredContent.message");
	ck_assert_msg(strstr(message, mark) && strstr(message, where), "%s", message);
	char event[16];
	snprintf(
	    event, sizeof(event), "%ld", strtol(strstr(message, where) + strlen(where), NULL, 10));
	expect_all(client_tool(place.client, "rr_goto", "{s:s}", "moment", event),
	    IS("frame.function", "main"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_gigabyte_of_output_is_drained_and_its_ends_shown, 1},
	    {two_hundred_thousand_frames_cost_their_limit_and_are_still_there_behind_it, 1},
	    {what_is_optimized_out_is_said_so_with_a_way_to_it, 1},
	    {what_arguments_were_at_the_call_is_not_among_the_variables, 1},
	    {a_binary_changed_since_does_not_change_the_recording, CHANGE_COUNT},
	    {a_source_newer_than_the_binary_is_told, 1},
	    {a_trace_of_another_machine_is_said_to_be_one, 1},
	    {a_child_with_a_program_of_its_own_is_replayed_by_its_pid, 1},
	    {a_child_that_only_forked_needs_no_more_than_its_pid, 1},
	    {events_behind_the_end_are_refused_at_the_end_too, 1},
	    {a_moment_that_is_not_in_the_recording_leaves_the_session_where_it_is, 1},
	    {a_session_that_moves_often_does_not_run_out_of_processes, 1},
	    {a_breakpoint_in_code_that_the_program_made_is_found_backward, 1},
	    {a_breakpoint_goes_with_the_memory_that_it_was_in, TIMES(ways)},
	    {a_death_with_a_stack_pointer_of_0_is_found_or_said_where_it_is, 1},
	    {NULL, 0},
	};

	return scene_main_loops("unusual", tests,
	    (const char *const[]){PROGRAM, "optimized", "vfork_exec", "fork_tree", "walks",
		"remapped", "reloads", NULL});
}
