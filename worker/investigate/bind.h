#ifndef WORKER_BIND_H
#define WORKER_BIND_H
/*
 * Has the names of an expression mean elsewhere what they mean here: each variable becomes what
 * lies at its address. So a local stays what it is in frames that have another one of its name.
 */
#include "worker/session/replay.h"

#define BIND_NAMES_MAX 16
#define BIND_TEXT_MAX  (REPLAY_EXPRESSION_MAX + BIND_NAMES_MAX * 24)

/* In the selected frame. *local becomes the lowest of the addresses that lie on the selected
 * thread's stack, from there up; 0: none does. False with *failure filled where a variable has no
 * address, or there are too many. gdb keeps the addresses until the next call. */
bool bind_names(struct replay *replay, const char *expression, char bound[BIND_TEXT_MAX],
    unsigned long long *local, struct failure *failure);

#endif
