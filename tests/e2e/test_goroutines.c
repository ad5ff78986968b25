/*
 * Goroutines of Go that run on no thread, in backtraces and reports. What is right, the program's
 * own runtime says: it prints all stacks. The program is tests/programs/languages/parked.go.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define SOURCE	  "languages/parked.go"
#define BYTES_MAX 40000 /* of an answer */

static const char *const builds[] = {"parked_go", "parked_go_O2"};

/* Recorded in `place`; the caller frees what it printed. */
static char *record(struct place *place, const char *program, const char *argument)
{
	cleanup_free char *path = harness_program(program);
	json_auto_t *answer = client_tool(place->client, "rr_record", "{s:[s,s*], s:s, s:i}",
	    "command", path, argument, "trace_dir", place->trace, "output_limit", 32768);

	return strdup(answer_text(answer, "stdout"));
}

static void run_to(struct place *place, const char *mark)
{
	char line[64];

	snprintf(line, sizeof(line), "parked.go:%lld", harness_line(SOURCE, mark));
	client_tool_done(
	    place->client, "rr_breakpoint_set", "{s:s, s:b}", "location", line, "temporary", 1);
	expect_answer(client_tool(place->client, "rr_continue", NULL), "reason", "breakpoint");
}

static json_t *all_stacks(struct place *place)
{
	return client_tool(place->client, "rr_backtrace", "{s:s}", "thread", "all");
}

static bool is_among(const json_t *numbers, long long wanted)
{
	json_t *number;
	size_t i;

	json_array_foreach(numbers, i, number)
	{
		if (json_integer_value(number) == wanted)
			return true;
	}
	return false;
}

/* The entry of a goroutine, or of those with the same stack. */
static const json_t *entry_of(const json_t *answer, long long id)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(answer, "goroutines"), i, entry)
	{
		if (json_integer_value(json_object_get(entry, "id")) == id ||
		    is_among(json_object_get(entry, "also"), id))
			return entry;
	}
	return NULL;
}

static long long count_of(const json_t *answer)
{
	long long count = 0;
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(answer, "goroutines"), i, entry) count +=
	    1 + json_integer_value(json_object_get(entry, "equal"));
	return count;
}

static const char *text_in(const json_t *entry, const char *key)
{
	const char *text = json_string_value(json_object_get(entry, key));

	return text != NULL ? text : "";
}

/* "parked.go:24" of "/src/parked.go:24 +0x45", of "tests/parked.go:24" and of "main.f
 * (/src/parked.go:24)". */
static void last_part(char to[64], const char *place)
{
	size_t length = strcspn(place, " \n)");
	const char *from = place + length;

	while (from > place && from[-1] != '/')
		from--;
	snprintf(to, 64, "%.*s", (int)(place + length - from), from);
}

/* Whether a frame is that one: "main.take(0xc000, 0x5)" at "/src/parked.go:24 +0x45". */
static bool is_printed(const json_t *frame, const char *function, const char *place)
{
	const char *name = text_in(frame, "function"), *at = text_in(frame, "at");
	size_t length = strlen(name);
	char one[64], other[64];

	last_part(one, at);
	last_part(other, place);
	return length > 0 && strncmp(function, name, length) == 0 && function[length] == '(' &&
	       at[0] && strcmp(one, other) == 0;
}

/* Finds the next printed frame from *at on; equal ones may have been folded. */
static void expect_frame(const json_t *frames, size_t *at, const char *function, const char *place)
{
	cleanup_free char *shown = json_dumps(frames, 0);
	size_t from = *at;

	for (; *at < json_array_size(frames); ++*at) {
		const json_t *frame = json_array_get(frames, *at);
		bool is_folded = strncmp(text_in(frame, "what"), "main.deep ", 10) == 0;

		if (is_printed(frame, function, place)) {
			++*at;
			return;
		}
		if (is_folded && strncmp(function, "main.deep(", 10) == 0)
			return;
		if (strncmp(text_in(frame, "function"), "main.", 5) == 0)
			break;
	}
	ck_abort_msg("no %.60s at %.100s from %zu on in %s", function, place, from, shown);
}

/* "main.start in goroutine 1" at "/src/parked.go:83 +0x45" */
static void expect_creator(const json_t *entry, const char *by, const char *place)
{
	const char *told = text_in(entry, "created_by");
	size_t length = strcspn(by, " \n");
	char one[64], other[64];

	ck_assert_msg(strncmp(told, by, length) == 0 && told[length] == ' ', "%s", told);
	last_part(one, told + length + 2);
	last_part(other, place);
	ck_assert_str_eq(one, other);
}

