#ifndef WORKER_SCAN_H
#define WORKER_SCAN_H
/*
 * Runs through a part of the recording in one direction, with the present breakpoints, and hands
 * each stop to a visitor. A stop is plain data, because visitors ignore most stops.
 */
#include "worker/session/replay.h"
#include "worker/session/stop_reason.h"

struct hit {
	enum stop_kind kind;
	int number;	/* gdb's number of the watchpoint, else of the breakpoint; 0: none */
	bool watched;	/* a watchpoint saw an access, which ends where the program stands */
	int breakpoint; /* gdb's number of a further breakpoint where the program stands; 0: none */
	const char *old, *new; /* of a write, in the program's order; or NULL */
	const char *signal;    /* of STOP_SIGNAL; or NULL */
};

enum scan_verdict {
	SCAN_ON,
	SCAN_ENOUGH,
	SCAN_GIVE_UP, /* the visitor has filled *failure */
};

/* The texts of the hit are borrowed until the visitor returns. It may do anything at the stop that
 * does not move the program. */
typedef enum scan_verdict scan_visit(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure);

enum scan_end {
	SCAN_FOUND,  /* the visitor is done: the program is at that stop */
	SCAN_EDGE,   /* it ran to the end, or to the start, which the visitor does not see */
	SCAN_FAILED, /* *failure is filled, SCAN_GIVE_UP and an interrupt included */
};

/* The data of gdb's last stop. Its texts are borrowed until the program moves. */
struct hit scan_hit(const struct replay *replay, enum direction direction);

/* Visits at most `limit` stops; more than that is a failure. */
enum scan_end scan_run(struct replay *replay, enum direction direction, long long limit,
    scan_visit *visit, void *context, struct failure *failure);

#endif
