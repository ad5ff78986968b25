#ifndef WORKER_RECORD_RESULT_H
#define WORKER_RECORD_RESULT_H
/*
 * The answer about a recording.
 */
#include "worker/serve/ops.h"
#include "worker/record/recording.h"

#define RECORD_PROCESSES_BUDGET (8 * 1024) /* bytes of JSON of processes in the answer */

/* The answer about a complete trace, at most WIRE_RESULT_MAX bytes. list, as query_processes made
 * it, is taken over;
 * NULL when rr would not tell. */
json_t *record_result(const struct recording *recording, json_t *list, double seconds);

/* Sets stdout, stderr and what is left out of them: as much as fits. */
void record_set_output(json_t *result, const struct recording *recording);

#endif
