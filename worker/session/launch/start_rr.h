#ifndef WORKER_START_RR_H
#define WORKER_START_RR_H
/*
 * Starts rr on the session's trace: as the server for gdb, and beside the session to answer one
 * question. The sandbox is always the same.
 */
#include "worker/session/replay.h"
#include "worker/session/launch/starter.h"

struct places;

/* The sandbox of a session's rr and gdb: they see what the launcher left visible, and the trace,
 * but not the trace of another session of this worker. The lists are borrowed from `places`. */
void start_policy(
    const struct replay *replay, struct sandbox_policy *sandbox, struct places *places);

/* Starts rr for an image of the process; it may listen on this port and on no other. parent 0: as
 * our child. False with *failure filled. */
bool start_rr(struct replay *replay, size_t number, int port, pid_t parent, struct tool *tool,
    struct failure *failure);

/* What rr prints about the whole trace, and ends. */
enum aside {
	ASIDE_EVENTS, /* the trace's events, with registers: rr dump */
	ASIDE_OUTPUT, /* what the processes wrote, with a mark at each write: rr -M replay -a */
	ASIDE_INPUTS, /* the events with tasks and the memory that each wrote: rr dump -e -m */
	ASIDE_COUNT
};

/* Asks the starter to start it. stdout and stderr share one pipe. Call tool_end when done. False
 * with *failure filled and the session unchanged. */
bool start_aside(
    struct replay *replay, enum aside aside, struct tool *tool, struct failure *failure);

/* The same for rr as the server of the session's present image; see starter_connect. */
bool start_image(struct replay *replay, struct tool *tool, struct failure *failure);

/* In the starter's process. The numbers are those of asides, followed by those of the images of the
 * session's process and of all others. */
starter_start start_rr_again;

#endif
