#ifndef WORKER_EXECUTION_H
#define WORKER_EXECUTION_H
/*
 * Operations that move the program through its recording.
 */
#include "worker/replay.h"
#include "worker/stop.h"

op_handler execution_continue, execution_step, execution_next, execution_finish,
    execution_run_to_event, execution_goto, position_when;

#endif
