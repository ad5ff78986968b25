#ifndef WORKER_RECORD_H
#define WORKER_RECORD_H
/*
 * rr_record: runs a program under rr, takes all it prints, and ends it so that the trace stays
 * usable.
 */
#include "worker/ops.h"

/* From the wish to end a recording on: the program may clean up, then it is killed, and rr, which
 * closes the trace at that, is killed last. */
#define RECORD_GRACE_MS 2000 /* after SIGTERM to the program */
#define RECORD_CLOSE_MS 5000 /* for rr to close the trace after the program was killed */

#define RECORD_TICK_MS 1000 /* between two looks at disk, and two progress messages */

op_handler record_run;

#endif
