/*
 * System calls that are newer than rr. Makes them fail in a recording as on a kernel without them,
 * because that is what rr expects of a call that it does not know. The trace is like any other, and
 * replays without this library.
 */
#ifndef RR_WARDEN_SOFTPMU_NEWCALLS_H
#define RR_WARDEN_SOFTPMU_NEWCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracee;

/*
 * rr resumes the tracee with request. If the tracee stands at the entry of a newer call, the kernel
 * skips the call and leaves the error.
 */
void newcalls_refuse(unsigned rr_version, struct tracee *tracee, int request);

/* The tracee has stopped again: puts the call's number back before rr looks. */
void newcalls_restore(struct tracee *tracee);

#endif
