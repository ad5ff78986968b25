/*
 * Reads the JSON-RPC envelope. A scan without recursion or allocation goes over every line first.
 * It limits nesting and the number of values before the parser allocates memory for them, and finds
 * the id, so that whoever sent a well-formed message gets an answer even if we refuse it.
 */
#include "mcp/rpc.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct scan {
	const char *bytes;
	size_t length, depth, deepest, values;
	bool expect_key;	 /* at depth 1, a string now is a key */
	unsigned ids;		 /* times the key "id" was seen at depth 1 */
	size_t id_start, id_end; /* its value */
};

/* Index behind the string that starts at `at`. */
static size_t scan_string(const struct scan *scan, size_t at)
{
	for (at++; at < scan->length; at++) {
		if (scan->bytes[at] == '\\')
			at++;
		else if (scan->bytes[at] == '"')
			return at + 1;
	}
	return scan->length;
}

static bool scan_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Notes the value behind the top-level key "id", which ends at `at`. */
static void scan_id(struct scan *scan, size_t at)
{
	while (at < scan->length && (scan_is_space(scan->bytes[at]) || scan->bytes[at] == ':'))
		at++;
	scan->ids++;
	scan->id_start = at;
	if (at < scan->length && scan->bytes[at] == '"')
		at = scan_string(scan, at);
	else
		while (at < scan->length && !strchr(",}] \t\r\n", scan->bytes[at]))
			at++;
	scan->id_end = at;
}

static size_t scan_text(struct scan *scan, size_t at)
{
	size_t end = scan_string(scan, at);
	if (scan->depth == 1 && scan->expect_key && end - at == 4 &&
	    memcmp(scan->bytes + at, "\"id\"", 4) == 0)
		scan_id(scan, end);
	scan->expect_key = false;
	return end;
}

static void scan_line(struct scan *scan)
{
	for (size_t at = 0; at < scan->length;) {
		switch (scan->bytes[at]) {
		case '"':
			at = scan_text(scan, at);
			continue;
		case '{':
		case '[':
			scan->expect_key = scan->depth == 0 && scan->bytes[at] == '{';
			scan->values++;
			scan->depth++;
			if (scan->depth > scan->deepest)
				scan->deepest = scan->depth;
			break;
		case '}':
		case ']':
			if (scan->depth > 0)
				scan->depth--;
			break;
		case ',':
			scan->expect_key = scan->depth == 1;
			scan->values++;
			break;
		}
		at++;
	}
}

static bool id_is_valid(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id);
}

static void message_refuse(struct rpc_message *message, enum rpc_code code, const char *error)
{
	message->kind = RPC_INVALID;
	message->code = code;
	message->error = error;
}

/* The id of a message that is not parsed as a whole. */
static json_t *scan_take_id(const struct scan *scan)
{
	if (scan->ids != 1 || scan->id_end <= scan->id_start)
		return NULL;
	json_t *id = json_loadb(scan->bytes + scan->id_start, scan->id_end - scan->id_start,
	    JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	if (id_is_valid(id))
		return id;
	json_decref(id);
	return NULL;
}

/* Whether it is well-formed JSON that we or the parser refuse, and not malformed text. */
static bool error_is_refusal(const json_error_t *error)
{
	switch (json_error_code(error)) {
	case json_error_numeric_overflow:
	case json_error_null_byte_in_key:
	case json_error_duplicate_key:
		return true;
	default:
		return strncmp(error->text, "invalid Unicode", strlen("invalid Unicode")) == 0;
	}
}

static const char *refusal_text(const json_error_t *error)
{
	switch (json_error_code(error)) {
	case json_error_numeric_overflow:
		return "Invalid request: a number is out of range; send large ones as strings";
	case json_error_null_byte_in_key:
		return "Invalid request: a NUL in a key";
	case json_error_duplicate_key:
		return "Invalid request: a key stands twice in one object";
	default:
		return "Invalid request: a string holds half a surrogate pair";
	}
}

static void message_parse_failed(
    struct rpc_message *message, const struct scan *scan, const json_error_t *error)
{
	if (error_is_refusal(error)) {
		message->id = scan_take_id(scan);
		message_refuse(message, RPC_INVALID_REQUEST, refusal_text(error));
	} else {
		message_refuse(message, RPC_PARSE_ERROR, "Parse error: the line is not JSON");
	}
}

static const char *plain_string(const json_t *value)
{
	const char *text = json_string_value(value);
	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

static void message_classify(struct rpc_message *message)
{
	const json_t *root = message->root, *params = json_object_get(root, "params");
	json_t *id = json_object_get(root, "id");
	const char *version = plain_string(json_object_get(root, "jsonrpc"));

	if (json_is_array(root)) {
		message_refuse(message, RPC_INVALID_REQUEST,
		    "Invalid request: batches are not part of this protocol");
		return;
	}
	if (id_is_valid(id))
		message->id = json_incref(id);
	message->method = plain_string(json_object_get(root, "method"));
	if (!message->method && (json_object_get(root, "result") || json_object_get(root, "error")))
		message->kind = RPC_NOTHING;
	else if (!json_is_object(root))
		message_refuse(message, RPC_INVALID_REQUEST, "Invalid request: not an object");
	else if (!version || strcmp(version, "2.0") != 0)
		message_refuse(
		    message, RPC_INVALID_REQUEST, "Invalid request: jsonrpc must be \"2.0\"");
	else if (!message->method)
		message_refuse(
		    message, RPC_INVALID_REQUEST, "Invalid request: method must be a string");
	else if (id && !message->id)
		message_refuse(message, RPC_INVALID_REQUEST,
		    "Invalid request: id must be a string or an integer");
	else if (!params || json_is_object(params))
		message->kind = message->id ? RPC_REQUEST : RPC_NOTIFICATION;
	else if (message->id) /* a notification is never answered, not even a bad one */
		message_refuse(
		    message, RPC_INVALID_PARAMS, "Invalid params: params must be an object");
	message->params = params;
}

static bool line_is_blank(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!scan_is_space(line[i]))
			return false;
	return true;
}

void rpc_parse(const char *line, size_t length, struct rpc_message *message)
{
	struct scan scan = {.bytes = line, .length = length};
	json_error_t error;

	*message = (struct rpc_message){.kind = RPC_NOTHING};
	if (line_is_blank(line, length))
		return;
	scan_line(&scan);
	if (scan.deepest > RPC_DEPTH_MAX || scan.values > RPC_VALUES_MAX) {
		message->id = scan_take_id(&scan);
		message_refuse(message, RPC_INVALID_REQUEST,
		    scan.deepest > RPC_DEPTH_MAX
			? "Invalid request: nested deeper than 64 levels"
			: "Invalid request: more than 16384 values in one message");
		return;
	}
	message->root = json_loadb(
	    line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
	if (message->root)
		message_classify(message);
	else
		message_parse_failed(message, &scan, &error);
}

json_t *rpc_parse_value(const char *text, size_t length)
{
	struct scan scan = {.bytes = text, .length = length};

	scan_line(&scan);
	if (scan.deepest > RPC_DEPTH_MAX || scan.values > RPC_VALUES_MAX)
		return NULL;
	return json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
}

void rpc_message_clear(struct rpc_message *message)
{
	json_decref(message->root);
	json_decref(message->id);
	*message = (struct rpc_message){.kind = RPC_NOTHING};
}
