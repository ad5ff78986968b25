#ifndef SUPERVISOR_STATUS_H
#define SUPERVISOR_STATUS_H
/*
 * What works on this machine and what to mend: the supervisor's part of rr_status and of
 * `rr-warden doctor`, on top of the facts that a query worker gathers (WIRE_OP_STATUS).
 */
#include "supervisor/policy.h"
#include "supervisor/session.h"

/* Adds version, kernel, limits, sandbox, advice and sessions (stolen) to a worker's facts. */
void status_complete(
    json_t *result, const struct policy *policy, const struct session *session, json_t *sessions);

/* What to mend, each with its remedy, from facts with "sandbox" {"level", "layers"}. New array of
 * strings; empty when all is well. */
json_t *status_advice(const json_t *facts);

/* Whether recording and replaying can work at all by these facts. */
bool status_is_usable(const json_t *facts);

#endif
