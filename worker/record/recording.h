#ifndef WORKER_RECORDING_H
#define WORKER_RECORDING_H
/*
 * A recording while it runs: rr and the program under it, what they print, and their end.
 */
#include "worker/serve/ops.h"
#include "worker/record/plan/record_plan.h"
#include "worker/record/plan/input.h"
#include "worker/record/stream.h"
#include "worker/serve/proc_stat.h"
#include "worker/serve/tool.h"

/* From the wish to end a recording on: the program may clean up, then it is killed, and rr, which
 * closes the trace at that, is killed last. */
#define RECORD_GRACE_MS	     2000  /* after SIGTERM to a program that does nothing at it */
#define RECORD_STOP_GRACE_MS 10000 /* to one that does, or after the signal of rr_record_stop */
#define RECORD_CLOSE_MS	     5000  /* for rr to close the trace after the program was killed */
#define RECORD_CLOSE_MAX_MS  60000 /* the same for an rr that still works on that */

#define RECORD_TICK_MS 1000 /* between two looks at disk, and two progress messages */

enum end_reason {
	END_ITSELF,
	END_TIMEOUT,
	END_CANCELLED,
	END_ASKED,
	END_TRACE_SIZE,
	END_DISK,
	END_STARTUP, /* rr did not start the program */
	END_TRACER,  /* it started one that traces others */
};

enum ending { ENDING_NOT, ENDING_TERMINATED, ENDING_KILLED, ENDING_ABANDONED };

struct recording {
	json_t *sandbox; /* what confines rr, as rr_record answers it; NULL: not started */
	struct worker *worker;
	struct record_plan plan;
	struct tool rr;
	int pidfd; /* of rr */
	int trace; /* the trace's directory once it is there, or -1 */
	struct stream *output, *errors;
	uint64_t errors_seen; /* of `errors`, when the last progress was made */
	struct input input;
	long long started, next_tick, next_step; /* ms, monotonic */
	long long work_until;			 /* who works on the end is not killed before */
	uint64_t work;				 /* how much it had done when that was asked last */
	enum end_reason reason;
	bool begun; /* the program runs, or has run */
	bool told;  /* that it has begun: a recording in the background */
	/* Tells the client that it has begun; NULL: nobody waits for that. */
	void (*on_tick)(struct recording *recording);
	int end_signal;	  /* that rr_record_stop names; 0: none */
	bool interrupted; /* the reason came from the supervisor */
	enum ending ending;
	int attempt, attempts;	    /* 0 of 0: just one */
	char tracer[PROC_NAME_MAX]; /* that one, with END_TRACER */
	struct failure unconfined;  /* has a message if the worker could not be confined */
};

/* False without memory. recording_close in every case. */
bool recording_open(struct recording *recording, struct worker *worker);
void recording_close(struct recording *recording);

/* Runs what recording->plan says until rr has ended, for whatever reason. False with the reply
 * failed when it could not be started. */
bool recording_run(struct recording *recording, struct failure *failure);

/* Forgets a run that has ended, its output and its trace's directory, so that the plan can be run
 * again. */
void recording_forget(struct recording *recording);

/* Removes the trace that was made. */
void recording_remove(struct recording *recording);

/* Since its start. */
double recording_seconds(const struct recording *recording);

#endif
