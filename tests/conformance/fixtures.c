/*
 * The conformance suite's fixtures, word for word as its scenarios describe them.
 */
#include "tests/conformance/fixtures.h"
#include <stdio.h>
#include <string.h>
#include "tests/conformance/extras.h"

/* One red pixel; a wave file of no samples. */
#define PIXEL                                                                                      \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5E" \
	"rkJ"                                                                                      \
	"ggg=="
#define WAVE "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

const char fixture_broad_schema[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
    "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"
    "\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
    "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}";

const struct mcp_tool fixture_tools[FIXTURE_TOOLS] = {
    [FIXTURE_TEXT] = {.name = "test_simple_text", .description = "Answers with text."},
    [FIXTURE_IMAGE] = {.name = "test_image_content", .description = "Answers with an image."},
    [FIXTURE_AUDIO] = {.name = "test_audio_content", .description = "Answers with sound."},
    [FIXTURE_RESOURCE] = {.name = "test_embedded_resource",
	.description = "Answers with a resource."},
    [FIXTURE_MIXED] = {.name = "test_multiple_content_types",
	.description = "Answers with text, image and resource."},
    [FIXTURE_ERROR] = {.name = "test_error_handling", .description = "Fails."},
    [FIXTURE_PROGRESS] = {.name = "test_tool_with_progress",
	.description = "Reports progress three times."},
    [FIXTURE_LOGGING] = {.name = "test_tool_with_logging", .description = "Logs three times."},
    [FIXTURE_QUIET] = {.name = "test_logging_tool",
	.description = "Logs only where the request says a level."},
    [FIXTURE_CAPABILITY] = {.name = "test_missing_capability",
	.description = "Needs the client to have sampling."},
    [FIXTURE_SCHEMA] = {.name = "json_schema_2020_12_tool",
	.description = "Tool with JSON Schema 2020-12 features"},
    [FIXTURE_STREAM] = {.name = "test_streaming_elicitation",
	.description = "Is called to see that nothing is asked of the client."},
};

const struct mcp_resource fixture_resources[] = {
    {"test://static-text", "static-text", "Static text", "Some text.", "text/plain"},
    {"test://static-binary", "static-binary", "Static binary", "An image.", "image/png"},
    {"test://watched-resource", "watched", "Watched", "Can be subscribed to.", "text/plain"},
};
const size_t fixture_resource_count = sizeof(fixture_resources) / sizeof(*fixture_resources);

const struct mcp_resource fixture_templates[] = {
    {"test://template/{id}/data", "template", "Template", "Data of an id.", "application/json"},
};
const size_t fixture_template_count = 1;

static const struct mcp_param two_arguments[] = {
    {"arg1", MCP_STRING, true, "First test argument", 0, 0, NULL},
    {"arg2", MCP_STRING, true, "Second test argument", 0, 0, NULL},
    {0},
};
static const struct mcp_param uri_argument[] = {
    {"resourceUri", MCP_STRING, true, "URI of the resource to embed", 0, 0, NULL},
    {0},
};
const struct mcp_prompt fixture_prompts[] = {
    {"test_simple_prompt", NULL, "A simple prompt.", NULL},
    {"test_prompt_with_arguments", NULL, "A prompt with arguments.", two_arguments},
    {"test_prompt_with_embedded_resource", NULL, "A prompt with a resource.", uri_argument},
    {"test_prompt_with_image", NULL, "A prompt with an image.", NULL},
};
const size_t fixture_prompt_count = sizeof(fixture_prompts) / sizeof(*fixture_prompts);

static json_t *text(const char *words)
{
	return json_pack("{s:s, s:s}", "type", "text", "text", words);
}

static json_t *media(const char *type, const char *data, const char *mime_type)
{
	return json_pack("{s:s, s:s, s:s}", "type", type, "data", data, "mimeType", mime_type);
}

static json_t *embedded(const char *uri, const char *mime_type, const char *words)
{
	return json_pack("{s:s, s:{s:s, s:s, s:s}}", "type", "resource", "resource", "uri", uri,
	    "mimeType", mime_type, "text", words);
}

static void answer_one(struct mcp_request *request, json_t *content)
{
	extras_answer_content(request, json_pack("[o]", content));
}

bool fixture_answer(struct mcp_request *request, enum fixture_tool tool)
{
	switch (tool) {
	case FIXTURE_TEXT:
		answer_one(request, text("This is a simple text response for testing."));
		return true;
	case FIXTURE_IMAGE:
		answer_one(request, media("image", PIXEL, "image/png"));
		return true;
	case FIXTURE_AUDIO:
		answer_one(request, media("audio", WAVE, "audio/wav"));
		return true;
	case FIXTURE_RESOURCE:
		answer_one(request, embedded("test://embedded-resource", "text/plain",
					"This is an embedded resource content."));
		return true;
	case FIXTURE_MIXED:
		extras_answer_content(
		    request, json_pack("[o, o, o]", text("Multiple content types test:"),
				 media("image", PIXEL, "image/png"),
				 embedded("test://mixed-content-resource", "application/json",
				     "{\"test\":\"data\",\"value\":123}")));
		return true;
	case FIXTURE_ERROR:
		mcp_request_fail(request, "internal",
		    "This tool intentionally returns an error for testing", NULL, NULL);
		return true;
	case FIXTURE_QUIET:
		extras_log("info", "only up to 2025-11-25");
		answer_one(request, text("Done."));
		return true;
	case FIXTURE_CAPABILITY:
		extras_answer_if_capable(
		    request, "sampling", json_pack("[o]", text("The client has sampling.")));
		return true;
	case FIXTURE_SCHEMA:
	case FIXTURE_STREAM:
		answer_one(request, text("Taken."));
		return true;
	case FIXTURE_PROGRESS:
	case FIXTURE_LOGGING:
	case FIXTURE_TOOLS:
		break;
	}
	return false;
}

void fixture_read(void *owner, struct mcp_request *request, const char *uri)
{
	char id[64], data[256];

	(void)owner;
	if (strcmp(uri, "test://static-text") == 0 || strcmp(uri, "test://watched-resource") == 0) {
		mcp_request_contents(
		    request, "text/plain", "This is the content of the static text resource.");
	} else if (strcmp(uri, "test://static-binary") == 0) {
		mcp_request_answer_result(
		    request, json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", uri, "mimeType",
				 "image/png", "blob", PIXEL));
	} else if (sscanf(uri, "test://template/%63[^/]/data", id) == 1) {
		snprintf(data, sizeof(data),
		    "{\"id\":\"%s\",\"templateTest\":true,\"data\":\"Data for ID: %s\"}", id, id);
		mcp_request_contents(request, "application/json", data);
	} else {
		mcp_request_fail(request, "not_found", "Resource not found", NULL, NULL);
	}
}

