/*
 * What the processor is taken to do if that cannot be tried out.
 */
#include <check.h>
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/traps/processor.h"

enum { NOBODY = 65534 };

START_TEST(what_cannot_be_tried_is_taken_not_to_work)
{
	const struct rlimit none = {0, 0};
	int status;
	pid_t child = fork();

	if (child == 0) {
		/* No limit on processes holds root back. */
		if (setrlimit(RLIMIT_NPROC, &none) < 0 || (getuid() == 0 && setuid(NOBODY) < 0) ||
		    fork() >= 0)
			_exit(2);
		processor_probe(NULL);
		_exit(processor()->debug_registers || processor()->traps_rdtsc);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

static bool refuse_to_kill(void)
{
	const struct scmp_arg_cmp kills = {1, SCMP_CMP_EQ, SIGKILL, 0};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	return filter &&
	       seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, &kills) ==
		   0 &&
	       seccomp_load(filter) == 0;
}

/* As in a worker. The child stands at a stop when the probe is over. */
START_TEST(it_ends_its_child_where_kill_is_refused)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (!refuse_to_kill())
			_exit(2);
		processor_probe(NULL);
		_exit(waitpid(-1, NULL, __WALL) != -1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(what_it_shall_lack_it_lacks)
{
	processor_probe("debug,rdtsc");
	ck_assert(!processor()->debug_registers);
	ck_assert(!processor()->traps_rdtsc);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    what_cannot_be_tried_is_taken_not_to_work,
	    it_ends_its_child_where_kill_is_refused,
	    what_it_shall_lack_it_lacks,
	    NULL,
	};

	return run_tests("softpmu processor", tests, NULL, NULL);
}
