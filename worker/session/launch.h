#ifndef WORKER_LAUNCH_H
#define WORKER_LAUNCH_H
/*
 * Starts rr and gdb for a session, and connects them.
 */
#include "worker/session/replay.h"

/* Starts both and connects them; the program stands at the start of the recorded process. */
bool launch_tools(struct replay *replay, struct failure *failure);

/*
 * Ends rr and starts another for another image of the process, which gdb then has before it at the
 * image's first instruction. What gdb knew of the image before is gone: breakpoints belong out of
 * it first. False with *failure filled and the session lost.
 */
bool launch_image(struct replay *replay, size_t number, struct failure *failure);

/*
 * Reads what `rr replay -s` says once it listens: the port and the executable it chose. Returns
 * false while that is not all there.
 */
bool launch_parse(const char *text, int *port, char *executable, size_t size);

#endif
