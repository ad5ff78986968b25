/*
 * The launcher process. For a request that the settings allow, forks a worker into its sandbox,
 * sends it its configuration and executes it. When a worker dies, reports how. Talks only to the
 * supervisor, and does not trust it: it takes only the kind of worker and names from a request, and
 * the child resolves the names. Reads no JSON.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/wire/broker.h"
#include "sandbox/wire/channel.h"
#include "sandbox/wire/descriptors.h"
#include "sandbox/log.h"
#include "supervisor/monitor/broker.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/counter_proof.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/monitor/start_message.h"
#include "supervisor/session.h"

#define EXIT_NO_EXEC 127
#define REFUSED_MAX  1000		 /* requests that the audit reports */
#define CHILDREN_MAX (2 * SESSION_SLOTS) /* those that are dying count too */

struct child {
	pid_t pid;
	uint32_t tag;
};

struct launcher {
	int fd;
	const struct paths *paths;
	const struct settings *settings;
	const struct sandbox_machine *machine;
	struct counter_proof *proof;
	struct child children[CHILDREN_MAX];
	unsigned refused; /* requests */
};

static const enum sandbox_role roles[] = {[WORKER_REPLAY] = ROLE_WORKER,
    [WORKER_RECORD] = ROLE_RECORD,
    [WORKER_QUERY] = ROLE_QUERY,
    [WORKER_COMPARE] = ROLE_WORKER};

static void send_notice(
    const struct launcher *launcher, const struct launch_notice *notice, const int fds[2])
{
	while (descriptors_send(launcher->fd, notice, sizeof(*notice), fds, fds ? 2 : 0) < 0)
		if (errno != EINTR)
			_exit(1); /* no supervisor, no launcher */
}

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

/* A worker that is being made. */
struct birth {
	const struct launcher *launcher;
	struct composition composition;
	const struct sandbox_report *report; /* the namespaces are known when it is forked */
	int supervisors;		     /* end of the channel */
};

/* Sends the first packet that the worker reads: only the launcher configures a worker. So this is
 * done in the child before the supervisor hears of it, and gets its end. */
