#ifndef WORKER_TRACEE_H
#define WORKER_TRACEE_H
/*
 * Finding what a recording rr traces.
 */
#include <sys/types.h>

/* The first process of the recorded program, which is rr's only child; 0 when there is none. */
pid_t tracee_first(pid_t rr);

#endif
