#ifndef SUPERVISOR_STATUS_H
#define SUPERVISOR_STATUS_H
/*
 * What works on this machine and what to mend: the supervisor's part of rr_status, on top of the
 * facts that a query worker gathers.
 */
#include "supervisor/policy.h"
#include "supervisor/session.h"

/* Adds version, limits, sandbox and sessions (stolen) to a worker's facts. */
void status_complete(
    json_t *result, const struct policy *policy, const struct session *session, json_t *sessions);

#endif
