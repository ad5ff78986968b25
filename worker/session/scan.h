#ifndef WORKER_SCAN_H
#define WORKER_SCAN_H
/*
 * Runs through a part of the recording in one direction, with the present breakpoints, and hands
 * each stop to a visitor, as plain data because most stops are ignored.
 */
#include "worker/session/replay.h"
#include "worker/session/stop_reason.h"

struct hit {
	enum stop_kind kind;
	int number;	       /* gdb's, of the watchpoint, else of the breakpoint; 0: none */
	bool watched;	       /* a watchpoint saw an access, which ends where the program stands */
	int breakpoint;	       /* gdb's, of one where the program stands, beside that; 0: none */
	const char *old, *new; /* of a write, in the order they were in the program; or NULL */
	const char *signal;    /* of STOP_SIGNAL; or NULL */
};

enum scan_verdict {
	SCAN_ON,
	SCAN_ENOUGH,
	SCAN_GIVE_UP, /* the visitor has filled *failure */
};

/* The texts of the hit are borrowed until it returns. What it does at the stop it may do as long as
 * the program does not move. */
typedef enum scan_verdict scan_visit(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure);

enum scan_end {
	SCAN_FOUND,  /* the visitor is done: the program is at that stop */
	SCAN_EDGE,   /* it ran to the end, or to the start: that stop was not visited */
	SCAN_FAILED, /* *failure is filled, SCAN_GIVE_UP and an interrupt included */
};

/* The data of gdb's last stop. Its texts are borrowed until the program moves. */
struct hit scan_hit(const struct replay *replay, enum direction direction);

/* Visits at most `limit` stops; more than that is a failure. */
enum scan_end scan_run(struct replay *replay, enum direction direction, long long limit,
    scan_visit *visit, void *context, struct failure *failure);

#endif
