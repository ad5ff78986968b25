/*
 * Finds out which layers the machine supports, and forks children into their namespaces. Must never
 * go on after a required namespace has failed, and never call one full that is not.
 */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/drop.h"
#include "sandbox/landlock.h"
#include "sandbox/mounts.h"
#include "sandbox/ns.h"
#include "sandbox/report.h"
#include "sandbox/roles.h"
#include "sandbox/view.h"
#include "sandbox/whole.h"

#define SANDBOX_CALL_WHY_MAX 256

/* The namespaces among the layers, in their order: a user namespace first, because an ordinary user
 * needs one for the others. */
static const struct {
	enum sandbox_layer layer;
	uint64_t flag;
} layer_flags[] = {
#define X(NAME, name, DEFAULT, flag) {LAYER_##NAME, flag},
    LAYERS(X)
#undef X
};

/* What the child reports before it goes on. */
struct outcome {
	int layer; /* that failed, -1: none */
	int error;
	bool call_failed; /* a path in the call is the reason, not the layer */
	char why[SANDBOX_CALL_WHY_MAX];
};

/* ---- The child ------------------------------------------------------------------------------ */

static int set_up_namespace(enum sandbox_role role, enum sandbox_layer layer,
    const struct sandbox_policy *policy, struct outcome *outcome)
{
	switch (layer) {
	case LAYER_PID_NS:
		if (mounts_fresh_proc() < 0)
			return -1;
		if (policy->requested[LAYER_RLIMITS] != REQUEST_OFF)
			ns_limit_processes(policy->processes_max);
		return 0;
	case LAYER_NET_NS:
		return ns_loopback_up();
	case LAYER_MOUNT_NS:
		if (role == ROLE_RECORD)
			return whole_enter(
			    policy, &outcome->call_failed, outcome->why, sizeof(outcome->why));
		return view_enter(
		    policy, &outcome->call_failed, outcome->why, sizeof(outcome->why));
	case LAYER_NO_NEW_PRIVS:
	case LAYER_RLIMITS:
	case LAYER_CAPABILITIES:
	case LAYER_USER_NS: /* mapped before */
	case LAYER_IPC_NS:  /* nothing to do */
	case LAYER_UTS_NS:  /* nothing to do */
	case LAYER_LANDLOCK:
	case LAYER_SECCOMP:
	case LAYER_COUNT:
		return 0;
	}
	return 0;
}

static int compose(struct sandbox_policy *policy, struct outcome *outcome)
{
	if (!policy->compose)
		return 0;
	outcome->call_failed = true;
	if (policy->compose(policy->owner, policy, outcome->why, sizeof(outcome->why)) < 0)
		return -1;
	outcome->call_failed = false;
	return 0;
}

static int set_up(enum sandbox_role role, uint64_t flags, uid_t uid, gid_t gid,
    struct sandbox_policy *policy, struct outcome *outcome)
{
	outcome->layer = LAYER_USER_NS;
	if (flags & CLONE_NEWUSER && ns_map_ids(uid, gid) < 0)
		return -1;
	/* before /proc is covered; a kernel without this switch allows nesting, which seccomp then
	 * prevents */
	if (flags & CLONE_NEWUSER)
		(void)ns_forbid_nesting();
	/* while the whole file system is still visible */
	if (compose(policy, outcome) < 0)
		return -1;
	for (size_t i = 0; i < LAYER_COUNT; i++) {
		outcome->layer = (int)layer_flags[i].layer;
		if (flags & layer_flags[i].flag &&
		    set_up_namespace(role, layer_flags[i].layer, policy, outcome) < 0)
			return -1;
	}
	/* The process that made the namespaces must not have access to what runs in them. */
	outcome->layer = LAYER_CAPABILITIES;
	if (policy->requested[LAYER_CAPABILITIES] != REQUEST_OFF &&
	    (drop_new_privs() < 0 || drop_capabilities(0) < 0))
		return -1;
	/* Even a child that is compromised before it limits itself has these limits. */
	outcome->layer = LAYER_RLIMITS;
	if (policy->requested[LAYER_RLIMITS] != REQUEST_OFF && drop_limits(policy) < 0)
		return -1;
	/* A worker must signal rr and gdb, which it starts before it confines itself. Where there
	 * is no pid namespace, it could signal all of the user's processes. */
	outcome->layer = LAYER_LANDLOCK;
	if (role == ROLE_WORKER && policy->requested[LAYER_LANDLOCK] != REQUEST_OFF &&
	    (drop_new_privs() < 0 || landlock_keep_signals() < 0))
		return -1;
	outcome->layer = -1;
	return 0;
}

