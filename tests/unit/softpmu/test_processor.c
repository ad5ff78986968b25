/*
 * What the processor is taken to do if that cannot be tried out.
 */
#include <check.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/runner.h"
#include "worker/softpmu/processor.h"

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
	    what_it_shall_lack_it_lacks,
	    NULL,
	};

	return run_tests("softpmu processor", tests, NULL, NULL);
}
