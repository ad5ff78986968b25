/*
 * Describes tools, resources, templates, prompts and skills, and cuts the descriptions into pages.
 * Leaves out unknown optional fields, because some clients reject the whole list for one null.
 */
#include "mcp/lists.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/methods.h"
#include "mcp/schema.h"
#include "mcp/skills.h"
#include "mcp/text.h"

#define LIST_FRESH_MS 300000

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, json_string(text));
}

static void set_hint(json_t *hints, const char *name, const struct mcp_tool *tool, unsigned bit)
{
	json_object_set_new(hints, name, json_boolean((tool->annotations & bit) != 0));
}

/* Adds only hints that matter. By default, a tool is neither read-only nor idempotent, and hosts
 * look at no other hint of a tool that only reads. Hosts disagree about a missing destructiveHint
 * or openWorldHint, so both are always there for tools that change something. */
static json_t *describe_annotations(const struct mcp_tool *tool)
{
	json_t *hints = json_object();

	if (tool->annotations & MCP_READ_ONLY) {
		set_hint(hints, "readOnlyHint", tool, MCP_READ_ONLY);
		return hints;
	}
	set_hint(hints, "destructiveHint", tool, MCP_DESTRUCTIVE);
	if (tool->annotations & MCP_IDEMPOTENT)
		set_hint(hints, "idempotentHint", tool, MCP_IDEMPOTENT);
	set_hint(hints, "openWorldHint", tool, MCP_OPEN_WORLD);
	return hints;
}

/* Claude Code's fields, which other hosts pass over: a short list has none. And the app, for hosts
 * that show it. */
static void add_meta(json_t *item, const struct mcp_tool *tool, bool brief, bool with_apps)
{
	json_t *meta = json_object();

	if (tool->always_shown && !brief)
		json_object_set_new(meta, "anthropic/alwaysLoad", json_true());
	if (!brief)
		set_text(meta, "anthropic/searchHint", tool->search_words);
	if (with_apps && tool->app)
		json_object_set_new(meta, "ui", json_pack("{s:s}", "resourceUri", tool->app));
	if (json_object_size(meta) > 0)
		json_object_set(item, "_meta", meta);
	json_decref(meta);
}

/* Whoever lists only some of the tools wants a short list: each has its name, its text and its
 * arguments then, and `said` holds what was said of those before. With NULL, nothing is left out.
 */
static json_t *describe_tool(
    const struct mcp_tool *tool, json_t *said, bool text_only, bool with_apps)
{
	bool brief = said != NULL;
	json_t *item = json_object();

	set_text(item, "name", tool->name);
	if (!brief)
		set_text(item, "title", tool->title);
	set_text(item, "description", tool->description);
	json_object_set_new(item, "inputSchema", schema_of_input(tool->params, said));
	/* without a field it tells nothing */
	if (tool->results && tool->results->name && !brief && !text_only)
		json_object_set_new(item, "outputSchema", schema_of_output(tool->results));
	json_object_set_new(item, "annotations", describe_annotations(tool));
	add_meta(item, tool, brief, with_apps);
	return item;
}

json_t *lists_describe_skill(const struct mcp_skill *skill)
{
	return json_pack("{s:s, s:{s:s, s:s}, s:[{s:s, s:s, s:I}]}", "uri", skill->uri,
	    "frontmatter", "name", skill->name, "description", skill->description, "resources",
	    "uri", skill->uri, "digest", skill->digest, "size", (json_int_t)skill->size);
}

static json_t *describe_skill_resource(const struct mcp_skill *skill)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I}", "uri", skill->uri, "name", skill->name,
	    "description", skill->description, "mimeType", SKILLS_MIME_TYPE, "size",
	    (json_int_t)skill->size);
}

static json_t *describe_any_resource(const struct mcp_resource *resource, const char *uri_key)
{
	json_t *item = json_object();

	set_text(item, uri_key, resource->uri);
	set_text(item, "name", resource->name);
	set_text(item, "title", resource->title);
	set_text(item, "description", resource->description);
	set_text(item, "mimeType", resource->mime_type);
	return item;
}

static json_t *describe_resource(const struct mcp_handler *handler, size_t index)
{
	if (index >= handler->resource_count)
		return describe_skill_resource(&handler->skills[index - handler->resource_count]);
	return describe_any_resource(&handler->resources[index], "uri");
}

static json_t *describe_template(const struct mcp_handler *handler, size_t index)
{
	return describe_any_resource(&handler->templates[index], "uriTemplate");
}

static json_t *describe_prompt(const struct mcp_handler *handler, size_t index)
{
	const struct mcp_prompt *prompt = &handler->prompts[index];
	json_t *item = json_object(), *arguments = json_array();

	set_text(item, "name", prompt->name);
	set_text(item, "title", prompt->title);
	set_text(item, "description", prompt->description);
	for (const struct mcp_param *param = prompt->params; param && param->name; param++) {
		json_t *argument = json_pack("{s:s}", "name", param->name);
		set_text(argument, "description", param->description);
		json_object_set_new(argument, "required", json_boolean(param->required));
		json_array_append_new(arguments, argument);
	}
	json_object_set_new(item, "arguments", arguments);
	return item;
}

