/*
 * The software PMU: a shared library loaded into the rr process, and into nothing else, that makes
 * unmodified rr work where there are no performance counters. It answers rr's perf_event_open
 * itself, and while rr's ticks counter of a task is enabled it runs that task in legs whose
 * retired conditional branches it knows exactly.
 *
 *   symbols.c       the functions of libc that rr calls and we stand in for
 *   environment.c   what rr's environment says to us, and that the program never sees it
 *
 * base/: a tracee's memory, system calls made in it, masks, messages
 *
 *   region.c        how far a tracee may run with every branch accounted for; pure
 *
 * traps/: stops that the processor makes, and what the program could notice of them
 *
 *   tracees.c       what is known of each task
 *   debugregs.c     debug registers, shared with rr's and gdb's watchpoints
 *   conditions.c    gdb's conditions of hardware breakpoints
 *   hushed.c        writes to what gdb watches that it need not hear of
 *   tally.c         the same, counted by the instruction
 *   bytecode.c      the expressions that they are; pure
 *   bytecodeshape.c which of them can be compiled; pure
 *   processor.c     what the processor only seems to do
 *   cover.c         a byte of code replaced for one step: rdtsc where it does not trap, and int3s
 *                   of rr that are passed over
 *   trapmask.c      SIGTRAP, when the program blocks it
 *   heldtrap.c      SIGTRAPs that it has sent to itself meanwhile
 *   trapflag.c      programs that step themselves are refused
 *   signalframe.c   what a signal's handler is told of the last fault
 *
 * rrfix/: what rr asks the kernel for, and gets another answer to
 *
 *   counters.c      rr's performance counters
 *   rawcalls.c      the system calls rr makes past libc
 *   maps.c          /proc/PID/maps as old rr understands it; pure
 *   newcalls.c      system calls that are newer than rr
 *   badpaths.c      names of files that rr cannot read
 *   mappedfiles.c   files that a program maps, and rr would not copy
 *   insertions.c    int3s of rr that have gone with their mapping
 *
 * cache/: code that runs inside the program's own process, which is nearly everything
 *
 *   spaces.c        the caches of all address spaces
 *   space.c         the cache of one
 *   arena.c         its memory, mapped into the program and into rr
 *   codepages.c     copies of the program's code, and which of it may be translated
 *   blocks.c        which code is translated where, links, and what is out of force
 *   pageindex.c     which blocks are on which page; pure
 *   places.c        what each place in the cache stands for; pure
 *   recover.c       from a stop in the cache to the program's own state
 *   passcount.c     passes of a breakpoint that are counted and do not stop
 *   revive.c        translations that are in force again
 *   x87address.c    where the last x87 instruction was
 *   watches.c       watchpoints, where debug registers do nothing
 *   budget.c        how many branches may pass; pure
 *   cachecalls.c    system calls that change the code below the cache
 *
 * translate/: from the program's code to the cache's
 *
 *   emit.c          the translator
 *   sequences.c     the instructions that it writes
 *   watchcode.c     those that look for what is watched
 *   conditioncode.c and those that judge the condition of a breakpoint
 *   changecode.c    those that count changes
 *   accesscode.c    those that log accesses
 *   checkcode.c     those that look at the heap's shadow
 *   linecode.c      those that count passes of an instruction
 *   emitter.c       their bytes and places
 *
 * scan/: what is learnt while that code runs, and not shown to rr at each step
 *
 *   changelog.c     changes of a value
 *   accesslog.c     accesses to it
 *   heapcheck.c     the check of a heap: what is asked, and what the code looks at
 *   heapcalls.c     the calls of its allocator
 *   heapjudge.c     the instructions that may touch what they must not
 *   heapblocks.c    its blocks; pure
 *   heapsites.c     the live ones by the calls that made them; pure
 *   heapreach.c     which of them the program can still reach
 *   heapshadow.c    a byte for each of its bytes
 *
 * legs/: how a tracee runs, and what its stops mean
 *
 *   resume.c        rr's resume requests become legs
 *   codecache.c     legs in the cache, and their stops
 *   regions.c       legs between hardware breakpoints, for what cannot run there; what cannot do
 *                   that either is single-stepped
 *   linecount.c     how often many instructions begin, counted in both
 *   trapcode.c      what a debug trap was, where the hypervisor has lost that
 *   stops.c         whether a stop ends a leg of ours or is for rr, and the ticks it stands for
 *
 * Environment, read once and taken out of rr's (and so the program's) environment:
 *   RR_WARDEN_SOFTPMU=run          the default
 *   RR_WARDEN_SOFTPMU=legs         do without the code cache (a second opinion)
 *   RR_WARDEN_SOFTPMU=step         single-step everything (a third one; the bench's baseline)
 *   RR_WARDEN_SOFTPMU=carry        only what does not count; the processor counts
 *   RR_WARDEN_RR_VERSION=50600     rr's version, for newcalls.c; without it rr is taken for old
 *   RR_WARDEN_SOFTPMU_LACKS=debug,rdtsc,fs,status   do without what the processor has, for tests
 *   RR_WARDEN_SOFTPMU_STATS=FILE   append one line of totals to FILE at the end
 */
#ifndef RR_WARDEN_SOFTPMU_SOFTPMU_H
#define RR_WARDEN_SOFTPMU_SOFTPMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "worker/softpmu/legs/codecache.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/rrfix/counters.h"
#include "worker/softpmu/rrfix/insertions.h"
#include "worker/softpmu/rrfix/rawcalls.h"
#include "worker/softpmu/legs/regions.h"
#include "worker/softpmu/traps/tracees.h"

enum softpmu_mode { MODE_RUN, MODE_LEGS, MODE_STEP, MODE_CARRY };

struct softpmu {
	struct counters *counters;
	struct tracees *tracees;
	struct regions *regions;
	struct codecache *cache;
	enum softpmu_mode mode;
	unsigned rr_version; /* as PMU_RR_VERSION, 0: not told */
	pthread_t main_thread;
	pid_t shown; /* the task whose stop rr saw last */
	char *stats_path;
	struct raw_calls raw_calls;
	struct insertions insertions;
	struct conditions conditions;
	struct timespec alarm;	 /* when rr's ITIMER_REAL fires, CLOCK_MONOTONIC; 0 0: never */
	struct timespec resumed; /* rr's last request to run */
	struct {
		uint64_t branches, stops, steps, runs;
		uint64_t instructions; /* those stepped */
		uint64_t nanoseconds;  /* from rr's resume requests to the stops it sees */
	} totals;
};

#endif
