#ifndef WORKER_HARDWARE_H
#define WORKER_HARDWARE_H
/*
 * The processor's debug registers: watchpoints use them, breakpoints in code that the program makes
 * itself, and, while there are some left, breakpoints with a condition.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define HARDWARE_REGISTERS 4

/* Whether a breakpoint, as gdb describes it, uses a register. */
bool hardware_is(const json_t *bkpt);

/* Whether it watches, and so does not break. */
bool hardware_watches(const json_t *bkpt);

enum hardware_room {
	HARDWARE_FITS,
	HARDWARE_MAY_FIT, /* what gdb watches beside a place is not always known */
	HARDWARE_FULL,
};

/* Whether all that are enabled fit into the registers; gdb learns it only when the program runs.
 * If not, *failure says what to do. */
enum hardware_room hardware_room(struct replay *replay, struct failure *failure);

/* Sets the breakpoint that -break-insert made of these arguments in hardware instead, if registers
 * are left for all of its places. Takes gdb's description of it; returns that of the one that is
 * set now. */
json_t *hardware_instead(struct replay *replay, json_t *bkpt, const char *arguments);

/* How many registers it takes to watch so many bytes there: one watches 1, 2, 4 or 8 bytes at a
 * multiple of as many. More than HARDWARE_REGISTERS: too many. */
int hardware_pieces(unsigned long long address, unsigned long long size);

#endif