static json_t *describe_skill(const struct mcp_handler *handler, size_t index)
{
	return lists_describe_skill(&handler->skills[index]);
}

struct list_kind {
	const char *key;
	json_t *(*describe)(const struct mcp_handler *handler, size_t index);
};

static const struct list_kind list_kinds[MCP_LISTS] = {
    [MCP_LIST_TOOLS] = {"tools", NULL}, /* describe_tools */
    [MCP_LIST_RESOURCES] = {"resources", describe_resource},
    [MCP_LIST_TEMPLATES] = {"resourceTemplates", describe_template},
    [MCP_LIST_PROMPTS] = {"prompts", describe_prompt},
    [MCP_LIST_SKILLS] = {"skills", describe_skill},
    [MCP_LIST_APP_TOOLS] = {"tools", NULL},
};

static size_t list_size(const struct mcp_server *server, enum mcp_list list)
{
	const struct mcp_handler *handler = server->handler;

	switch (list) {
	case MCP_LIST_TOOLS:
	case MCP_LIST_APP_TOOLS:
		return server->shown_count;
	case MCP_LIST_RESOURCES:
		return handler->resource_count + handler->skill_count;
	case MCP_LIST_TEMPLATES:
		return handler->template_count;
	case MCP_LIST_PROMPTS:
		return handler->prompt_count;
	case MCP_LIST_SKILLS:
		return handler->skill_count;
	}
	return 0;
}

void lists_set_caching(json_t *result)
{
	json_object_set_new(result, "ttlMs", json_integer(LIST_FRESH_MS));
	json_object_set_new(result, "cacheScope", json_string("public"));
}

static json_t *describe_tools(
    const struct mcp_server *server, size_t first, size_t end, bool with_apps)
{
	const struct mcp_handler *handler = server->handler;
	json_t *items = json_array(), *said = handler->listing ? json_object() : NULL;

	for (size_t i = first; i < end; i++)
		json_array_append_new(items, describe_tool(&handler->tools[server->shown_tools[i]],
						 said, handler->text_only, with_apps));
	json_decref(said);
	return items;
}

static json_t *describe_items(
    const struct mcp_server *server, enum mcp_list list, size_t first, size_t end)
{
	if (list == MCP_LIST_TOOLS || list == MCP_LIST_APP_TOOLS)
		return describe_tools(server, first, end, list == MCP_LIST_APP_TOOLS);
	json_t *items = json_array();
	for (size_t i = first; i < end; i++)
		json_array_append_new(items, list_kinds[list].describe(server->handler, i));
	return items;
}

static json_t *describe_page(const struct mcp_server *server, enum mcp_list list,
    enum mcp_revision revision, size_t first, size_t end)
{
	const struct mcp_handler *handler = server->handler;
	json_t *items = describe_items(server, list, first, end);
	json_t *result = json_pack("{s:o}", list_kinds[list].key, items);
	if (revision == MCP_REVISION_2026)
		lists_set_caching(result);
	/* what another client is not to be given from a cache */
	if (revision == MCP_REVISION_2026 && list == MCP_LIST_APP_TOOLS)
		json_object_set_new(result, "cacheScope", json_string("private"));
	connection_add_common_fields(handler, revision, result);
	return result;
}

static bool prepare_list(struct mcp_server *server, enum mcp_list list, enum mcp_revision revision)
{
	const struct mcp_handler *handler = server->handler;
	size_t size = list_size(server, list);
	size_t step = handler->page_size ? handler->page_size : MCP_PAGE_DEFAULT;
	size_t count = size ? (size + step - 1) / step : 1;
	struct mcp_page *pages = calloc(count, sizeof(*pages));

	server->pages[list][revision] = pages;
	server->page_count[list] = pages ? count : 0;
	for (size_t i = 0; pages && i < count; i++) {
		size_t end = (i + 1) * step < size ? (i + 1) * step : size;
		json_t *result = describe_page(server, list, revision, i * step, end);
		if (i + 1 < count)
			json_object_set_new(result, "nextCursor",
			    json_sprintf("%s-%zx", list_kinds[list].key, i + 1));
		pages[i].json = json_dumps(result, JSON_COMPACT);
		pages[i].length = pages[i].json ? strlen(pages[i].json) : 0;
		json_decref(result);
		if (!pages[i].json)
			return false;
	}
	return pages != NULL;
}

static void clear_list(struct mcp_server *server, enum mcp_list list)
{
	for (int revision = 0; revision < MCP_REVISIONS; revision++) {
		struct mcp_page *pages = server->pages[list][revision];
		for (size_t i = 0; pages && i < server->page_count[list]; i++)
			free(pages[i].json);
		free(pages);
		server->pages[list][revision] = NULL;
	}
}

/* ---- Which tools are listed ------------------------------------------------------------------ */

