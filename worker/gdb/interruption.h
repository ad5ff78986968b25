#ifndef WORKER_INTERRUPTION_H
#define WORKER_INTERRUPTION_H
/*
 * Decides who is told of an operation's interrupt, and when: rr, while the program runs, or gdb by
 * a signal. Sends nothing itself.
 */
#include <stdbool.h>

enum interruption_state {
	INTERRUPTION_NONE,
	INTERRUPTION_AWAITED, /* a command of gdb may end by itself */
	INTERRUPTION_OF_RR,
	INTERRUPTION_OF_GDB
};

/* Set to 0 before each interrupt. */
struct interruption {
	enum interruption_state state;
	long long since;  /* ms: when gdb's time began; with INTERRUPTION_OF_RR, 0: not yet */
	long long worked; /* ms: gdb's work until then */
	long long met;	  /* with INTERRUPTION_AWAITED: the token of the command that it met */
};

/* What the interrupt meets. */
struct interrupted {
	long long now;	  /* ms */
	long long worked; /* ms of CPU time that gdb has used; 0 if that is not known */
	long long token;  /* of gdb's present command */
	bool resuming;	  /* which lets the program run */
	bool restarting;  /* so does this, from the beginning: resuming is true as well */
	bool has_rr;
	bool rr_runs; /* and has not yet told of the stop */
};

enum interruption_step { TELL_NOBODY, TELL_RR, TELL_GDB };

/* To be asked again and again while there is an interrupt. Tells each of both once at most, because
 * the commands that then describe the stop must not be interrupted as well. */
enum interruption_step interruption_next(
    struct interruption *interruption, const struct interrupted *met);

/* ms: after how long it is to be asked again even if nothing happens; `else_ms` if it need not. */
int interruption_wait(const struct interruption *interruption, int else_ms);

#endif
