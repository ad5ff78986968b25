#ifndef WORKER_LIBRARIES_H
#define WORKER_LIBRARIES_H
/*
 * Libraries that the program loaded by a name without a full path, as dlopen("./plug.so"). gdb
 * looks for them where it runs; where they were mapped from says where they are.
 */
#include "worker/session/replay.h"

/* At a stop: makes gdb read those that it has not found, and corrects the stop's frame, in which
 * gdb could not name the function. */
void libraries_find(struct replay *replay);

#endif
