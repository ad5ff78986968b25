#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H
/*
 * Sessions as a table of state × event. A session is a replay session, or the short life of one
 * recording or query ("job"), and has at most one worker. Does no I/O: what has to happen outside
 * goes through struct session_ports, so that tests can play the world.
 *
 * A call is answered exactly once, whatever dies. One call runs at a time; the others wait in the
 * order they came.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sandbox/channel.h"
#include "sandbox/proto.h"
#include "supervisor/deadlines.h"

#define SESSION_SLOTS	    64 /* sessions and jobs at once */
#define SESSION_CALLS_MAX   16 /* waiting on one session */
#define SESSION_JOBS_MAX    16
#define SESSION_ID_MAX	    16
#define SESSION_WHY_MAX	    320
#define SESSION_RESTORE_MAX 2 /* failures in a row before a session is given up */

#define SESSION_STATES(X)                                                                          \
	X(LAUNCHING, "starting")    /* the launcher was asked for a worker */                      \
	X(GREETING, "starting")	    /* WIRE_OP_START is out */                                     \
	X(OPENING, "starting")	    /* WIRE_OP_REPLAY_START is out */                              \
	X(READY, "ready")	    /* no call */                                                  \
	X(RUNNING, "running")	    /* the first call is out */                                    \
	X(INTERRUPTING, "stopping") /* it was asked to end early */                                \
	X(STOPPING, "ending")	    /* WIRE_STOP is out */                                         \
	X(DEAD, "resting")	    /* no worker: the next call brings the session back */

enum session_state {
#define X(name, text) SESSION_##name,
	SESSION_STATES(X)
#undef X
	    SESSION_STATE_COUNT
};

enum session_event {
	EVENT_CALL,	     /* a call was put into the queue */
	EVENT_LAUNCHED,	     /* there is a worker and a channel to it */
	EVENT_LAUNCH_FAILED, /* code, why */
	EVENT_ANSWER,	     /* packet: to what is outstanding */
	EVENT_DEADLINE,
	EVENT_CANCEL,	 /* call: its client wants no answer any more */
	EVENT_INTERRUPT, /* rr_interrupt */
	EVENT_LOST,	 /* code, why: the worker died or broke the protocol */
	EVENT_STOP,	 /* call: rr_replay_stop */
	SESSION_EVENT_COUNT
};

struct call {
	struct call *next;
	void *request;	    /* the client's; NULL once cancelled */
	int tool;	    /* enum tool */
	uint32_t operation; /* WIRE_OP_* */
	json_t *args;	    /* owned; without "session" */
	long long seconds;  /* limit; 0: none */
	bool as_contents;   /* a resource is read: the result becomes its text */
	bool again;	    /* given once more, after a worker that died without having taken it */
	struct session *session;
};

/* An answer: a result, or an error. */
struct outcome {
	json_t *result; /* stolen */
	const char *code, *message, *hint;
	json_t *extra; /* stolen; further fields of an error */
	bool alive;    /* an error's session_alive */
};

struct session {
	bool used;
	unsigned number; /* of replay sessions: "s<number>" */
	char id[SESSION_ID_MAX];
	enum worker_kind kind;
	enum session_state state;
	struct call *calls; /* the first is the one that runs, or is being started for */
	struct call *stops; /* rr_replay_stop calls waiting for the end */
	json_t *open_args, *worker_state, *sandbox, *launch_report, *visible;
	bool opened;   /* it came up once */
	bool closing;  /* will be freed at the end of its worker */
	bool restored; /* it was brought back, and no call has said so yet */
	bool unsent;   /* the call that is out found the channel closed */
	const char *interrupt_reason;
	int restore_failures;
	uint32_t last_wire_id, outstanding_id, outstanding_type;
	int64_t deadline, created, last_used;
	int64_t last_progress;
	uint32_t tag; /* the transport's: of the worker's launch; 0: no worker */
};

struct session_table;

/* What a session needs of the world. `session` is never kept. */
struct session_ports {
	/* Asks for a worker; EVENT_LAUNCHED or EVENT_LAUNCH_FAILED follows. -1: there is no
	 * launcher. */
	int (*launch)(void *owner, struct session *session);
	enum channel_result (*send)(
	    void *owner, struct session *session, uint32_t type, uint32_t id, const json_t *json);
	/* Kills the worker, if any, and forgets it: no more events of it. */
	void (*drop)(void *owner, struct session *session);
	/* Answers and frees the call; with request NULL only frees. */
	void (*answer)(
	    void *owner, struct session *session, struct call *call, struct outcome *outcome);
	void (*progress)(
	    void *owner, struct call *call, double progress, double total, const char *message);
	json_t *(*start_message)(void *owner, struct session *session); /* WIRE_OP_START's */
	int64_t (*now)(void *owner);
	void *owner;
	const struct policy *policy;
};

struct event_data {
	struct call *call;
	const struct channel_packet *packet;
	const char *code, *why;
	bool not_taken; /* EVENT_LOST: the call that is out was not begun, and can be run again */
};

struct session_table *session_table_new(const struct session_ports *ports);
void session_table_free(struct session_table *table);

/* A session or job with its first call. NULL when the table is full. open_args is stolen, NULL for
 * jobs. The worker is asked for at once. */
struct session *session_open(
    struct session_table *table, enum worker_kind kind, json_t *open_args, struct call *first);

/* False when too many calls wait already; the call is then still the caller's. */
bool session_call(struct session_table *table, struct session *session, struct call *call);

/* Delivers an event. The session may be freed by it. */
void session_deliver(struct session_table *table, struct session *session, enum session_event event,
    const struct event_data *data);

/* A packet from the worker: checked against what is outstanding, then delivered. packet->json is
 * borrowed. */
void session_packet(
    struct session_table *table, struct session *session, const struct channel_packet *packet);

int64_t session_nearest_deadline(struct session_table *table);
void session_expire(struct session_table *table, int64_t now);

/* Walks the used slots: start with NULL. */
struct session *session_next(struct session_table *table, struct session *after);
struct session *session_by_tag(struct session_table *table, uint32_t tag);
unsigned session_count(struct session_table *table, enum worker_kind kind);

/* Its trace as the worker found it, or as the client named it; NULL: the newest. Borrowed. */
const char *session_trace(const struct session *session);

/* The session `id` names; without one (NULL) the only one, or the one used last. NULL when there
 * is none (code no_session) or neither is clear (ambiguous_session). */
struct session *session_choose(struct session_table *table, const char *id, const char **code);

const char *session_state_name(const struct session *session);
/* Whether there is a call that rr_interrupt would end. */
bool session_is_running(const struct session *session);

/* For the unit tests: whether a cell of the matrix is filled. */
bool session_has_action(enum session_state state, enum session_event event);

#endif
