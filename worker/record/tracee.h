#ifndef WORKER_TRACEE_H
#define WORKER_TRACEE_H
/*
 * What /proc tells about an rr that records: what it traces, and how far it has come.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "worker/serve/proc_stat.h"

/* The first process of the recorded program, which is rr's only child; 0 when there is none. */
pid_t tracee_first(pid_t rr);

/* True when the first process has become the recorded program: until then it is a fork of rr. */
bool tracee_has_begun(pid_t rr);

/* A process that rr has begun, or that one of those has, and so on, whose program's name is meant;
 * that goes to `name`. 0: there is none. A confined worker may not see where the program's file is.
 */
pid_t tracee_find(pid_t rr, bool (*is_meant)(const char *name), char name[PROC_NAME_MAX]);

/* The processor time that a process has taken, in clock ticks; 0 if it has ended. */
unsigned long tracee_cpu_time(pid_t pid);

/* True when rr has a file open in this directory. */
bool tracee_rr_writes_in(pid_t rr, const char *directory);

#endif
