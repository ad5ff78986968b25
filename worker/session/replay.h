#ifndef WORKER_REPLAY_H
#define WORKER_REPLAY_H
/*
 * A replay session inside its worker: its gdb, and what the worker itself keeps about it. Shared by
 * the modules that serve operations on it; nobody else looks inside.
 */
#include <jansson.h>
#include <stdbool.h>
#include "worker/gdb/check.h"
#include "worker/gdb/gdb.h"
#include "worker/serve/files.h"
#include "worker/serve/ops.h"
#include "worker/session/breakpoint.h"
#include "worker/session/live_output.h"

#define REPLAY_CHECKPOINTS_MAX 200
#define REPLAY_EXPRESSION_MAX  4096
#define REPLAY_EVENT_FAR                                                                           \
	1000000000000LL /* beyond the end of every trace, so rr stops at the end                   \
			 */

#define SELECTION_NAME_MAX 64

/* What a client has selected; selection.h sets it. */
struct selection {
	int number; /* gdb's number of the thread, valid until the program moves */
	int tid;    /* as recorded; 0: unknown */
	int frame;  /* level; 0: the innermost */
	char name[SELECTION_NAME_MAX]; /* the thread's name; "": not known */
};

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

/* See leftover_forks.h. */
struct copies {
	unsigned seeks;		/* since the last count between two calls */
	unsigned seeks_in_call; /* since the last count within one */
	unsigned long tasks;	/* at the session's start */
};

/* What the client asked for when the session was opened. */
struct asked_for {
	long long pid;	 /* 0: the first process */
	bool worst;	 /* without a pid, the process that ended worst */
	long long event; /* where the session begins; REPLAY_EVENT_FAR: the last image */
};

/* Sources as source.c opened them. */
struct shown_sources {
	struct files files;
	json_t *missing; /* recorded path: why it cannot be opened */
	json_t *told;	 /* those of them that a client was told about */
};

/* What gdb has been told in this session, so that it is told once. */
struct taught {
	bool caches;			   /* it keeps the memory it has read */
	bool printers_on, printers_loaded; /* see printers.h */
	char library_folders[4096];	   /* where it looks for libraries; see libraries.h */
	bool silent_hits;		   /* how to count them; see silent_hits.c */
	int watched;			   /* variables of ours; see watchpoint.c */
	enum {
		STATICS_UNTRIED,
		STATICS_CHECKED,
		STATICS_UNKNOWN
	} statics; /* see ambiguous_statics.c */
};

struct images;
struct launched;
struct relatives;
struct trace_output;
struct kernel_writes;

struct replay {
	struct worker *worker;
	void (*changed)(
	    struct replay *replay); /* makes the supervisor store the session's present state */
	struct gdb *gdb;
	struct launched *launched; /* rr and gdb as processes; opaque outside this folder */
	struct replay *beside;	   /* another session of this worker, or NULL */
	struct live_output *output;
	char *trace_dir, *executable, *original; /* original may be NULL */
	int trace; /* its directory, locked for as long as the session has a worker; see trace_lock
		    */
	struct images *images;		   /* see images.h */
	struct relatives *relatives;	   /* see relatives.h; NULL before */
	struct trace_output *trace_output; /* what was printed; NULL: not read yet */
	struct kernel_writes *writes;	   /* what the kernel wrote; NULL: not read yet */
	struct shown_sources sources;
	char pmu[32];
	struct asked_for asked;
	long long pid;
	bool fork_pid, at_end, at_signal;
	bool crossed; /* the last run crossed an exec: the description of the next stop says so */
	long long passed_over;	     /* hits of the last run without an access; see unaccessed.h */
	unsigned long long first_pc; /* of the image's first instruction */
	struct copies copies;
	int rr_number; /* counts the rrs, because the next rr does not know what one holds */
	struct taught taught;
	bool library_late; /* where one lies was found after it had been loaded; see libraries.h */
	struct moment moment, opened; /* now; when the session was opened */
	struct moment departed;	      /* where the present run began; event 0: the program stands */
	struct moment end;	      /* of this process; event 0: not known yet */
	struct selection selected;
	struct breakpoint_list breakpoints;
	json_t *checkpoints; /* see checkpoints.c */
	int next_checkpoint;
	json_t *signals; /* see signals.c */
	json_t *warnings;
};

/* Stores the session's state again; call it after each change. */
static inline void replay_changed(struct replay *replay)
{
	if (replay->changed)
		replay->changed(replay);
}

#endif
