/*
 * Programs that are killed from outside while they are recorded, at any moment: in the program's
 * own code, in the code cache, or while the software counter does something in between. The
 * recording goes on, and it replays.
 */
#include <check.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define CHILDREN  "600"
#define TIMEOUT_S 300

START_TEST(a_program_that_is_killed_at_any_moment_is_recorded_and_replays)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("killed");

	harness_shell("cd '%1$s' && mkfifo fifo && { '%2$s' fifo & } && "
		      "'%3$s' --pmu=software rr record -o trace '%2$s' fifo " CHILDREN
		      " >recorded 2>errors && grep -qx 'killed " CHILDREN "' recorded && "
		      "'%3$s' --pmu=software rr replay -a trace >replayed 2>&1; "
		      "cmp recorded replayed || { cat errors; tail -50 replayed; false; }",
	    folder, program, harness_server());
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("killed");
	TCase *all = tcase_create("killed");

	tcase_add_test(all, a_program_that_is_killed_at_any_moment_is_recorded_and_replays);
	tcase_set_timeout(all, TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
