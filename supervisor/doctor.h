#ifndef SUPERVISOR_DOCTOR_H
#define SUPERVISOR_DOCTOR_H
/*
 * `rr-warden doctor`: what works on this machine and what to mend, for people. It asks a query
 * worker for the same facts that rr_status shows, through launcher and sandbox as the server does.
 */
#include "supervisor/paths.h"
#include "supervisor/policy.h"

/* Returns the exit status: 0 when recording and replaying can work. */
int doctor_run(const struct policy *policy, const struct paths *paths);

#endif