/* Returns in a child that is set up and has the parent's consent; ends it otherwise. */
static void become_child(enum sandbox_role role, int channel, uint64_t flags, uid_t uid, gid_t gid,
    struct sandbox_policy *policy)
{
	struct outcome outcome = {.layer = -1};
	char consent;

	/* getppid() is 0 in a pid namespace. The consent shows that the parent was still alive
	 * after this. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		_exit(1);
	if (set_up(role, flags, uid, gid, policy, &outcome) < 0) {
		outcome.error = errno;
		if (!*outcome.why)
			snprintf(outcome.why, sizeof(outcome.why), "%s", strerror(errno));
	}
	if (send(channel, &outcome, sizeof(outcome), MSG_NOSIGNAL) != sizeof(outcome) ||
	    outcome.layer >= 0 || recv(channel, &consent, 1, 0) != 1)
		_exit(1);
	close(channel);
}

/* ---- The parent ----------------------------------------------------------------------------- */

/* As fork, with these namespaces: the child is then being set up. -1 with the outcome. */
static pid_t begin_into(enum sandbox_role role, uint64_t flags, struct sandbox_policy *policy,
    struct sandbox_child *child, struct outcome *outcome)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int ends[2];

	*outcome = (struct outcome){.layer = LAYER_USER_NS};
	*child = (struct sandbox_child){.pid = -1, .pidfd = -1, .channel = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		outcome->error = errno;
		snprintf(outcome->why, sizeof(outcome->why), "socketpair: %s", strerror(errno));
		return -1;
	}
	child->pid = ns_fork(flags, &child->pidfd);
	if (child->pid == 0) {
		close(ends[0]);
		become_child(role, ends[1], flags, uid, gid, policy);
		return 0;
	}
	outcome->error = errno;
	close(ends[1]);
	if (child->pid < 0) {
		snprintf(outcome->why, sizeof(outcome->why), "%s", strerror(outcome->error));
		close(ends[0]);
		return -1;
	}
	child->channel = ends[0];
	return child->pid;
}

static void await(const struct sandbox_child *child)
{
	struct pollfd fd = {.fd = child->channel, .events = POLLIN};

	while (poll(&fd, 1, SANDBOX_SETUP_MAX_MS) < 0 && errno == EINTR)
		;
}

/* What the child says, or that it says nothing. */
static void take_outcome(const struct sandbox_child *child, struct outcome *outcome)
{
	ssize_t got = recv(child->channel, outcome, sizeof(*outcome), MSG_DONTWAIT);
	bool late = got < 0 && (errno == EAGAIN || errno == EINTR);

	if (got == sizeof(*outcome)) {
		outcome->why[sizeof(outcome->why) - 1] = '\0';
		return;
	}
	*outcome = (struct outcome){.layer = LAYER_USER_NS, .error = late ? ETIMEDOUT : ECHILD};
	/* Only files of a dead file system, or very many of them, can take so long. */
	outcome->call_failed = late;
	snprintf(outcome->why, sizeof(outcome->why), "%s",
	    late ? "a file system does not answer" : "the child died while it was being set up");
}

/* Lets the child go on, or kills it: -1 with the outcome. The caller reaps it. */
static int finish_into(struct sandbox_child *child, struct outcome *outcome)
{
	int result = 0;

	take_outcome(child, outcome);
	if (outcome->layer >= 0 || send(child->channel, "", 1, MSG_NOSIGNAL) != 1) {
		/* its number may be another's by now */
		syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
		cleanup_close(&child->pidfd);
		result = -1;
	}
	cleanup_close(&child->channel);
	return result;
}

