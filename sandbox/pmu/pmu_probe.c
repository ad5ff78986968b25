/*
 * Finds out what pmu_decide needs to know. Must leave no process, descriptor or counter behind, and
 * must not wait for rr longer than the caller allows.
 */
#include "sandbox/pmu/pmu_probe.h"

#include "sandbox/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RR_HELP_MAX (16 * 1024)

int pmu_find_program(const char *name, char *path, size_t size)
{
	const char *directories = getenv("PATH");
	if (name[0] == '\0')
		return errno = ENOENT, -1;
	if (strchr(name, '/') != NULL) {
		cleanup_free char *real = realpath(name, NULL);
		if (real == NULL || access(real, X_OK) != 0)
			return -1;
		return strlcpy(path, real, size) < size ? 0 : (errno = ENAMETOOLONG, -1);
	}
	if (directories == NULL)
		directories = "/usr/local/bin:/usr/bin:/bin";
	for (const char *from = directories; *from != '\0';) {
		size_t length = strcspn(from, ":");
		int wrote = snprintf(path, size, "%.*s/%s", (int)length, from, name);
		if (from[0] == '/' && wrote > 0 && (size_t)wrote < size && access(path, X_OK) == 0)
			return 0;
		from += length + (from[length] == ':');
	}
	return errno = ENOENT, -1;
}

static long milliseconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

static pid_t start_rr_help(const char *rr, int output)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl(rr, "rr", "help", (char *)NULL);
	_exit(127);
}

/* Reads until end of file, the buffer's end or the deadline (false); terminates the text. */
static bool read_text(int fd, double seconds, char *text, size_t size)
{
	long deadline = milliseconds_now() + (long)(seconds * 1000);
	size_t length = 0;
	bool in_time = true;
	while (length < size - 1) {
		long left = deadline - milliseconds_now();
		struct pollfd readable = {.fd = fd, .events = POLLIN};
		in_time = left > 0;
		if (!in_time || (poll(&readable, 1, (int)left) < 0 && errno != EINTR))
			break;
		if (readable.revents == 0)
			continue;
		ssize_t got = read(fd, text + length, size - 1 - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	text[length] = '\0';
	return in_time;
}

/* One part of a version; *text is left behind the digits. Parts above 99 do not exist. */
static unsigned read_part(const char **text)
{
	unsigned value = 0;
	for (; isdigit((unsigned char)**text); (*text)++)
		value = value < 100 ? value * 10 + (unsigned)(**text - '0') : 100;
	return value < 100 ? value : 99;
}

void pmu_read_rr_help(const char *text, struct pmu_facts *facts)
{
	static const char intro[] = "rr version ";
	const char *version = strstr(text, intro);
	facts->rr_own_software = strstr(text, "--software-counters") != NULL;
	facts->rr_answers = version != NULL;
	if (version == NULL)
		return;
	unsigned part[3] = {0, 0, 0};
	version += strlen(intro);
	for (int i = 0; i < 3; i++) {
		part[i] = read_part(&version);
		if (*version == '.')
			version++;
	}
	facts->rr_version = PMU_RR_VERSION(part[0], part[1], part[2]);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void ask_rr(const char *rr, double seconds, struct pmu_facts *facts)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	cleanup_fd int output = ends[0];
	pid_t pid = start_rr_help(rr, ends[1]);
	close(ends[1]);
	facts->no_process = pid < 0;
	if (pid < 0)
		return;
	char text[RR_HELP_MAX];
	facts->rr_late = !read_text(output, seconds, text, sizeof(text));
	end_child(pid);
	pmu_read_rr_help(text, facts);
}

unsigned pmu_rr_version(const char *rr, double seconds)
{
	struct pmu_facts facts = {0};
	ask_rr(rr, seconds, &facts);
	return facts.rr_answers && !facts.rr_late ? facts.rr_version : 0;
}

/* Seizes its own child, as rr will do: Yama, a container's filter or a tracer of ours may refuse
 * that. */
static bool try_ptrace(struct pmu_facts *facts)
{
	pid_t pid = fork();
	facts->no_process |= pid < 0;
	if (pid < 0)
		return false;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	bool allowed = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	end_child(pid);
	return allowed;
}

/* The counter that rr's syscall buffer opens in the recorded program, kernel included. */
static bool try_switch_counter(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	    .disabled = 1,
	    .sample_period = 1,
	};
	cleanup_fd int fd = pmu_event_open(&attr);
	return fd >= 0;
}

/* The same in a program that has given up its capabilities: a change of users, or a namespace. */
static bool try_switch_counter_without_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {{0}, {0}};
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(syscall(SYS_capset, &header, none) != 0 || !try_switch_counter());
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

/* A software event that counts nothing. Some machines refuse even that. */
static bool try_own_event(void)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_DUMMY,
	    .exclude_kernel = 1,
	    .disabled = 1,
	};
	cleanup_fd int fd = pmu_event_open(&attr);
	return fd >= 0;
}

static void try_counter(struct pmu_facts *facts)
{
	struct pmu_processor processor;
	facts->x86_64 = pmu_processor_here(&processor);
	const struct pmu_event *event = pmu_event_of(&processor);
	if (event == NULL)
		return;
	facts->event_since = event->rr_since;
	facts->cores = pmu_cores_keep(pmu_core_kind, &facts->cores_before);
	facts->counter = pmu_counter_try(event->config);
	facts->speculates_on_locks = facts->counter == PMU_COUNTER_WORKS &&
				     processor.vendor == PMU_AMD && pmu_zen_speculates_on_locks();
}

void pmu_probe(const char *rr, double seconds, struct pmu_facts *facts, char *path)
{
	*facts = (struct pmu_facts){.counter = PMU_COUNTER_MISSING};
	facts->rr_found = pmu_find_program(rr, path, PATH_MAX) == 0;
	if (!facts->rr_found)
		return;
	ask_rr(path, seconds, facts);
	facts->ptrace_allowed = try_ptrace(facts);
	facts->switches_counted = try_switch_counter();
	facts->switches_counted_by_all =
	    facts->switches_counted && try_switch_counter_without_rights();
	facts->own_events = try_own_event();
	/* Switches off what is already off, to find out whether the kernel knows the call. */
	facts->calls_dispatched =
	    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
	try_counter(facts);
}
