#ifndef WORKER_STEPS_H
#define WORKER_STEPS_H
/*
 * Where calls begin and end, and tasks too, in the order in which that happened.
 */
#include "worker/trace/dump/inputs.h"

enum step_kind { STEP_BEGINS, STEP_ENDS, STEP_TASKS };

struct step {
	long long event;
	enum step_kind kind;
	const void *what; /* struct input_call, or input_task */
};

/* Owned by the caller; borrows from the inputs. NULL: out of memory. */
struct step *steps_in_order(const struct inputs *inputs, size_t *count);

#endif