static pid_t fork_into(enum sandbox_role role, uint64_t flags, struct sandbox_policy *policy,
    int *pidfd, struct outcome *outcome)
{
	struct sandbox_child child;
	pid_t pid = begin_into(role, flags, policy, &child, outcome);

	if (pid <= 0)
		return pid;
	await(&child);
	if (finish_into(&child, outcome) < 0) {
		waitpid(pid, NULL, 0);
		return -1;
	}
	*pidfd = child.pidfd;
	return pid;
}

/* ---- What the machine has ---------------------------------------------------------------------
 */

static void lacks(
    struct sandbox_machine *machine, enum sandbox_layer layer, const char *before, const char *why)
{
	machine->has[layer] = false;
	snprintf(machine->why[layer], sizeof(machine->why[layer]), "%s%.70s", before, why);
}

/* The next attempt leaves out a layer, and the layers that need it. */
static uint64_t learn(struct sandbox_machine *machine, const struct outcome *outcome)
{
	bool again = outcome->layer == LAYER_USER_NS && !machine->has[LAYER_USER_NS];
	uint64_t flags = 0;

	lacks(machine, (enum sandbox_layer)outcome->layer, "", outcome->why);
	/* Without its own mounts a pid namespace would see the wrong /proc. */
	if (outcome->layer == LAYER_MOUNT_NS && machine->has[LAYER_PID_NS])
		lacks(machine, LAYER_PID_NS, "needs mount_ns: ", outcome->why);
	/* Without a user namespace, only root can make the others, but not root in a container. */
	for (size_t i = 0;
	     outcome->layer == LAYER_USER_NS && (again || geteuid() != 0) && i < LAYER_COUNT; i++)
		if (layer_flags[i].flag && layer_flags[i].layer != LAYER_USER_NS)
			lacks(machine, layer_flags[i].layer, "no user namespace: ", outcome->why);
	for (size_t i = 0; i < LAYER_COUNT; i++)
		if (machine->has[layer_flags[i].layer])
			flags |= layer_flags[i].flag;
	return flags;
}

/* A shortage that may soon be over says nothing about the machine. */
static bool is_want_of_room(int error)
{
	return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

static int probe_namespaces(struct sandbox_machine *machine)
{
	struct sandbox_policy policy = {0};
	struct outcome outcome;
	uint64_t flags = 0, before;
	int pidfd = -1;
	pid_t pid;

	for (size_t i = 0; i < LAYER_COUNT; i++)
		flags |= layer_flags[i].flag;
	do {
		before = flags;
		pid = fork_into(ROLE_WORKER, flags, &policy, &pidfd, &outcome);
		if (pid == 0)
			_exit(0);
		if (pid < 0 && is_want_of_room(outcome.error)) {
			errno = outcome.error;
			return -1;
		}
		if (pid < 0 && outcome.layer >= 0)
			flags = learn(machine, &outcome);
	} while (pid < 0 && flags && flags != before);
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		close(pidfd);
	}
	return 0;
}

int sandbox_probe(struct sandbox_machine *machine)
{
	*machine = (struct sandbox_machine){0};
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		machine->has[layer] = true;
	if (landlock_abi() < 1)
		lacks(machine, LAYER_LANDLOCK, "", LANDLOCK_MISSING);
	return probe_namespaces(machine);
}

/* ---- The fork ---------------------------------------------------------------------------------
 */

static enum layer_request requested_of(
    enum sandbox_role role, enum sandbox_layer layer, const struct sandbox_policy *policy)
{
	enum layer_request want = policy->requested[layer];

	bool needed = role == ROLE_WORKER || (role == ROLE_RECORD && policy->own_network);

	if (layer == LAYER_NET_NS && !needed && want == REQUEST_REQUIRE)
		return REQUEST_PREFER;
	return want;
}

/* Whether we can make namespaces without a user namespace. */
static bool may_administer(void)
{
	cap_t now = cap_get_proc();
	cap_flag_value_t has = CAP_CLEAR;

	if (now)
		(void)cap_get_flag(now, CAP_SYS_ADMIN, CAP_EFFECTIVE, &has);
	cap_free(now);
	return has == CAP_SET;
}

