/*
 * See broker.h: the process, from its fork to its end.
 */
#include "supervisor/monitor/broker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/drop.h"
#include "sandbox/log.h"
#include "sandbox/wire/descriptors.h"
#include "supervisor/monitor/broker_requests.h"
#include "supervisor/monitor/broker_sources.h"
#include "supervisor/monitor/compose.h"

/* Which files it can open and write. */
static void choose_files(struct broker *broker, struct sandbox_policy *own)
{
	static const char *const everything[] = {"/", NULL};
	static const char *writable[] = {NULL, NULL};
	const struct broker_task *task = &broker->task;

	own->read_only = task->keeps_ledger ? everything : task->trees.list;
	own->files_only = broker->source_directories.list;
	writable[0] = broker->ledger_place[0] ? broker->ledger_place
		      : task->archive[0]      ? task->directory
					      : task->trace;
	own->read_write = writable[0][0] ? writable : NULL;
}

static int confine(struct broker *broker, const struct sandbox_policy *policy, int audit)
{
	enum sandbox_role role = broker->task.keeps_ledger ? ROLE_LEDGER : ROLE_BROKER;
	const int keep[] = {broker->fd, broker->worker, audit};
	struct sandbox_policy own = {.parent = getppid(), .memory_max = policy->memory_max};
	struct sandbox_report report = {0};
	char why[BROKER_WHY_MAX];

	memcpy(own.requested, policy->requested, sizeof(own.requested));
	if (broker->task.keeps_ledger)
		own.memory_max = 0; /* its children need their own */
	choose_files(broker, &own);
	if (sandbox_enter(role, &own, keep, audit < 0 ? 2 : 3, &report, why, sizeof(why)) == 0)
		return 0;
	log_error("the broker's sandbox cannot be set up: %s", why);
	return -1;
}

/* Without a process namespace, a process that a compromised worker made can live on for a moment.
 * It gets nothing. */
static bool has_ended(int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	return poll(&ended, 1, 0) != 0;
}

/* It gets its task once, and has no access to anything before that. */
static _Noreturn void run(
    struct broker *broker, const struct sandbox_policy *policy, const struct settings *settings)
{
	static struct broker_request request;
	char go;
	int got, audit;

	if (drop_descriptors(&broker->fd, 1) < 0 ||
	    descriptors_receive(broker->fd, &go, 1, 0, &broker->worker, 1) != 1 ||
	    broker->worker < 0)
		_exit(0);
	broker_sources_prepare(broker);
	broker->policy = policy;
	broker->redact = settings_list(settings, SETTING_REDACT);
	audit = broker->task.syslog ? log_audit_to(LOG_SYSLOG) : -1;
	if (confine(broker, policy, audit) < 0 || send(broker->fd, "", 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	while ((got = broker_receive(broker->fd, &request)) != 0 && !has_ended(broker->worker))
		if (got > 0)
			broker_answer(broker, &request);
	_exit(0);
}

int broker_tell(struct broker *broker, const struct composition *composition, bool covers, int end)
{
	cleanup_fd int self = broker ? pidfd_open(getpid(), 0) : -1;
	char ready;

	if (!broker)
		return 0;
	broker_task_make(&broker->task, composition, covers);
	return self >= 0 && descriptors_send(end, "", 1, &self, 1) == 1 &&
		       recv(end, &ready, 1, 0) == 1
		   ? 0
		   : -1;
}

void broker_close(struct broker *broker)
{
	if (broker)
		munmap(broker, sizeof(*broker));
}

static bool needs_files(const struct composition *composition)
{
	return composition->kind == WORKER_REPLAY || composition->kind == WORKER_COMPARE ||
	       composition->kind == WORKER_RECORD || composition->operation == WIRE_OP_IMPORT ||
	       composition->operation == WIRE_OP_EXPORT || composition->operation == WIRE_OP_RM;
}

static int fork_process(struct broker *broker, const struct sandbox_policy *policy,
    const struct settings *settings, int fd)
{
	pid_t self = getpid(), pid = fork();
	sigset_t none;

	if (pid != 0)
		return pid < 0 ? -1 : 0;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	broker->fd = fd;
	(void)prctl(PR_SET_NAME, "rr-warden-files");
	if (drop_die_with(self) < 0)
		_exit(1);
	run(broker, policy, settings);
}

int broker_start(const struct composition *composition, const struct sandbox_policy *policy,
    struct broker **broker)
{
	cleanup_fd int worker = -1;
	cleanup_fd int process = -1;
	int ends[2];

	*broker = NULL;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	worker = ends[0];
	process = ends[1];
	if (!needs_files(composition))
		return steal_fd(&worker);
	*broker =
	    mmap(NULL, sizeof(**broker), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (*broker == MAP_FAILED) {
		*broker = NULL;
		return -1;
	}
	if (fork_process(*broker, policy, composition->settings, process) < 0) {
		broker_close(*broker);
		*broker = NULL;
		return -1;
	}
	return steal_fd(&worker);
}
