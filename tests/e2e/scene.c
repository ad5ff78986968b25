/*
 * Shared beginnings and ends of the end-to-end tests. Keeps its traces in one scratch folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define TRACES_MAX 32

static struct {
	char *folder;
	char *names[TRACES_MAX], *traces[TRACES_MAX];
	size_t count;
	const char *const *programs;
} prepared;

/* Records the program that the words name, with the other words as its arguments. */
static void record(struct client *client, const char *words, const char *trace)
{
	cleanup_free char *copy = strdup(words);
	json_t *command = json_array();
	char *rest = copy;

	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		if (*word == '\0')
			continue;
		bool first = json_array_size(command) == 0;
		cleanup_free char *path = first ? harness_program(word) : NULL;
		json_array_append_new(command, json_string(first ? path : word));
	}
	client_tool_done(client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir", trace);
}

const char *scene_trace(const char *program)
{
	for (size_t i = 0; i < prepared.count; i++)
		if (strcmp(prepared.names[i], program) == 0)
			return prepared.traces[i];
	if (prepared.count == TRACES_MAX)
		harness_fail("more than %d programs", TRACES_MAX);
	if (prepared.folder == NULL)
		prepared.folder = harness_scratch(0);
	char *trace = harness_path(prepared.folder, program);
	struct client *client = client_start(NULL);
	record(client, program, trace);
	client_end(client);
	prepared.names[prepared.count] = strdup(program);
	prepared.traces[prepared.count++] = trace;
	return trace;
}

void scene_clear(void)
{
	for (size_t i = 0; i < prepared.count; i++) {
		free(prepared.names[i]);
		free(prepared.traces[i]);
	}
	prepared.count = 0;
	harness_scratch_free(prepared.folder);
	prepared.folder = NULL;
}

struct scene scene_open(const char *program, const struct client_options *options)
{
	struct scene scene = {.client = client_start(options)};
	scene.session = client_replay(scene.client, scene_trace(program));
	return scene;
}

void scene_go(struct scene *scene, const char *moment)
{
	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", moment);
}

void scene_run_to(struct scene *scene, const char *location)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s, s:b, s:s}", "location",
	    location, "temporary", 1, "session", scene->session);
	expect_answer(client_tool(scene->client, "rr_continue", "{s:s}", "session", scene->session),
	    "reason", "breakpoint");
}

struct scene scene_open_at(const char *program, const char *location)
{
	struct scene scene = scene_open(program, NULL);

	scene_run_to(&scene, location);
	return scene;
}

long long scene_process(struct client *client, const char *program, int exit_code)
{
	json_auto_t *list =
	    client_tool(client, "rr_ps", "{s:s}", "trace_dir", scene_trace(program));
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(list, "processes"), i, one)
	{
		if (json_integer_value(json_object_get(one, "exit_code")) == exit_code)
			return json_integer_value(json_object_get(one, "pid"));
	}
	harness_fail("no process ended with %d", exit_code);
}

struct scene scene_of_child(struct client *client, const char *program, long long pid)
{
	struct scene scene = {.client = client};
	json_auto_t *started = client_tool(client, "rr_replay_start", "{s:s, s:I, s:b}",
	    "trace_dir", scene_trace(program), "pid", (json_int_t)pid, "fork_pid", 1);

	scene.session = strdup(answer_text(started, "session"));
	return scene;
}

void expect_alive(struct client *client, const char *session)
{
	json_t *trace = client_tool(client, "rr_backtrace", "{s:s}", "session", session);

	ck_assert_uint_ge(answer_count(trace, "frames"), 1);
	ck_assert(!answer_true(trace, "restored"));
	json_decref(trace);
}

void expect_same(json_t *one, json_t *other)
{
	cleanup_free char *first = json_dumps(one, JSON_SORT_KEYS);
	cleanup_free char *second = json_dumps(other, JSON_SORT_KEYS);

	ck_assert_str_eq(first, second);
	json_decref(one);
	json_decref(other);
}

void expect_same_end(struct scene *scene, json_t *(*ask)(struct scene *scene))
{
	json_auto_t *before = client_tool(scene->client, "rr_goto", "{s:s}", "moment", "end");
	json_auto_t *registers = client_tool(scene->client, "rr_registers", NULL);

	json_decref(ask(scene));
	expect_same(client_tool(scene->client, "rr_registers", NULL), json_incref(registers));
	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", "start");
	json_auto_t *behind = client_tool(scene->client, "rr_goto", "{s:s}", "moment", "end");
	expect_text(behind, "moment", answer_text(before, "moment"));
	expect_same(client_tool(scene->client, "rr_registers", NULL), json_incref(registers));
}

