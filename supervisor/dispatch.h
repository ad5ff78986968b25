#ifndef SUPERVISOR_DISPATCH_H
#define SUPERVISOR_DISPATCH_H
/*
 * Between a client's calls and the sessions: checks permissions and quotas, chooses the session or
 * opens one, and puts what comes back into the client's words.
 */
#include "mcp/server.h"
#include "supervisor/policy.h"
#include "supervisor/session.h"

#define DISPATCH_COMPLETIONS_MAX 100

struct dispatch {
	const struct policy *policy;
	struct session_table *table;
	json_t *trace_names; /* of the last list of recordings: for completion */
};

/* Callbacks of struct mcp_handler; owner is the dispatch. */
void dispatch_call_tool(void *owner, struct mcp_request *request, size_t tool, json_t *arguments);
void dispatch_cancel(void *owner, struct mcp_request *request);
void dispatch_read_resource(void *owner, struct mcp_request *request, const char *uri);
json_t *dispatch_complete(
    void *owner, const char *reference, const char *argument, const char *value);

/* Ports of struct session_ports; owner is the dispatch. */
void dispatch_answer(
    struct dispatch *dispatch, struct session *session, struct call *call, struct outcome *outcome);
void dispatch_progress(struct call *call, double progress, double total, const char *message);

/* One session as rr_sessions and resources show it. New reference. */
json_t *dispatch_session_json(const struct session *session, int64_t now);

#endif
