#ifndef WORKER_LAUNCH_H
#define WORKER_LAUNCH_H
/*
 * Starts rr and gdb for a session, and has the one connected to the other.
 */
#include "worker/replay.h"

/* Starts both and connects them; the program stands at the start of the recorded process. */
bool launch_tools(struct replay *replay, struct op_reply *reply);

/*
 * Reads what `rr replay -s` says once it listens: the port and the executable it chose. Returns
 * false while that is not all there.
 */
bool launch_parse(const char *text, int *port, char *executable, size_t size);

#endif
