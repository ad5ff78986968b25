#ifndef SUPERVISOR_WORKER_SPEC_H
#define SUPERVISOR_WORKER_SPEC_H
/*
 * What a worker is asked for: its kind, and what the call that needs it names. Made when a session
 * opens, kept for the workers that bring it back. What the names come to is for the monitor.
 */
#include <jansson.h>

#include "sandbox/wire/proto.h"
#include "supervisor/monitor/launcher.h"

struct worker_spec;

/* `operation` is the WIRE_OP_* of the first call, `args` are its arguments (NULL: none). NULL when
 * out of memory. */
struct worker_spec *worker_spec_new(enum worker_kind kind, uint32_t operation, const json_t *args);
void worker_spec_free(struct worker_spec *spec);

/* The trace as the worker found it: the next worker is for this one, whatever is the newest then.
 */
void worker_spec_set_trace(struct worker_spec *spec, const char *trace_dir);

/* The request to the launcher, with this tag. */
void worker_spec_request(
    const struct worker_spec *spec, uint32_t tag, struct launch_request *request);

#endif
