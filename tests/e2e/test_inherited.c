/*
 * A forked child inherits what was translated for its parent and its brothers, and runs nothing of
 * it that was made from code which is not its own.
 */
#include <check.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define TIMEOUT_S 120

/* Records and replays the program with so many children, checks what it prints, and prints how many
 * blocks were translated for the recording. */
#define BLOCKS                                                                                     \
	"blocks() {"                                                                               \
	"	rm -rf trace stats\n"                                                                    \
	"	RR_WARDEN_SOFTPMU_STATS=$PWD/stats '%1$s' --pmu=software rr record -o trace"             \
	"		'%2$s' $1 >printed || exit 1\n"                                                         \
	"	seq -s ' ' $(($1 + 1)) >expected\n"                                                      \
	"	cmp expected printed >&2 || exit 1\n"                                                    \
	"	'%1$s' --pmu=software rr replay -a trace | cmp printed >&2 || exit 1\n"                  \
	"	tail -n 1 stats | sed 's/.* blocks=//; s/ .*//'\n"                                       \
	"}\n"

START_TEST(a_forked_child_inherits_translations_of_its_own_code_only)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("inherits");

	harness_shell("cd '%3$s' || exit 1\n" BLOCKS
		      "one=$(blocks 1) && many=$(blocks 12) || exit 1\n"
		      "echo \"with 1 child $one blocks, with 12 $many\" >&2\n"
		      "[ $one -gt 100 ] && [ $many -lt $((one + one / 2)) ]",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inherited");
	TCase *all = tcase_create("inherited");

	tcase_add_test(all, a_forked_child_inherits_translations_of_its_own_code_only);
	tcase_set_timeout(all, TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
