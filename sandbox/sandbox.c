/*
 * The layers composed, in their order. Must never go on after a required layer has failed, and
 * never call one full that is not.
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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/drop.h"
#include "sandbox/landlock.h"
#include "sandbox/mounts.h"
#include "sandbox/ns.h"
#include "sandbox/policy.h"
#include "sandbox/seccomp.h"

#define SETUP_MAX_MS 10000 /* a dead network mount must not hang the launcher */

static const struct {
	enum sandbox_layer layer;
	uint64_t flag;
} spaces[] = {
    {LAYER_USER_NS, CLONE_NEWUSER}, /* first: it is what the others need of an ordinary user */
    {LAYER_PID_NS, CLONE_NEWPID},
    {LAYER_NET_NS, CLONE_NEWNET},
    {LAYER_MOUNT_NS, CLONE_NEWNS},
    {LAYER_IPC_NS, CLONE_NEWIPC},
    {LAYER_UTS_NS, CLONE_NEWUTS},
};
#define SPACE_COUNT (sizeof(spaces) / sizeof(*spaces))

/* What the child tells before it goes on. */
struct outcome {
	int layer; /* that failed, -1: none */
	int error;
	char why[96];
};

static void note(
    struct sandbox_report *report, enum sandbox_layer layer, enum sandbox_got got, const char *why)
{
	report->got[layer] = got;
	snprintf(report->why[layer], sizeof(report->why[layer]), "%s", why);
}

/*
 * A layer that could not be had: degraded where it was preferred; where it was required, the end,
 * with why filled.
 */
static int missing(enum sandbox_want want, enum sandbox_layer layer, const char *reason,
    struct sandbox_report *report, char *why, size_t why_size)
{
	note(report, layer, GOT_DEGRADED, reason);
	if (want != WANT_REQUIRE)
		return 0;
	snprintf(why, why_size, "%s: %s", sandbox_layer_name(layer), reason);
	return -1;
}

