#ifndef SUPERVISOR_SKILLS_H
#define SUPERVISOR_SKILLS_H
/*
 * The skills of packaging/claude-plugin as the server shows them to its clients. The table is made
 * from their files by packaging/skills.sh when the server is built.
 */
#include "mcp/server.h"

extern const struct mcp_skill skills_shown[];
extern const size_t skills_count;

#endif
