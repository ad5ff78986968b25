#ifndef WORKER_INSTANT_H
#define WORKER_INSTANT_H
/*
 * One instant of the recording, to be known again among others: several share event and ticks where
 * no conditional branch lies between them. What tells them apart are the registers and what lies on
 * the stack, which is what rr itself goes by.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define INSTANT_CONDITION_MAX 4096 /* bytes */

struct instant {
	struct moment moment;
	json_t *registers; /* gdb's list of the general ones */
	char *stack; /* what lies above the stack pointer, in hexadecimal; NULL: not readable */
};

/* Takes where the program stands; instant_forget gives it back. */
struct instant instant_take(struct replay *replay);
void instant_forget(struct instant *instant);

/* A sum of what tells instants of the same event, ticks and pc apart; 0: it cannot be read. */
unsigned instant_sum(struct replay *replay);

/* After position_update: whether the program stands there. */
bool instant_is_here(struct replay *replay, const struct instant *instant);

/* An expression for gdb that is true at that instant, and at its pc hardly ever else. */
void instant_condition(
    struct replay *replay, const struct instant *instant, char to[INSTANT_CONDITION_MAX]);

/* Has the program stop there on its way, with an internal breakpoint: gdb's number of it, 0 where
 * it cannot be set. internal_delete removes it. */
int instant_guard(struct replay *replay, const struct instant *instant);

#endif