static bool is_shown(const struct mcp_server *server, size_t tool)
{
	for (size_t i = 0; i < server->shown_count; i++)
		if (server->shown_tools[i] == tool)
			return true;
	return false;
}

/* Lists it in its place: the order stays that of the table. */
static void show_tool(struct mcp_server *server, size_t tool)
{
	size_t at = server->shown_count++;

	for (; at > 0 && server->shown_tools[at - 1] > tool; at--)
		server->shown_tools[at] = server->shown_tools[at - 1];
	server->shown_tools[at] = tool;
}

static bool choose_tools(struct mcp_server *server)
{
	const struct mcp_handler *handler = server->handler;

	server->shown_tools = calloc(handler->tool_count + 1, sizeof(*server->shown_tools));
	for (size_t i = 0; server->shown_tools && i < handler->tool_count; i++)
		if (!handler->listing || handler->listing[i] == MCP_LISTED)
			show_tool(server, i);
	return server->shown_tools != NULL;
}

static bool is_of_name(char c)
{
	return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* As a word: rr_record_until does not name rr_record. */
static bool is_named(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[length]))
			return true;
	return false;
}

void lists_add_named(struct mcp_server *server, const char *text)
{
	const struct mcp_handler *handler = server->handler;
	size_t before = server->shown_count;

	for (size_t i = 0; text && handler->listing && i < handler->tool_count; i++)
		if (handler->listing[i] == MCP_LISTED_WHEN_NAMED && !is_shown(server, i) &&
		    is_named(text, handler->tools[i].name))
			show_tool(server, i);
	if (server->shown_count == before)
		return;
	clear_list(server, MCP_LIST_TOOLS);
	clear_list(server, MCP_LIST_APP_TOOLS);
	for (int revision = 0; revision < MCP_REVISIONS; revision++)
		if (!prepare_list(server, MCP_LIST_TOOLS, (enum mcp_revision)revision) ||
		    !prepare_list(server, MCP_LIST_APP_TOOLS, (enum mcp_revision)revision))
			server->failed = true;
	lifecycle_tell_tools_changed(server);
}

bool lists_prepare(struct mcp_server *server)
{
	if (!choose_tools(server))
		return false;
	for (int list = 0; list < MCP_LISTS; list++)
		for (int revision = 0; revision < MCP_REVISIONS; revision++)
			if (!prepare_list(server, (enum mcp_list)list, (enum mcp_revision)revision))
				return false;
	return true;
}

void lists_clear(struct mcp_server *server)
{
	for (int list = 0; list < MCP_LISTS; list++)
		clear_list(server, (enum mcp_list)list);
	free(server->shown_tools);
}

/* The page of one of our cursors; page_count for any other text. */
static size_t page_of_cursor(const struct mcp_server *server, enum mcp_list list, const char *text)
{
	char cursor[40];

	for (size_t i = 1; i < server->page_count[list]; i++) {
		snprintf(cursor, sizeof(cursor), "%s-%zx", list_kinds[list].key, i);
		if (strcmp(cursor, text) == 0)
			return i;
	}
	return server->page_count[list];
}

void lists_answer(const struct mcp_incoming *incoming, enum mcp_list list)
{
	const struct mcp_server *server = incoming->server;
	const json_t *given = json_object_get(incoming->params, "cursor");
	const char *cursor = incoming_string(incoming, "cursor");
	size_t page = 0;

	if (given && !json_is_null(given))
		page = cursor ? page_of_cursor(server, list, cursor) : server->page_count[list];
	if (page >= server->page_count[list]) {
		connection_invalid_params(incoming, "Invalid cursor");
		return;
	}
	const struct mcp_page *ready = &server->pages[list][incoming->revision][page];
	connection_result_serialized(incoming, ready->json, ready->length);
}

static const char *tool_name_at(const void *owner, size_t index)
{
	const struct mcp_handler *handler = owner;
	return index < handler->tool_count ? handler->tools[index].name : NULL;
}

static const char *prompt_name_at(const void *owner, size_t index)
{
	const struct mcp_handler *handler = owner;
	return index < handler->prompt_count ? handler->prompts[index].name : NULL;
}

bool lists_find(
    const struct mcp_incoming *incoming, enum mcp_list list, const char *name, size_t *index)
{
	const struct mcp_handler *handler = incoming->server->handler;
	bool is_tool = list == MCP_LIST_TOOLS;
	const char *(*name_at)(const void *, size_t) = is_tool ? tool_name_at : prompt_name_at;
	const char *known, *nearest;

	for (*index = 0; (known = name_at(handler, *index)); (*index)++)
		if (strcmp(known, name) == 0)
			return true;
	nearest = text_nearest(name, name_at, handler);
	connection_invalid_params(incoming,
	    nearest ? "Unknown %s: %.*s. Did you mean %s?" : "Unknown %s: %.*s",
	    is_tool ? "tool" : "prompt", text_cut(name, TEXT_NAME_MAX), name, nearest);
	return false;
}
