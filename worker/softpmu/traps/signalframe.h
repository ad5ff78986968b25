/*
 * The frames of the program's signal handlers. The kernel fills in the number and the error code of
 * the thread's last trap and the address of its last page fault, whatever the signal is, and
 * every breakpoint and every step of ours is such a trap. So the last fault of the program's own is
 * kept for each thread, as the kernel does where nobody traces, and put into each frame. A
 * recording holds the frames; replays have them from there.
 */
#ifndef RR_WARDEN_SOFTPMU_SIGNALFRAME_H
#define RR_WARDEN_SOFTPMU_SIGNALFRAME_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;

/* What the kernel keeps of a thread's last fault: thread.error_code, trap_nr and cr2. */
struct last_fault {
	uint64_t error, trap, address;
};

/* A signal that is on its way to its handler. */
struct delivery {
	int signal;   /* 0: none */
	int code;     /* its si_code */
	bool in_call; /* the thread is at the end of a system call: no instruction has faulted */
};

/* rr is about to resume the tracee with this signal, or with 0. */
void signalframe_begin(struct tracee *tracee, int signal);

/* The tracee has stopped again: if that is in the handler, makes the frame the program's. Returns
 * the address of its context (ucontext_t), or 0. */
uint64_t signalframe_correct(struct tracee *tracee, int status);

#endif
