#ifndef WORKER_REPLAY_H
#define WORKER_REPLAY_H
/*
 * A replay session inside its worker. Opaque: only this folder knows its parts, in replay_inside.h.
 * Other folders ask for one idea of it at a time.
 */
#include <jansson.h>
#include <stdbool.h>
#include "worker/gdb/check.h"
#include "worker/gdb/gdb.h"
#include "worker/serve/ops.h"

#define REPLAY_CHECKPOINTS_MAX 200
#define REPLAY_EXPRESSION_MAX  4096
#define REPLAY_EVENT_FAR                                                                           \
	1000000000000LL /* beyond the end of every trace, so rr stops at the end                   \
			 */

#define SELECTION_NAME_MAX 64

struct replay;

struct worker *replay_worker(const struct replay *replay);
struct gdb *replay_gdb(const struct replay *replay);

/* What rr replays, with which counter. */

const char *replay_trace_dir(const struct replay *replay);
/* Its descriptor, locked for as long as the session has a worker; see trace_lock. */
int replay_trace(const struct replay *replay);
/* The file of the present image on this machine; NULL: not known. */
const char *replay_executable(const struct replay *replay);
/* The same as the program was called. */
const char *replay_command(const struct replay *replay);
const char *replay_pmu(const struct replay *replay);
bool replay_counts_in_software(const struct replay *replay);

/* The process that rr debugs, and whether from its fork on, not from its exec. */
long long replay_pid(const struct replay *replay);
bool replay_is_from_fork(const struct replay *replay);
void replay_debugs(struct replay *replay, long long pid, bool from_fork);

/* What the client asked for when the session was opened. */
struct asked_for {
	long long pid;	 /* 0: the first process */
	bool worst;	 /* without a pid, the process that ended worst */
	bool symbols;	 /* it named files of debug information */
	long long event; /* where the session begins; REPLAY_EVENT_FAR: the last image */
};

const struct asked_for *replay_asked(const struct replay *replay);
void replay_was_asked(struct replay *replay, const struct asked_for *asked);
/* From here on the session is open, and it was opened at the present moment. */
void replay_opened(struct replay *replay);
/* Whether it stands at the event and ticks at which it was opened. */
bool replay_is_where_opened(const struct replay *replay);

/* A place in the recording. Between two conditional branches ticks do not change, but pc does. */
struct moment {
	long long event, ticks;
	int tid; /* as recorded */
	unsigned long long pc;
	unsigned sum; /* of registers and stack, which tells the passes of one pc apart; 0: not
		       * taken */
	bool guessed; /* its name does not say which of its instructions is meant */
};

enum direction { FORWARD, BACKWARD };

/* Where the session stands; what this points to follows the session. */
const struct moment *replay_now(const struct replay *replay);
void replay_arrived(struct replay *replay, const struct moment *moment);
/* The same for an answer about a moment that the program was at, but is not: until
 * replay_arrived. */
void replay_speak_of(struct replay *replay, const struct moment *moment);
/* The end of the process; event 0: not known yet. */
const struct moment *replay_end(const struct replay *replay);
void replay_reached_end(struct replay *replay);

/* The first instruction of the present image. */
unsigned long long replay_first_pc(const struct replay *replay);

/* How it stands there. */
bool replay_is_at_end(const struct replay *replay);
bool replay_is_at_signal(const struct replay *replay);
void replay_stands(struct replay *replay, bool at_end, bool at_signal);
/* It is about to go elsewhere: neither is true any longer. */
void replay_moves(struct replay *replay);

/* The present run. */
struct run {
	struct moment departed; /* where it began; event 0: the program stands */
	bool crossed;		/* an exec: the description of the next stop says so */
	long long passed_over;	/* hits without an access; see unaccessed.h */
	bool signals_pass;	/* a search runs past all; see signals_pass_all */
};

struct run *replay_run(struct replay *replay);

/* Counts the rrs of the session, because the next rr does not know what one holds. */
int replay_rr_number(const struct replay *replay);
void replay_next_rr(struct replay *replay);
#define REPLAY_RR_NUMBERS 2000 /* they begin again; see position_hold */

/* What a client has selected; selection.h sets it. */
struct selection {
	int number; /* gdb's number of the thread, valid until the program moves */
	int tid;    /* as recorded; 0: unknown */
	int frame;  /* level; 0: the innermost */
	char name[SELECTION_NAME_MAX]; /* the thread's name; "": not known */
};

const struct selection *replay_selected(const struct replay *replay);

/* What the client has set. */

struct breakpoint_list *replay_breakpoints(const struct replay *replay);

struct checkpoint_list {
	json_t *entries; /* see checkpoints.c */
	int next;	 /* the number of the next one */
};

struct checkpoint_list *replay_checkpoints(struct replay *replay);
/* See signals.c. */
json_t *replay_signals(const struct replay *replay);

/* What a reader has read and may use again, as long as it finds the same `as_of`. */
struct read_before {
	void *what; /* NULL: nothing yet */
	void (*forget)(void *what);
	long long as_of;
};

enum reader { READER_MAPPINGS, READER_MAPPINGS_OF_CODE, READER_SYMBOLS, READERS };

struct read_before *replay_read_before(struct replay *replay, enum reader reader);

/* Whether replay_now is where gdb has stopped last. */
bool replay_has_arrived(const struct replay *replay);

/* Which libraries are loaded where (loaded.h), what gdb has been told (taught.h), the sources that
 * were opened (source.c), what the program prints as it runs, and what a client is told of the
 * session's start. */

struct loaded *replay_loaded(struct replay *replay);
struct taught *replay_taught(struct replay *replay);
struct shown_sources *replay_sources(struct replay *replay);
struct live_output *replay_output(const struct replay *replay);
json_t *replay_warnings(const struct replay *replay);

/* Whether gdb, as gdb 16 does, makes a wrong number of one that lies far below its type's range, in
 * a cast and in a shift. Agents write such casts, and conditions follow them. */
bool replay_casts_wrongly(const struct replay *replay);

/* Makes the supervisor store the session's state; call it after each change. Without effect
 * before replay_on_change. */
void replay_changed(struct replay *replay);
void replay_on_change(struct replay *replay, void (*changed)(struct replay *replay));

#endif
