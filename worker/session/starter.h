#ifndef WORKER_STARTER_H
#define WORKER_STARTER_H
/*
 * A process next to the worker that can still start rr when the worker no longer can. It takes only
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
	int socket;    /* -1: none; to be kept when the worker confines itself */
	bool confined; /* it has said so */
};

#define STARTER_NONE ((struct starter){.socket = -1})

/*
 * Starts the tool that `number` stands for, as a child of `parent`, serving gdb's protocol on
 * `port`. Runs in the starter's process, with `owner` as it was at starter_begin. Must check the
 * number. False with *failure filled.
 */
typedef bool starter_start(void *owner, unsigned number, int port, pid_t parent, struct tool *tool,
    struct failure *failure);

struct starter_spec {
	starter_start *start;
	void *owner;
	const struct sandbox_policy *policy; /* its own, in the role ROLE_STARTER */
	int gdb_port;			     /* the one that gdb may connect to */
};

/* Forks it. That it is confined is waited for when it is first asked: it starts nothing before.
 * `spec` and what it points to are used in the starter's process, as they are now. False with
 * *failure filled. */
bool starter_begin(
    struct starter *starter, const struct starter_spec *spec, struct failure *failure);
void starter_end(struct starter *starter);

/* Has it start number's tool: a child of ours, with its output to read. False, *failure filled.
 */
bool starter_ask(struct starter *starter, struct worker *worker, unsigned number, struct tool *tool,
    struct failure *failure);

/* The way from gdb to the tool that was asked for last, once it listens. NULL, *failure filled.
 */
struct remote *starter_connect(
    struct starter *starter, struct worker *worker, struct failure *failure);

#endif
