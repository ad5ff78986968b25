#ifndef SUPERVISOR_RESOURCES_H
#define SUPERVISOR_RESOURCES_H
/*
 * What a client can read besides calling tools: the tables of resources and prompts, and their
 * texts.
 */
#include "mcp/server.h"

#define RESOURCE_NAME_MAX 1024
#define RESOURCE_COUNT	  2
#define TEMPLATE_COUNT	  2
#define PROMPT_COUNT	  7
#define PROMPT_TEXT_MAX	  8192

enum resource_kind {
	RESOURCE_UNKNOWN,
	RESOURCE_GUIDE,
	RESOURCE_TRACES,
	RESOURCE_TRACE,	 /* name: of the trace */
	RESOURCE_SESSION /* name: its id */
};

extern const struct mcp_resource resources_shown[RESOURCE_COUNT];
extern const struct mcp_resource resources_templates[TEMPLATE_COUNT];
extern const struct mcp_prompt prompts_shown[PROMPT_COUNT];
extern const char resources_guide[];
extern const char resources_instructions[];

/* What a URI names; `name` gets its variable part, percent-decoded. */
enum resource_kind resources_parse(const char *uri, char *name, size_t size);

/* A callback of struct mcp_handler. */
void prompts_get_text(void *owner, struct mcp_request *request, size_t prompt, json_t *arguments);

/* A prompt's text with its arguments put in, cut at size. For tests. */
void prompts_fill(size_t prompt, const json_t *arguments, char *text, size_t size);

#endif
