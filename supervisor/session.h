#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H
/*
 * Sessions: a replay session, or the short life of one recording or query ("job"). A session has at
 * most one worker, comes back when that dies, and answers each call exactly once, whatever dies.
 * One call runs at a time; the others wait in the order they came.
 *
 * Does no I/O: what has to happen outside goes through struct session_ports, so that tests can play
 * the world. A session may be freed by any call that changes it: keep no pointer to one, but for a
 * connection to its worker, which the session drops before it goes.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sandbox/wire/channel.h"
#include "sandbox/wire/failure.h"
#include "sandbox/wire/proto.h"
#include "supervisor/page.h"
#include "supervisor/settings.h"

#define SESSION_SLOTS	       64 /* sessions and jobs at once */
#define SESSION_CALLS_MAX      16 /* waiting on one session */
#define SESSION_JOBS_MAX       16
#define SESSION_BACKGROUND_MAX 12 /* with so many jobs, those in the background leave the rest */
#define SESSION_RESTORE_MAX    2  /* failures in a row, after which a session is closed */

struct connection;
struct session;
struct session_table;
struct worker_spec;

/* A tool call that a worker is to answer. */
struct call {
	struct call *next;
	void *request;	    /* the client's; NULL once cancelled */
	int tool;	    /* enum tool */
	uint32_t operation; /* WIRE_OP_* */
	json_t *args;	    /* owned; without "session" */
	long long seconds;  /* limit; 0: none */
	int64_t made;	    /* when it came to its session */
	bool as_contents;   /* a resource is read: the result becomes its text */
	uint32_t aside_id;  /* of a packet beside the operation that is out */
	bool background;    /* nobody waits: the recording has been answered when it began */
	char closed[16];    /* the session that was closed to make room for this one; "": none */
	bool again;	    /* sent again, because the first worker died before it took the call */
	bool wants_page;    /* the client shows the page that the tool makes */
	struct page page;   /* as far as it came */
	struct session *session;
};

/* An answer: a result, or a failure. */
struct outcome {
	json_t *result;		/* stolen; NULL: the failure is the answer */
	struct failure failure; /* its details are stolen */
	bool alive;		/* with a failure: the session lives on */
};

/* What a session needs from its environment. */
struct session_ports {
	/* Of workers, as connections.h has them. */
	struct connection *(*launch)(
	    void *workers, const struct worker_spec *spec, struct session *session);
	enum channel_result (*send)(
	    struct connection *connection, uint32_t type, uint32_t id, const json_t *json);
	void (*drop)(struct connection *connection);
	void *workers;
	/* Of the client. answer also frees the call; with request NULL it does only that. */
	void (*answer)(void *client, const struct session *session, struct call *call,
	    struct outcome *outcome);
	void (*progress)(void *client, const struct call *call, double progress, double total,
	    const char *message);
	void *client;
	int64_t (*now)(void);
	const struct settings *settings;
};

/* NULL when out of memory. After session_end_all, free() is enough to release it. */
struct session_table *session_table_new(const struct session_ports *ports);

/* ---- For the client's side ------------------------------------------------------------------ */

/* A session or job with its first call. NULL when the table is full; the call is then still the
 * caller's. open_args is stolen, NULL for jobs. The worker is asked for at once. */
struct session *session_open(
    struct session_table *table, enum worker_kind kind, json_t *open_args, struct call *first);

/* False when too many calls wait already; the call is then still the caller's. */
bool session_add_call(struct session *session, struct call *call);

/* rr_replay_stop; answered when the session is over. */
void session_stop(struct session *session, struct call *call);

/* rr_interrupt: ends the call that session_running returns, if any. */
void session_interrupt(struct session *session);

/* The client no longer wants an answer to the call. */
void session_cancel(struct call *call);

/* The server is ending: answers every call with the failure, which has no details, and drops every
 * worker, except for those of recordings in the background where these are to be spared. */
