/*
 * Shared beginnings and ends of the end-to-end tests. Keeps its traces in one scratch folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define TRACES_MAX 32

static struct {
	char *folder;
	char *names[TRACES_MAX], *traces[TRACES_MAX];
	size_t count;
	const char *const *programs;
} prepared;

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
	json_decref(client_record(client, trace, program, NULL));
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

void scene_run_to(struct scene *scene, const char *location)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s, s:b, s:s}", "location",
	    location, "temporary", 1, "session", scene->session);
	json_t *stop =
	    client_tool(scene->client, "rr_continue", "{s:s}", "session", scene->session);
	expect_text(stop, "reason", "breakpoint");
	json_decref(stop);
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

int scene_main(const char *name, const TTest *const *tests, const char *const *programs)
{
	return scene_main_builds(name, tests, programs, 1);
}

int scene_main_builds(
    const char *name, const TTest *const *tests, const char *const *programs, int builds)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create(name);
	prepared.programs = programs;
	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	tcase_add_unchecked_fixture(all, prepare, scene_clear);
	for (size_t i = 0; tests[i] != NULL; i++)
		tcase_add_loop_test(all, tests[i], 0, builds);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
