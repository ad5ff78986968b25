/*
 * See birth.h. Two processes run this code: the launcher, which forks and must never wait for what
 * a call names, and the child that becomes the worker, which looks at it.
 */
#include "supervisor/monitor/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "sandbox/wire/channel.h"
#include "sandbox/wire/failure.h"
#include "supervisor/deadlines.h"
#include "supervisor/monitor/broker.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/counter_proof.h"
#include "supervisor/monitor/log_writer.h"
#include "supervisor/monitor/start_message.h"

#define EXIT_NO_EXEC 127
#define SETUP_MAX_NS (SANDBOX_SETUP_MAX_MS * (DEADLINE_SECOND / 1000))

struct birth {
	const struct monitor *monitor;
	uint32_t tag, kind;
	struct sandbox_child child;
	struct sandbox_report report; /* the namespaces are known when it is forked */
	int supervisors, workers;     /* ends of the channel */
	int64_t deadline;
	struct composition *composition; /* of the child */
	char *trace; /* PATH_MAX bytes that both see: the child writes which trace is replayed */
	struct birth *const *others; /* of which the child must keep nothing */
	size_t other_count;
};

static const enum sandbox_role roles[] = {[WORKER_REPLAY] = ROLE_WORKER,
    [WORKER_RECORD] = ROLE_RECORD,
    [WORKER_QUERY] = ROLE_QUERY,
    [WORKER_COMPARE] = ROLE_WORKER};

static void close_all(struct birth *birth)
{
	cleanup_close(&birth->child.channel);
	cleanup_close(&birth->child.pidfd);
	cleanup_close(&birth->supervisors);
	cleanup_close(&birth->workers);
}

static void release(struct birth *birth)
{
	if (birth != NULL && birth->trace != NULL)
		munmap(birth->trace, PATH_MAX);
	free(birth);
}

static struct birth *new_birth(void)
{
	struct birth *birth = calloc(1, sizeof(*birth));
	int flags = MAP_SHARED | MAP_ANONYMOUS;
	char *trace =
	    birth == NULL ? MAP_FAILED : mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (trace == MAP_FAILED) {
		free(birth);
		return NULL;
	}
	birth->trace = trace;
	return birth;
}

/* ---- The child --------------------------------------------------------------------------------
 */

/* Passes a variable on to the worker, if we have it. */
static void pass_on(char **environment, size_t *count, const char *name)
{
	const char *value = getenv(name);

	if (value && asprintf(&environment[*count], "%s=%s", name, value) >= 0)
		++*count;
	environment[*count] = NULL;
}

/* A recorded program gets its user's environment. Other workers get only these variables, because
 * the environment may contain passwords. */
static char **environment_of(enum worker_kind kind)
{
	static const char *const names[] = {
	    "PATH", "HOME", "XDG_DATA_HOME", "_RR_TRACE_DIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ"};
	static char *environment[sizeof(names) / sizeof(*names) + 1];
	size_t count = 0;

	if (kind == WORKER_RECORD)
		return environ;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		pass_on(environment, &count, names[i]);
	return environment;
}

/* Sends the first packet that the worker reads: only the launcher configures a worker. So this is
 * done before the supervisor hears of it, and gets its end. */
static int compose_and_tell(void *owner, struct sandbox_policy *policy, char *why, size_t why_size)
{
	struct birth *birth = owner;
	const struct monitor *monitor = birth->monitor;
	json_t *message;
	enum channel_result sent;

	/* a worker ends when its channel does, so nobody else may hold an end of it */
	for (size_t i = 0; i < birth->other_count; i++)
		if (birth->others[i])
			close_all(birth->others[i]);
	birth->composition->in_view = birth->report.status[LAYER_MOUNT_NS] == STATUS_FULL;
	if (compose_paths(birth->composition, policy, why, why_size) < 0)
		return -1;
	strlcpy(birth->trace, birth->composition->trace, PATH_MAX);
	message = start_message(
	    monitor->settings, monitor->paths, birth->composition, policy, &birth->report);
	sent = channel_send(birth->supervisors, WIRE_OP_START, WIRE_START_ID, 0, message);
	json_decref(message);
	if (sent == CHANNEL_OK)
		return 0;
	snprintf(why, why_size, "the settings and paths of this call are too long for one packet");
	errno = E2BIG;
	return -1;
}

/* Moves both ends to their numbers, and closes everything else. */
static int place_ends(int channel, int broker)
{
	int high_channel = fcntl(channel, F_DUPFD, WORKER_BROKER_FD + 1);
	int high_broker = fcntl(broker, F_DUPFD, WORKER_BROKER_FD + 1);

	if (dup2(high_channel, WORKER_CHANNEL_FD) < 0 || dup2(high_broker, WORKER_BROKER_FD) < 0)
		return -1;
	return (int)syscall(SYS_close_range, WORKER_BROKER_FD + 1, ~0U, 0);
}

static _Noreturn void become_worker(const struct birth *birth)
{
	sigset_t none;
	char *argv[] = {(char *)"rr-warden-worker", NULL};

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (log_writer_join(LOG_SOURCE_WORKER) < 0 ||
	    place_ends(birth->workers, birth->composition->broker_end) < 0)
		_exit(EXIT_NO_EXEC);
	execve(birth->monitor->paths->worker, argv, environment_of((enum worker_kind)birth->kind));
	_exit(EXIT_NO_EXEC);
}

/* ---- The launcher -----------------------------------------------------------------------------
 */

