#ifndef WORKER_CATCH_SYSCALL_H
#define WORKER_CATCH_SYSCALL_H
/*
 * rr_catch with kind syscall. rr cannot stop at a system call (gdb would accept it and never stop),
 * but its trace names them all: the answer has the moments around the present one.
 */
#include "worker/session/replay.h"

/* filter: the name of a call; NULL: all of the process. NULL with *failure filled. */
json_t *catch_syscall(struct replay *replay, const char *filter, struct failure *failure);

#endif
