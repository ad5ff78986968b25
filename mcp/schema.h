#ifndef MCP_SCHEMA_H
#define MCP_SCHEMA_H
/*
 * JSON Schemas out of parameter tables, plain enough for every client: objects, arrays, scalars,
 * enum, bounds; no $ref, anyOf, type arrays, boolean schemas or null.
 */
#include "mcp/server.h"

/* New references; NULL without memory. An output schema requires nothing: clients hold error
 * results, which have other fields, to it as well. */
/* With `said`, an object that the first call gets empty, a text that an argument of the same name
 * had in an earlier call is left out; NULL: never. */
json_t *schema_of_input(const struct mcp_param *params, json_t *said);
json_t *schema_of_output(const struct mcp_param *results);

#endif
