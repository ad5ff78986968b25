#ifndef SUPERVISOR_WORKER_SPEC_H
#define SUPERVISOR_WORKER_SPEC_H
/*
 * The request for a worker: its kind, and the names in the call that needs it. Made when a session
 * opens, and kept for the workers that restore it. The monitor resolves the names.
 */
#include <jansson.h>
#include <stdbool.h>

#include "sandbox/wire/proto.h"
#include "supervisor/monitor/launcher.h"

struct worker_spec;

/* `operation` is the WIRE_OP_* of the first call, `args` are its arguments (NULL: none). NULL when
 * out of memory. */
struct worker_spec *worker_spec_new(enum worker_kind kind, uint32_t operation, const json_t *args);
void worker_spec_free(struct worker_spec *spec);

/*
 * The trace as the monitor found it for the first worker. The next worker must open this one, even
 * if another trace is the newest by then: what is set later is not taken. No worker may name it,
 * because the next one could then read what the client did not name.
 */
void worker_spec_set_trace(struct worker_spec *spec, const char *trace_dir);

/* Whether that is the trace; false for NULL, and before it was set. */
bool worker_spec_has_trace(const struct worker_spec *spec, const char *trace_dir);

/* The request to the launcher, with this tag. */
void worker_spec_request(
    const struct worker_spec *spec, uint32_t tag, struct launch_request *request);

#endif
