#ifndef WORKER_REPLAY_INSIDE_H
#define WORKER_REPLAY_INSIDE_H
/*
 * The parts of a session. Only this folder includes it, and unit tests that make one of their own.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/loaded_state.h"
#include "worker/session/live_output.h"
#include "worker/session/replay.h"
#include "worker/session/shown_sources.h"
#include "worker/session/taught.h"

/* See leftover_forks.h. */
struct leftover_forks {
	unsigned seeks;		/* since the last count between two calls */
	unsigned seeks_in_call; /* since the last count within one */
	unsigned long tasks;	/* at the session's start */
};

struct core;
struct images;
struct launched;
struct relatives;
struct trace_output;
struct kernel_writes;

struct replay {
	struct worker *worker;
	void (*changed)(struct replay *replay); /* see replay_on_change; may be NULL */
	struct gdb *gdb;
	struct launched *launched; /* rr and gdb as processes */
	struct replay *beside;	   /* another session of this worker, or NULL */

	/* What is replayed, or read. */
	struct core *core;			 /* see core.h; NULL: a trace is replayed */
	char *trace_dir, *executable, *original; /* original may be NULL; of a core, all may be */
	int trace;
	char pmu[32];
	long long pid;
	bool from_fork;
	struct asked_for asked;
	struct images *images;	     /* see images.h */
	struct relatives *relatives; /* see relatives.h; NULL before */
	unsigned long long first_pc; /* of the image's first instruction */

	/* Where the session stands, and how it came there. */
	struct moment moment, opened; /* now; when the session was opened */
	unsigned arrived_at;	      /* gdb's stops, when `moment` was set */
	struct moment end;	      /* of this process; event 0: not known yet */
	bool at_end, at_signal;
	struct run run;
	struct selection selected;
	struct leftover_forks leftover_forks;
	int rr_number;

	/* What the client has set. */
	struct breakpoint_list *breakpoints;
	struct checkpoint_list checkpoints;
	json_t *signals, *warnings;
	bool wrong_casts; /* see replay_casts_wrongly */

	/* What has been read, or told gdb. */
	struct live_output *output;
	struct trace_output *trace_output; /* what was printed; NULL: not read yet */
	struct kernel_writes *writes;	   /* what the kernel wrote; NULL: not read yet */
	struct shown_sources sources;
	struct taught taught;
	struct loaded loaded;
	struct read_before read_before[READERS];
};

#endif
