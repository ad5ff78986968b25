#ifndef WORKER_TRACE_INFO_H
#define WORKER_TRACE_INFO_H
/*
 * The header of a trace, out of the JSON that `rr traceinfo` prints, and whether this machine can
 * replay such a trace. Pure but for questions to this machine's processor.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TRACE_INFO_ENVIRONMENT_MAX 200	       /* variables */
#define TRACE_INFO_BUDGET	   (16 * 1024) /* bytes of JSON of them */
#define TRACE_INFO_VARIABLE_MAX	   300	       /* bytes of one */

/*
 * {uuid, ticks_semantics, bound_to_cpu?, chaos?, cpu: {vendor, model, same_as_here?, xsave_fits?},
 * cpuid_faulting, environment?: []}. Text that ends early, as rr's does where it cannot replay, is
 * taken as far as it goes. NULL when there is no header in it.
 */
json_t *trace_info_parse(const char *text, size_t length);

/* Whether rr can show programs another CPUID here than the processor's own. */
bool trace_info_hides_cpuid(void);

/* Why rr refuses to replay this trace here, or NULL: one clause, static. */
const char *trace_info_obstacle(const json_t *info, bool hides_cpuid);

/* What may make its replay fail nonetheless, or NULL; likewise. */
const char *trace_info_doubt(const json_t *info);

#endif
