#ifndef SUPERVISOR_SESSION_SLOT_H
#define SUPERVISOR_SESSION_SLOT_H
/*
 * The inside of a session, only for session.c and session_events.c.
 */
#include "supervisor/deadlines.h"
#include "supervisor/session.h"

#define SESSION_ID_MAX 16
#define ENDED_MAX      16 /* recordings in the background whose end is remembered */

/* As clients see them in quotes. */
#define SESSION_STATES(X)                                                                          \
	X(LAUNCHING, "starting")    /* the launcher was asked for a worker */                      \
	X(STARTING, "starting")	    /* the worker's answer to WIRE_OP_START is awaited */          \
	X(OPENING, "starting")	    /* WIRE_OP_REPLAY_START is out */                              \
	X(READY, "ready")	    /* no call */                                                  \
	X(RUNNING, "running")	    /* the first call is out */                                    \
	X(INTERRUPTING, "stopping") /* it was asked to end early */                                \
	X(STOPPING, "ending")	    /* WIRE_STOP is out */                                         \
	X(DEAD, "resting")	    /* no worker: the next call restores the session */

enum session_state {
#define X(name, text) SESSION_##name,
	SESSION_STATES(X)
#undef X
	    SESSION_STATE_COUNT
};

enum session_event {
	EVENT_CALL,	     /* a call was put into the queue */
	EVENT_LAUNCHED,	     /* there is a worker and a channel to it */
	EVENT_LAUNCH_FAILED, /* failure; its hint may be "" */
	EVENT_ANSWER,	     /* packet: to what is outstanding */
	EVENT_DEADLINE,
	EVENT_CANCEL,	 /* call: its client wants no answer any more */
	EVENT_INTERRUPT, /* rr_interrupt */
	EVENT_LOST,	 /* failure, not_taken */
	EVENT_STOP,	 /* call: rr_replay_stop */
	SESSION_EVENT_COUNT
};

struct event_data {
	struct call *call;
	const struct channel_packet *packet;
	const struct failure *failure;
	bool not_taken; /* the worker did not begin the call that was sent */
};

struct session {
	struct session_table *table; /* NULL: a free slot */
	unsigned number;	     /* of replay sessions: "s<number>" */
	char id[SESSION_ID_MAX];
	enum worker_kind kind;
	enum session_state state;
	struct worker_spec *spec;
	struct connection *connection; /* to its worker; NULL: it has none */
	struct call *calls;	       /* the first one runs, or waits for the worker to start */
	struct call *stops;	       /* rr_replay_stop calls waiting for the end */
	struct call *asides;	       /* sent beside the first call */
	json_t *open_args, *worker_state, *sandbox;
	uint32_t opening; /* WIRE_OP_REPLAY_START, or WIRE_OP_CORE_OPEN; else the job's operation */
	json_t *begun;	  /* of a recording in the background: its first answer */
	json_t *last_output; /* and its last progress */
	bool opened;	     /* it has been open at least once */
	bool closing;	     /* will be freed at the end of its worker */
	bool restored;	     /* it was restored, and no answer has said so yet */
	bool unsent;	     /* the channel was closed when the call was sent */
	const char *interrupt_reason;
	int restore_failures;
	uint32_t last_wire_id, outstanding_id, outstanding_type;
	uint32_t late_aside_id; /* the last aside that was given up: its answer may still come */
	int64_t deadline, created, last_used;
	int64_t patience; /* of a recording that is to end: it does not get more time after that */
	int64_t last_progress;
};

struct session_table {
	struct session_ports ports;
	struct session sessions[SESSION_SLOTS];
	struct session *last_used; /* its slot may now be free, or belong to another session */
	unsigned last_number;
	json_t *ended; /* as session_ended_recordings has it; NULL: none yet */
};

/* What to do if what a session is to be opened on cannot be: nobody else knows what it was. */
const char *session_hint_to_open(const struct session *session, const struct failure *failure);

/* The session is over: answers everybody who waits, and frees it. */
void session_end(struct session *session, const char *message);

/* Answers a call and frees it; with request NULL it only frees. */
void session_answer(struct session *session, struct call *call, struct outcome *outcome);

/* From now on the session has so long to end what runs. */
void session_await_end(struct session *session, const char *reason, int64_t grace_ms);

/* Its worker tells that it goes on. A recording that is to end gets more time then, up to its
 * patience: rr may still work on the end of the trace, which would be lost. */
void session_give_time(struct session *session);

/* What a worker is sent for a call. New reference. */
json_t *session_request(const struct call *call);

/* WIRE_BEGUN: the client gets its answer, and the operation goes on without it. False: out of turn.
 */
bool session_begun(struct session *session, const struct channel_packet *packet);

/* An answer to session_send_aside; false if it is none. */
bool session_answer_aside(struct session *session, const struct channel_packet *packet);

/* The first call's outcome (borrowed), if it is a recording in the background: answers who waits
 * for its end, or remembers it. */
void session_note_end(
    struct session *session, const struct call *call, const struct outcome *outcome);

/* When the oldest aside is to be given up, and the giving up of those that are due. */
int64_t session_aside_deadline(const struct session *session);
void session_expire_asides(struct session *session, int64_t now);

/* Fails what nobody will answer any more. */
void session_fail_asides(struct session *session, const char *message);

/* What a failed packet says. Its details are new. */
void session_read_failure(struct failure *failure, const struct channel_packet *packet);

/* Walks the used slots: start with NULL. */
struct session *session_next(struct session_table *table, struct session *after);

/* Frees the slot. Its queues must be empty, or no longer in use. */
void session_release(struct session *session);

/* Delivers an event. The session may be freed by it. */
void session_deliver(
    struct session *session, enum session_event event, const struct event_data *data);

#endif
