#ifndef WORKER_GALLOP_H
#define WORKER_GALLOP_H
/*
 * On the way to a moment, a breakpoint at its instruction may stop thousands of times. From the
 * ticks between two stops follows about how many there are to come. Half of them are passed
 * at once: the software counter's library counts them, without a stop.
 */
#include "worker/breaks/passes.h"
#include "worker/session/replay.h"

struct gallop {
	int number; /* gdb's, of a hardware breakpoint; 0: this cannot be done, each pass stops */
	bool begun, cleared;
	long long first;  /* ticks at the first stop of the moment's task */
	long long passes; /* since then, about */
	unsigned long long sum;
	struct passes_way way;
};

/* number: gdb's, of a hardware breakpoint without a condition at that address. */
struct gallop gallop_begin(struct replay *replay, int number, unsigned long long pc);

/* At a stop there, before the program runs on: sets at which pass it stops next. It may be one
 * behind the moment, though hardly ever. */
void gallop_set(struct gallop *gallop, struct replay *replay, const struct moment *to);

/* The breakpoint must not be there any more. */
void gallop_end(struct gallop *gallop, struct replay *replay);

#endif
