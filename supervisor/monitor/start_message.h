#ifndef SUPERVISOR_START_MESSAGE_H
#define SUPERVISOR_START_MESSAGE_H
/*
 * WIRE_OP_START's JSON (see sandbox/wire/proto.h): what the monitor tells a worker of the settings,
 * of its sandbox and of what it sees.
 */
#include <jansson.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/paths.h"
#include "supervisor/settings.h"

/* New reference, NULL when out of memory. */
json_t *start_message(const struct settings *settings, const struct paths *paths,
    const struct composition *composition, const struct sandbox_policy *policy,
    const struct sandbox_report *report);

/* The part of it that comes from the settings: limits, timeouts, roots and the like. New reference.
 */
json_t *start_message_policy(const struct settings *settings);

#endif
