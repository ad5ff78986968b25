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

#define SETUP_MAX_MS	     10000 /* a dead network mount must not hang the monitor */
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

static void await_outcome(int channel, struct outcome *outcome)
{
	struct pollfd fd = {.fd = channel, .events = POLLIN};
	int ready;

	do
		ready = poll(&fd, 1, SETUP_MAX_MS);
	while (ready < 0 && errno == EINTR);
	if (ready == 1 && recv(channel, outcome, sizeof(*outcome), 0) == sizeof(*outcome)) {
		outcome->why[sizeof(outcome->why) - 1] = '\0';
		return;
	}
	*outcome =
	    (struct outcome){.layer = LAYER_USER_NS, .error = ready == 0 ? ETIMEDOUT : ECHILD};
	/* Only files of a dead file system can take so long. */
	outcome->call_failed = ready == 0;
	snprintf(outcome->why, sizeof(outcome->why), "%s",
	    ready == 0 ? "a file system does not answer"
		       : "the child died while it was being set up");
}

/* As fork, with these namespaces; -1 with the outcome, and no child left. */
static pid_t fork_into(enum sandbox_role role, uint64_t flags, struct sandbox_policy *policy,
    int *pidfd, struct outcome *outcome)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int ends[2];
	pid_t pid;

	*outcome = (struct outcome){.layer = LAYER_USER_NS};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
		outcome->error = errno;
		snprintf(outcome->why, sizeof(outcome->why), "socketpair: %s", strerror(errno));
		return -1;
	}
	pid = ns_fork(flags, pidfd);
	if (pid == 0) {
		close(ends[0]);
		become_child(role, ends[1], flags, uid, gid, policy);
		return 0;
	}
	outcome->error = errno;
	close(ends[1]);
	if (pid < 0)
		snprintf(outcome->why, sizeof(outcome->why), "%s", strerror(outcome->error));
	else
		await_outcome(ends[0], outcome);
	if (pid > 0 && (outcome->layer >= 0 || send(ends[0], "", 1, MSG_NOSIGNAL) != 1)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(steal_fd(pidfd));
		pid = -1;
	}
	close(ends[0]);
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

pid_t sandbox_fork(enum sandbox_role role, struct sandbox_policy *policy,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size)
{
	const struct sandbox_machine *machine = policy->machine;
	struct sandbox_machine found;
	struct outcome outcome;
	uint64_t flags;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	*pidfd = -1;
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
	pid = fork_into(role, flags, policy, pidfd, &outcome);
	if (pid >= 0)
		return pid;
	report->call_failed = outcome.call_failed;
	report->error = outcome.error ? outcome.error : EPERM;
	if (outcome.call_failed || outcome.layer < 0)
		snprintf(why, why_size, "%s", outcome.why);
	else
		snprintf(why, why_size, "%s: %s",
		    sandbox_layer_name((enum sandbox_layer)outcome.layer), outcome.why);
	errno = report->error;
	return -1;
}
