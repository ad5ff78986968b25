/*
 * The counters. A table of chunks that never move, because rr's compression threads close and read
 * descriptors while the main thread opens counters. It must never answer for a descriptor that is
 * not a counter.
 */
#include "worker/softpmu/rrfix/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/traps/tracees.h"

enum {
	CHUNK_COUNTERS = 128,
	CHUNKS = 8192, /* descriptors up to 2^20, the kernel's own default limit */
	/* rr runs 500 branches and wants at least 500 counted, and on Intel at most 500. */
	PROBE_COUNT = 500,
	LATEST_ON_INTEL = 99,
	LATEST_ON_AMD = 9999,
};

#define ZEN_TICKS    0x5100d1
#define ZEN_LOCKS    0x510825
#define CONFIG_IN_TX (3ull << 32) /* Intel: (not) inside a transaction */

struct counters {
	_Atomic(struct counter *) chunk[CHUNKS];
	bool replay;
};

/* What rr asks of the processor: its configuration words for the raw event. */
static const struct {
	uint64_t config;
	bool ticks;
} raw_events[] = {
    {ZEN_TICKS, true},	   /* AMD Zen: retired conditional branches */
    {0x5101c4, true},	   /* Intel Nehalem to Comet Lake */
    {0x5111c4, true},	   /* Intel Ice Lake and later */
    {0x517ec4, true},	   /* Intel Atom */
    {0x100005111c4, true}, /* Intel Arrow Lake */
    {ZEN_LOCKS, false},	   /* AMD Zen: SpecLockMap commits, which must stand still */
};

struct counters *counters_new(void)
{
	return calloc(1, sizeof(struct counters));
}

void counters_replay(struct counters *counters)
{
	counters->replay = true;
}

struct counter *counters_find(struct counters *counters, int fd)
{
	struct counter *chunk;

	if (!counters || fd < 0 || fd >= CHUNKS * CHUNK_COUNTERS)
		return NULL;
	chunk = atomic_load_explicit(&counters->chunk[fd / CHUNK_COUNTERS], memory_order_acquire);
	if (!chunk || !chunk[fd % CHUNK_COUNTERS].open)
		return NULL;
	return &chunk[fd % CHUNK_COUNTERS];
}

/* The entry for descriptor fd, or NULL. Only the main thread opens counters. */
static struct counter *place_for(struct counters *counters, int fd)
{
	struct counter *chunk;

	if (fd >= CHUNKS * CHUNK_COUNTERS)
		return NULL;
	chunk = atomic_load_explicit(&counters->chunk[fd / CHUNK_COUNTERS], memory_order_acquire);
	if (!chunk) {
		chunk = calloc(CHUNK_COUNTERS, sizeof *chunk);
		if (!chunk)
			return NULL;
		atomic_store_explicit(
		    &counters->chunk[fd / CHUNK_COUNTERS], chunk, memory_order_release);
	}
	return &chunk[fd % CHUNK_COUNTERS];
}

/*
 * rr's probes of itself use raw system calls on Intel, so the descriptor had better be a real perf
 * event: a software event that counts nothing. Where perf events are forbidden it is an eventfd.
 */
static int open_descriptor(pid_t tid, bool sampling, bool *perf_event)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof attr,
	    .config = PERF_COUNT_SW_DUMMY,
	    .sample_period = sampling ? 1u << 30 : 0,
	    .exclude_kernel = 1,
	    .disabled = 1};
	long fd = -1;

	if (tid == 0)
		fd = kernel_call(
		    SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	*perf_event = fd >= 0;
	if (fd < 0)
		fd = kernel_call(SYS_eventfd2, 1, EFD_CLOEXEC, 0, 0, 0, 0);
	return (int)fd;
}

/* 1: ticks, 0: another event, for which a constant is enough, -1: unknown. */
static int classify(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		return 0;
	for (size_t i = 0; i < sizeof raw_events / sizeof raw_events[0]; i++) {
		if (raw_events[i].config == (attr->config & ~CONFIG_IN_TX))
			return raw_events[i].ticks;
	}
	message_warn("rr asks for event 0x%llx, which does not count conditional branches: this "
		     "processor is not supported; see `rr-warden doctor`",
	    (unsigned long long)attr->config);
	return -1;
}

bool counters_open(struct counters *counters, struct tracees *tracees,
    const struct perf_event_attr *attr, pid_t tid, long *result)
{
	struct counter *counter;
	int kind, fd;
	bool perf_event;

	if (attr->type != PERF_TYPE_RAW && attr->type != PERF_TYPE_HARDWARE)
		return false;
	*result = -ENOENT;
	kind = classify(attr);
	if (kind < 0)
		return true;
	fd = open_descriptor(tid, attr->sample_period != 0, &perf_event);
	*result = fd;
	if (fd < 0)
		return true;
	counter = place_for(counters, fd);
	if (!counter) {
		kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
		*result = -EMFILE;
		return true;
	}
	*counter = (struct counter){.fd = fd,
	    .open = true,
	    .ticks = kind == 1 && tid != 0 && !(attr->config & CONFIG_IN_TX),
	    .enabled = !attr->disabled,
	    .raw_calls =
		tid == 0 && !perf_event && attr->sample_period != 0 && attr->config != ZEN_TICKS,
	    .tid = tid,
	    .signal = SIGSTKFLT,
	    .period = attr->sample_period,
	    .left = attr->sample_period,
	    .late = attr->config == ZEN_TICKS ? LATEST_ON_AMD : LATEST_ON_INTEL};
	if (tid == 0 && !(attr->config & CONFIG_IN_TX) && attr->config != ZEN_LOCKS)
		counter->count = PROBE_COUNT;
	if (counter->ticks)
		tracees_get(tracees, tid)->ticks = counter;
	return true;
}

void counters_close(struct tracees *tracees, struct counter *counter)
{
	struct tracee *tracee = tracees_find(tracees, counter->tid);

	if (tracee && tracee->ticks == counter)
		tracee->ticks = NULL;
	counter->open = false;
}

int counter_control(const struct counters *counters, struct counter *counter, unsigned long request,
    uintptr_t argument)
{
	switch (request) {
	case PERF_EVENT_IOC_RESET:
		counter->count = 0;
		return 0;
	case PERF_EVENT_IOC_PERIOD:
		counter->period = counter->left = *(const uint64_t *)argument;
		counter->left += counters->replay ? counter->late : 0;
		return counter->period ? 0 : -EINVAL;
	case PERF_EVENT_IOC_ENABLE:
		counter->enabled = true;
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		counter->enabled = false;
		return 0;
	default:
		message_warn("rr used the unknown ioctl 0x%lx on a counter: this rr is newer than "
			     "5.9 and not supported",
		    request);
		return -EINVAL;
	}
}

bool counter_fcntl(struct counter *counter, int command, long argument, int *result)
{
	*result = 0;
	switch (command) {
	case F_SETSIG:
		counter->signal = (int)argument;
		return true;
	case F_SETOWN_EX:
	case F_SETFL:
		return true;
	default:
		return false;
	}
}

bool counter_add(struct counter *counter, uint64_t ticks)
{
	counter->count += ticks;
	if (counter->period == 0)
		return false;
	if (ticks < counter->left) {
		counter->left -= ticks;
		return false;
	}
	counter->left = counter->period;
	return true;
}

void counter_describe_overflow(const struct counter *counter, siginfo_t *info)
{
	memset(info, 0, sizeof *info);
	info->si_signo = counter->signal;
	info->si_code = POLL_IN;
	info->si_fd = counter->fd;
}
