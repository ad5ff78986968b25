#ifndef WORKER_START_H
#define WORKER_START_H
/*
 * The first operation of every worker.
 */
#include "worker/serve/ops.h"

/* WIRE_OP_START: takes the configuration. A worker that only reads traces enters its role. NULL
 * with *failure filled. */
json_t *op_start(struct worker *worker, json_t *message, struct failure *failure);

#endif
