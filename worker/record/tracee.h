#ifndef WORKER_TRACEE_H
#define WORKER_TRACEE_H
/*
 * What /proc tells about an rr that records: what it traces, and how far it has come.
 */
#include <stdbool.h>
#include <sys/types.h>

/* The first process of the recorded program, which is rr's only child; 0 when there is none. */
pid_t tracee_first(pid_t rr);

/* True when the first process has become the recorded program: until then it is a fork of rr. */
bool tracee_has_begun(pid_t rr);

/* True when rr has a file open in this directory. */
bool tracee_rr_writes_in(pid_t rr, const char *directory);

#endif
