#ifndef TESTS_CONFORMANCE_FIXTURES_H
#define TESTS_CONFORMANCE_FIXTURES_H
/*
 * What the conformance suite expects a server to have: its tools, resources and prompts. Of use to
 * nobody else.
 */
#include "mcp/server.h"

enum fixture_tool {
	FIXTURE_TEXT,
	FIXTURE_IMAGE,
	FIXTURE_AUDIO,
	FIXTURE_RESOURCE,
	FIXTURE_MIXED,
	FIXTURE_ERROR,
	FIXTURE_PROGRESS,
	FIXTURE_LOGGING,
	FIXTURE_QUIET,
	FIXTURE_CAPABILITY,
	FIXTURE_SCHEMA,
	FIXTURE_STREAM,
	FIXTURE_TOOLS
};

extern const struct mcp_tool fixture_tools[FIXTURE_TOOLS];
extern const char fixture_broad_schema[]; /* of FIXTURE_SCHEMA */
extern const struct mcp_resource fixture_resources[], fixture_templates[];
extern const size_t fixture_resource_count, fixture_template_count;
extern const struct mcp_prompt fixture_prompts[];
extern const size_t fixture_prompt_count;

/* Answers at once; false for the tools that take their time. */
bool fixture_answer(struct mcp_request *request, enum fixture_tool tool);
void fixture_read(void *owner, struct mcp_request *request, const char *uri);
void fixture_prompt(void *owner, struct mcp_request *request, size_t prompt, json_t *arguments);
json_t *fixture_complete(
    void *owner, const char *reference, const char *argument, const char *value);

#endif
