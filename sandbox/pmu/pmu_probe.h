#ifndef SANDBOX_PMU_PROBE_H
#define SANDBOX_PMU_PROBE_H
/*
 * Finds out what pmu_decide needs to know: asks the kernel, the processor and rr itself.
 */
#include "sandbox/pmu/pmu_cores.h"
#include "sandbox/pmu/pmu_event.h"

#include <stdbool.h>
#include <stddef.h>

/* What was found out before the choice. */
struct pmu_facts {
	bool x86_64;
	bool no_process; /* a fork failed, so that rr or the kernel could not be asked */
	bool rr_found;
	bool rr_late;	      /* `rr help` did not end in time, so nothing is known about this rr */
	bool rr_answers;      /* `rr help` ended and named a version */
	unsigned rr_version;  /* as PMU_RR_VERSION */
	bool rr_own_software; /* `rr -W` exists */
	bool ptrace_allowed;
	unsigned event_since;	  /* first rr that knows this processor; 0: none does */
	enum pmu_counter counter; /* meaningless when event_since is 0 */
	bool speculates_on_locks; /* Zen, see pmu_event.h */
	enum pmu_cores cores;
	cpu_set_t cores_before; /* which this thread could use, if it is kept on one kind now */
	bool switches_counted;	/* the kernel lets this user count context switches */
	bool switches_counted_by_all; /* and a program that has given up its capabilities */
	bool own_events;       /* the kernel lets this user have software events of their own */
	bool calls_dispatched; /* Linux 5.11: a process can answer its own system calls */
};

/*
 * Fills facts; path (PATH_MAX bytes) gets rr's absolute path when there is one. Waits for rr's
 * answer no longer than `seconds`, more than 0.
 */
void pmu_probe(const char *rr, double seconds, struct pmu_facts *facts, char *path);

/* Reads version and -W from what `rr help` printed (a string). */
void pmu_read_rr_help(const char *text, struct pmu_facts *facts);

/* The version that the rr at this absolute path says within `seconds`, as PMU_RR_VERSION; 0: none.
 */
unsigned pmu_rr_version(const char *rr, double seconds);

/* Finds an executable by path or PATH. Returns 0 with its absolute path, or -1 with errno. */
int pmu_find_program(const char *name, char *path, size_t size);

#endif
