#ifndef WORKER_RECORD_PLAN_H
#define WORKER_RECORD_PLAN_H
/*
 * What is to be recorded, checked before rr is started: command, directory, environment, trace.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/pmu.h"
#include "worker/ops.h"
#include "worker/trace.h"

#define RECORD_ARGS_MAX	       1024 /* words of the command */
#define RECORD_ENV_MAX	       1024
#define RECORD_TIMEOUT_MAX     (7 * 24 * 3600.0)
#define RECORD_OUTPUT_DEFAULT  8192
#define RECORD_RR_OPTIONS_MAX  24 /* words before the command */
#define RECORD_DIRECTORY_TRIES 10000

struct record_plan {
	struct pmu_choice pmu;
	const char **argv;			/* of rr; owned, the words borrowed */
	char **environment;			/* of rr; owned */
	char directory[TRACE_PATH_MAX];		/* where the program starts */
	char trace[TRACE_PATH_MAX];		/* absolute; does not exist yet */
	char parent[TRACE_PATH_MAX];		/* of the trace */
	char program_directory[TRACE_PATH_MAX]; /* where the program's file is */
	bool trace_named;			/* by the client */
	const char *input;   /* text for its stdin, or NULL; borrowed from args */
	double timeout;	     /* seconds, 0: none */
	size_t output_limit; /* bytes of each stream in the answer */
	char cores[16];
};

/* Checks everything that can be told without rr. False with the reply failed and nothing made on
 * disk but rr's own trace directory where it was missing. record_plan_free in every case. */
bool record_plan_make(
    const struct worker *worker, json_t *args, struct record_plan *plan, struct op_reply *reply);
void record_plan_free(struct record_plan *plan);

/* Takes the next free name where rr (or another of us) was quicker. False when there is none. */
bool record_plan_next_trace(struct record_plan *plan);

/* Points rr's latest-trace link to the trace, as rr does when it chooses the name itself. */
void record_plan_link_latest(const struct record_plan *plan);

#endif
