#ifndef WORKER_WALK_H
#define WORKER_WALK_H
/*
 * Follows a chain of values, such as a list's nodes, in one call.
 */
#include "worker/serve/handlers.h"
#include "worker/session/replay.h"

/* From args->expression on by args->next, at most args->max_elements values. {steps: [{value,
 * show}], count, ended}; NULL with *failure filled. */
json_t *walk_chain(
    struct replay *replay, const struct evaluate_args *args, struct failure *failure);

#endif
