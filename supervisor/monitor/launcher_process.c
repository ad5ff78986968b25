/*
 * The launcher process. For a request that the settings allow, it makes a worker, and reports how
 * that went and how the worker ends. Talks only to the supervisor, and does not trust it: it takes
 * only the kind of worker and names from a request, and the child resolves the names. Reads no
 * JSON, and never waits for one worker: others' calls are in its queue.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/wire/descriptors.h"
#include "sandbox/log.h"
#include "supervisor/deadlines.h"
#include "supervisor/monitor/birth.h"
#include "supervisor/monitor/counter_proof.h"
#include "supervisor/monitor/launcher.h"
#include "supervisor/session.h"

#define NS_PER_MS    (DEADLINE_SECOND / 1000)
#define REFUSED_MAX  1000		 /* requests that the audit reports */
#define CHILDREN_MAX (2 * SESSION_SLOTS) /* those that are dying count too */

/* What the launcher polls. */
enum { POLL_SUPERVISOR, POLL_ENDS, POLL_BIRTHS, POLLS = POLL_BIRTHS + CHILDREN_MAX };

struct child {
	pid_t pid; /* 0: a free slot */
	uint32_t tag;
};

struct launcher {
	int fd;
	struct monitor monitor;
	struct child children[CHILDREN_MAX];
	struct birth *births[CHILDREN_MAX]; /* of the child in the same place; NULL: it is born */
	unsigned refused;		    /* requests */
};

static void send_notice(
    const struct launcher *launcher, const struct launch_notice *notice, const int fds[2])
{
	while (descriptors_send(launcher->fd, notice, sizeof(*notice), fds, fds ? 2 : 0) < 0)
		if (errno != EINTR)
			_exit(1); /* no supervisor, no launcher */
}

static struct child *child_slot(struct launcher *launcher, pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (launcher->children[i].pid == pid)
			return &launcher->children[i];
	return NULL;
}

static void launch(struct launcher *launcher, const struct launch_request *request)
{
	struct launch_notice notice = {.what = LAUNCH_FAILED,
	    .tag = request->tag,
	    .code = ERROR_LIMIT,
	    .why = "too many workers are running or ending"};
	struct child *child = child_slot(launcher, 0);
	struct birth *birth = child == NULL ? NULL
					    : birth_begin(&launcher->monitor, request,
						  launcher->births, CHILDREN_MAX, &notice);

	if (birth == NULL) {
		send_notice(launcher, &notice, NULL);
		return;
	}
	*child = (struct child){.pid = birth_pid(birth), .tag = request->tag};
	launcher->births[child - launcher->children] = birth;
}

static void finish(struct launcher *launcher, size_t slot)
{
	struct launch_notice notice;
	int fds[2];

	if (birth_finish(launcher->births[slot], &notice, fds) < 0) {
		launcher->children[slot].pid = 0;
		send_notice(launcher, &notice, NULL);
	} else {
		send_notice(launcher, &notice, fds);
		close(fds[0]);
		close(fds[1]);
	}
	launcher->births[slot] = NULL;
}

/* A child that died before its birth was finished keeps its slot: its channel tells the rest. */
static void note_end(struct launcher *launcher, struct child *child, int status)
{
	struct launch_notice notice = {.what = LAUNCH_EXITED, .tag = child->tag, .pid = child->pid};

	if (launcher->births[child - launcher->children]) {
		child->pid = -1;
		return;
	}
	notice.status = status;
	child->pid = 0;
	send_notice(launcher, &notice, NULL);
}

static void reap(struct launcher *launcher)
{
	struct child *child;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
		if ((child = child_slot(launcher, pid)) != NULL)
			note_end(launcher, child, status);
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
	if (request->kind == WORKER_RECORD &&
	    !settings_number(launcher->monitor.settings, SETTING_RECORD))
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
	bool syslog = settings_number(launcher->monitor.settings, SETTING_AUDIT) != 0;
	int audit = syslog ? log_audit_to(LOG_SYSLOG) : -1;
	const int keep[] = {launcher->fd, signals, audit};
	struct sandbox_policy policy;
	struct sandbox_report report = {0};
	char why[LAUNCH_WHY_MAX];

	launcher_layers(&policy, launcher->monitor.settings);
	policy.parent = getppid();
	if (sandbox_enter(
		ROLE_LAUNCHER, &policy, keep, audit < 0 ? 2 : 3, &report, why, sizeof(why)) == 0)
		return 0;
	log_error("the launcher's sandbox cannot be set up: %s", why);
	return -1;
}

/* Waits for the supervisor, an end, or a birth that can be finished. */
static void await(struct launcher *launcher, struct pollfd polls[POLLS])
{
	int64_t next = DEADLINE_NEVER, left;

	for (size_t i = 0; i < CHILDREN_MAX; i++) {
		const struct birth *birth = launcher->births[i];
		polls[POLL_BIRTHS + i] =
		    (struct pollfd){.fd = birth ? birth_fd(birth) : -1, .events = POLLIN};
		if (birth && birth_deadline(birth) < next)
			next = birth_deadline(birth);
	}
	left = next == DEADLINE_NEVER ? -1 : next - deadline_now();
	if (next != DEADLINE_NEVER)
		left = left < 0 ? 0 : left / NS_PER_MS + 1;
	if (poll(polls, POLLS, (int)left) < 0 && errno != EINTR)
		_exit(1);
}

static void finish_births(struct launcher *launcher, const struct pollfd *polls)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (launcher->births[i] &&
		    (polls[i].revents != 0 ||
			birth_deadline(launcher->births[i]) <= deadline_now()))
			finish(launcher, i);
}

_Noreturn void launcher_run(int fd, const struct paths *paths, const struct settings *settings,
    const struct sandbox_machine *machine)
{
	struct launcher launcher = {.fd = fd,
	    .monitor = {.paths = paths,
		.settings = settings,
		.machine = machine,
		.proof = counter_proof_new()}};
	struct launch_notice hello = {.what = LAUNCH_HELLO};
	struct pollfd polls[POLLS] = {
	    [POLL_SUPERVISOR] = {.fd = fd, .events = POLLIN}, [POLL_ENDS] = {.events = POLLIN}};
	struct signalfd_siginfo info;

	polls[POLL_ENDS].fd = watch_children();
	if (polls[POLL_ENDS].fd < 0 || lock_down(&launcher, polls[POLL_ENDS].fd) < 0)
		_exit(1);
	send_notice(&launcher, &hello, NULL);
	for (;;) {
		await(&launcher, polls);
		finish_births(&launcher, polls + POLL_BIRTHS);
		if (polls[POLL_ENDS].revents != 0) {
			while (read(polls[POLL_ENDS].fd, &info, sizeof(info)) > 0)
				;
			reap(&launcher);
		}
		if (polls[POLL_SUPERVISOR].revents != 0)
			serve_request(&launcher);
	}
}
