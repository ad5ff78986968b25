/*
 * Replaces functions of libc that rr calls. Each one asks the matching part whether it handles the
 * call, and passes it on otherwise.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/softpmu/legs/marks.h"
#include "worker/softpmu/rrfix/badpaths.h"
#include "worker/softpmu/traps/debugregs.h"
#include "worker/softpmu/environment.h"
#include "worker/softpmu/traps/heldtrap.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/killed.h"
#include "worker/softpmu/rrfix/mappedfiles.h"
#include "worker/softpmu/rrfix/maps.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/rrfix/newcalls.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/legs/resume.h"
#include "worker/softpmu/legs/softpmu.h"
#include "worker/softpmu/legs/stops.h"

#define INTERPOSED __attribute__((visibility("default")))

enum {
	MAPS_BYTES_MAX = 64 << 20,
	ALARM_EVERY = 32, /* stops between two looks at the clock */
};

/* libc's own, found when first needed: other libraries' constructors may call before ours runs. */
static struct {
	long (*syscall)(long, ...);
	int (*ioctl)(int, unsigned long, ...);
	int (*fcntl)(int, int, ...);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*pread64)(int, void *, size_t, off64_t);
	ssize_t (*pwrite64)(int, const void *, size_t, off64_t);
	int (*open)(const char *, int, ...);
	int (*close)(int);
	int (*accept)(int, struct sockaddr *, socklen_t *);
	int (*waitid)(idtype_t, id_t, siginfo_t *, int);
	pid_t (*waitpid)(pid_t, int *, int);
	int (*setitimer)(__itimer_which_t, const struct itimerval *, struct itimerval *);
	FILE *(*fopen64)(const char *, const char *);
	int (*fstatfs)(int, struct statfs *);
} libc;

static void *libc_symbol(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	if (!symbol)
		message_fatal("libc has no %s: this C library is not supported", name);
	return symbol;
}

#define LIBC(name) (find((void **)&libc.name, #name), libc.name)

static void find(void **function, const char *name)
{
	if (!*function)
		*function = libc_symbol(name);
}

static struct heapcheck check;
static struct racecheck races;
static struct linecount lines;
static struct accesslog accesses;
static struct softpmu instance = {.conditions = {.fd = -1,
				      .check = &check,
				      .races = &races,
				      .lines = &lines,
				      .accesses = &accesses,
				      .listener = marks_hear}};

