/*
 * Locks the calling process for its role: applies the layers other than namespaces, in their order.
 * Must never go on after a required layer has failed, and never call one full that is not.
 */
#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/drop.h"
#include "sandbox/landlock.h"
#include "sandbox/ns.h"
#include "sandbox/report.h"
#include "sandbox/roles.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp.h"

/* Which capabilities a role keeps: root's launcher needs more where there is no user namespace. */
static uint64_t kept_capabilities(const struct role_rules *rules)
{
	uint64_t map_root = UINT64_C(1) << CAP_SETFCAP;
	int pidfd;
	pid_t pid;

	if (!rules->capabilities || geteuid() != 0)
		return 0;
	pid = ns_fork(CLONE_NEWUSER, &pidfd);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return rules->capabilities;
	waitpid(pid, NULL, 0);
	close(pidfd);
	return rules->capabilities & map_root;
}

/* One step of sandbox_enter. 0; -1 with errno; or 1 with the reason for "degraded". */
typedef int step_function(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded);

static int step_new_privs(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded)
{
	(void)rules, (void)policy, (void)degraded;
	return drop_new_privs();
}

static int step_limits(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded)
{
	(void)rules, (void)degraded;
	return drop_limits(policy);
}

static int step_landlock(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded)
{
	if (!rules->landlocked)
		return 0;
	if (landlock_restrict(rules, policy) < 0)
		return -1;
	if (landlock_abi() >= LANDLOCK_ABI_FULL)
		return 0;
	*degraded = LANDLOCK_OLD;
	return 1;
}

static int step_capabilities(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded)
{
	(void)policy, (void)degraded;
	return drop_capabilities(kept_capabilities(rules));
}

static int step_seccomp(
    const struct role_rules *rules, const struct sandbox_policy *policy, const char **degraded)
{
	bool compat =
	    rules->compat == COMPAT_ALWAYS || (rules->compat == COMPAT_ASKED && policy->compat_abi);

	switch (seccomp_enter(rules, compat)) {
	case SECCOMP_LOADED:
		return 0;
	case SECCOMP_EXEC_STAYS:
		*degraded = "this machine cannot limit exec to one call";
		return 1;
	case SECCOMP_FAILED:
		return -1;
	}
	return -1;
}

/* The only one of these layers that a machine may lack; any other failure makes the call fail. */
static bool machine_lacks(enum sandbox_layer layer)
{
	return layer == LAYER_LANDLOCK && landlock_abi() < 1;
}

static int apply_layer(enum sandbox_layer layer, step_function *step,
    const struct role_rules *rules, const struct sandbox_policy *policy,
    struct sandbox_report *report, char *why, size_t why_size)
{
	const char *degraded = "";
	int result;

	if (policy->requested[layer] == REQUEST_OFF) {
		report_layer(report, layer, STATUS_OFF, "");
		return 0;
	}
	result = step(rules, policy, &degraded);
	if (result < 0) {
		int error = errno;
		bool lacking = machine_lacks(layer);
		report_layer(report, layer, STATUS_DEGRADED, strerror(error));
		if (lacking && policy->requested[layer] != REQUEST_REQUIRE)
			return 0;
		snprintf(why, why_size, "%s: %s", sandbox_layer_name(layer), strerror(error));
		errno = error;
		return -1;
	}
	report_layer(report, layer, result ? STATUS_DEGRADED : STATUS_FULL, degraded);
	return 0;
}

static int fail_step(const char *step, char *why, size_t why_size)
{
	snprintf(why, why_size, "%s: %s", step, strerror(errno));
	return -1;
}

int sandbox_enter(enum sandbox_role role, const struct sandbox_policy *policy, const int *keep_fds,
    size_t keep_count, struct sandbox_report *report, char *why, size_t why_size)
{
	const struct role_rules *rules = &role_rules[role];

	/* jansson seeds its hash from /dev/urandom at first use: do that now, while it can be
	 * opened */
	if (rules->reports)
		json_object_seed(0);
	/* Before everything else, because seccomp and Landlock need it. */
	if (apply_layer(LAYER_NO_NEW_PRIVS, step_new_privs, rules, policy, report, why, why_size))
		return -1;
	if (apply_layer(LAYER_RLIMITS, step_limits, rules, policy, report, why, why_size))
		return -1;
	if (drop_descriptors(keep_fds, keep_count) < 0)
		return fail_step("descriptors", why, why_size);
	/* While /proc and directories can still be opened. It needs no capabilities, which go next.
	 */
	if (apply_layer(LAYER_LANDLOCK, step_landlock, rules, policy, report, why, why_size))
		return -1;
	if (apply_layer(
		LAYER_CAPABILITIES, step_capabilities, rules, policy, report, why, why_size))
		return -1;
	if (rules->undumpable && drop_dumpable() < 0)
		return fail_step("dumpable", why, why_size);
	if (rules->reports)
		drop_writable_code();
	/* After the last change of credentials, which clears it. */
	if (policy->parent && drop_die_with(policy->parent) < 0)
		return fail_step("parent", why, why_size);
	/* Last: it forbids what the steps above need. */
	return apply_layer(LAYER_SECCOMP, step_seccomp, rules, policy, report, why, why_size);
}

void sandbox_expect(const struct sandbox_policy *policy, struct sandbox_report *report)
{
	static const uint64_t namespaces[LAYER_COUNT] = {
#define X(NAME, name, DEFAULT, flag) [LAYER_##NAME] = (flag),
	    LAYERS(X)
#undef X
	};
	int abi = landlock_abi();

	for (int layer = 0; layer < LAYER_COUNT; layer++)
		if (namespaces[layer] == 0)
			report_layer(report, (enum sandbox_layer)layer,
			    policy->requested[layer] == REQUEST_OFF ? STATUS_OFF : STATUS_FULL, "");
	if (report->status[LAYER_LANDLOCK] == STATUS_FULL && abi < 1)
		report_layer(report, LAYER_LANDLOCK, STATUS_DEGRADED, LANDLOCK_MISSING);
	else if (report->status[LAYER_LANDLOCK] == STATUS_FULL && abi < LANDLOCK_ABI_FULL)
		report_layer(report, LAYER_LANDLOCK, STATUS_DEGRADED, LANDLOCK_OLD);
}
