#ifndef MCP_ARGUMENTS_H
#define MCP_ARGUMENTS_H
/*
 * Holds what a model passed to what a tool takes: coerces what is meant well ("5" for 5), refuses
 * the rest in words that let the model put it right at once.
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
