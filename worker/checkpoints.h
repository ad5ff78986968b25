#ifndef WORKER_CHECKPOINTS_H
#define WORKER_CHECKPOINTS_H
/*
 * Moments worth going back to. Kept as data: they survive the tools, and cost nothing.
 */
#include "worker/replay.h"

op_handler checkpoints_save, checkpoints_restore, checkpoints_list, checkpoints_delete;

#endif
