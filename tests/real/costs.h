/*
 * Where the processor's time of a recording goes: into rr, the programs, or rr's compression.
 */
#ifndef TESTS_REAL_COSTS_H
#define TESTS_REAL_COSTS_H

#include <sys/types.h>

/* Seconds of the processor's. The kernel's are system calls, and the stops of ptrace. */
struct costs {
	double rr_own, rr_kernel; /* of the thread that records */
	double programs_own, programs_kernel;
	double compression; /* of rr's other threads */
};

struct costs_watch;

/* Begins to look at the first process called `rr` below this one, 20 times a second. One at a
 * time. */
struct costs_watch *costs_begin(pid_t below);

/* Ends it. What ran in the last 50 ms may be left out. */
struct costs costs_end(struct costs_watch *watch);

#endif
