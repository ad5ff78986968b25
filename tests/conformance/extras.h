#ifndef TESTS_CONFORMANCE_EXTRAS_H
#define TESTS_CONFORMANCE_EXTRAS_H
/*
 * What the suite asks for and our server does without: log messages and subscriptions of the
 * revisions up to 2025-11-25, content of all kinds, and a tool with every keyword of JSON Schema.
 * It stands around the protocol core as a filter of lines, so that the core has nothing of it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "mcp/server.h"

/* Answers a line from the client itself; false: the line is for the core. */
bool extras_answer_line(const char *line, size_t length);

/* Passes a whole line of the core on to stdout. False when stdout is closed. */
bool extras_pass_line(const char *line, size_t length);

/* A log line for the client, where it set a level that lets it through. */
void extras_log(const char *level, const char *text);

/* A tool's content array (stolen), without structured content. */
void extras_answer_content(struct mcp_request *request, json_t *content);

/* The error for a client without a capability, or the content (stolen) for one that has it. */
void extras_answer_if_capable(struct mcp_request *request, const char *capability, json_t *content);

#endif
