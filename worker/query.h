#ifndef WORKER_QUERY_H
#define WORKER_QUERY_H
/*
 * The short operations about traces and this machine: what there is, what is in it, what runs here.
 */
#include "worker/capture.h"
#include "worker/ops.h"

#define QUERY_TIMEOUT_S	  30 /* of one tool, where the configuration gives no "startup" */
#define QUERY_PAGE	  20 /* recordings of one answer */
#define QUERY_PAGE_MAX	  100
#define QUERY_PAGE_BUDGET (30 * 1024) /* bytes of JSON of the recordings of one answer */

op_handler query_list_recordings;
op_handler query_ps;
op_handler query_traceinfo;
op_handler query_rm;
op_handler query_status;

/* The processes of the complete trace at an absolute path, as process_list_parse makes them, or
 * NULL with the reply failed. */
json_t *query_processes(
    struct worker *worker, const char *path, size_t budget, struct op_reply *reply);

/*
 * Runs `rr COMMAND PATH` on a trace that was judged, without counters; `writes`: it may change the
 * trace. False with the reply failed; capture_free in every case.
 */
bool query_run_rr(struct worker *worker, const char *command, const char *path, bool writes,
    int limit_ms, struct capture *capture, struct op_reply *reply);

/* Fails the reply with how rr ended and what it said. */
void query_fail_with_words(
    struct op_reply *reply, const char *doing, const struct capture *capture);

#endif
