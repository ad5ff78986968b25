/*
 * What a process cannot get back once it has entered its role or was forked for one: limits, a
 * second exec, another parent.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "sandbox/sandbox.h"
#include "tests/unit/sandbox/child.h"
#include "tests/runner.h"

static struct sandbox_policy policy;
static struct sandbox_report report;
static char why[256];

static void set_up(void)
{
	sandbox_policy_default(&policy);
}

/* AddressSanitizer reserves 20 TB of addresses before the limit is set. */
#define MEMORY_MAX (1ull << 46)

/* One byte, where a limit of ours allows that: with 0 the kernel still pipes a core to a handler.
 * To be asked before the limits are set. */
static rlim_t no_core(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0 ? 0 : 1;
}

START_TEST(limits_are_for_good_and_there_is_no_core)
{
	pid_t child = fork();

	policy.memory_max = MEMORY_MAX;
	policy.processes_max = 77;
	policy.cpu_seconds = 99;
	policy.file_max = 1 << 20;
	if (child == 0) {
		const struct {
			int resource;
			rlim_t value;
		} limits[] = {{RLIMIT_AS, MEMORY_MAX}, {RLIMIT_NPROC, 77}, {RLIMIT_CPU, 99},
		    {RLIMIT_FSIZE, 1 << 20}, {RLIMIT_CORE, no_core()}};
		policy.memory_max = MEMORY_MAX;
		policy.processes_max = 77;
		policy.cpu_seconds = 99;
		policy.file_max = 1 << 20;
		EXPECT(
		    sandbox_enter(ROLE_RECORD, &policy, NULL, 0, &report, why, sizeof(why)) == 0);
		for (int i = 0; i < 5; i++) {
			struct rlimit limit;
			EXPECT(getrlimit(limits[i].resource, &limit) == 0);
			EXPECT(limit.rlim_cur == limits[i].value &&
			       limit.rlim_max ==
				   limit.rlim_cur + (limits[i].resource == RLIMIT_CPU ? 1 : 0));
		}
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(another_parent_than_named_is_refused)
{
	pid_t child = fork();

	if (child == 0) {
		policy.parent = 1 << 21;
		EXPECT(sandbox_enter(ROLE_RECORD, &policy, NULL, 0, &report, why, sizeof(why)) < 0);
		EXPECT(strncmp(why, "parent: ", 8) == 0);
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(a_forked_worker_has_its_limits_before_it_is_one)
{
	rlim_t core = no_core();
	int pidfd = -1;

	policy.memory_max = MEMORY_MAX;
	policy.processes_max = 400;
	pid_t child = sandbox_fork(ROLE_WORKER, &policy, &report, &pidfd, why, sizeof(why));
	ck_assert_msg(child >= 0, "%s", why);
	if (child == 0) {
		struct rlimit limit;
		EXPECT(getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_max == MEMORY_MAX);
		EXPECT(getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_max == 400);
		EXPECT(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == core);
		_exit(0);
	}
	passed(child);
	close(pidfd);
}
END_TEST

/* What this program does when it is executed under a role (see main). */
static int tried_exec(void)
{
	char *const none[] = {NULL};

	execve("/bin/true", none, none);
	return errno == ENOSYS ? 0 : 1;
}

START_TEST(gdb_executes_once)
{
	char self[PATH_MAX] = "";
	pid_t child = fork();

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	if (child == 0) {
		char *const argv[] = {self, (char *)"--try-exec", NULL};
		const char *seen[] = {"/", NULL};
		policy.requested[LAYER_LANDLOCK] = REQUEST_OFF; /* this program may lie in a home */
		policy.read_only = seen;
		EXPECT(sandbox_enter(ROLE_GDB, &policy, NULL, 0, &report, why, sizeof(why)) == 0);
		execve("/does/not/exist", argv, environ); /* a failed one does not count */
		EXPECT(errno == ENOENT);
		execve(self, argv, environ);
		_exit(2);
	}
	passed(child);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {
	    limits_are_for_good_and_there_is_no_core,
	    a_forked_worker_has_its_limits_before_it_is_one,
	    another_parent_than_named_is_refused,
	    gdb_executes_once,
	    NULL,
	};

	if (argc > 1 && strcmp(argv[1], "--try-exec") == 0)
		_exit(tried_exec()); /* without what a sanitizer would do at exit */
	return run_tests("enter", tests, set_up, NULL);
}
