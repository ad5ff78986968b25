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

/*
 * Records `killed` with so many children, counted in this way, in a folder of its own; they show
 * how far they are in the file of that name there, or compute if it is empty. The caller frees the
 * folder.
 */
static char *record_killed(const char *way, int children, const char *file)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("killed");

	harness_shell("cd '%1$s' && mkfifo fifo && head -c 8 /dev/zero >rounds && "
		      "{ '%2$s' fifo %6$s & } && "
		      "RR_WARDEN_SOFTPMU=%4$s '%3$s' --pmu=software rr record -o trace '%2$s' fifo "
		      "%5$d %6$s >recorded 2>errors && grep -qx 'killed %5$d' recorded || "
		      "{ cat errors; exit 1; }",
	    folder, program, harness_server(), way, children, file);
	return folder;
}

START_TEST(a_program_that_is_killed_at_any_moment_is_recorded_and_replays)
{
	char *folder = record_killed("run", rows[_i].children, "");

	if (rows[_i].replayed)
		harness_shell(
		    "cd '%s' && '%s' --pmu=software rr replay -a trace >replayed 2>&1\n"
		    "cmp recorded replayed || { cat errors; tail -n 50 replayed; exit 1; }",
		    folder, harness_server());
	harness_scratch_free(folder);
}
END_TEST

/*
 * Each child counts its conditional branches in r12, in a loop of six instructions. So of two that
 * were killed at the same of them, the ticks since the last system call differ as r12 does; among
 * 40 that were, at least 34 have another one to be compared with. (What comes before that call is
 * not the same: a child may inherit a call that rr has patched.) Not in the code cache, which has
 * more places than that.
 */
START_TEST(what_is_killed_at_the_same_place_has_the_same_ticks)
{
	static const char *const ways[] = {"legs", "step"};
	char *folder = record_killed(ways[_i], 40, "\"$PWD\"/rounds");

	harness_shell(
	    "cd '%s' && '%s' rr dump trace >events || exit 1\n"
	    "awk '/state:EXITING_SYSCALL/ { ticks = $0; sub(/.*ticks:/, \"\", ticks)\n"
	    "         match($0, /tid:[0-9]+/); before[substr($0, RSTART, RLENGTH)] = ticks }\n"
	    "     /event:.SCHED/ { ticks = $0; sub(/.*ticks:/, \"\", ticks); killed = 1\n"
	    "         match($0, /tid:[0-9]+/); ticks -= before[substr($0, RSTART, RLENGTH)] }\n"
	    "     killed && /^rax/ {\n"
	    "         killed = 0\n"
	    "         for (i = 1; i <= NF; i++) {\n"
	    "             split($i, pair, \":\"); value[pair[1]] = pair[2] }\n"
	    "         if (value[\"r13\"] != \"0x636f756e\") next\n"
	    "         print value[\"rip\"], value[\"r12\"], ticks\n"
	    "     }' events >killed && perl -ane '\n"
	    "     my $start = $F[2] - hex $F[1];\n"
	    "     if (!defined $start{$F[0]}) { $start{$F[0]} = $start; next }\n"
	    "     $again++;\n"
	    "     next if $start == $start{$F[0]};\n"
	    "     print \"$_ counted $start before its rounds, others "
	    "$start{$F[0]}\\n\"; $wrong++;\n"
	    "     END { print \"$again at a place of another\\n\"; "
	    "exit($wrong || $again < 34) }' killed",
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