static long with_errno(long result)
{
	if (result < 0) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

__attribute__((constructor)) static void start(void)
{
	environment_read(&instance);
	instance.regions = regions_new();
	instance.tracees = tracees_new();
	instance.counters = counters_new();
	instance.cache = codecache_new(&instance.conditions);
	instance.main_thread = pthread_self();
	if (!instance.cache || !instance.regions || !instance.tracees || !instance.counters)
		message_fatal("out of memory at the start: give rr more");
}

__attribute__((destructor)) static void finish(void)
{
	struct rusage usage = {0};
	FILE *file;

	if (!instance.stats_path || instance.totals.stops == 0)
		return;
	file = LIBC(fopen64)(instance.stats_path, "a");
	if (!file) {
		message_warn(
		    "cannot write statistics to %s: %s", instance.stats_path, strerror(errno));
		return;
	}
	getrusage(RUSAGE_SELF, &usage);
	fprintf(file,
	    "branches=%llu stops=%llu steps=%llu runs=%llu caches=%llu blocks=%llu "
	    "instructions=%llu "
	    "seconds=%.6f peak_kb=%ld\n",
	    (unsigned long long)instance.totals.branches, (unsigned long long)instance.totals.stops,
	    (unsigned long long)instance.totals.steps, (unsigned long long)instance.totals.runs,
	    (unsigned long long)codecache_made(instance.cache),
	    (unsigned long long)codecache_blocks(instance.cache),
	    (unsigned long long)instance.totals.instructions,
	    (double)instance.totals.nanoseconds / 1e9, usage.ru_maxrss);
	fclose(file);
}

/* Counters. */

INTERPOSED long syscall(long number, ...)
{
	va_list list;
	long a[6], result;
	struct counter *counter;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open && instance.mode != MODE_CARRY && instance.counters &&
	    counters_open(instance.counters, instance.tracees, (const struct perf_event_attr *)a[0],
		(pid_t)a[1], &result)) {
		counter = counters_find(instance.counters, (int)result);
		if (counter && counter->raw_calls)
			raw_calls_answer(&instance.raw_calls, counter->fd);
		return with_errno(result);
	}
	return LIBC(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

INTERPOSED int ioctl(int fd, unsigned long request, ...)
{
	struct counter *counter = counters_find(instance.counters, fd);
	va_list list;
	long argument;

	va_start(list, request);
	argument = va_arg(list, long);
	va_end(list);
	if (counter)
		return (int)with_errno(
		    counter_control(instance.counters, counter, request, (uintptr_t)argument));
	return LIBC(ioctl)(fd, request, argument);
}

/* rr has one debugger at a time, and accepts no other connections. */
INTERPOSED int accept(int fd, struct sockaddr *address, socklen_t *length)
{
	int connection = LIBC(accept)(fd, address, length);

	if (connection >= 0)
		conditions_connect(&instance.conditions, connection);
	return connection;
}

static ssize_t read_debugger(int fd, void *buffer, size_t size)
{
	ssize_t got = LIBC(read)(fd, buffer, size);

	if (got > 0)
		conditions_take(&instance.conditions, buffer, (size_t)got);
	return got;
}

INTERPOSED ssize_t read(int fd, void *buffer, size_t size)
{
	struct counter *counter = counters_find(instance.counters, fd);

	if (fd == instance.conditions.fd)
		return read_debugger(fd, buffer, size);
	if (!counter)
		return LIBC(read)(fd, buffer, size);
	if (size < sizeof counter->count)
		return with_errno(-ENOSPC);
	memcpy(buffer, &counter->count, sizeof counter->count);
	return sizeof counter->count;
}

/* Other threads of rr's write its trace; none of them writes to a tracee. */
static bool is_main_thread(void)
{
	return pthread_equal(pthread_self(), instance.main_thread);
}

/* rr writes to its tracees' memory: breakpoints, and what its patches and replays put there. */
INTERPOSED ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
	bool to_tracee = is_main_thread();
	ssize_t written;

	if (to_tracee && size == 1 &&
	    insertions_gone(&instance.insertions, fd, (uint64_t)offset, *(const uint8_t *)buffer))
		return 1;
	written = LIBC(pwrite64)(fd, buffer, size, offset);
	if (to_tracee) {
		codecache_note_write(instance.cache, (uint64_t)offset, size);
		heapcheck_note_write(&check, (uint64_t)offset, size);
		tally_rr_wrote(&instance.conditions.tally, (uint64_t)offset, size);
		accesslog_rr_wrote(&accesses, (uint64_t)offset, size);
	}
	return written;
}

/* rr reads its tracees' memory. */
INTERPOSED ssize_t pread64(int fd, void *buffer, size_t size, off64_t offset)
{
	ssize_t got;

	if (is_main_thread() &&
	    marks_read(&instance.conditions, fd, (uint64_t)offset, buffer, size))
		return (ssize_t)size;
	got = LIBC(pread64)(fd, buffer, size, offset);
	if (is_main_thread())
		insertions_note_read(&instance.insertions, fd, (uint64_t)offset, size);
	if (got >= 0 || errno != EIO || !is_main_thread() ||
	    !badpaths_is_one(instance.shown, (uint64_t)offset))
		return got;
	memset(buffer, 0, size);
	return (ssize_t)size;
}

INTERPOSED int close(int fd)
{
	struct counter *counter = counters_find(instance.counters, fd);

	if (counter) {
		raw_calls_end(&instance.raw_calls, fd);
		counters_close(instance.tracees, counter);
	}
	if (is_main_thread())
		insertions_close(&instance.insertions, fd);
	if (fd == instance.conditions.fd)
		conditions_connect(&instance.conditions, -1);
	return LIBC(close)(fd);
}

static int any_fcntl(int fd, int command, long argument)
{
	struct counter *counter = counters_find(instance.counters, fd);
	int result;

	if (counter && counter_fcntl(counter, command, argument, &result))
		return (int)with_errno(result);
	return LIBC(fcntl)(fd, command, argument);
}

INTERPOSED int fcntl(int fd, int command, ...)
{
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	return any_fcntl(fd, command, argument);
}

INTERPOSED int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

/* Tracing. */

/*
 * The siginfo of the stop that rr knows of. Of a tracee that has been killed since, the kernel
 * tells that of its last stop, and rr 5.6 to 5.9 take it for the signal's (Task.cc,
 * compute_trap_reasons: "stop_sig() == SIGTRAP"). rr is prepared for a tracee that is gone.
 */
static long answer_siginfo(const struct tracee *tracee, siginfo_t *info)
{
	long result = 0;

	if (tracee->overflowed)
		*info = tracee->overflow;
	else if (tracee->last_event == PTRACE_EVENT_EXIT)
		result = kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)info);
	else
		result = killed_siginfo(tracee->tid, info);
	if (result >= 0)
		heldtrap_correct(instance.tracees, tracee->tid, info);
	return result;
}

