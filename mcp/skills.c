/*
 * skills/list and skills/get. The text itself is read as any resource; hosts compare it with the
 * digest, so it must leave here byte for byte.
 */
#include "mcp/skills.h"

#include <string.h>

#include "mcp/lists.h"
#include "mcp/methods.h"

const struct mcp_skill *skills_find(const struct mcp_handler *handler, const char *uri)
{
	for (size_t i = 0; i < handler->skill_count; i++)
		if (strcmp(handler->skills[i].uri, uri) == 0)
			return &handler->skills[i];
	return NULL;
}

void skills_list(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, MCP_LIST_SKILLS);
}

void skills_get(const struct mcp_incoming *incoming)
{
	const char *uri = incoming_string(incoming, "uri");
	const struct mcp_skill *skill = uri ? skills_find(incoming->server->handler, uri) : NULL;

	if (!skill) {
		connection_invalid_params(
		    incoming, uri ? "There is no such skill: skills/list tells "
				    "which there are"
				  : "Invalid params: skills/get needs uri, a "
				    "string");
		return;
	}
	json_t *result = json_pack("{s:o}", "skill", lists_describe_skill(skill));
	lists_set_caching(result);
	connection_result(incoming, result);
}
