#ifndef WORKER_THREADING_H
#define WORKER_THREADING_H
/*
 * Follows the threads of a program through a search forward: who made and joined whom, who holds
 * which lock, and what orders their steps. It stops at the functions of the C library for that. It
 * sees no lock that the program made itself of atomic instructions, and says so where it can.
 */
#include "worker/investigate/threads/threading_model.h"
#include "worker/run/sweep/scan.h"

/* Begins where the program stands, and stops at the functions; before the libraries are in memory,
 * where the program's own code begins, to do so there. NULL with *failure filled if memory is
 * short, or if the program is none of 64 bits. */
struct threading *threading_begin(struct replay *replay, bool from_start, struct failure *failure);
void threading_free(struct threading *threading);

/* Whether it is the first instruction of one of the functions. */
bool threading_is_function(const struct threading *threading, unsigned long long address);

/* Whether a hit is at one of its breakpoints. If so, takes note of what the thread does there. */
bool threading_take(struct threading *threading, const struct hit *hit);

/* The same where the program stands, for a stop that may have been reported for a breakpoint of
 * another kind. */
bool threading_take_here(struct threading *threading);

/* The thread that stopped looks at the guard of a static variable: it comes after the
 * initialization if that is over. */
void threading_look_at_guard(struct threading *threading, unsigned long long guard);

/* Removes the breakpoints. */
void threading_clear(struct threading *threading);

#endif
