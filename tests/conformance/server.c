/*
 * The test-only server of the conformance suite: the protocol core of rr-warden on stdin and
 * stdout, with the suite's fixtures behind it instead of rr. Never installed.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/server.h"
#include "tests/conformance/extras.h"
#include "tests/conformance/fixtures.h"

#define STEP_MS	     50
#define STEPS	     3
#define BUSY_MAX     16
#define READ_BYTES   (1024 * 1024) /* a line */
#define STEPS_OF_100 50		   /* progress: 0, 50, then just under 100 */

struct busy { /* a call that takes its time */
	struct mcp_request *request;
	enum fixture_tool tool;
	int step;
};

struct conformance {
	struct mcp_server *server;
	struct busy busy[BUSY_MAX];
	char input[READ_BYTES]; /* the beginning of a line */
	size_t used;
};

static void take_step(struct busy *busy)
{
	static const char *const logs[STEPS] = {
	    "Tool execution started", "Tool processing data", "Tool execution completed"};

	if (busy->step < STEPS && busy->tool == FIXTURE_LOGGING)
		extras_log("info", logs[busy->step]);
	else if (busy->step < STEPS)
		mcp_request_progress(busy->request, busy->step * STEPS_OF_100, 100, NULL);
	if (busy->step++ < STEPS)
		return;
	extras_answer_content(
	    busy->request, json_pack("[{s:s, s:s}]", "type", "text", "text", "Executed."));
	busy->request = NULL;
}

static void call_tool(void *owner, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct conformance *conformance = owner;

	(void)arguments;
	if (fixture_answer(request, (enum fixture_tool)tool))
		return;
	for (size_t i = 0; i < BUSY_MAX; i++)
		if (!conformance->busy[i].request) {
			conformance->busy[i] =
			    (struct busy){.request = request, .tool = (enum fixture_tool)tool};
			take_step(&conformance->busy[i]);
			return;
		}
	mcp_request_fail(request, "limit", "Too many calls at once", NULL, NULL);
}

static void cancel(void *owner, struct mcp_request *request)
{
	struct conformance *conformance = owner;

	for (size_t i = 0; i < BUSY_MAX; i++)
		if (conformance->busy[i].request == request)
			conformance->busy[i].request = NULL;
}

/* Takes a step of every busy call; whether there was one. */
static bool take_steps(struct conformance *conformance)
{
	bool any = false;

	for (size_t i = 0; i < BUSY_MAX; i++)
		if (conformance->busy[i].request) {
			take_step(&conformance->busy[i]);
			any = true;
		}
	return any;
}

static bool write_out(struct mcp_server *server)
{
	const char *bytes, *end;

	for (size_t size; (size = mcp_server_output(server, &bytes)) > 0;) {
		end = memchr(bytes, '\n', size);
		if (end == NULL || !extras_pass_line(bytes, (size_t)(end - bytes)))
			return false;
		mcp_server_sent(server, (size_t)(end - bytes) + 1);
	}
	return true;
}

/* Feeds whole lines to the core, but for those that it has nothing of. */
static bool feed_lines(struct conformance *conformance)
{
	char *start = conformance->input, *end;
	size_t left = conformance->used;
	bool fed = true;

	while (fed && (end = memchr(start, '\n', left)) != NULL) {
		size_t length = (size_t)(end - start) + 1;
		if (!extras_answer_line(start, length))
			fed = mcp_server_feed(conformance->server, start, length) &&
			      write_out(conformance->server);
		start += length;
		left -= length;
	}
	memmove(conformance->input, start, left);
	conformance->used = left;
	return fed && left < sizeof(conformance->input);
}

static int serve(struct conformance *conformance)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	bool busy = false;

	while (write_out(conformance->server)) {
		int ready = poll(&input, 1, busy ? STEP_MS : -1);
		if (ready == 0) {
			busy = take_steps(conformance);
			continue;
		}
		ssize_t size = read(STDIN_FILENO, conformance->input + conformance->used,
		    sizeof(conformance->input) - conformance->used);
		if (size <= 0)
			return EXIT_SUCCESS;
		conformance->used += (size_t)size;
		if (!feed_lines(conformance))
			break;
		busy = true;
	}
	return EXIT_FAILURE;
}

int main(void)
{
	static struct conformance conformance;
	const struct mcp_handler handler = {.name = "rr-warden-conformance",
	    .version = "1.0.0",
	    .instructions = "Test-only.",
	    .codes = {"invalid_argument", "not_found", "limit", "cancelled"},
	    .tools = fixture_tools,
	    .tool_count = FIXTURE_TOOLS,
	    .resources = fixture_resources,
	    .resource_count = fixture_resource_count,
	    .templates = fixture_templates,
	    .template_count = fixture_template_count,
	    .prompts = fixture_prompts,
	    .prompt_count = fixture_prompt_count,
	    .call_tool = call_tool,
	    .cancel = cancel,
	    .read_resource = fixture_read,
	    .get_prompt = fixture_prompt,
	    .complete = fixture_complete,
	    .owner = &conformance};

	conformance.server = mcp_server_new(&handler);
	int status = conformance.server ? serve(&conformance) : EXIT_FAILURE;
	mcp_server_free(conformance.server);
	return status;
}
