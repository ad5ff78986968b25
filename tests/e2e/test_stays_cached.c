/*
 * What ordinary programs do must not take them out of the code cache, neither while they are
 * recorded nor in a replay: they would run on in steps, and take for ever.
 */
#include <check.h>
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define TIMEOUT_S 240

START_TEST(large_mappings_and_padded_calls_stay_in_the_code_cache)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("stays_cached");

	harness_shell("cd '%3$s' || exit 1\n"
		      "steps() { tail -n 1 \"$1\" | sed 's/.* stops=//; s/ .*//'; }\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/recorded '%1$s' --pmu=software rr record"
		      "	-o trace '%2$s' >printed || exit 1\n"
		      "echo 'mapped, 100000 calls' | cmp printed >&2 || exit 1\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/replayed '%1$s' --pmu=software rr replay"
		      "	-a trace | cmp printed >&2 || exit 1\n"
		      "echo \"recorded with $(steps recorded) stops,"
		      " replayed with $(steps replayed)\" >&2\n"
		      "[ $(steps recorded) -lt 20000 ] && [ $(steps replayed) -lt 20000 ]",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

/* As chaos mode maps the libraries: each out of reach of all others. */
START_TEST(code_that_is_far_apart_stays_in_the_code_cache)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("far_code");

	harness_shell("cd '%3$s' || exit 1\n"
		      "steps() { sed 's/.* stops=//; s/ .*//' \"$1\"; }\n"
		      "'%2$s' >native || exit 1\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/recorded '%1$s' --pmu=software rr record"
		      "	-o trace '%2$s' >printed || exit 1\n"
		      "cmp native printed >&2 || exit 1\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/replayed '%1$s' --pmu=software rr replay"
		      "	-a trace | cmp printed >&2 || exit 1\n"
		      "echo \"recorded with $(steps recorded) stops,"
		      " replayed with $(steps replayed)\" >&2\n"
		      "[ $(steps recorded) -lt 5000 ] && [ $(steps replayed) -lt 5000 ]",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

START_TEST(what_is_too_far_apart_is_told_once)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("far_code");

	harness_shell("cd '%3$s' || exit 1\n"
		      "'%2$s' 30 100 >native || exit 1\n"
		      "'%1$s' --pmu=software rr record -o trace '%2$s' 30 100 >printed 2>told ||"
		      "	exit 1\n"
		      "cat told >&2\n"
		      "cmp native printed >&2 || exit 1\n"
		      "[ $(grep -c 'without the code cache, because it lies far' told) = 1 ] ||"
		      "	exit 1\n"
		      "'%1$s' --pmu=software rr replay -a trace 2>/dev/null | cmp printed >&2",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

START_TEST(what_takes_a_process_out_of_the_code_cache_is_told_once)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("over_cache");

	harness_shell("cd '%3$s' || exit 1\n"
		      "'%1$s' --pmu=software rr record -o trace '%2$s' >printed 2>told || exit 1\n"
		      "echo 'mapped, 100 rounds' | cmp printed >&2 || exit 1\n"
		      "cat told >&2\n"
		      "[ $(grep -c 'without the code cache, because the program mapped something"
		      " over it' told) = 1 ] || exit 1\n"
		      "'%1$s' --pmu=software rr replay -a trace 2>/dev/null | cmp printed >&2",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

/* With 30 MB, only the first parts of the cache could be mapped. rr takes some of the space itself.
 */
START_TEST(a_program_with_little_address_space_has_it_for_itself)
{
	static const int limits[] = {30, 100};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		char *folder = harness_scratch(0);
		cleanup_free char *program = harness_program("within_limit");

		harness_shell("cd '%3$s' || exit 1\n"
			      "'%2$s' %4$d >native || exit 1\n"
			      "'%1$s' --pmu=software rr record -o trace '%2$s' %4$d >printed 2>told"
			      "	|| exit 1\n"
			      "cat native printed told >&2\n"
			      "read -r native next <native; read -r mapped opened <printed\n"
			      "[ $((mapped * 10)) -ge $((native * 8)) ] || exit 1\n"
			      "[ \"$opened\" = \"$next\" ] || exit 1\n"
			      "grep -q 'because its limit on address space' told || exit 1\n"
			      "'%1$s' --pmu=software rr replay -a trace 2>/dev/null |"
			      "	cmp printed >&2",
		    harness_server(), program, folder, limits[i]);
		harness_scratch_free(folder);
	}
}
END_TEST

START_TEST(a_limit_on_the_size_of_files_does_not_end_the_recording)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("straight");

	/* In blocks of 512 bytes or of 1 kB, as the shell likes. */
	harness_shell("cd '%3$s' && ulimit -f 20000 || exit 1\n"
		      "'%2$s' >native\n"
		      "'%1$s' --pmu=software rr record -o trace '%2$s' >printed 2>told || exit 1\n"
		      "cat told >&2\n"
		      "cmp native printed >&2 || exit 1\n"
		      "grep -q 'because the limit on the size of files' told || exit 1\n"
		      "'%1$s' --pmu=software rr replay -a trace 2>/dev/null | cmp printed >&2",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

/* Each turn of a thread ends somewhere in a loop: rr must not stop at each round of the last ones.
 */
START_TEST(the_turns_of_threads_that_compute_end_without_many_stops)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("spinning");

	harness_shell("cd '%3$s' || exit 1\n"
		      "'%1$s' --pmu=software rr record -o trace '%2$s' >printed || exit 1\n"
		      "turns=$('%1$s' --pmu=software rr dump trace | grep -c 'event:.*SCHED')\n"
		      "RR_WARDEN_SOFTPMU_STATS=$PWD/replayed '%1$s' --pmu=software rr replay"
		      "	-a trace | cmp printed >&2 || exit 1\n"
		      "stops=$(sed 's/.* stops=//; s/ .*//' replayed)\n"
		      "echo \"$turns turns, $stops stops\" >&2\n"
		      "[ \"$turns\" -ge 50 ] && [ \"$stops\" -lt $((turns * 20 + 1000)) ]",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stays cached");
	TCase *all = tcase_create("stays cached");

	tcase_add_test(all, large_mappings_and_padded_calls_stay_in_the_code_cache);
	tcase_add_test(all, code_that_is_far_apart_stays_in_the_code_cache);
	tcase_add_test(all, what_is_too_far_apart_is_told_once);
	tcase_add_test(all, the_turns_of_threads_that_compute_end_without_many_stops);
	tcase_add_test(all, what_takes_a_process_out_of_the_code_cache_is_told_once);
	tcase_add_test(all, a_program_with_little_address_space_has_it_for_itself);
	tcase_add_test(all, a_limit_on_the_size_of_files_does_not_end_the_recording);
	tcase_set_timeout(all, TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
