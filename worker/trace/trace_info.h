#ifndef WORKER_TRACE_INFO_H
#define WORKER_TRACE_INFO_H
/*
 * The header of a trace, out of the JSON that `rr traceinfo` prints. Pure but for one question to
 * this machine's processor.
 */
#include <jansson.h>
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

#endif
