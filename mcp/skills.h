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

#endif
