#ifndef WORKER_COLLECTED_H
#define WORKER_COLLECTED_H
/*
 * Languages whose objects do not come from malloc.
 */
#include "worker/session/replay.h"

/* Who gives out the objects of this program: "Go's allocator". NULL: malloc, as far as is known. */
const char *collected_by(struct replay *replay);

#endif