static void fail(struct launch_notice *notice, const char *what, int error)
{
	notice->code = ERROR_INTERNAL;
	snprintf(notice->why, sizeof(notice->why), "%s: %s", what, strerror(error));
}

/* The limit on processes is reached; nothing is wrong with the call or the sandbox. */
static bool lacks_room(const struct sandbox_report *report)
{
	return report->error == EAGAIN || report->error == ENOMEM;
}

/* The child can pass only a text, not a code. */
static enum error_code code_of(const struct sandbox_report *report)
{
	if (lacks_room(report))
		return ERROR_LIMIT;
	if (!report->call_failed)
		return ERROR_SANDBOX_VIOLATION;
	switch (report->error) {
	case EPERM:
	case EACCES:
		return ERROR_NOT_ALLOWED;
	case ENOENT:
		return ERROR_NOT_FOUND;
	case E2BIG:
		return ERROR_LIMIT;
	default:
		return ERROR_INVALID_ARGUMENT;
	}
}

static void explain(const struct birth *birth, struct launch_notice *notice)
{
	notice->code = code_of(&birth->report);
	if (lacks_room(&birth->report))
		snprintf(notice->why, sizeof(notice->why),
		    "no worker could be started: %s: end some processes, or raise `ulimit -u` and "
		    "the server's memory limit",
		    strerror(birth->report.error));
	else if (notice->why[0] == 0)
		fail(notice, "no worker could be forked", birth->report.error);
}

static void make_policy(
    struct sandbox_policy *policy, const struct monitor *monitor, struct birth *birth)
{
	const struct settings *settings = monitor->settings;

	launcher_layers(policy, settings);
	policy->memory_max = (size_t)settings_number(settings, SETTING_MEMORY);
	policy->processes_max = (unsigned)settings_number(settings, SETTING_PROCESSES);
	policy->cpu_seconds = (unsigned)settings_number(settings, SETTING_CPU);
	policy->machine = monitor->machine;
	policy->own_network = settings_number(settings, SETTING_NETWORK) != 0;
	policy->compose = compose_and_tell;
	policy->owner = birth;
}

static bool needs_counter(const struct composition *composition)
{
	return composition->kind != WORKER_QUERY || composition->operation == WIRE_OP_STATUS;
}

/* Forks the broker, if it needs one, and the worker. 0, or -1 with the notice. */
static int fork_both(
    struct birth *birth, const struct launch_request *request, struct launch_notice *notice)
{
	const struct monitor *monitor = birth->monitor;
	struct composition *composition = birth->composition;
	struct sandbox_policy policy;
	pid_t pid;

	compose_begin(composition, monitor->settings, monitor->paths, request);
	if (needs_counter(composition))
		composition->pmu_why =
		    counter_proof_find(monitor->proof, monitor->settings, monitor->paths);
	make_policy(&policy, monitor, birth);
	composition->broker_end = broker_start(composition, &policy, &composition->broker);
	if (composition->broker_end < 0) {
		fail(notice, "no worker could be forked", errno);
		return -1;
	}
	pid = sandbox_begin(roles[birth->kind], &policy, &birth->child, &birth->report, notice->why,
	    sizeof(notice->why));
	if (pid == 0)
		become_worker(birth);
	if (pid < 0)
		explain(birth, notice);
	close(composition->broker_end);
	broker_close(composition->broker);
	return pid < 0 ? -1 : 0;
}

struct birth *birth_begin(const struct monitor *monitor, const struct launch_request *request,
    struct birth *const *others, size_t count, struct launch_notice *notice)
{
	struct birth *birth = new_birth();
	cleanup_free struct composition *composition = calloc(1, sizeof(*composition));
	int ends[2];

	*notice = (struct launch_notice){.what = LAUNCH_FAILED, .tag = request->tag};
	if (!birth || !composition || channel_pair(ends) < 0) {
		fail(notice, "no worker could be started", errno);
		release(birth);
		return NULL;
	}
	*birth = (struct birth){.monitor = monitor,
	    .tag = request->tag,
	    .kind = request->kind,
	    .child = {.pid = -1, .pidfd = -1, .channel = -1},
	    .supervisors = ends[0],
	    .workers = ends[1],
	    .deadline = deadline_now() + SETUP_MAX_NS,
	    .composition = composition,
	    .trace = birth->trace,
	    .others = others,
	    .other_count = count};
	if (fork_both(birth, request, notice) < 0) {
		close_all(birth);
		release(birth);
		return NULL;
	}
	birth->composition = NULL;
	close(steal_fd(&birth->workers));
	return birth;
}

pid_t birth_pid(const struct birth *birth)
{
	return birth->child.pid;
}

int birth_fd(const struct birth *birth)
{
	return birth->child.channel;
}

int64_t birth_deadline(const struct birth *birth)
{
	return birth->deadline;
}

int birth_finish(struct birth *birth, struct launch_notice *notice, int fds[2])
{
	int result;

	*notice = (struct launch_notice){
	    .what = LAUNCH_STARTED, .tag = birth->tag, .pid = birth->child.pid};
	result = sandbox_finish(&birth->child, &birth->report, notice->why, sizeof(notice->why));
	fds[0] = fds[1] = -1;
	if (result < 0) {
		notice->what = LAUNCH_FAILED;
		explain(birth, notice);
		close(birth->supervisors);
	} else {
		fds[0] = birth->supervisors;
		fds[1] = birth->child.pidfd;
		strlcpy(notice->trace, birth->trace, sizeof(notice->trace));
	}
	release(birth);
	return result;
}