/* Requests that reach the tracee's debug registers or our picture of it; false: hand it on. */
static bool answer_ptrace(long request, pid_t pid, uint64_t address, uint64_t data, long *result)
{
	struct tracee *tracee;
	unsigned index;

	if (instance.mode == MODE_CARRY)
		return false;
	if (resume_is_request((int)request)) {
		*result = resume_request(&instance, pid, (int)request, (int)data);
		return true;
	}
	if (request == PTRACE_POKEDATA || request == PTRACE_POKETEXT) {
		codecache_note_write(instance.cache, address, sizeof(uint64_t));
		heapcheck_note_write(&check, address, sizeof(uint64_t));
	}
	/* A task may have watchpoints before it first runs: rr 5.9 gives a new one its parent's. */
	tracee = request == PTRACE_POKEUSER && debug_registers_is_offset(address, &index)
		     ? tracees_get(instance.tracees, pid)
		     : tracees_find(instance.tracees, pid);
	if (!tracee)
		return false;
	switch (request) {
	case PTRACE_GETSIGINFO:
		*result = answer_siginfo(tracee, (siginfo_t *)data);
		return true;
	case PTRACE_POKEUSER:
		if (!debug_registers_is_offset(address, &index))
			return false;
		*result = debug_registers_rr_poke(&tracee->debug, pid, index, data);
		return true;
	case PTRACE_PEEKUSER:
		if (!debug_registers_is_offset(address, &index))
			return false;
		*result = debug_registers_rr_peek(&tracee->debug, pid, index, (uint64_t *)data);
		return true;
	case PTRACE_DETACH:
		debug_registers_disarm(&tracee->debug, pid);
		stops_forget(&instance, pid);
		return false;
	case PTRACE_SEIZE:
	case PTRACE_ATTACH:
		stops_forget(&instance, pid); /* a reused number is a new task */
		return false;
	default:
		return false;
	}
}

INTERPOSED long ptrace(enum __ptrace_request request, ...)
{
	va_list list;
	pid_t pid;
	uint64_t address, data, word = 0;
	bool peeks =
	    request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER;
	struct tracee *tracee;
	long result;

	va_start(list, request);
	pid = va_arg(list, pid_t);
	address = va_arg(list, uint64_t);
	data = va_arg(list, uint64_t);
	va_end(list);
	if (peeks)
		data = (uint64_t)&word;
	if (resume_is_request((int)request)) {
		tracee = tracees_get(instance.tracees, pid);
		insertions_note_run(&instance.insertions);
		newcalls_refuse(instance.rr_version, tracee, (int)request);
		signalframe_begin(tracee, (int)data);
	}
	if (!answer_ptrace(request, pid, address, data, &result))
		result = kernel_ptrace(request, pid, address, data);
	if (result < 0 || !peeks)
		return with_errno(result);
	errno = 0;
	return (long)word;
}

/* Waiting. */

/* rr is about to see this stop. */
static void show(pid_t pid)
{
	struct tracee *tracee = tracees_find(instance.tracees, pid);

	instance.shown = pid;
	if (tracee)
		newcalls_restore(tracee);
}

/* rr expects its ITIMER_REAL to interrupt a wait; while we run legs it may fire between waits. */
static bool alarm_is_due(unsigned stops)
{
	struct timespec now;

	if (instance.alarm.tv_sec == 0 || stops % ALARM_EVERY != 0)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec < instance.alarm.tv_sec ||
	    (now.tv_sec == instance.alarm.tv_sec && now.tv_nsec < instance.alarm.tv_nsec))
		return false;
	instance.alarm.tv_sec = 0;
	errno = EINTR;
	return true;
}

INTERPOSED int setitimer(
    __itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
	if (which == ITIMER_REAL && value) {
		clock_gettime(CLOCK_MONOTONIC, &instance.alarm);
		instance.alarm.tv_sec += value->it_value.tv_sec;
		instance.alarm.tv_nsec += value->it_value.tv_usec * 1000;
		if (instance.alarm.tv_nsec >= 1000000000) {
			instance.alarm.tv_sec++;
			instance.alarm.tv_nsec -= 1000000000;
		}
		if (value->it_value.tv_sec == 0 && value->it_value.tv_usec == 0)
			instance.alarm.tv_sec = 0;
	}
	return LIBC(setitimer)(which, value, old);
}

