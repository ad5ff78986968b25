#ifndef WORKER_STARTER_H
#define WORKER_STARTER_H
/*
 * A process beside the worker that can still start rr when the worker no longer can. It takes only
 * a number: what it starts, on which trace and in which sandbox, was fixed before the worker read
 * its first byte from gdb. It ends with the worker.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "worker/gdb/remote.h"
#include "worker/serve/ops.h"
#include "worker/serve/tool.h"

struct starter {
	pid_t pid;     /* 0: none */
	int socket;    /* -1: none; keep it open when the worker confines itself */
	bool confined; /* the starter has said that it is confined */
};

#define STARTER_NONE ((struct starter){.socket = -1})

/*
 * Starts tool `number` as a child of `parent`, which serves gdb's protocol on `port`. Runs in the
 * starter's process, with `owner` as it was at starter_begin. Must check the number. False with
 * *failure filled.
 */
typedef bool starter_start(void *owner, unsigned number, int port, pid_t parent, struct tool *tool,
    struct failure *failure);

struct starter_spec {
	starter_start *start;
	void *owner;
	const struct sandbox_policy *policy; /* its own, in the role ROLE_STARTER */
	int gdb_port;			     /* the only port to which gdb may connect */
};

/* Forks the starter. The first question waits until it is confined; it starts nothing before. It
 * uses `spec` and everything that this points to as they are now. False with *failure filled. */
bool starter_begin(
    struct starter *starter, const struct starter_spec *spec, struct failure *failure);
void starter_end(struct starter *starter);

/* Asks it to start tool `number`: a child of ours, with its output to read. False with *failure
 * filled. */
bool starter_ask(struct starter *starter, struct worker *worker, unsigned number, struct tool *tool,
    struct failure *failure);

/* The connection from gdb to the last tool that was started, once it listens. NULL with *failure
 * filled. */
struct remote *starter_connect(
    struct starter *starter, struct worker *worker, struct failure *failure);

#endif
