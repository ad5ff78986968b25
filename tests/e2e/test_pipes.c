/*
 * rr_origin_of through pipes and socketpairs: it goes on in the process that wrote the bytes, at
 * the write that the counts of bytes name, to where the value was made; and where that cannot be
 * known it ends at the read, and says why.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define SOURCE "pipes.c"

/* A session of one process of the trace, the first one being 0, where it looks at what it read. */
static struct scene open_process(const char *program, size_t process)
{
	struct scene scene = {.client = client_start(NULL)};
	const char *trace = scene_trace(program);
	json_auto_t *list = client_tool(scene.client, "rr_ps", "{s:s}", "trace_dir", trace);
	json_auto_t *opened;
	char path[40];

	snprintf(path, sizeof(path), "processes.%zu.pid", process);
	opened = client_tool(scene.client, "rr_replay_start", "{s:s, s:I}", "trace_dir", trace,
	    "pid", (json_int_t)answer_number(list, path));
	scene.session = strdup(answer_text(opened, "session"));
	scene_run_to(&scene, "look");
	return scene;
}

struct way {
	const char *program;
	size_t process; /* that reads */
	const char *expression, *kind, *conclusion;
	const char *origin; /* a comment */
	const char *did;    /* at a step with this ... */
	const char *at;	    /* ... there */
};

static const struct way ways[] = {
    {"pipes up", 0, "order->price", "computed", "= 34 comes from arithmetic", "price",
	"byte 8 of its 24", "write"},
    {"pipes up", 0, "order->id", "computed", "= 102 comes from", NULL,
	"a pipe: byte 24 of all that went through it", "read"},
    {"pipes down", 1, "order->price", "computed", "= 51 comes from arithmetic", "price",
	"written by write to descriptor", "write"},
    {"pipes two", 0, "order->price", "computed", "= 204 comes from arithmetic", "price",
	"byte 8 of its 24", "write"},
    {"pipes copies", 0, "order->price", "computed", "= 51 comes from arithmetic", "price",
	"written by write to descriptor 30", "write"},
    {"pipes sockets", 0, "order->price", "computed", "= 85 comes from arithmetic", "price",
	"written by write to descriptor", "write"},
    {"pipes sockets", 0, "order->id", "constant", "= 4711 comes from a constant", "question",
	"taken by recvfrom from descriptor", "asked"},
    {"pipes exec", 0, "order->price", "computed", "= 102 comes from arithmetic", "price",
	"written by write to descriptor 1 ", "write"},
    {"pipes relay", 0, "order->price", "computed", "= 119 comes from arithmetic", "price",
	"written by writev to descriptor", "relay"},
    {"pipes interrupted", 0, "order->price", "computed", "= 204 comes from arithmetic", "price",
	"written by write to descriptor", "write"},
    {"pipes inherited", 0, "order->id", "computed", "= 42 comes from arithmetic", "before",
	"copied by clone into process", "fork"},
};

static long long line_of(const char *comment)
{
	char text[40];

	snprintf(text, sizeof(text), "pipes: %s", comment);
	return harness_line(SOURCE, text);
}

static bool has_step(const json_t *answer, const char *did, long long line)
{
	char path[40];

	for (size_t i = 0; i < answer_count(answer, "hops"); i++) {
		snprintf(path, sizeof(path), "hops.%zu.did", i);
		if (!strstr(answer_text(answer, path), did))
			continue;
		snprintf(path, sizeof(path), "hops.%zu.frame", i);
		if (answer_line(answer, path) == line)
			return true;
	}
	return false;
}

START_TEST(the_value_is_followed_into_the_process_that_wrote_it)
{
	const struct way *way = &ways[_i];
	cleanup_scene struct scene scene = open_process(way->program, way->process);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *answer =
	    client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", way->expression);

	expect_text(answer, "kind", way->kind);
	expect_within(answer, "conclusion", way->conclusion);
	if (way->origin)
		expect_line(answer, "frame", line_of(way->origin));
	ck_assert_msg(has_step(answer, way->did, line_of(way->at)), "%s: no step %s at %s",
	    way->program, way->did, way->at);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
}
END_TEST

/* The session's own breakpoints are not those of the process that was visited, and come back. */
START_TEST(the_sessions_breakpoints_outlive_a_visit)
{
	cleanup_scene struct scene scene = open_process("pipes up", 0);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "read_all");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "make_order");
	client_tool_done(scene.client, "rr_origin_of", "{s:s}", "expression", "order->price");
	expect_all(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", true),
	    IS("reason", "breakpoint"), IS("frame.function", "read_all"));
	expect_alive(scene.client, scene.session);
}
END_TEST

struct refusal {
	const char *program, *why;
};

static const struct refusal refusals[] = {
    {"pipes spliced", "called splice"},
    {"pipes again", "but the bytes there are others"},
};

START_TEST(no_write_is_named_where_it_cannot_be_known)
{
	cleanup_scene struct scene scene = open_process(refusals[_i].program, 0);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);

	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "order->price"),
	    IS("kind", "input"), HAS("conclusion", "cannot be followed, because"),
	    HAS("input.not_followed", refusals[_i].why), HAS("input.from", "a pipe"),
	    ABSENT("pid"));
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
}
END_TEST

/* What was only looked at is still there, and an offset that is not known is not told. */
START_TEST(what_looks_like_more_input_than_it_is_is_told_as_it_is)
{
	cleanup_scene struct scene scene = scene_open_at("peeked", "look");

	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "taken[1]"),
	    IS("kind", "input"), IS("input.from", "a socket"), NUMBER("input.byte", 1),
	    NUMBER("input.offset", 3));
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "told[0]"),
	    IS("kind", "input"), IS("input.from", "a descriptor of unknown kind"),
	    ABSENT("input.offset"));
	expect_all(client_tool(scene.client, "rr_origin_of", "{s:s}", "expression", "filled[9]"),
	    IS("kind", "filled"), HAS("conclusion", "strncpy, which fills up its 16 bytes"));
}
END_TEST

int main(void)
{
	static const char *const programs[] = {"pipes up", "pipes down", "pipes two",
	    "pipes copies", "pipes sockets", "pipes exec", "pipes relay", "pipes inherited",
	    "pipes interrupted", "pipes spliced", "pipes again", "peeked", NULL};
	const struct looped tests[] = {
	    {the_value_is_followed_into_the_process_that_wrote_it, sizeof(ways) / sizeof(*ways)},
	    {the_sessions_breakpoints_outlive_a_visit, 1},
	    {no_write_is_named_where_it_cannot_be_known, sizeof(refusals) / sizeof(*refusals)},
	    {what_looks_like_more_input_than_it_is_is_told_as_it_is, 1},
	    {NULL, 0},
	};

	return scene_main_loops("pipes", tests, programs);
}
