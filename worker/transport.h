#ifndef WORKER_TRANSPORT_H
#define WORKER_TRANSPORT_H
/*
 * rr_pack, rr_export and rr_import: a trace made independent of this machine, carried off as one
 * file, and taken in.
 */
#include "worker/ops.h"

#define TRANSPORT_TIMEOUT_S 300 /* of rr pack; the supervisor's deadline comes first */

op_handler transport_pack;
op_handler transport_export;
op_handler transport_import;

#endif