INTERPOSED pid_t waitpid(pid_t pid, int *status, int options)
{
	for (unsigned stops = 1;; stops++) {
		int raw = 0;
		pid_t got = LIBC(waitpid)(pid, &raw, options);

		if (got <= 0)
			return got;
		if (stops_judge(&instance, got, &raw) == STOP_FOR_RR) {
			if (status)
				*status = raw;
			show(got);
			return got;
		}
		if (alarm_is_due(stops))
			return -1;
	}
}

/* A wait status as from waitpid, made from waitid's siginfo. */
static int status_of(const siginfo_t *info)
{
	switch (info->si_code) {
	case CLD_EXITED:
		return (info->si_status & 0xff) << 8;
	case CLD_KILLED:
		return info->si_status & 0x7f;
	case CLD_DUMPED:
		return (info->si_status & 0x7f) | 0x80;
	default:
		return (int)((unsigned)info->si_status << 8) | 0x7f;
	}
}

/* Looks at a stop that rr wants left in place; ours are consumed all the same. */
static enum stop_verdict judge_in_place(siginfo_t *info, int options, int *status)
{
	siginfo_t consumed = {0};
	struct tracee *tracee;

	if (!stops_may_be_ours(&instance, info->si_pid)) {
		tracee = tracees_find(instance.tracees, info->si_pid);
		if (tracee && tracee->overflowed && WIFSTOPPED(*status))
			*status = tracee->overflow.si_signo << 8 | 0x7f;
		return STOP_FOR_RR;
	}
	/*
	 * Judging counts and may resume, so only a stop that is certainly a leg's end is judged
	 * here; it is consumed first. A signal-delivery stop for rr is left for the next wait.
	 */
	if (*status != (SIGTRAP << 8 | 0x7f))
		return STOP_FOR_RR;
	LIBC(waitid)(P_PID, (id_t)info->si_pid, &consumed, (options & ~WNOWAIT) | WNOHANG);
	return stops_judge(&instance, info->si_pid, status);
}

INTERPOSED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t local = {0};
	siginfo_t *out = info ? info : &local;

	for (unsigned stops = 1;; stops++) {
		int result, status;
		enum stop_verdict verdict;

		memset(out, 0, sizeof *out);
		result = LIBC(waitid)(type, id, out, options);
		if (result < 0 || out->si_pid == 0)
			return result;
		status = status_of(out);
		if (options & WNOWAIT)
			verdict = judge_in_place(out, options, &status);
		else
			verdict = stops_judge(&instance, out->si_pid, &status);
		if (verdict == STOP_FOR_RR) {
			if (WIFSTOPPED(status))
				out->si_status = status >> 8;
			show(out->si_pid);
			return result;
		}
		if (alarm_is_due(stops))
			return -1;
	}
}

/* Memory maps. */

/* The whole file, read with libc's own calls; NULL if it cannot be read. */
static char *slurp(FILE *file, size_t *length)
{
	size_t size = 1 << 16, used = 0, got;
	char *text = malloc(size);

	while (text && (got = fread(text + used, 1, size - used, file)) > 0) {
		char *larger;

		used += got;
		if (used < size)
			continue;
		size *= 2;
		larger = size <= MAPS_BYTES_MAX ? realloc(text, size) : NULL;
		if (!larger)
			free(text);
		text = larger;
	}
	*length = used;
	return text;
}

/* A file with the joined lines in place of one opened on /proc/PID/maps; or that one, rewound. */
static FILE *join_vvar(FILE *file, const char *mode)
{
	size_t length, joined;
	char *text = slurp(file, &length);
	FILE *other = NULL;
	int fd = -1;

	rewind(file);
	if (!text)
		return file;
	joined = codecache_hide(text, maps_join_vvar(text, length));
	if (joined != length)
		fd = memfd_create("maps", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, text, joined) == (ssize_t)joined && lseek(fd, 0, SEEK_SET) == 0)
		other = fdopen(fd, mode);
	free(text);
	if (!other) {
		if (fd >= 0)
			close(fd);
		return file;
	}
	fclose(file);
	return other;
}

static FILE *any_fopen(const char *path, const char *mode)
{
	FILE *file = LIBC(fopen64)(path, mode);

	return file && maps_is_maps_path(path) ? join_vvar(file, mode) : file;
}

INTERPOSED FILE *fopen64(const char *path, const char *mode)
{
	return any_fopen(path, mode);
}

INTERPOSED FILE *fopen(const char *path, const char *mode)
{
	return any_fopen(path, mode);
}

/* rr asks only about files that are mapped. */
INTERPOSED int fstatfs(int fd, struct statfs *status)
{
	int result = LIBC(fstatfs)(fd, status);

	if (result == 0 && mappedfiles_is_copied(fd))
		status->f_type = TMPFS_MAGIC;
	return result;
}
