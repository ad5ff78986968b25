#ifndef SUPERVISOR_DISPATCH_H
#define SUPERVISOR_DISPATCH_H
/*
 * Between a client's calls and the sessions: checks permissions and quotas, chooses or opens the
 * session, and turns results into answers.
 */
#include "mcp/server.h"
#include "supervisor/settings.h"
#include "supervisor/session.h"
#include "supervisor/tools.h"

#define DISPATCH_COMPLETIONS_MAX 100

struct dispatch {
	const struct settings *settings;
	struct session_table *table;
	const char *directory;	   /* where the server was started; NULL: not known */
	struct redactor *redactor; /* NULL: nothing is masked */
	json_t *trace_names;	   /* of the last list of recordings: for completion */
	enum mcp_listing listing[TOOL_COUNT];
};

/* What this server offers to a client: its tables, and callbacks into the dispatch, which must
 * outlive the handler. */
void dispatch_handler(struct dispatch *dispatch, struct mcp_handler *handler);

/* The client's half of struct session_ports; owner is the dispatch. */
void dispatch_answer(
    void *owner, const struct session *session, struct call *call, struct outcome *outcome);
void dispatch_progress(
    void *owner, const struct call *call, double progress, double total, const char *message);

/* A call of a tool with these arguments, which belongs to the request; NULL after a failure. */
struct call *dispatch_call(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments);

/* The calls that workers are at, but for one: {tool, seconds, about?, session?} each. New
 * reference.
 */
json_t *dispatch_running_list(struct dispatch *dispatch, const struct call *without);

/* The open sessions as rr_sessions shows them. New reference. */
json_t *dispatch_session_list(struct dispatch *dispatch);

#endif
