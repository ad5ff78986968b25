#ifndef WORKER_REPLAY_H
#define WORKER_REPLAY_H
/*
 * A replay session inside its worker: one rr, one gdb, and what the worker itself keeps about them.
 * Shared by the modules that serve operations on it; nobody else looks inside.
 */
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include "worker/gdb.h"
#include "worker/ops.h"
#include "worker/output.h"
#include "worker/tool.h"

#define REPLAY_BREAKPOINTS_MAX 200
#define REPLAY_CHECKPOINTS_MAX 200
#define REPLAY_EXPRESSION_MAX  4096
#define REPLAY_LAUNCH_LINE_MAX (PATH_MAX + 512)
#define REPLAY_SEEN_MAX	       256	       /* moments of answers that are remembered */
#define REPLAY_EVENT_FAR       1000000000000LL /* beyond the end of any trace: rr stops at the end */

/* A place in the recording. Between two conditional branches ticks stand still: pc tells apart. */
struct moment {
	long long event, ticks;
	int tid; /* as recorded */
	unsigned long long pc;
};

struct replay {
	struct worker *worker;
	struct tool rr, gdb_tool;
	struct gdb *gdb;
	struct output *output;
	char launch[REPLAY_LAUNCH_LINE_MAX]; /* what rr said before it was connected to */
	size_t launch_length;
	char *trace_dir, *executable, *original; /* original may be NULL */
	char pmu[32];
	char gdb_words[512];	  /* the last that gdb said on its stderr */
	long long pid, asked_pid; /* asked_pid 0: the first process */
	bool fork_pid, connected, at_end, at_signal;
	bool caches;			     /* gdb keeps the memory it has read */
	struct moment moment, opened;	     /* now; as the session was opened */
	struct moment end;		     /* of this process; event 0: not known yet */
	struct moment seen[REPLAY_SEEN_MAX]; /* a ring */
	size_t seen_next;
	int thread, frame;   /* gdb's numbers of what is selected */
	int selected_tid;    /* of that thread: gdb's number changes when the session comes back */
	json_t *breakpoints; /* see breakpoints.c */
	int next_breakpoint;
	json_t *checkpoints; /* see checkpoints.c */
	int next_checkpoint;
	json_t *warnings;
};

op_handler replay_start;
void replay_free(struct replay *replay);

/* The session, or NULL with the reply failed when there is none (yet). */
struct replay *replay_of(struct worker *worker, struct op_reply *reply);

#endif
