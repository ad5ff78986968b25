/*
 * Small functions that only take rights away. They must never grant anything, nor ignore a failure.
 */
#include "sandbox/drop.h"

#include <errno.h>
#include <linux/capability.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE		 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define CPU_GRACE_S 1
/* Bytes. Too few for a file, and the only limit at which nothing is piped to the machine's handler
 * of crashes, which runs outside and as root. */
#define NO_CORE 1

int drop_new_privs(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Sets the hard limit too, so that no child can raise it again; never above our own. */
static int set_limit(int resource, rlim_t value)
{
	/* SIGXCPU shows why a program ended, unlike SIGKILL, which comes next if the program
	 * ignores it */
	rlim_t grace = resource == RLIMIT_CPU ? CPU_GRACE_S : 0;
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return -1;
	if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max)
		value = limit.rlim_max;
	if (limit.rlim_max != RLIM_INFINITY && grace > limit.rlim_max - value)
		grace = limit.rlim_max - value;
	limit = (struct rlimit){.rlim_cur = value, .rlim_max = value + grace};
	return setrlimit(resource, &limit);
}

int drop_limits(const struct sandbox_policy *policy)
{
	const struct {
		int resource;
		rlim_t value;
	} limits[] = {
	    {RLIMIT_AS, policy->memory_max},
	    {RLIMIT_NPROC, policy->processes_max},
	    {RLIMIT_FSIZE, policy->file_max},
	    {RLIMIT_CPU, policy->cpu_seconds},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].value && set_limit(limits[i].resource, limits[i].value) < 0)
			return -1;
	return set_limit(RLIMIT_CORE, NO_CORE);
}

/* The kernel ends the list of capabilities it knows with EINVAL. */
static int drop_bounding(uint64_t keep)
{
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (keep & UINT64_C(1) << cap)
			continue;
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return errno == EINVAL || errno == EPERM ? 0 : -1;
	}
	return 0;
}

int drop_capabilities(uint64_t keep)
{
	cap_t now = cap_get_proc(), next = cap_init();
	int result = -1;

	if (!now || !next || drop_bounding(keep) < 0)
		goto out;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		goto out;
	for (cap_value_t cap = 0; cap < 64; cap++) {
		cap_flag_value_t has = CAP_CLEAR;

		if (!(keep & UINT64_C(1) << cap) ||
		    cap_get_flag(now, cap, CAP_PERMITTED, &has) < 0 || has == CAP_CLEAR)
			continue;
		if (cap_set_flag(next, CAP_PERMITTED, 1, &cap, CAP_SET) < 0 ||
		    cap_set_flag(next, CAP_EFFECTIVE, 1, &cap, CAP_SET) < 0)
			goto out;
	}
	result = cap_set_proc(next);
out:
	cap_free(now);
	cap_free(next);
	return result;
}

int drop_die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -1;
	if (getppid() != parent) {
		errno = ESRCH;
		return -1;
	}
	return 0;
}

int drop_dumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void drop_writable_code(void)
{
	(void)prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
}

static int compare_fds(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

int drop_descriptors(const int *keep, size_t count)
{
	int sorted[FDS_KEEP_MAX] = {0};
	unsigned from = STDERR_FILENO + 1;

	if (count > FDS_KEEP_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (count)
		memcpy(sorted, keep, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_fds);
	for (size_t i = 0; i < count; i++) {
		unsigned fd = (unsigned)sorted[i];

		if (sorted[i] < 0 || fd < from)
			continue;
		if (fd > from && close_range(from, fd - 1, 0) < 0)
			return -1;
		from = fd + 1;
	}
	return close_range(from, UINT_MAX, 0);
}