void session_end_all(
    struct session_table *table, const struct failure *failure, bool spare_recordings);

/* Walks the replay sessions that are not being closed: start with NULL. */
struct session *session_next_open(struct session_table *table, struct session *after);

/* The number of sessions and jobs of a kind, including those that are being closed. */
unsigned session_count(struct session_table *table, enum worker_kind kind);

/* The number of recordings and queries that have not been answered. */
unsigned session_count_jobs(struct session_table *table);

/* The session `id` names; without one (NULL) the only one, or the one used last. NULL when there
 * is none (code ERROR_NO_SESSION) or neither is clear (ERROR_AMBIGUOUS_SESSION). */
struct session *session_choose(struct session_table *table, const char *id, enum error_code *code);

/* The open session that was opened with these arguments, and is not about to end; NULL: none. */
struct session *session_find_opened(struct session_table *table, const json_t *open_args);

/* Closes the session without calls that was used least recently, and gives its name. False: none.
 */
bool session_close_idle(struct session_table *table, char *name, size_t size);

/* Its name, as clients use it; NULL for a job. Borrowed. */
const char *session_name(const struct session *session);

/* Whether it ever came up. */
bool session_has_opened(const struct session *session);

/* Its trace as the worker found it, or as the client named it; NULL: the newest. Borrowed. */
const char *session_trace(const struct session *session);

/* Its sandbox, as the worker reported it; NULL before. Borrowed. */
const json_t *session_sandbox(const struct session *session);

/* The call that session_interrupt would end, or NULL. */
const struct call *session_running(const struct session *session);

/* The call that a worker is at, or is being started for, of the next replay session or job; NULL
 * after the last. *at starts with NULL. */
const struct call *session_next_running(struct session_table *table, struct session **at);

/* Seconds since the client made the call. */
long long session_call_seconds(const struct call *call);

/* {"session", "state", "trace_dir", "pid", "moment", ...}; `whole` adds all that is kept to bring
 * it back. New reference. */
json_t *session_describe(const struct session *session, bool whole);

/* One of "starting", "ready", "running", "stopping", "ending", "resting". */
const char *session_state_name(const struct session *session);

/* ---- Recordings in the background ------------------------------------------------------------ */

/* Ends one with a signal (a name as in <signal.h>); answered like rr_record when it has ended. */
void session_end_recording(struct session *session, struct call *call, int signal);

/* Sends json (stolen) beside what the worker does; the worker's answer is the call's. */
void session_send_aside(struct session *session, struct call *call, uint32_t type, json_t *json);

/* The next one that runs; NULL after the last. Start with NULL. */
struct session *session_next_recording(struct session_table *table, struct session *after);

/* {trace_dir, command, seconds, trace_bytes?, last_output?}. New reference. */
json_t *session_describe_recording(const struct session *session);

/* Of the latest that have ended and that nobody has asked for since: an array of {trace_dir,
 * result} or {trace_dir, failure}. Borrowed; an element that was given may be removed. */
json_t *session_ended_recordings(struct session_table *table);

/* The server is about to end: ends all but these, and asks these to end. Returns how many. */
unsigned session_end_others(struct session_table *table, const struct failure *failure);

/* ---- For the connection to its worker ------------------------------------------------------- */

/* `trace` is the one that the monitor lets the worker replay; "": none. */
void session_launched(struct session *session, const char *trace);

/* The failure's hint may be "". */
void session_launch_failed(struct session *session, const struct failure *failure);

/* The worker died or broke the protocol. not_taken: it had not begun the call that is out, or was
 * not even launched; then a worker is asked for again. */
void session_lost(struct session *session, const struct failure *failure, bool not_taken);

/* A packet from the worker: checked against what is outstanding. packet->json is borrowed. */
void session_packet(struct session *session, const struct channel_packet *packet);

/* ---- For the loop's clock: `table` is a struct session_table -------------------------------- */

int64_t session_nearest_deadline(void *table);
void session_expire(void *table, int64_t now);

#endif
