/*
 * rr's performance counters, answered here: the traffic of perf_event_open, ioctl, read, fcntl and
 * close on their descriptors, as rr 5.6 to 5.9 use them.
 */
#ifndef RR_WARDEN_SOFTPMU_COUNTERS_H
#define RR_WARDEN_SOFTPMU_COUNTERS_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracees;

struct counter {
	int fd;
	bool open;
	bool ticks; /* counts retired conditional branches of tid */
	bool enabled;
	bool raw_calls; /* rr may make system calls on it without libc; fd cannot answer them */
	pid_t tid;	/* 0: rr's own, at its start, to see whether counters work */
	int signal;	/* at overflow */
	uint64_t count;
	uint64_t period; /* branches from one overflow to the next */
	uint64_t left;	 /* branches until the next one */
	uint64_t late;	 /* so much later than asked for, see counters_replay */
};

struct counters;

/* An empty table, or NULL when memory is short. */
struct counters *counters_new(void);

/*
 * perf_event_open for an event of the processor: *result is a new descriptor or -errno. False if
 * the event is not ours (software events, breakpoints): pass it on to the kernel.
 */
bool counters_open(struct counters *counters, struct tracees *tracees,
    const struct perf_event_attr *attr, pid_t tid, long *result);

/*
 * rr replays. It expects overflows of the processor to come late, by up to 100 branches on Intel
 * and 10,000 on AMD (rr's skid_size, from 5.6 to 5.10), and asks for them so much earlier. The rest
 * of the way to a task's next turn it goes by a breakpoint where that begins: two stops for each
 * round of a loop. Ours come one branch before the last that it expects, so that a round or two is
 * left.
 */
void counters_replay(struct counters *counters);

/* The counter behind fd, or NULL. Safe from any thread. */
struct counter *counters_find(struct counters *counters, int fd);

/* The descriptor is being closed. */
void counters_close(struct tracees *tracees, struct counter *counter);

/* Answers an ioctl on one of the counters: 0 or -errno. */
int counter_control(const struct counters *counters, struct counter *counter, unsigned long request,
    uintptr_t argument);

/* Answers fcntl about overflow signals; false: let the kernel answer. */
bool counter_fcntl(struct counter *counter, int command, long argument, int *result);

/* Adds ticks; never more than are left. True when the counter overflows with the last of them. */
bool counter_add(struct counter *counter, uint64_t ticks);

/* What the overflow signal's siginfo says. */
void counter_describe_overflow(const struct counter *counter, siginfo_t *info);

#endif
