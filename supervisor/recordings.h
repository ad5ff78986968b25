#ifndef SUPERVISOR_RECORDINGS_H
#define SUPERVISOR_RECORDINGS_H
/*
 * rr_record_stop and rr_record_input, whose handlers hooks.h declares, and what rr_status shows of
 * recordings in the background.
 */
#include "supervisor/dispatch.h"

/* Those that run, and those that have ended and were not asked for since. New reference. */
json_t *recordings_list(struct dispatch *dispatch);

#endif
