#ifndef WORKER_INPUTS_H
#define WORKER_INPUTS_H
/*
 * What the kernel wrote into the memory of the recorded programs, and by which calls, out of the
 * text that `rr dump -e -m` prints. Watchpoints miss these writes if the memory had that value
 * before.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/trace/dump/dump_lines.h"

#define INPUTS_CALLS_MAX  300000 /* further ones only set `cut` */
#define INPUTS_RANGES_MAX 300000
#define INPUT_NAME_MAX	  24

/* An event that ended: a system call, or something else that rr recorded. */
struct input_call {
	char name[INPUT_NAME_MAX];  /* read; of something else, rr's name: SIGNAL_HANDLER */
	long long entered, ticks;   /* where the call begins: at the instruction at pc, before it */
	long long event;	    /* at which it ended */
	unsigned long long pc;	    /* 0: not known */
	unsigned long long args[4]; /* as it began */
	long long result;	    /* negative: an error */
	int tid;
	bool is_call;
};

/* Memory that an event wrote. */
struct input_range {
	size_t call; /* its number */
	unsigned long long address, length;
};

enum input_task_kind { INPUT_CLONE, INPUT_EXEC, INPUT_EXIT };

/* What happened to a task. */
struct input_task {
	enum input_task_kind kind;
	long long event;
	int tid, parent;	  /* parent: of a clone */
	unsigned long long flags; /* likewise, as of clone(2) */
};

struct inputs {
	struct input_call *calls;   /* in the order of events */
	struct input_range *ranges; /* likewise */
	struct input_task *tasks;   /* likewise */
	struct input_call
	    *unended; /* calls whose end is not in the trace: event and result are 0 */
	size_t count, range_count, task_count, unended_count;
	bool cut;
	bool unseen; /* not all calls are known: rr kept some in its buffer, or a task ran 32-bit
		      * code */
};

/* The parser, for dump_parser_feed and dump_parser_end. It fills `inputs`, which must be zeroed and
 * outlive it. NULL when memory is out. */
struct dump_parser *inputs_parser(struct inputs *inputs);

void inputs_free(struct inputs *inputs);

#endif
