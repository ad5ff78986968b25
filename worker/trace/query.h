#ifndef WORKER_QUERY_H
#define WORKER_QUERY_H
/*
 * Asks rr about one trace, in a separate process without counters.
 */
#include "worker/serve/capture.h"
#include "worker/serve/ops.h"

#define QUERY_TIMEOUT_S 30 /* of one tool, where the configuration gives no "startup" */

/* How long a tool may take that answers such a question. */
int query_timeout_ms(const struct worker *worker);

/* The processes of the complete trace at an absolute path, as process_list_parse makes them, or
 * NULL with *failure filled. */
json_t *query_processes(
    struct worker *worker, const char *path, size_t budget, struct failure *failure);

/* The header of a trace that was judged, as trace_info_parse makes it, or NULL with *failure. */
json_t *query_trace_info(struct worker *worker, const char *path, struct failure *failure);

/*
 * Runs `rr COMMAND PATH` on a trace that was judged, without counters; `writes`: it may change the
 * trace. False with *failure filled; capture_free in every case.
 */
bool query_run_rr(struct worker *worker, const char *command, const char *path, bool writes,
    int limit_ms, struct capture *capture, struct failure *failure);

/* Fills the failure with how rr ended and what it printed. */
void query_fail_with_words(
    struct failure *failure, const char *doing, const struct capture *capture);

#endif