/* What a value must be; "" if it is that. */
static const char *unmet(const json_t *answer, const struct expected *expected)
{
	const char *path = expected->path;

	switch (expected->kind) {
	case EXPECTED_END:
		return "";
	case EXPECTED_TEXT:
		return strcmp(answer_text(answer, path), expected->text) == 0 ? "" : "another text";
	case EXPECTED_PART:
		return strstr(answer_text(answer, path), expected->text) ? "" : "a text without it";
	case EXPECTED_NUMBER:
		return answer_number(answer, path) == expected->number ? "" : "another number";
	case EXPECTED_LINE:
		return answer_line(answer, path) == expected->number ? "" : "another line";
	case EXPECTED_COUNT:
		return answer_count(answer, path) == (size_t)expected->number ? ""
									      : "another count";
	case EXPECTED_TRUE:
		return answer_true(answer, path) ? "" : "not true";
	case EXPECTED_FALSE:
		return answer_true(answer, path) ? "true" : "";
	case EXPECTED_PRESENT:
		return answer_at(answer, path) ? "" : "missing";
	case EXPECTED_ABSENT:
		return answer_at(answer, path) ? "present" : "";
	}
	return "no expectation";
}

void expect_all_of(const char *file, int line, json_t *answer, const struct expected *expected)
{
	for (; expected->kind != EXPECTED_END; expected++) {
		const char *found = unmet(answer, expected);

		ck_assert_msg(*found == '\0', "%s:%d: %s is %s (expected \"%s\" %lld) in %s", file,
		    line, expected->path, found, expected->text ? expected->text : "",
		    expected->number, answer_show(answer));
	}
	json_decref(answer);
}

void scene_close(struct scene *scene)
{
	client_end(scene->client);
	free(scene->session);
}

struct place place_open(void)
{
	struct place place = {.client = client_start(NULL), .folder = harness_scratch(0)};
	place.trace = harness_path(place.folder, "trace");
	return place;
}

struct place place_replay_command(const char *const *command)
{
	struct place place = place_open();
	char *path = harness_program(command[0]);
	json_t *words = json_pack("[s]", path);

	for (size_t i = 1; command[i] != NULL; i++)
		json_array_append_new(words, json_string(command[i]));
	client_tool_done(
	    place.client, "rr_record", "{s:o, s:s}", "command", words, "trace_dir", place.trace);
	free(client_replay(place.client, place.trace));
	free(path);
	return place;
}

json_t *place_crash_report(struct place *place, const char *program, const char *argument)
{
	json_decref(client_record(place->client, place->trace, program, argument));
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

long long place_record_sleep(struct place *place)
{
	long long id = client_tool_send(place->client, "rr_record",
	    json_pack(
		"{s:[s,s], s:s}", "command", "/bin/sleep", "3600", "trace_dir", place->trace));

	census_await(client_pid(place->client), "sleep");
	return id;
}

void place_close(struct place *place)
{
	client_end(place->client);
	free(place->trace);
	harness_scratch_free(place->folder);
}

static void prepare(void)
{
	for (size_t i = 0; prepared.programs[i] != NULL; i++)
		scene_trace(prepared.programs[i]);
}

/* A case that records its programs first. */
static TCase *prepared_case(const char *name, const char *const *programs)
{
	TCase *cases = new_case(name, NULL, NULL);

	prepared.programs = programs;
	tcase_set_timeout(cases, SCENE_TEST_TIMEOUT_S);
	tcase_add_unchecked_fixture(cases, prepare, scene_clear);
	return cases;
}

int scene_main(const char *name, const TTest *const *tests, const char *const *programs)
{
	return scene_main_builds(name, tests, programs, 1);
}

int scene_main_builds(
    const char *name, const TTest *const *tests, const char *const *programs, int builds)
{
	TCase *cases = prepared_case(name, programs);

	for (size_t i = 0; tests[i] != NULL; i++)
		tcase_add_loop_test(cases, tests[i], 0, builds);
	return run_case(name, cases);
}

int scene_main_loops(const char *name, const struct looped *tests, const char *const *programs)
{
	TCase *cases = prepared_case(name, programs);

	add_loops(cases, tests);
	return run_case(name, cases);
}
