#ifndef MCP_SKILLS_H
#define MCP_SKILLS_H
/*
 * The Skills extension (io.modelcontextprotocol/skills): a skill is one SKILL.md, which is a
 * resource as well. skills/list and skills/get tell its frontmatter and its digest.
 */
#include "mcp/request.h"

#define SKILLS_EXTENSION "io.modelcontextprotocol/skills"
#define SKILLS_MIME_TYPE "text/markdown"

/* The skill of a URI, or NULL. */
const struct mcp_skill *skills_find(const struct mcp_handler *handler, const char *uri);

/* As skills/list has it, and as resources/list has its file. */
json_t *skills_describe(const struct mcp_skill *skill);
json_t *skills_describe_resource(const struct mcp_skill *skill);

#endif
