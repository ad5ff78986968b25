/*
 * The lint: asks a server of its own for tools/list, as a client would, and walks what comes back.
 */
#include "tests/lint/lint.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MAX ((1LL << 53) - 1)

struct lint {
	void (*tell)(const char *finding);
	const char *tool;
	size_t findings;
};

static void lint_find(struct lint *lint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void lint_find(struct lint *lint, const char *format, ...)
{
	char finding[512];
	va_list arguments;
	int used = snprintf(finding, sizeof(finding), "%s: ", lint->tool);

	va_start(arguments, format);
	vsnprintf(finding + used, sizeof(finding) - (size_t)used, format, arguments);
	va_end(arguments);
	lint->findings++;
	if (lint->tell)
		lint->tell(finding);
}

static void lint_name(struct lint *lint, const char *name)
{
	size_t length = strlen(name);

	if (length < 1 || length > LINT_NAME_MAX)
		lint_find(lint, "a name of %zu bytes, not 1 to %d", length, LINT_NAME_MAX);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz_") != length)
		lint_find(lint, "\"%s\" is not of [a-z_]", name);
}

static void lint_description(struct lint *lint, const json_t *object, const char *what)
{
	const char *text = json_string_value(json_object_get(object, "description"));

	if (!text || !*text)
		lint_find(lint, "%s has no description", what);
	else if (strlen(text) >= LINT_DESCRIPTION_MAX)
		lint_find(lint, "%s has a description of %zu bytes", what, strlen(text));
}

/* Keywords some client refuses or strips, wherever they stand. */
static const char *const refused_keywords[] = {"$ref", "$defs", "$schema", "anyOf", "oneOf",
    "allOf", "not", "if", "then", "else", "const", "patternProperties", "default"};

static void lint_keyword(struct lint *lint, const char *key, const json_t *value)
{
	for (size_t i = 0; i < sizeof(refused_keywords) / sizeof(*refused_keywords); i++)
		if (strcmp(key, refused_keywords[i]) == 0)
			lint_find(lint, "the keyword %s is refused by some client", key);
	if (strcmp(key, "type") == 0 && !json_is_string(value))
		lint_find(lint, "type must be one string");
	if ((strcmp(key, "items") == 0 || strcmp(key, "additionalProperties") == 0) &&
	    !json_is_object(value))
		lint_find(lint, "%s must be a schema, not a boolean or an array", key);
	if (json_is_integer(value) && llabs(json_integer_value(value)) > WHOLE_MAX)
		lint_find(lint, "%s is more than a client's numbers hold exactly", key);
	if ((strcmp(key, "enum") == 0 || strcmp(key, "required") == 0) &&
	    json_array_size(value) == 0)
		lint_find(lint, "%s must not be empty", key);
}

static void lint_schema(struct lint *lint, json_t *schema, unsigned depth);

static void lint_properties(struct lint *lint, json_t *properties, unsigned depth)
{
	const char *name;
	json_t *property;

	json_object_foreach(properties, name, property)
	{
		if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
			lint_find(lint, "property \"%s\" is not of [a-z0-9_]", name);
		lint_schema(lint, property, depth + 1);
	}
}

static void lint_schema(struct lint *lint, json_t *schema, unsigned depth)
{
	const char *key;
	json_t *value;

	if (!json_is_object(schema) || depth > 8) {
		lint_find(lint, "a schema must be an object, nested at most 8 levels");
		return;
	}
	if (!json_object_get(schema, "type"))
		lint_find(lint, "a schema without a type");
	json_object_foreach(schema, key, value)
	{
		if (json_is_null(value))
			lint_find(lint, "%s is null", key);
		lint_keyword(lint, key, value);
		if (strcmp(key, "properties") == 0)
			lint_properties(lint, value, depth);
		else if (strcmp(key, "items") == 0 || strcmp(key, "additionalProperties") == 0)
			lint_schema(lint, value, depth + 1);
	}
}

static void lint_top_schema(struct lint *lint, json_t *schema, const char *what)
{
	const char *type = json_string_value(json_object_get(schema, "type"));

	if (!type || strcmp(type, "object") != 0)
		lint_find(lint, "%s must be of type object", what);
	lint_schema(lint, schema, 0);
}

/* Nearly every tool has the first two, which rr_replay_start explains for all of them. Of the
 * others a word would only say the name again, and every prompt pays for it. */
static bool needs_no_words(const char *name)
{
	static const char *const names[] = {"session", "deadline", "env", "stdin", "num_cores",
	    "reverse", "depth", "expressions", "core", "trace_dir", "working_directory",
	    "condition", "temporary", "breakpoint_number", "checkpoint_id", "event_number",
	    "address", "max_elements", "command", "bad_pid", "heap_limit"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* What a model has to fill in is explained to it; results explain themselves by their names. */
static void lint_arguments(struct lint *lint, json_t *schema)
{
	json_t *properties = json_object_get(schema, "properties"), *property;
	const char *name;

	if (!json_is_object(properties))
		lint_find(lint, "inputSchema needs properties, be they empty");
	json_object_foreach(properties, name, property)
	{
		if (!needs_no_words(name))
			lint_description(lint, property, name);
	}
}

/* An error's structured content is held to the same schema: its fields keep their types. */
static void lint_error_fields(struct lint *lint, json_t *schema)
{
	const char *const fields[] = {"code", "message", "hint", "session"};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		json_t *property =
		    json_object_get(json_object_get(schema, "properties"), fields[i]);
		const char *type = json_string_value(json_object_get(property, "type"));
		if (property && (!type || strcmp(type, "string") != 0))
			lint_find(lint, "%s is a string in errors and must be one here", fields[i]);
	}
	if (json_object_get(schema, "required"))
		lint_find(lint, "an output schema must not require: errors are held to it too");
}

/* Hosts ask before what destroys, and disagree on what a missing hint means. */
static void lint_annotations(struct lint *lint, const json_t *hints)
{
	bool reads = json_is_true(json_object_get(hints, "readOnlyHint"));

	if (reads == json_is_boolean(json_object_get(hints, "openWorldHint")))
		lint_find(lint, "a tool either is read-only or says whether its world is open");
	if (reads == json_is_boolean(json_object_get(hints, "destructiveHint")))
		lint_find(lint, "a tool either is read-only or says whether it destroys");
}

static void lint_tool(struct lint *lint, json_t *tool)
{
	const char *key, *name = json_string_value(json_object_get(tool, "name"));
	json_t *value, *output = json_object_get(tool, "outputSchema");

	lint->tool = name ? name : "(a tool without a name)";
	lint_name(lint, lint->tool);
	lint_description(lint, tool, "the tool");
	json_object_foreach(tool, key, value)
	{
		if (json_is_null(value))
			lint_find(lint, "%s is null", key);
	}
	if (!json_is_string(json_object_get(tool, "title")))
		lint_find(lint, "no title");
	lint_annotations(lint, json_object_get(tool, "annotations"));
	lint_top_schema(lint, json_object_get(tool, "inputSchema"), "inputSchema");
	lint_arguments(lint, json_object_get(tool, "inputSchema"));
	if (output) {
		lint_top_schema(lint, output, "outputSchema");
		if (json_object_size(json_object_get(output, "properties")) == 0)
			lint_find(lint, "outputSchema names no field");
	}
	lint_error_fields(lint, output);
}

static void lint_unique(struct lint *lint, const json_t *tools, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (json_equal(json_object_get(json_array_get(tools, i), "name"),
			json_object_get(json_array_get(tools, index), "name")))
			lint_find(lint, "the name is not unique");
}

size_t mcp_lint_list(const json_t *tools, size_t size, void (*tell)(const char *finding))
{
	struct lint lint = {.tell = tell, .tool = "tools/list"};
	json_t *tool;
	size_t index;

	if (size >= LINT_LIST_MAX)
		lint_find(&lint, "the list is %zu bytes long, over %d", size, LINT_LIST_MAX);
	json_array_foreach(tools, index, tool)
	{
		lint_tool(&lint, tool);
		lint_unique(&lint, tools, index);
	}
	return lint.findings;
}

size_t mcp_lint_tools(const struct mcp_handler *handler, void (*tell)(const char *finding))
{
	static const char request[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";
	struct lint lint = {.tell = tell, .tool = "tools/list"};
	struct mcp_server *server = mcp_server_new(handler);
	const char *bytes;
	size_t size;

	mcp_server_feed(server, request, sizeof(request) - 1);
	size = mcp_server_output(server, &bytes);
	json_t *answer = json_loadb(bytes, size, 0, NULL);
	json_t *tools = json_object_get(json_object_get(answer, "result"), "tools");
	if (json_array_size(tools) != handler->tool_count)
		lint_find(&lint, "%zu of %zu tools are listed on the first page",
		    json_array_size(tools), handler->tool_count);
	lint.findings += mcp_lint_list(tools, size, tell);
	json_decref(answer);
	mcp_server_free(server);
	return lint.findings;
}
