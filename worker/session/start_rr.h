#ifndef WORKER_START_RR_H
#define WORKER_START_RR_H
/*
 * How rr is started on the session's trace: to be debugged through, and beside the session to be
 * asked one thing. Each time in the same sandbox.
 */
#include "worker/session/replay.h"
#include "worker/session/starter.h"

struct places;

/* What rr and gdb of a session are confined to: they see what the launcher left visible, and the
 * trace. The lists are borrowed from `places`. */
void start_policy(
    const struct replay *replay, struct sandbox_policy *sandbox, struct places *places);

/* Starts rr for an image of the process; it may listen on this port and on no other. parent 0: as
 * our child. False with *failure filled. */
bool start_rr(struct replay *replay, size_t number, int port, pid_t parent, struct tool *tool,
    struct failure *failure);

/* What rr prints about the whole trace, and ends. */
enum aside {
	ASIDE_EVENTS, /* its events, with registers: rr dump */
	ASIDE_OUTPUT, /* what its processes wrote, each write with a mark: rr -M replay -a */
	ASIDE_COUNT
};

/* Has the starter start it. Its stdout and stderr come in one; tool_end when done. False with
 * *failure filled; the session is as it was. */
bool start_aside(
    struct replay *replay, enum aside aside, struct tool *tool, struct failure *failure);

/* In the starter's process: the numbers of images, and those of asides behind them. */
starter_start start_rr_again;

#endif
