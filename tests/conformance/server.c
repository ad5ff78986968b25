/*
 * The test-only server of the conformance suite: the protocol core of rr-warden on stdin and
 * stdout, with the suite's fixtures behind it instead of rr. Never installed.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "mcp/server.h"
#include "tests/conformance/fixtures.h"

#define STEP_MS	     50
#define STEPS	     3
#define BUSY_MAX     16
#define READ_BYTES   65536
#define STEPS_OF_100 50 /* progress: 0, 50, then just under 100 */

struct busy { /* a call that takes its time */
	struct mcp_request *request;
	enum fixture_tool tool;
	int step;
};

struct conformance {
	struct mcp_server *server;
	struct busy busy[BUSY_MAX];
};

static void take_step(struct busy *busy)
{
	static const char *const logs[STEPS] = {
	    "Tool execution started", "Tool processing data", "Tool execution completed"};

	if (busy->step < STEPS && busy->tool == FIXTURE_LOGGING)
		mcp_request_log(busy->request, "info", logs[busy->step]);
	else if (busy->step < STEPS)
		mcp_request_progress(busy->request, busy->step * STEPS_OF_100, 100, NULL);
	if (busy->step++ < STEPS)
		return;
	mcp_request_answer_content(
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
	const char *bytes;

	for (size_t size; (size = mcp_server_output(server, &bytes)) > 0;) {
		ssize_t written = write(STDOUT_FILENO, bytes, size);
		if (written <= 0)
			return false;
		mcp_server_sent(server, (size_t)written);
	}
	return true;
}

static int serve(struct conformance *conformance)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char bytes[READ_BYTES];
	bool busy = false;

	while (write_out(conformance->server)) {
		int ready = poll(&input, 1, busy ? STEP_MS : -1);
		if (ready == 0) {
			busy = take_steps(conformance);
			continue;
		}
		ssize_t size = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (size <= 0)
			return EXIT_SUCCESS;
		if (!mcp_server_feed(conformance->server, bytes, (size_t)size))
			break;
		busy = true;
	}
	return EXIT_FAILURE;
}

int main(void)
{
	struct conformance conformance = {0};
	const struct mcp_handler handler = {.name = "rr-warden-conformance",
	    .version = "1.0.0",
	    .instructions = "Test-only.",
	    .tools = fixture_tools,
	    .tool_count = FIXTURE_TOOLS,
	    .resources = fixture_resources,
	    .resource_count = fixture_resource_count,
	    .templates = fixture_templates,
	    .template_count = fixture_template_count,
	    .prompts = fixture_prompts,
	    .prompt_count = fixture_prompt_count,
	    .legacy_logging = true,
	    .legacy_subscribe = true,
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
