#ifndef WORKER_CALL_WAY_H
#define WORKER_CALL_WAY_H
/*
 * What one call of an allocator can say for others that came on the same way, see scan/heapsites.h
 * in the software counter.
 */
#include "worker/session/replay.h"

/*
 * Where the program stands at the call's first instruction: "make (a.c:6), called by main
 * (a.c:10)", of the frames that the way decides: it differs by so many addresses of code on the
 * stack. At most `outer` callers. NULL: of these frames, none is the program's own. Owned by the
 * caller.
 */
json_t *call_way_words(struct replay *replay, unsigned addresses, size_t outer);

#endif
