#ifndef WORKER_CONFINE_H
#define WORKER_CONFINE_H
/*
 * The worker's own lock-down, after it has started its tools (or, for a query worker, after it
 * knows its task).
 */
#include "sandbox/sandbox.h"
#include "worker/serve/ops.h"
#include "worker/serve/tool.h"

/*
 * Enters the role for good. The worker keeps only the channel, `extra` (ends with -1) and the pipes
 * of `tools` (NULL-terminated, or NULL). The configuration's sandbox report gets the status of the
 * layers. False with *failure filled if a required layer fails.
 */
bool worker_confine(struct worker *worker, enum sandbox_role role, struct tool *const tools[],
    const int *extra, struct failure *failure);

/* {"level": "full"|"degraded"|"off", "layers": {...}}: the sandbox report. New reference. */
json_t *worker_sandbox_summary(const struct worker_config *config);

/* The same of a tool that was started, confined by this policy. New reference. */
json_t *worker_tool_report(const struct worker_config *config, const struct sandbox_policy *policy);

#endif
