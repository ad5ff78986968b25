#ifndef SUPERVISOR_HOOKS_H
#define SUPERVISOR_HOOKS_H
/*
 * What the supervisor does around the calls of single tools; their rows in sandbox/wire/tools.def
 * name these functions (BEFORE, AFTER, HANDLED_BY).
 */
#include <jansson.h>
#include <stdbool.h>

struct call;
struct dispatch;
struct mcp_request;
struct session;

/* Whether the call may run. If not, the request has been answered. */
typedef bool hook_before(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments);

/* Sees each result before the client does, and may change it. */
typedef void hook_after(struct dispatch *dispatch, const struct session *session,
    const struct call *call, json_t *result);

/* Answers the request, now or later. */
typedef void hook_handle(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments);

/* A trace may be named by its path or, in the default directory, by its name alone. */
bool hook_is_same_trace(const char *left, const char *right);

hook_before hook_before_removal; /* a trace that a session replays stays */
hook_before hook_before_core;	 /* a core file is not opened beside something else */
hook_after hook_after_list;	 /* remembers names of traces, for completion */
hook_after hook_after_status;	 /* adds what only the supervisor knows */

hook_handle handle_stop, handle_sessions, handle_interrupt;
hook_handle handle_record_stop, handle_record_input;

#endif