/* Of one goroutine that the runtime printed: its own frames, and who made it. */
static void expect_block(const json_t *answer, char *block)
{
	long long id = strtoll(block + strlen("goroutine "), NULL, 10);
	const json_t *entry = entry_of(answer, id), *frames = json_object_get(entry, "frames");
	char *rest = block, *line, *place, *state;
	size_t at = 0;

	line = strsep(&rest, "\n");
	state = strchr(line, '[') + 1;
	*strchr(state, ']') = '\0';
	ck_assert_msg(entry != NULL, "there is no goroutine %lld", id);
	ck_assert_str_eq(text_in(entry, "state"), state);
	while ((line = strsep(&rest, "\n")) && *line && (place = strsep(&rest, "\n"))) {
		place++; /* a tab */
		if (strncmp(line, "created by ", 11) == 0)
			expect_creator(entry, line + 11, place);
		else if (strncmp(line, "main.", 5) == 0)
			expect_frame(frames, &at, line, place);
	}
}

/* All that it printed, and nothing else. */
static void expect_printed(const json_t *answer, char *printed)
{
	long long count = 0;
	char *end;

	for (char *block = printed; strncmp(block, "goroutine ", 10) == 0; block = end + 2) {
		end = strstr(block, "\n\n");
		if (end == NULL)
			break;
		*end = '\0';
		if (strstr(block, " [running]") == NULL) {
			expect_block(answer, block);
			count++;
		}
	}
	ck_assert_int_ge(count, 10);
	ck_assert_int_eq(count_of(answer), count);
}

START_TEST(goroutines_are_those_that_the_runtime_prints)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *printed = record(&place, builds[_i], NULL);
	free(client_replay(place.client, place.trace));

	run_to(&place, "look");
	json_auto_t *answer = all_stacks(&place);
	expect_printed(answer, printed);
	ck_assert(json_object_get(answer, "more_goroutines") == NULL);
}
END_TEST

/* Where the thread stands in an inlined function, too, and in a frame that a client has selected.
 */
START_TEST(the_thread_keeps_its_own_stack)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *printed = record(&place, builds[_i], NULL);
	free(client_replay(place.client, place.trace));

	run_to(&place, "inlined");
	json_auto_t *before = client_tool(place.client, "rr_backtrace", NULL);
	expect_text(before, "frames.0.function", "main.add");
	expect_text(before, "frames.1.function", "main.main");
	client_tool_done(place.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	json_auto_t *answer = all_stacks(&place);
	expect_printed(answer, printed);
	expect_number(answer, "threads.0.goroutine", 1);
	expect_text(answer, "threads.0.frames.0.function", "main.add");
	expect_answer_within(
	    client_tool(place.client, "rr_evaluate", "{s:s}", "expression", "text"), "value",
	    "goroutine 1 [running]");
	expect_same(json_incref(before), client_tool(place.client, "rr_backtrace", NULL));
}
END_TEST

START_TEST(a_crash_report_tells_them)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = place_crash_report(&place, builds[_i], NULL);

	expect_number(report, "goroutine", 1);
	ck_assert_int_ge(count_of(report), 9);
}
END_TEST

/* What it hangs on, no thread shows: none of them waits for it. */
START_TEST(a_report_of_a_hang_tells_where_main_waits)
{
	cleanup_place struct place place = place_open();
	json_auto_t *report = place_crash_report(&place, builds[_i], "hangs");
	const json_t *entry = entry_of(report, 1);

	expect_within(report, "conclusion", "SIGKILL");
	ck_assert_str_eq(text_in(entry, "state"), "chan receive (nil chan)");
	expect_text(entry, "frames.0.function", "main.main");
	expect_line(entry, "frames.0", harness_line(SOURCE, "// hangs"));
}
END_TEST

START_TEST(very_many_are_counted)
{
	cleanup_place struct place place = place_open();
	free(record(&place, builds[0], "many"));
	free(client_replay(place.client, place.trace));

	run_to(&place, "look");
	json_auto_t *answer = all_stacks(&place);
	cleanup_free char *text = json_dumps(answer, JSON_COMPACT);
	expect_number(answer, "goroutines.0.equal", 4999);
	ck_assert_int_eq(count_of(answer) + answer_number(answer, "more_goroutines"), 5121);
	ck_assert_int_lt((long long)strlen(text), BYTES_MAX);
}
END_TEST

START_TEST(another_program_has_none)
{
	cleanup_place struct place place = place_open();

	expect_all(place_crash_report(&place, "ledger_c", NULL), ABSENT("goroutine"),
	    ABSENT("goroutines"), ABSENT("more_goroutines"), ABSENT("warnings"));
}
END_TEST

int main(void)
{
	const char *folder = getenv("PROGRAMS");
	char path[512];
	int count;

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "build/tests/programs", builds[0]);
	count = access(path, X_OK) == 0 ? TIMES(builds) : 0;
	if (count == 0)
		puts("skipped: goroutines: there is no go (make deps FOR=languages)");
	const struct looped tests[] = {
	    {goroutines_are_those_that_the_runtime_prints, count},
	    {the_thread_keeps_its_own_stack, count},
	    {a_crash_report_tells_them, count},
	    {a_report_of_a_hang_tells_where_main_waits, count},
	    {very_many_are_counted, count ? 1 : 0},
	    {another_program_has_none, 1},
	    {NULL, 0},
	};
	return run_loops("goroutines", tests, NULL, NULL);
}
