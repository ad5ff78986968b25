/*
 * The software PMU: a shared library loaded into the rr process, and into nothing else, that makes
 * unmodified rr work where there are no performance counters. It answers rr's perf_event_open
 * itself, and while rr's ticks counter of a task is enabled it runs that task in legs whose
 * retired conditional branches it knows exactly.
 *
 *   symbols.c     the functions of libc that rr calls and we stand in for
 *   counters.c    rr's performance counters
 *   resume.c      rr's resume requests become legs
 *   episode.c     what of a run is done here, before the tracee goes on itself
 *   native.c      runs stretches of the program in this process, on copies
 *   thunk.c       single instructions of the program, run natively
 *   guest.c       copies of the tracee's memory
 *   stops.c       whether a stop ends a leg of ours or is for rr, and the ticks it stands for
 *   region.c      how far a tracee may run with every branch accounted for; pure
 *   regions.c     the bounded cache of regions, and the check that code has not changed
 *   decode.c      block ends, by Zydis; pure
 *   branch.c      conditions of branches; pure
 *   debugregs.c   debug registers, shared with rr's and gdb's watchpoints
 *   tracees.c     what is known of each task
 *   rawcalls.c    the system calls rr makes past libc
 *   maps.c        /proc/PID/maps as old rr understands it; pure
 *   message.c     one-line messages
 *
 * Environment, read once and taken out of rr's (and so the program's) environment:
 *   RR_WARDEN_SOFTPMU=run          the default
 *   RR_WARDEN_SOFTPMU=legs         let the tracee itself run everything
 *   RR_WARDEN_SOFTPMU=step         single-step everything (the bench's baseline; a second opinion)
 *   RR_WARDEN_SOFTPMU=maps         nothing but the joined [vvar] line, for real counters and old rr
 *   RR_WARDEN_SOFTPMU_STATS=FILE   append one line of totals to FILE at the end
 */
#ifndef RR_WARDEN_SOFTPMU_SOFTPMU_H
#define RR_WARDEN_SOFTPMU_SOFTPMU_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "worker/softpmu/counters.h"
#include "worker/softpmu/rawcalls.h"
#include "worker/softpmu/regions.h"
#include "worker/softpmu/tracees.h"

enum softpmu_mode { MODE_RUN, MODE_LEGS, MODE_STEP, MODE_MAPS };

struct softpmu {
	struct counters *counters;
	struct tracees *tracees;
	struct regions *regions;
	struct native *native; /* NULL until first wanted, or when it is not to be had */
	bool native_refused;
	enum softpmu_mode mode;
	char *stats_path;
	struct raw_calls raw_calls;
	struct timespec alarm;	 /* when rr's ITIMER_REAL fires, CLOCK_MONOTONIC; 0 0: never */
	struct timespec resumed; /* rr's last request to run */
	struct {
		uint64_t branches, stops, steps, runs, episodes;
		uint64_t instructions; /* as far as they are known: those stepped */
		uint64_t nanoseconds;  /* from rr's resume requests to the stops it sees */
	} totals;
};

/* The one instance. */
struct softpmu *softpmu(void);

#endif
