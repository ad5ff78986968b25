#ifndef MCP_QUESTIONS_H
#define MCP_QUESTIONS_H
/*
 * Questions to the client's user (2026-07-28: input-required results with an elicitation). The
 * question is the call's answer, and the client makes the call again with what the user chose.
 * Nothing is kept between the two. server.h has mcp_request_ask.
 */
#include "mcp/server.h"

/*
 * The arguments of a call, with those that the user chose in `responses` (inputResponses; may be
 * NULL). Arguments of the call itself come first. A new reference, or NULL if there are none.
 */
json_t *questions_add_answers(
    const struct mcp_param *params, json_t *given, const json_t *responses);

#endif
