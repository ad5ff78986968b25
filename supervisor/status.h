#ifndef SUPERVISOR_STATUS_H
#define SUPERVISOR_STATUS_H
/*
 * What works on this machine and what to fix: the supervisor's part of rr_status and of
 * `rr-warden doctor`, on top of the facts that a query worker gathers (WIRE_OP_STATUS).
 */
#include "supervisor/settings.h"
#include "supervisor/session.h"

/* Adds version, kernel, limits, sandbox, advice and sessions (stolen) to a worker's facts. */
void status_complete(json_t *result, const struct settings *settings, const struct session *session,
    json_t *sessions);

/*
 * What works and what does not, from facts with "sandbox" {"level", "layers"}: a new array of
 * {"state": "ok"|"warning"|"problem", "subject", "text", "fix"}; fix is "" if there is nothing to
 * do. A long text has a shorter one, "brief", beside it.
 */
json_t *status_findings(const json_t *facts);

/* The findings that are not ok, each one sentence with its fix: a new array of strings. */
json_t *status_advice(const json_t *facts);

#endif
