#ifndef MCP_RPC_H
#define MCP_RPC_H
/*
 * The JSON-RPC 2.0 envelope: one line in, one message out. Knows nothing of methods.
 */
#include <jansson.h>
#include <stddef.h>

#define RPC_DEPTH_MAX  64     /* nesting of arrays and objects in one message */
#define RPC_VALUES_MAX 16384u /* values in one message: each costs ~100 bytes once parsed */

enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_RESOURCE_NOT_FOUND = -32002, /* up to 2025-11-25 only */
	RPC_MISSING_CAPABILITY = -32021, /* from 2026-07-28 */
	RPC_UNSUPPORTED_VERSION = -32022 /* from 2026-07-28 */
};

enum rpc_kind {
	RPC_NOTHING, /* an empty line, or a response: we ask the client nothing */
	RPC_REQUEST,
	RPC_NOTIFICATION,
	RPC_INVALID /* to be answered with code and message; id may be NULL */
};

struct rpc_message {
	enum rpc_kind kind;
	json_t *root;	      /* owns all below but id */
	json_t *id;	      /* string or integer; owned */
	const json_t *params; /* object or NULL */
	const char *method;
	enum rpc_code code;
	const char *error;
};

/* Always fills *message; clear it afterwards. */
void rpc_parse(const char *line, size_t length, struct rpc_message *message);
/* JSON that came inside a string, under the same limits; a new reference, or NULL. */
json_t *rpc_parse_value(const char *text, size_t length);
void rpc_message_clear(struct rpc_message *message);

#endif
