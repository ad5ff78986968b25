#ifndef WORKER_OPS_H
#define WORKER_OPS_H
/*
 * Operations of a worker: the table from messages to handlers, and what a handler gets and returns.
 * One operation runs at a time. A handler that waits for a tool does so in worker_wait, which also
 * watches the channel, so that an interrupt reaches it at once and a vanished supervisor ends us.
 */
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/wire/failure.h"
#include "sandbox/wire/proto.h"

enum interrupt_reason { INTERRUPT_NONE, INTERRUPT_TIMEOUT, INTERRUPT_CANCELLED, INTERRUPT_ASKED };

/* What WIRE_OP_START told us; strings are owned by the worker. */
struct worker_config {
	enum worker_kind kind;
	char *rr, *gdb, *softpmu, *pmu;
	char *pmu_why; /* why pmu is "software" and not what was asked for; "": it was */
	json_t *timeouts, *limits, *roots, *directories, *commands, *variables; /* as on
							     the wire */
	json_t *read_only, *read_write, *parents,
	    *listed; /* for struct sandbox_policy of the tools */
	bool allow_calls, allow_gdb_command;
	bool changes,
	    probes;	     /* a query: it may write what it sees as writable; it tries counters */
	bool unfinished;     /* the trace was not closed when what it needs was made visible */
	bool symbols_unsure; /* not known: whether the call's symbols belong to the recording */
	bool in_view, compat_abi, own_network; /* as struct sandbox_policy has them */
	bool confined; /* the worker has entered a role, which all that it starts inherits */
	json_t *sandbox, *sandbox_report;
};

struct worker {
	int channel;
	struct worker_config config;
	uint32_t running_id; /* id of the operation that runs, 0: none */
	json_t *request;     /* its whole JSON, borrowed: "args" and the other keys */
	bool broken; /* set by a handler that has lost rr or gdb: the worker answers, then exits
			with an error */
	struct failure loss;		    /* why rr or gdb was lost, once one was */
	void (*end)(struct worker *worker); /* ends what the worker started, before it exits */
	void (*idle)(
	    struct worker *worker); /* waits (in worker_wait) between operations, or NULL */
	enum interrupt_reason
	    interrupt;	      /* asked for while the operation runs; cleared before each */
	int interrupt_signal; /* with INTERRUPT_ASKED: for the recorded program; 0: none is named */
	/* Answers WIRE_RECORD_INPUT; NULL: nothing is recorded in the background. */
	json_t *(*take_input)(void *owner, const json_t *given, struct failure *failure);
	void *input_owner;
	bool half_read; /* the interrupt met gdb while it read: its answers may be incomplete, and
			   the operation's answer has not told of the interrupt */
	struct replay *replay; /* the session, once REPLAY_START succeeded */
	bool restorable;       /* the supervisor can restore the session in another worker */
};

/* One operation: `given` are the tool's arguments as they came; returns the result, or NULL with
 * *failure filled (see handlers.h). */
struct op {
	uint32_t type; /* WIRE_OP_* */
	enum worker_kind kind;
	json_t *(*handle)(struct worker *worker, const json_t *given, struct failure *failure);
};

/* NULL when there is no such operation. */
const struct op *op_find(uint32_t type);

/* Takes packets from the channel and answers operations until told to stop; returns the exit
 * status. */
int worker_run(struct worker *worker);

/*
 * Polls `fds` and the channel for at most timeout_ms (-1: no limit). Returns the number of `fds`
 * that are ready, 0 at the timeout or when worker->interrupt has just been set. Ends the process
 * when the supervisor is gone or asks to stop.
 */
int worker_wait(struct worker *worker, struct pollfd *fds, size_t count, int timeout_ms);

/* Sends WIRE_PROGRESS for the running operation; total < 0: unknown; message may be NULL. Drops it
 * silently when the channel is full. */
void worker_progress(struct worker *worker, double progress, double total, const char *message);

/* Sends WIRE_BEGUN for the running operation; json is borrowed. */
void worker_begun(struct worker *worker, const json_t *json);

/* Sends the page that the running operation made, if its client shows such pages. */
void worker_page(struct worker *worker, const char *text);

/* Like worker_progress, for a recording in the background, with the size of its trace. */
void worker_recorded(
    struct worker *worker, double seconds, uint64_t trace_bytes, const char *last_line);

/* Whether the running operation may do more: neither rr nor gdb is lost, and nobody interrupts. */
static inline bool worker_goes_on(const struct worker *worker)
{
	return !worker->broken && !worker->interrupt;
}

/* What to do after rr or gdb was lost: a hint for the failure. */
const char *worker_lost_hint(const struct worker *worker);

/* Fills the failure with the reason for the interrupt: timeout or cancelled. */
void worker_fail_interrupted(const struct worker *worker, struct failure *failure);

/* Sends WIRE_STATE; state is stolen. */
void worker_state(struct worker *worker, json_t *state);

#endif
