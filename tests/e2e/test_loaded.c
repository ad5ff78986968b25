/*
 * Where libraries come and go: a session that has been anywhere says of a moment what a new one
 * says that goes there first.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

#define PLACES_MAX 24
#define JUMPS	   25

/* Some of their calls are before the library is loaded, others while it is, while it is not any
 * more, and while it is again. */
static const struct program {
	const char *name, *of_library; /* a function */
	const char *called[4];
} programs[] = {
    {"reloads", "plugin_add", {"main", "plugin_add", "data_is_there", "nothing_is_there"}},
    {"plugin", "cbrt", {"main", "cbrt", "puts", NULL}},
};

struct places {
	char *moments[PLACES_MAX];
	json_t *said[PLACES_MAX];
	size_t count;
};

static void add(struct places *places, const char *moment)
{
	if (places->count < PLACES_MAX)
		places->moments[places->count++] = strdup(moment);
}

static void add_calls(struct places *places, struct client *client, const char *function)
{
	json_auto_t *answer =
	    client_tool(client, "rr_trace_calls", "{s:s, s:i}", "location", function, "limit", 3);
	const json_t *hit;
	size_t i;

	json_array_foreach(json_object_get(answer, "hits"), i, hit)
	    add(places, json_string_value(json_object_get(hit, "moment")));
}

/* What rests on the libraries that gdb knows: names of frames, of places, and of what is to come.
 */
static json_t *ask(struct client *client, const struct program *program)
{
	json_auto_t *frames = client_tool(client, "rr_backtrace", NULL);
	json_auto_t *now = client_tool(client, "rr_when", NULL);
	char address[64];

	snprintf(address, sizeof(address), "(long) &%s", program->of_library);
	json_auto_t *known = client_wait(client,
	    client_tool_send(client, "rr_evaluate", json_pack("{s:s}", "expression", address)),
	    HARNESS_TIMEOUT_S);
	const json_t *value = answer_at(known, "result.structuredContent.value");
	const json_t *code = answer_at(known, "result.structuredContent.code");

	return json_pack("{s:O?, s:O?, s:O?, s:O}", "frames", json_object_get(frames, "frames"),
	    "value", value, "failure", code, "moment", json_object_get(now, "moment"));
}

/* In a session that has been nowhere else. */
static json_t *ask_anew(const struct program *program, const char *moment)
{
	cleanup_scene struct scene scene = scene_open(program->name, NULL);

	scene_go(&scene, moment);
	return ask(scene.client, program);
}

static unsigned next(unsigned *seed)
{
	return (*seed = *seed * 1103515245 + 12345) >> 16;
}

static void ask_all_anew(struct places *places, const struct program *program)
{
	for (size_t i = 0; i < places->count; i++)
		places->said[i] = ask_anew(program, places->moments[i]);
}

static void jump_about(struct places *places, const struct program *program)
{
	cleanup_scene struct scene scene = scene_open(program->name, NULL);
	unsigned seed = 4711;

	for (int i = 0; i < JUMPS; i++) {
		size_t place = next(&seed) % places->count;
		json_auto_t *said = NULL;

		/* Also from a search's end, and from behind a step back. */
		if (i % 5 == 3)
			json_decref(client_tool(scene.client, "rr_trace_calls", "{s:s, s:i}",
			    "location", "main", "limit", 1));
		if (i % 7 == 4)
			client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
		scene_go(&scene, places->moments[place]);
		said = ask(scene.client, program);
		if (!json_equal(said, places->said[place])) {
			char *one = json_dumps(said, 0),
			     *other = json_dumps(places->said[place], 0);

			ck_abort_msg("jump %d to %s: %s, and in a new session %s", i,
			    places->moments[place], one, other);
		}
	}
	for (size_t i = 0; i < places->count; i++) {
		json_decref(places->said[i]);
		free(places->moments[i]);
	}
}

START_TEST(wherever_it_goes_gdb_knows_what_is_loaded_there)
{
	const struct program *program = &programs[_i];
	struct places places = {.count = 0};
	{
		cleanup_scene struct scene scene = scene_open(program->name, NULL);

		for (size_t i = 0; i < 4 && program->called[i]; i++)
			add_calls(&places, scene.client, program->called[i]);
	}
	ck_assert_uint_ge(places.count, 3);
	add(&places, "start");
	add(&places, "end");
	ask_all_anew(&places, program);
	jump_about(&places, program);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {wherever_it_goes_gdb_knows_what_is_loaded_there, 2},
	    {NULL, 0},
	};
	const char *const names[] = {"reloads", "plugin", NULL};

	return scene_main_loops("loaded", tests, names);
}
