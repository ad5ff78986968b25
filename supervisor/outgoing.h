#ifndef SUPERVISOR_OUTGOING_H
#define SUPERVISOR_OUTGOING_H
/*
 * What leaves for the client: the only place where answers get their form, and where secrets are
 * masked. An answer with masks has their number, `redacted`.
 */
#include "supervisor/dispatch.h"

/* Answers a request with a tool's result, which is stolen. */
void outgoing_give(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *result);

/* The same, for a result that is about an expression; NULL: about none. */
void outgoing_give_about(struct dispatch *dispatch, struct mcp_request *request, size_t tool,
    json_t *result, const char *about);

/* Adds the page that the tool made, if there is one, for the host's app of it. */
void outgoing_page(struct dispatch *dispatch, struct mcp_request *request, const struct page *page);

/* Answers a request with a failure, whose details are stolen. The only place where codes become the
 * names that clients see. */
void outgoing_fail(
    struct dispatch *dispatch, struct mcp_request *request, const struct failure *failure);

/* Answers a request for a resource with JSON, which is stolen. */
void outgoing_contents(struct dispatch *dispatch, struct mcp_request *request, json_t *contents);

/* Texts for the client that are no answer: scrubs and masks them in place. */
void outgoing_clean(struct dispatch *dispatch, json_t *values);

/* As mcp_request_progress. */
void outgoing_progress(struct dispatch *dispatch, struct mcp_request *request, double progress,
    double total, const char *message);

#endif
