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

struct newcall {
	long number_first, number_last;
	int argument;	      /* that decides, counted from 0; -1: none does */
	uint32_t first, last; /* its values */
	int error;
	unsigned since; /* PMU_RR_VERSION of the first rr that records it; 0: none */
	bool loud;
	const char *name;
};

/* The row for a call that rr of this version does not know, or NULL. Version 0: any of them. */
const struct newcall *newcalls_find(unsigned rr_version, long number, const uint64_t arguments[6]);

/*
 * rr resumes the tracee with request. If the tracee stands at the entry of a newer call, the kernel
 * skips the call and leaves the error.
 */
void newcalls_refuse(unsigned rr_version, struct tracee *tracee, int request);

/* The tracee has stopped again: puts the call's number back before rr looks. */
void newcalls_restore(struct tracee *tracee);

#endif