static int set_up_space(
    enum sandbox_layer layer, const struct sandbox_settings *settings, char *why, size_t why_size)
{
	switch (layer) {
	case LAYER_PID_NS:
		if (mounts_fresh_proc() < 0)
			return -1;
		if (settings->want[LAYER_RLIMITS] != WANT_OFF)
			ns_limit_processes(settings->processes_max);
		return 0;
	case LAYER_NET_NS:
		return ns_loopback_up();
	case LAYER_MOUNT_NS:
		return mounts_enter(settings, why, why_size);
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

static void set_up_spaces(uint64_t flags, uid_t uid, gid_t gid,
    const struct sandbox_settings *settings, struct outcome *outcome)
{
	outcome->layer = LAYER_USER_NS;
	if (flags & CLONE_NEWUSER && ns_map_ids(uid, gid) < 0)
		goto failed;
	/* before /proc is covered; a kernel without the knob nests, and seccomp has the rest */
	if (flags & CLONE_NEWUSER)
		(void)ns_forbid_nesting();
	for (size_t i = 0; i < SPACE_COUNT; i++) {
		outcome->layer = (int)spaces[i].layer;
		if (flags & spaces[i].flag &&
		    set_up_space(spaces[i].layer, settings, outcome->why, sizeof(outcome->why)) < 0)
			goto failed;
	}
	/* What made the namespaces must not reach into what runs in them. */
	outcome->layer = LAYER_CAPABILITIES;
	if (settings->want[LAYER_CAPABILITIES] != WANT_OFF &&
	    (drop_new_privs() < 0 || drop_capabilities(0) < 0))
		goto failed;
	/* Whoever takes the child over before it limits itself has these limits already. */
	outcome->layer = LAYER_RLIMITS;
	if (settings->want[LAYER_RLIMITS] != WANT_OFF && drop_limits(settings) < 0)
		goto failed;
	outcome->layer = -1;
	return;
failed:
	outcome->error = errno;
	if (!*outcome->why)
		snprintf(outcome->why, sizeof(outcome->why), "%s", strerror(errno));
}

/* Returns in a child that is set up, with the parent's consent; ends every other. */
static void become_child(
    int channel, uint64_t flags, uid_t uid, gid_t gid, const struct sandbox_settings *settings)
{
	struct outcome outcome = {.layer = -1};
	char consent;

	/* getppid() is 0 in a pid namespace: the consent shows that the parent lived after this. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		_exit(1);
	set_up_spaces(flags, uid, gid, settings, &outcome);
	if (send(channel, &outcome, sizeof(outcome), MSG_NOSIGNAL) != sizeof(outcome) ||
	    outcome.layer >= 0 || recv(channel, &consent, 1, 0) != 1)
		_exit(1);
	close(channel);
}

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
	snprintf(outcome->why, sizeof(outcome->why), "%s",
	    ready == 0 ? "setup took too long" : "the child died in its setup");
}

/* One attempt with these namespaces. As fork; -1 with the outcome, and no child left. */
static pid_t try_fork(
    uint64_t flags, const struct sandbox_settings *settings, int *pidfd, struct outcome *outcome)
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
		become_child(ends[1], flags, uid, gid, settings);
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

static enum sandbox_want want_of(
    enum sandbox_role role, enum sandbox_layer layer, const struct sandbox_settings *settings)
{
	enum sandbox_want want = settings->want[layer];

	if (layer == LAYER_NET_NS && role != ROLE_WORKER && want == WANT_REQUIRE)
		return WANT_PREFER;
	return want;
}

/* Takes a layer, and what cannot be without it, out of the flags. */
static int give_up(enum sandbox_role role, const struct sandbox_settings *settings,
    enum sandbox_layer layer, const char *reason, uint64_t *flags, struct sandbox_report *report,
    char *why, size_t why_size)
{
	for (size_t i = 0; i < SPACE_COUNT; i++) {
		enum sandbox_layer other = spaces[i].layer;
		char because[96];

		/* Without its own mounts a pid namespace would see the wrong /proc. */
		bool depends = layer == LAYER_MOUNT_NS && other == LAYER_PID_NS;
		if (!(*flags & spaces[i].flag) || (other != layer && !depends))
			continue;
		*flags &= ~spaces[i].flag;
		snprintf(
		    because, sizeof(because), "%s%s", depends ? "needs mount_ns: " : "", reason);
		if (missing(want_of(role, other, settings), other, because, report, why, why_size) <
		    0)
			return -1;
	}
	return 0;
}

/* Without a user namespace only root makes the others. */
static int give_up_users(enum sandbox_role role, const struct sandbox_settings *settings,
    const char *reason, uint64_t *flags, struct sandbox_report *report, char *why, size_t why_size)
{
	bool is_root = geteuid() == 0;
	uint64_t had = *flags;
	char because[96];

	if (had & CLONE_NEWUSER) {
		if (give_up(role, settings, LAYER_USER_NS, reason, flags, report, why, why_size) <
		    0)
			return -1;
		if (is_root)
			return 0;
	}
	snprintf(because, sizeof(because), "no user namespace: %.70s", reason);
	for (size_t i = 1; i < SPACE_COUNT; i++)
		if (give_up(
			role, settings, spaces[i].layer, because, flags, report, why, why_size) < 0)
			return -1;
	return 0;
}

static uint64_t wanted_spaces(const struct sandbox_settings *settings)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < SPACE_COUNT; i++)
		if (settings->want[spaces[i].layer] != WANT_OFF)
			flags |= spaces[i].flag;
	if (!(flags & CLONE_NEWNS))
		flags &= ~(uint64_t)CLONE_NEWPID;
	return flags;
}

pid_t sandbox_fork(enum sandbox_role role, const struct sandbox_settings *settings,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size)
{
	uint64_t flags = wanted_spaces(settings);
	struct outcome outcome;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	*pidfd = -1;
	snprintf(why, why_size, "%s", "");
	while ((pid = try_fork(flags, settings, pidfd, &outcome)) < 0) {
		int result;

		if (!flags) { /* nothing left to do without: fork itself fails */
			snprintf(why, why_size, "fork: %s", outcome.why);
			break;
		}
		if (outcome.layer == LAYER_CAPABILITIES || outcome.layer == LAYER_RLIMITS) {
			snprintf(why, why_size, "%s: %s",
			    sandbox_layer_name((enum sandbox_layer)outcome.layer), outcome.why);
			break;
		}
		if (outcome.layer == LAYER_USER_NS)
			result = give_up_users(
			    role, settings, outcome.why, &flags, report, why, why_size);
		else
			result = give_up(role, settings, (enum sandbox_layer)outcome.layer,
			    outcome.why, &flags, report, why, why_size);
		if (result < 0)
			break;
	}
	for (size_t i = 0; i < SPACE_COUNT; i++)
		if (pid >= 0 && flags & spaces[i].flag)
			note(report, spaces[i].layer, GOT_FULL, "");
	if (pid < 0)
		errno = outcome.error ? outcome.error : EPERM;
	return pid;
}

/* Which capabilities a role keeps: root's launcher needs more where there is no user namespace. */
static uint64_t kept_capabilities(const struct role_policy *policy)
{
	uint64_t map_root = UINT64_C(1) << CAP_SETFCAP;
	int pidfd;
	pid_t pid;

	if (!policy->capabilities || geteuid() != 0)
		return 0;
	pid = ns_fork(CLONE_NEWUSER, &pidfd);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return policy->capabilities;
	waitpid(pid, NULL, 0);
	close(pidfd);
	return policy->capabilities & map_root;
}

/* One step of sandbox_enter. 0; -1 with errno; or 1 with the reason for "degraded". */
typedef int step_function(const struct role_policy *policy, const struct sandbox_settings *settings,
    const char **degraded);

static int step_new_privs(const struct role_policy *policy, const struct sandbox_settings *settings,
    const char **degraded)
{
	(void)policy, (void)settings, (void)degraded;
	return drop_new_privs();
}

static int step_limits(const struct role_policy *policy, const struct sandbox_settings *settings,
    const char **degraded)
{
	(void)policy, (void)degraded;
	return drop_limits(settings);
}

static int step_landlock(const struct role_policy *policy, const struct sandbox_settings *settings,
    const char **degraded)
{
	if (!policy->landlocked)
		return 0;
	if (landlock_restrict(policy, settings) < 0)
		return -1;
	if (landlock_abi() >= LANDLOCK_ABI_FULL)
		return 0;
	*degraded = "this kernel's Landlock does not rule everything yet";
	return 1;
}

static int step_capabilities(const struct role_policy *policy,
    const struct sandbox_settings *settings, const char **degraded)
{
	(void)settings, (void)degraded;
	return drop_capabilities(kept_capabilities(policy));
}

static int step_seccomp(const struct role_policy *policy, const struct sandbox_settings *settings,
    const char **degraded)
{
	(void)settings;
	switch (seccomp_enter(policy)) {
	case SECCOMP_LOADED:
		return 0;
	case SECCOMP_EXEC_STAYS:
		*degraded = "exec cannot be limited to once here";
		return 1;
	case SECCOMP_FAILED:
		return -1;
	}
	return -1;
}

static int take_layer(enum sandbox_layer layer, step_function *step,
    const struct role_policy *policy, const struct sandbox_settings *settings,
    struct sandbox_report *report, char *why, size_t why_size)
{
	const char *degraded = "";
	int result;