/* The namespaces that this child gets, or -1 with why when a required one is missing. */
static int choose_namespaces(enum sandbox_role role, const struct sandbox_policy *policy,
    const struct sandbox_machine *machine, uint64_t *flags, struct sandbox_report *report,
    char *why, size_t why_size)
{
	*flags = 0;
	for (size_t i = 0; i < LAYER_COUNT; i++) {
		enum sandbox_layer layer = layer_flags[i].layer;
		enum layer_request want = requested_of(role, layer, policy);

		if (!layer_flags[i].flag || want == REQUEST_OFF)
			continue;
		if (layer == LAYER_NET_NS && role == ROLE_RECORD && !policy->own_network) {
			report_layer(report, layer, STATUS_UNUSED,
			    LAYER_UNUSED "a recorded program has its user's network");
			continue;
		}
		if (layer == LAYER_PID_NS && policy->requested[LAYER_MOUNT_NS] == REQUEST_OFF) {
			report_layer(
			    report, layer, STATUS_DEGRADED, "needs mount_ns, which is off");
		} else if (policy->requested[LAYER_USER_NS] == REQUEST_OFF && !may_administer()) {
			report_layer(report, layer, STATUS_DEGRADED, "needs user_ns, which is off");
		} else if (machine->has[layer]) {
			*flags |= layer_flags[i].flag;
			report_layer(report, layer, STATUS_FULL, "");
			continue;
		} else {
			report_layer(report, layer, STATUS_DEGRADED, machine->why[layer]);
		}
		if (want == REQUEST_REQUIRE) {
			snprintf(
			    why, why_size, "%s: %s", sandbox_layer_name(layer), report->why[layer]);
			return -1;
		}
	}
	return 0;
}

static int fail_to_fork(
    const struct outcome *outcome, struct sandbox_report *report, char *why, size_t why_size)
{
	report->call_failed = outcome->call_failed;
	report->error = outcome->error ? outcome->error : EPERM;
	if (outcome->call_failed || outcome->layer < 0)
		snprintf(why, why_size, "%s", outcome->why);
	else
		snprintf(why, why_size, "%s: %s",
		    sandbox_layer_name((enum sandbox_layer)outcome->layer), outcome->why);
	errno = report->error;
	return -1;
}

pid_t sandbox_begin(enum sandbox_role role, struct sandbox_policy *policy,
    struct sandbox_child *child, struct sandbox_report *report, char *why, size_t why_size)
{
	const struct sandbox_machine *machine = policy->machine;
	struct sandbox_machine found;
	struct outcome outcome;
	uint64_t flags;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	snprintf(why, why_size, "%s", "");
	if (!machine) {
		if (sandbox_probe(&found) < 0) {
			report->error = errno;
			snprintf(why, why_size, "no process could be started to try a sandbox: %s",
			    strerror(errno));
			return -1;
		}
		machine = &found;
	}
	if (choose_namespaces(role, policy, machine, &flags, report, why, why_size) < 0) {
		errno = report->error = EPERM;
		return -1;
	}
	pid = begin_into(role, flags, policy, child, &outcome);
	return pid < 0 ? fail_to_fork(&outcome, report, why, why_size) : pid;
}

int sandbox_finish(
    struct sandbox_child *child, struct sandbox_report *report, char *why, size_t why_size)
{
	struct outcome outcome;

	if (finish_into(child, &outcome) < 0)
		return fail_to_fork(&outcome, report, why, why_size);
	return 0;
}

pid_t sandbox_fork(enum sandbox_role role, struct sandbox_policy *policy,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size)
{
	struct sandbox_child child;
	pid_t pid = sandbox_begin(role, policy, &child, report, why, why_size);

	*pidfd = -1;
	if (pid <= 0)
		return pid;
	await(&child);
	if (sandbox_finish(&child, report, why, why_size) < 0) {
		int error = errno;
		waitpid(pid, NULL, 0);
		errno = error;
		return -1;
	}
	*pidfd = child.pidfd;
	return pid;
}