static int compose_and_tell(void *owner, struct sandbox_policy *policy, char *why, size_t why_size)
{
	struct birth *birth = owner;
	json_t *message;
	enum channel_result sent;

	if (compose_sight(&birth->composition, policy, why, why_size) < 0)
		return -1;
	message = start_message(birth->launcher->settings, birth->launcher->paths,
	    &birth->composition, policy, birth->report);
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

static _Noreturn void become_worker(
    const struct launcher *launcher, enum worker_kind kind, int channel, int broker)
{
	sigset_t none;
	char *argv[] = {(char *)"rr-warden-worker", NULL};

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (place_ends(channel, broker) < 0)
		_exit(EXIT_NO_EXEC);
	execve(launcher->paths->worker, argv, environment_of(kind));
	_exit(EXIT_NO_EXEC);
}

static struct child *child_slot(struct launcher *launcher, pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (launcher->children[i].pid == pid)
			return &launcher->children[i];
	return NULL;
}

static void fail(struct launch_notice *notice, const char *what, int error)
{
	notice->what = LAUNCH_FAILED;
	notice->code = ERROR_INTERNAL;
	snprintf(notice->why, sizeof(notice->why), "%s: %s", what, strerror(error));
}

static void set_limits(struct sandbox_policy *policy, const struct settings *settings)
{
	policy->memory_max = (size_t)settings_number(settings, SETTING_MEMORY);
	policy->processes_max = (unsigned)settings_number(settings, SETTING_PROCESSES);
	policy->cpu_seconds = (unsigned)settings_number(settings, SETTING_CPU);
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

static bool needs_counter(const struct composition *composition)
{
	return composition->kind != WORKER_QUERY || composition->operation == WIRE_OP_STATUS;
}

static pid_t fork_worker(const struct launcher *launcher, const struct launch_request *request,
    const int ends[2], struct launch_notice *notice, int *pidfd)
{
	static struct birth birth;
	struct composition *composition = &birth.composition;
	struct sandbox_policy policy;
	struct sandbox_report report;
	pid_t pid;

	birth.launcher = launcher;
	birth.report = &report;
	birth.supervisors = ends[0];
	compose_begin(composition, launcher->settings, launcher->paths, request);
	if (needs_counter(composition))
		composition->pmu_why =
		    counter_proof_find(launcher->proof, launcher->settings, launcher->paths);
	launcher_layers(&policy, launcher->settings);
	set_limits(&policy, launcher->settings);
	policy.machine = launcher->machine;
	policy.own_network = settings_number(launcher->settings, SETTING_NETWORK) != 0;
	policy.compose = compose_and_tell;
	policy.owner = &birth;
	composition->broker_end = broker_start(composition, &policy, &composition->broker);
	if (composition->broker_end < 0)
		return -1;
	pid = sandbox_fork(
	    roles[request->kind], &policy, &report, pidfd, notice->why, sizeof(notice->why));
	if (pid == 0)
		become_worker(
		    launcher, (enum worker_kind)request->kind, ends[1], composition->broker_end);
	close(composition->broker_end);
	broker_close(composition->broker);
	if (pid < 0)
		notice->code = code_of(&report);
	if (pid < 0 && lacks_room(&report))
		snprintf(notice->why, sizeof(notice->why),
		    "no worker could be started: %s: end some processes, or raise `ulimit -u` and "
		    "the server's memory limit",
		    strerror(report.error));
	return pid;
}

static void launch(struct launcher *launcher, const struct launch_request *request)
{
	struct launch_notice notice = {.what = LAUNCH_STARTED, .tag = request->tag};
	struct child *child = child_slot(launcher, 0);
	int ends[2], fds[2] = {-1, -1}, pidfd = -1;
	pid_t pid;

	if (child == NULL || channel_pair(ends) < 0) {
		fail(&notice, "no worker could be started", child == NULL ? EAGAIN : errno);
		send_notice(launcher, &notice, NULL);
		return;
	}
	pid = fork_worker(launcher, request, ends, &notice, &pidfd);
	close(ends[1]);
	if (pid < 0) {
		notice.what = LAUNCH_FAILED;
		if (notice.why[0] == 0)
			fail(&notice, "no worker could be forked", errno);
		send_notice(launcher, &notice, NULL);
	} else {
		*child = (struct child){.pid = pid, .tag = request->tag};
		notice.pid = pid;
		fds[0] = ends[0];
		fds[1] = pidfd;
		send_notice(launcher, &notice, fds);
	}
	close(ends[0]);
	if (pidfd >= 0)
		close(pidfd);
}

static void reap(struct launcher *launcher)
{
	struct launch_notice notice = {.what = LAUNCH_EXITED};
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		struct child *child = child_slot(launcher, pid);
		if (child == NULL)
			continue;
		notice.tag = child->tag;
		notice.pid = pid;
		notice.status = status;
		child->pid = 0;
		send_notice(launcher, &notice, NULL);
	}
}

#define KIND_SESSION WORKER_REPLAY
#define KIND_OPEN    WORKER_REPLAY
#define KIND_EITHER  WORKER_REPLAY
#define KIND_RECORD  WORKER_RECORD
#define KIND_QUERY   WORKER_QUERY
#define KIND_COMPARE WORKER_COMPARE
#define KIND_HERE    WORKER_ANY

/* A worker sees what its operation needs. One that replays must not have what another needs,
 * because it runs the trace's code. */
static bool kind_fits(uint32_t kind, uint32_t operation)
{
	static const struct {
		uint32_t operation;
		enum worker_kind kind;
	} rows[] = {
#define TOOL(NAME, name, handler, number, deadline, effect, title, description)                    \
	{number, KIND_##handler},
#include "sandbox/wire/tools.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].operation == operation && rows[i].kind == kind)
			return kind != WORKER_ANY;
	return false;
}

/* Whether the request is well-formed, and the settings allow it at all. */
static bool is_allowed(
    const struct launcher *launcher, const struct launch_request *request, ssize_t got)
{
	size_t strings = 0;

	if (got < (ssize_t)offsetof(struct launch_request, names) ||
	    request->length > sizeof(request->names) ||
	    (size_t)got != offsetof(struct launch_request, names) + request->length)
		return false;
	for (size_t at = 0; at < request->length; at++)
		strings += request->names[at] == '\0';
	if (strings != LAUNCH_NAME_COUNT || request->names[request->length - 1] != '\0')
		return false;
	if (request->kind == WORKER_RECORD && !settings_number(launcher->settings, SETTING_RECORD))
		return false;
	return kind_fits(request->kind, request->operation);
}

/* Our supervisor never comes near the limit, but a compromised one could fill the log. */
static void tell_refusal(struct launcher *launcher)
{
	if (launcher->refused >= REFUSED_MAX)
		return;
	log_audit("the monitor refused a request of the supervisor");
	if (++launcher->refused == REFUSED_MAX)
		log_audit("the monitor refuses further requests without a line for each");
}

static void serve_request(struct launcher *launcher)
{
	struct launch_request request;
	ssize_t got = recv(launcher->fd, &request, sizeof(request), MSG_DONTWAIT);

	if (got == 0)
		_exit(0);
	if (got < 0)
		return;
	if (is_allowed(launcher, &request, got))
		launch(launcher, &request);
	else
		tell_refusal(launcher);
}

static int watch_children(void)
{
	sigset_t children;

	/* The supervisor handles SIGINT and SIGHUP from a terminal. */
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigaddset(&children, SIGINT);
	sigaddset(&children, SIGHUP);
	sigaddset(&children, SIGTERM);
	sigprocmask(SIG_SETMASK, &children, NULL);
	sigdelset(&children, SIGINT);
	sigdelset(&children, SIGHUP);
	sigdelset(&children, SIGTERM);
	return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int lock_down(const struct launcher *launcher, int signals)
{
	bool syslog = settings_number(launcher->settings, SETTING_AUDIT) != 0;
	int audit = syslog ? log_audit_to(LOG_SYSLOG) : -1;
	const int keep[] = {launcher->fd, signals, audit};
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[LAUNCH_WHY_MAX];

	launcher_layers(&policy, launcher->settings);
	policy.parent = getppid();
	if (sandbox_enter(
		ROLE_LAUNCHER, &policy, keep, audit < 0 ? 2 : 3, &report, why, sizeof(why)) == 0)
		return 0;
	log_error("the launcher's sandbox cannot be set up: %s", why);
	return -1;
}

_Noreturn void launcher_run(int fd, const struct paths *paths, const struct settings *settings,
    const struct sandbox_machine *machine)
{
	struct launcher launcher = {.fd = fd,
	    .paths = paths,
	    .settings = settings,
	    .machine = machine,
	    .proof = counter_proof_new()};
	struct launch_notice hello = {.what = LAUNCH_HELLO};
	struct pollfd polls[2] = {{.fd = fd, .events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo info;

	polls[1].fd = watch_children();
	if (polls[1].fd < 0 || lock_down(&launcher, polls[1].fd) < 0)
		_exit(1);
	send_notice(&launcher, &hello, NULL);
	for (;;) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (polls[1].revents != 0) {
			while (read(polls[1].fd, &info, sizeof(info)) > 0)
				;
			reap(&launcher);
		}
		if (polls[0].revents != 0)
			serve_request(&launcher);
	}
}
