/*
 * Programs that are killed from outside while they are recorded, at any moment: in the program's
 * own code, in the code cache, or while the software counter does something in between. The
 * recording goes on, and it replays.
 */
#include <check.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define TIMEOUT_S 300

/* About one SIGKILL in 200,000 still leaves a recording that replays only up to there. */
static const struct {
	int children;
	bool replayed;
} rows[] = {{600, false}, {100, true}};

/* Records `killed` with so many children, counted in this way, in a folder of its own. The caller
 * frees the folder. */
static char *record_killed(const char *way, int children)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("killed");

	harness_shell("cd '%1$s' && mkfifo fifo && { '%2$s' fifo & } && "
		      "RR_WARDEN_SOFTPMU=%4$s '%3$s' --pmu=software rr record -o trace '%2$s' fifo "
		      "%5$d >recorded 2>errors && grep -qx 'killed %5$d' recorded || "
		      "{ cat errors; exit 1; }",
	    folder, program, harness_server(), way, children);
	return folder;
}

START_TEST(a_program_that_is_killed_at_any_moment_is_recorded_and_replays)
{
	char *folder = record_killed("run", rows[_i].children);

	if (rows[_i].replayed)
		harness_shell(
		    "cd '%s' && '%s' --pmu=software rr replay -a trace >replayed 2>&1\n"
		    "cmp recorded replayed || { cat errors; tail -n 50 replayed; exit 1; }",
		    folder, harness_server());
	harness_scratch_free(folder);
}
END_TEST

/*
 * Every child computes the same, so where two were killed with the same registers (0 apart, which
 * the sum keeps for a round) they have counted the same. Not in the code cache: there, children are
 * killed in more places than there are children.
 */
START_TEST(what_is_killed_at_the_same_place_has_the_same_ticks)
{
	static const char *const ways[] = {"legs", "step"};
	char *folder = record_killed(ways[_i], 300);

	harness_shell("cd '%s' && '%s' rr dump trace >events || exit 1\n"
		      "awk '/event:.SCHED/ { sub(/.*ticks:/, \"\"); ticks = $0; killed = 1 }\n"
		      "     killed && /^rax/ {\n"
		      "         place = $1 \" \" $4 \" \" $17 \" \" $18; killed = 0\n"
		      "         if ($1 == \"rax:0x0\") next\n"
		      "         if (place in counted) again++; else counted[place] = ticks\n"
		      "         if (counted[place] != ticks) { print place, counted[place], ticks; "
		      "wrong++ }\n"
		      "     }\n"
		      "     END { print again + 0, \"at a place of another\"; exit wrong || again "
		      "< 10 }' events",
	    folder, harness_server());
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("killed");
	TCase *all = tcase_create("killed");

	tcase_add_loop_test(all, a_program_that_is_killed_at_any_moment_is_recorded_and_replays, 0,
	    sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(all, what_is_killed_at_the_same_place_has_the_same_ticks, 0, 2);
	tcase_set_timeout(all, TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
