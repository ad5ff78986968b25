#ifndef WORKER_CALL_VISITS_H
#define WORKER_CALL_VISITS_H
/*
 * Goes to system calls of the trace, in whatever process each was made, and hands each over.
 */
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/replay.h"

struct call_visit {
	const struct input_call *call;
	size_t number; /* the caller's */
};

/* The program stands at the call's instruction, before the call. */
typedef void call_visits_see(void *context, struct replay *replay, const struct call_visit *visit);

/*
 * In an excursion of the caller's, which ends where the session was. Sorts the list. The calls must
 * be different ones. A call to which it cannot go, because the time is over or otherwise, is not
 * handed over.
 */
void call_visits_go(struct replay *replay, const struct kernel_writes *writes,
    struct call_visit *visits, size_t count, call_visits_see *see, void *context);

/* At a call: to where it has returned. False: it did not. */
bool call_visits_pass(struct replay *replay, const struct input_call *call);

#endif
