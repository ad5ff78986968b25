#ifndef WORKER_HEADLINE_H
#define WORKER_HEADLINE_H
/*
 * Where a report says that the program ended: in which code of its own.
 */
#include "worker/session/replay.h"

/* "store (a.c:8)", or "memcpy, called by store (a.c:8)", of `own` among frames that still have
 * their addresses. Code without a name gets that of the function that was called, or its place in
 * its file. */
void headline_where(
    struct replay *replay, const json_t *frames, const json_t *own, char *text, size_t size);

#endif
