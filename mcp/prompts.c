/*
 * prompts/list, prompts/get and completion/complete. The arguments of a prompt come from a person,
 * not from a model, so an error in them is a protocol error.
 */
#include <string.h>

#include "mcp/arguments.h"
#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/request.h"
#include "mcp/text.h"

#define COMPLETIONS_MAX 100

void prompts_list(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, MCP_LIST_PROMPTS);
}

void prompts_get(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	const char *name = incoming_string(incoming, "name");
	const json_t *given = json_object_get(incoming->params, "arguments");
	struct argument_fault fault;

	if (!name || (given && !json_is_object(given) && !json_is_null(given))) {
		connection_invalid_params(incoming,
		    "Invalid params: prompts/get needs name, a string; arguments are an object");
		return;
	}
	size_t index;
	if (!lists_find(incoming, MCP_LIST_PROMPTS, name, &index))
		return;
	json_t *arguments = arguments_accept(handler->prompts[index].params, given, &fault);
	if (!arguments) {
		connection_invalid_params(incoming, "Invalid params: %s", fault.message);
		return;
	}
	struct mcp_request *request = request_begin(incoming, MCP_GET_PROMPT);
	if (!request) {
		json_decref(arguments);
		return;
	}
	request->arguments = arguments;
	request->description = handler->prompts[index].description;
	handler->get_prompt(handler->owner, request, index, arguments);
}

static const char *member_string(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

/* The name of the prompt or the URI template that is being completed. */
static const char *completion_reference(const struct mcp_incoming *incoming)
{
	const json_t *reference = json_object_get(incoming->params, "ref");
	const char *type = member_string(reference, "type");

	if (type && strcmp(type, "ref/prompt") == 0)
		return member_string(reference, "name");
	if (type && strcmp(type, "ref/resource") == 0)
		return member_string(reference, "uri");
	return NULL;
}

void prompts_complete(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	const json_t *given = json_object_get(incoming->params, "argument");
	const char *reference = completion_reference(incoming);
	const char *argument = member_string(given, "name"), *value = member_string(given, "value");

	if (!reference || !argument || !value) {
		connection_invalid_params(incoming,
		    "Invalid params: completion/complete needs ref {type, name or uri} and "
		    "argument {name, value}");
		return;
	}
	json_t *values = handler->complete
			     ? handler->complete(handler->owner, reference, argument, value)
			     : NULL;
	if (!values)
		values = json_array();
	size_t total = json_array_size(values);
	while (json_array_size(values) > COMPLETIONS_MAX)
		json_array_remove(values, json_array_size(values) - 1);
	connection_result(
	    incoming, json_pack("{s:{s:o, s:I, s:b}}", "completion", "values", values, "total",
			  (json_int_t)total, "hasMore", total > COMPLETIONS_MAX));
}
