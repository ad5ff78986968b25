#ifndef WORKER_RECORD_PLAN_H
#define WORKER_RECORD_PLAN_H
/*
 * What is to be recorded, checked before rr is started: command, directory, environment, trace.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/pmu/pmu.h"
#include "sandbox/wire/tools.h"
#include "worker/record/plan/destination.h"
#include "worker/record/plan/guard_heap.h"
#include "worker/record/plan/test_choice.h"
#include "worker/serve/ops.h"

#define RECORD_ARGS_MAX	      1024 /* words of the command */
#define RECORD_ENV_MAX	      1024
#define RECORD_TIMEOUT_MAX    (7 * 24 * 3600.0)
#define RECORD_RR_OPTIONS_MAX 28 /* words before the command */

/* What rr_record and rr_record_until are both asked for; borrowed from their arguments. */
struct record_request {
	json_t *command, *env;
	const char *working_directory, *trace_dir, *input, *test;
	double timeout;
	bool chaos, background;
	enum heap_kind heap;
	long long heap_limit; /* blocks that the guard heap guards at a time; 0: its own */
	long long num_cores, output_limit; /* cores 0: as the machine has them */
};

/* From a struct record_args or record_until_args. */
#define RECORD_REQUEST(args)                                                                       \
	((struct record_request){.command = (args)->command,                                       \
	    .env = (args)->env,                                                                    \
	    .working_directory = (args)->working_directory,                                        \
	    .trace_dir = (args)->trace_dir,                                                        \
	    .input = (args)->stdin,                                                                \
	    .test = (args)->test,                                                                  \
	    .timeout = (args)->timeout,                                                            \
	    .chaos = (args)->chaos,                                                                \
	    .heap = (args)->heap,                                                                  \
	    .heap_limit = (args)->heap_limit,                                                      \
	    .num_cores = (args)->num_cores,                                                        \
	    .output_limit = (args)->output_limit})

struct record_plan {
	struct pmu_choice pmu;
	const char **argv;		/* of rr; owned, the words borrowed */
	char **environment;		/* of rr; owned */
	char directory[TRACE_PATH_MAX]; /* where the program starts */
	char program[TRACE_PATH_MAX];	/* the name to start it by */
	char file[PATH_MAX];		/* where that leads to, links resolved */
	struct destination destination;
	bool has_own_temporary; /* the trace is where rr keeps temporary files */
	const char *input;	/* text for its stdin, or NULL; borrowed from args */
	bool background;	/* its stdin stays open */
	double timeout;		/* seconds, 0: none */
	size_t output_limit;	/* bytes of each stream in the answer */
	char cores[16];
	struct guard_heap heap;
	struct test_choice test;
};

/* Checks everything that can be checked without rr. False with *failure filled. Makes nothing on
 * disk but the directories above the trace. Call record_plan_free in every case. */
bool record_plan_make(const struct worker *worker, const struct record_request *request,
    struct record_plan *plan, struct failure *failure);
void record_plan_free(struct record_plan *plan);

/*
 * Lets rr keep its temporary files in the trace's directory, under the name that the trace has now;
 * call it before each start. In /tmp, rr names them after process numbers, which are the same in
 * every pid namespace: a file that is there already, left by another recording or put there by
 * anybody, would end this one. A user's RR_TMPDIR stays. False without memory.
 */
bool record_plan_place_temporary(struct record_plan *plan);

#endif