	if (settings->want[layer] == WANT_OFF) {
		note(report, layer, GOT_OFF, "");
		return 0;
	}
	result = step(policy, settings, &degraded);
	if (result < 0)
		return missing(
		    settings->want[layer], layer, strerror(errno), report, why, why_size);
	note(report, layer, result ? GOT_DEGRADED : GOT_FULL, degraded);
	return 0;
}

static int fail_step(const char *step, char *why, size_t why_size)
{
	snprintf(why, why_size, "%s: %s", step, strerror(errno));
	return -1;
}

int sandbox_enter(enum sandbox_role role, const struct sandbox_settings *settings,
    const int *keep_fds, size_t keep_count, struct sandbox_report *report, char *why,
    size_t why_size)
{
	const struct role_policy *policy = &role_policies[role];

	/* jansson seeds its hash from /dev/urandom at its first use: now, while that opens */
	if (policy->reports)
		json_object_seed(0);
	/* Before everything: seccomp and Landlock ask for it. */
	if (take_layer(LAYER_NO_NEW_PRIVS, step_new_privs, policy, settings, report, why, why_size))
		return -1;
	if (take_layer(LAYER_RLIMITS, step_limits, policy, settings, report, why, why_size))
		return -1;
	if (drop_descriptors(keep_fds, keep_count) < 0)
		return fail_step("descriptors", why, why_size);
	/* While /proc and directories still open; before capabilities go, which it needs none of.
	 */
	if (take_layer(LAYER_LANDLOCK, step_landlock, policy, settings, report, why, why_size))
		return -1;
	if (take_layer(
		LAYER_CAPABILITIES, step_capabilities, policy, settings, report, why, why_size))
		return -1;
	if (policy->undumpable && drop_dumpable() < 0)
		return fail_step("dumpable", why, why_size);
	if (policy->reports)
		drop_writable_code();
	/* After the last change of credentials, which clears it. */
	if (settings->parent && drop_die_with(settings->parent) < 0)
		return fail_step("parent", why, why_size);
	/* Last: it forbids what the steps above need. */
	return take_layer(LAYER_SECCOMP, step_seccomp, policy, settings, report, why, why_size);
}
