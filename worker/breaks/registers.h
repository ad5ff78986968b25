#ifndef WORKER_REGISTERS_H
#define WORKER_REGISTERS_H
/*
 * Room in the debug registers, which breakpoints with a condition use while others do not.
 */
#include "worker/session/replay.h"

/* Takes the client's breakpoints out of the debug registers. False if none is there that can do
 * without. */
bool registers_leave(struct replay *replay);

/* Whether all that use a register fit, after those have left if they must. If not, *failure says
 * what to do. */
bool registers_make_room(struct replay *replay, struct failure *failure);

#define REGISTERS_LENT_MAX 16

/* Watchpoints, ours too, that are off while a breakpoint of ours has their registers. */
struct registers_lent {
	int numbers[REGISTERS_LENT_MAX]; /* gdb's */
	size_t count;
};

/* Switches all watchpoints off if not all that is in hardware fits. rr must not be asked in vain:
 * it keeps what it refuses for want of a register. */
void registers_lend(struct replay *replay, struct registers_lent *lent);
void registers_take_back(struct replay *replay, const struct registers_lent *lent);

#endif
