/*
 * libFuzzer target: any bytes, cut anywhere, against the line reader, the envelope and every
 * method. What comes out must be JSON lines whatever went in.
 *
 * The first byte chooses how the rest is cut and how the handler behaves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/server.h"

static const char *const choices[] = {"line", "instruction", NULL};
static const struct mcp_param params[] = {
    {"count", MCP_INTEGER, false, "n", 1, 100, NULL},
    {"ratio", MCP_NUMBER, false, "n", 0, 0, NULL},
    {"reverse", MCP_BOOLEAN, false, "n", 0, 0, NULL},
    {"unit", MCP_STRING, false, "n", 0, 20, choices},
    {"text", MCP_STRING, false, "n", 0, 20, NULL},
    {"command", MCP_STRING_ARRAY, false, "n", 0, 4, NULL},
    {"env", MCP_STRING_MAP, false, "n", 0, 4, NULL},
    {"claims", MCP_OBJECT_ARRAY, false, "n", 0, 4, NULL},
    {0},
};
static const struct mcp_tool tools[] = {
    {"echo", "Echo", "d", params, params, 0, NULL, false, NULL},
    {"hold", "Hold", "d", params, params, 0, NULL, false, "ui://t/a"},
    {"fail", "Fail", "d", params, params, 0, NULL, false, NULL},
};
static const struct mcp_app apps[] = {{"ui://t/a", "<p>"}};
static const struct mcp_resource resources[] = {{"rr://guide", "guide", "t", "d", "text/plain"}};
static const struct mcp_skill skills[] = {{"skill://s/SKILL.md", "s", "d", "t", "sha256:0", 1}};
static const struct mcp_prompt prompts[] = {{"debug", "t", "d", params}};

enum { HELD_MAX = MCP_IN_FLIGHT_MAX + 256 }; /* and what has become a task */

struct fuzz_owner {
	struct mcp_request *held[HELD_MAX];
	size_t count;
};

static void call_tool(void *owner, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct fuzz_owner *fuzz = owner;

	mcp_request_progress(request, 1, 2, "begun");
	if (tool == 0)
		mcp_request_answer_text(request, json_pack("{s:O}", "given", arguments), NULL);
	else if (tool == 2)
		mcp_request_fail(
		    request, "not_found", "nothing", "look", json_deep_copy(arguments));
	else if (fuzz->count < HELD_MAX)
		fuzz->held[fuzz->count++] = request;
	else
		abort(); /* more in flight than the bound */
}

static void cancel(void *owner, struct mcp_request *request)
{
	struct fuzz_owner *fuzz = owner;

	for (size_t i = 0; i < fuzz->count; i++)
		if (fuzz->held[i] == request) {
			fuzz->held[i] = fuzz->held[--fuzz->count];
			return;
		}
	abort(); /* cancelled twice, or after its answer */
}

static void read_resource(void *owner, struct mcp_request *request, const char *uri)
{
	(void)owner;
	if (strcmp(uri, "rr://guide") == 0)
		mcp_request_contents(request, "text/plain", uri);
	else
		mcp_request_fail(request, "not_found", uri, NULL, NULL);
}

static void get_prompt(void *owner, struct mcp_request *request, size_t prompt, json_t *arguments)
{
	const char *text = json_string_value(json_object_get(arguments, "text"));

	(void)owner, (void)prompt;
	mcp_request_contents(request, NULL, text ? text : "");
}

static json_t *complete(void *owner, const char *reference, const char *argument, const char *value)
{
	(void)owner;
	return json_pack("[s,s,s]", reference, argument, value);
}

static void drain(struct mcp_server *server)
{
	const char *bytes;

	for (size_t size; (size = mcp_server_output(server, &bytes)) > 0;) {
		for (size_t start = 0; start < size;) {
			const char *newline = memchr(bytes + start, '\n', size - start);
			if (!newline)
				abort();
			size_t length = (size_t)(newline - bytes) - start;
			json_t *message = json_loadb(bytes + start, length, JSON_ALLOW_NUL, NULL);
			if (!json_is_object(message))
				abort();
			json_decref(message);
			start += length + 1;
		}
		mcp_server_sent(server, size);
	}
}

static void give_page(struct mcp_request *request)
{
	if (mcp_request_shows_app(request))
		mcp_request_attach(request, "t/page", json_string("<p>"));
	mcp_request_answer_text(request, json_object(), NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\","
				    "\"params\":{\"protocolVersion\":\"2025-11-25\"}}\n";
	struct fuzz_owner owner = {0};
	const struct mcp_handler handler = {.name = "f",
	    .version = "1",
	    .instructions = "i",
	    .codes = {"invalid_argument", "not_found", "limit", "cancelled"},
	    .tools = tools,
	    .tool_count = 3,
	    .resources = resources,
	    .resource_count = 1,
	    .templates = resources,
	    .template_count = 1,
	    .prompts = prompts,
	    .prompt_count = 1,
	    .skills = skills,
	    .skill_count = 1,
	    .apps = apps,
	    .app_count = 1,
	    .page_size = 2,
	    .call_tool = call_tool,
	    .cancel = cancel,
	    .read_resource = read_resource,
	    .get_prompt = get_prompt,
	    .complete = complete,
	    .owner = &owner};
	struct mcp_server *server = mcp_server_new(&handler);
	size_t step = size > 0 ? (size_t)data[0] % 64 + 1 : 1;

	if (size > 0 && data[0] & 64)
		mcp_server_feed(server, hello, sizeof(hello) - 1);
	for (size_t at = 1; at < size; at += step) {
		size_t some = size - at < step ? size - at : step;
		if (!mcp_server_feed(server, (const char *)data + at, some))
			abort();
		if (size > 0 && data[0] & 128) {
			drain(server);
			mcp_server_make_tasks(server, INT64_MAX);
		}
	}
	mcp_server_feed(server, "\n", 1);
	while (owner.count > 0)
		give_page(owner.held[--owner.count]);
	drain(server);
	mcp_server_free(server);
	return 0;
}