static json_t *message(json_t *content)
{
	return json_pack("{s:s, s:o}", "role", "user", "content", content);
}

void fixture_prompt(void *owner, struct mcp_request *request, size_t prompt, json_t *arguments)
{
	char words[512];

	(void)owner;
	switch (prompt) {
	case 0:
		mcp_request_contents(request, NULL, "This is a simple prompt for testing.");
		return;
	case 1:
		snprintf(words, sizeof(words),
		    "Prompt with arguments: arg1='%.200s', arg2='%.200s'",
		    json_string_value(json_object_get(arguments, "arg1")),
		    json_string_value(json_object_get(arguments, "arg2")));
		mcp_request_contents(request, NULL, words);
		return;
	case 2:
		mcp_request_answer_result(request,
		    json_pack("{s:[o, o]}", "messages",
			message(
			    embedded(json_string_value(json_object_get(arguments, "resourceUri")),
				"text/plain", "Embedded resource content for testing.")),
			message(text("Please process the embedded resource above."))));
		return;
	default:
		mcp_request_answer_result(request,
		    json_pack("{s:[o, o]}", "messages", message(media("image", PIXEL, "image/png")),
			message(text("Please analyze the image above."))));
	}
}

json_t *fixture_complete(
    void *owner, const char *reference, const char *argument, const char *value)
{
	const char *const words[] = {"paris", "park", "party"};
	json_t *values = json_array();

	(void)owner, (void)reference, (void)argument;
	for (size_t i = 0; i < 3; i++)
		if (strncmp(words[i], value, strlen(value)) == 0)
			json_array_append_new(values, json_string(words[i]));
	return values;
}
