#ifndef MCP_ARGUMENTS_H
#define MCP_ARGUMENTS_H
/*
 * Checks a model's arguments against a tool's parameters: converts what is clear ("5" for 5), and
 * refuses the rest with a message that lets the model correct it at once.
 */
#include "mcp/server.h"

struct argument_fault {
	char message[400];
	char hint[1200];
};

/* A new object with the arguments in their types; NULL with *fault filled. given may be NULL. */
json_t *arguments_accept(
    const struct mcp_param *params, const json_t *given, struct argument_fault *fault);

#endif
