#ifndef SUPERVISOR_START_MESSAGE_H
#define SUPERVISOR_START_MESSAGE_H
/*
 * WIRE_OP_START's JSON (see sandbox/wire/proto.h): what the monitor tells a worker of the policy,
 * of its sandbox and of what it sees.
 */
#include <jansson.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/paths.h"
#include "supervisor/policy.h"

/* New reference, NULL when out of memory. */
json_t *start_message(const struct policy *policy, const struct paths *paths,
    const struct composition *composition, const struct sandbox_settings *settings,
    const struct sandbox_report *report);

/* The part of it that is the policy's: limits, timeouts, roots and the like. New reference. */
json_t *start_message_policy(const struct policy *policy);

#endif
