/*
 * Asks the client's user which value an argument shall have, and takes the answer. Must never ask a
 * client that did not declare that it can ask, and never again after the user refused.
 */
#include "mcp/questions.h"

#include <string.h>

#include "mcp/request.h"

/* Form mode, which a client also means with an empty capability. */
static bool can_ask(const struct mcp_request *request)
{
	const json_t *elicitation = json_object_get(request->capabilities, "elicitation");

	return json_is_object(elicitation) &&
	       (json_object_size(elicitation) == 0 || json_object_get(elicitation, "form") != NULL);
}

/* What the user did with the question for the argument, or NULL. */
static const char *action_of(const json_t *responses, const char *argument)
{
	return json_string_value(json_object_get(json_object_get(responses, argument), "action"));
}

static bool has_refused(const json_t *responses, const char *argument)
{
	const char *action = action_of(responses, argument);

	return action != NULL && strcmp(action, "accept") != 0;
}

bool mcp_request_ask(
    struct mcp_request *request, const char *argument, const char *message, json_t *choices)
{
	if (request->kind != MCP_CALL_TOOL || request->task != NULL || !can_ask(request) ||
	    has_refused(request->responses, argument)) {
		json_decref(choices);
		return false;
	}
	json_t *schema = json_pack("{s:s, s:{s:{s:s, s:o}}, s:[s]}", "type", "object", "properties",
	    argument, "type", "string", "oneOf", choices, "required", argument);
	mcp_request_answer_result(request,
	    json_pack("{s:s, s:{s:{s:s, s:{s:s, s:s, s:o}}}}", "resultType", "input_required",
		"inputRequests", argument, "method", "elicitation/create", "params", "mode", "form",
		"message", message, "requestedSchema", schema));
	return true;
}

json_t *questions_add_answers(
    const struct mcp_param *params, json_t *given, const json_t *responses)
{
	json_t *all = json_is_object(responses) ? json_copy(given) : json_incref(given);

	if (!json_is_object(responses))
		return all;
	if (!json_is_object(all)) {
		json_decref(all);
		all = json_object();
	}
	for (const struct mcp_param *param = params; param != NULL && param->name != NULL;
	     param++) {
		const char *action = action_of(responses, param->name);
		json_t *content =
		    json_object_get(json_object_get(responses, param->name), "content");
		json_t *chosen = json_object_get(content, param->name);
		const json_t *before = json_object_get(all, param->name);
		if (action != NULL && strcmp(action, "accept") == 0 && chosen != NULL &&
		    (before == NULL || json_is_null(before)))
			json_object_set(all, param->name, chosen);
	}
	return all;
}
