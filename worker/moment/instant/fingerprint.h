#ifndef WORKER_FINGERPRINT_H
#define WORKER_FINGERPRINT_H
/*
 * Recognizes one instant of the recording. Several instants share event and ticks if no conditional
 * branch lies between them. As rr does, we tell them apart by registers and stack.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define FINGERPRINT_CONDITION_MAX 4096 /* bytes */

struct fingerprint {
	struct moment moment;
	json_t *registers; /* gdb's list of the general registers */
	char *stack; /* the bytes above the stack pointer, in hexadecimal; NULL: not readable */
};

/* Stores the present instant; fingerprint_forget frees it. */
struct fingerprint fingerprint_take(struct replay *replay);
void fingerprint_forget(struct fingerprint *print);

/* A sum over registers and stack, which tells instants of the same event, ticks and pc apart; 0: it
 * cannot be read. */
unsigned fingerprint_sum(struct replay *replay);

/* Whether the thread of that moment, which need not be the one that stopped, has its pc and its sum
 * now. Of a moment without a thread it is the one that stopped. False if the moment has no sum. */
bool fingerprint_has_thread_at(struct replay *replay, const struct moment *there);

/* Whether the thread that stopped is within a system call: entered, and not done yet. */
bool fingerprint_is_in_call(struct replay *replay);

/* Whether the program stands there. Call position_update before. */
bool fingerprint_is_here(struct replay *replay, const struct fingerprint *print);

/* Writes an expression that is true there and hardly ever at other instants with that pc. gdb can
 * compile it, which it cannot do with all that identifies an instant. False if there is none. */
bool fingerprint_condition(const struct fingerprint *print, char to[FINGERPRINT_CONDITION_MAX]);

/* Sets an internal breakpoint there. Returns gdb's number, or 0 if it cannot be set.
 * temporary_breakpoint_delete removes it. */
int fingerprint_guard(struct replay *replay, const struct fingerprint *print);

/* The same with one of the processor's registers, so that the software counter itself passes over
 * what is not the instant. 0 also if gdb cannot compile what identifies it. The caller sees to it
 * that a register is left. */
int fingerprint_guard_in_hardware(struct replay *replay, const struct fingerprint *print);

#endif
