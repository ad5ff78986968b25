/*
 * The proof of a counter: rr records /bin/true with it and replays that, whatever happens nothing
 * is left, and what could not be tried is not called wrong.
 */
#include "sandbox/pmu/pmu_proof.h"
#include "tests/runner.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-proof-XXXXXX", temporary[64], why[PMU_MESSAGE_MAX];
static struct pmu_choice choice;

enum { TEST_TIMEOUT_S = 120 };

static void make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(temporary, sizeof(temporary), "%s/tmp", folder);
	ck_assert_int_eq(mkdir(temporary, 0700), 0);
	setenv("TMPDIR", temporary, 1);
	choice = (struct pmu_choice){.kind = PMU_HARDWARE};
	snprintf(choice.rr_path, sizeof(choice.rr_path), "%s/rr", folder);
}

static void remove_folder(void)
{
	unlink(choice.rr_path);
	rmdir(temporary);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* rr as a script: what it does for `record` and for `replay`. $last is the trace. */
static void write_rr(const char *record, const char *replay)
{
	FILE *file = fopen(choice.rr_path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
	    "#!/bin/sh\n"
	    "for word; do [ \"$word\" != -- ] || break; last=$word; done\n"
	    "case $1 in record) %s;; replay) %s;; esac\n",
	    record, replay);
	fclose(file);
	ck_assert_int_eq(chmod(choice.rr_path, 0700), 0);
}

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;
	ck_assert_ptr_nonnull(directory);
	while (readdir(directory) != NULL)
		count++;
	closedir(directory);
	return count == 2;
}

#define RECORD "mkdir $last && echo >$last/events && echo >$TMPDIR/rest && mkdir $last/deeper"

START_TEST(a_recording_that_replays_proves_it)
{
	write_rr(RECORD, "test -s $last/events");
	ck_assert_int_eq(pmu_prove(&choice, "", 60, why, sizeof(why)), PMU_PROOF_HELD);
	ck_assert_str_eq(why, "");
	ck_assert(is_empty(temporary));
}
END_TEST

START_TEST(what_rr_cannot_do_disproves_it)
{
	static const char *const rows[][3] = {{"exit 1", "exit 0", "not record /bin/true"},
	    {RECORD, "exit 1", "not replay a recording of /bin/true"},
	    {RECORD, "kill -6 $$", "not replay a recording of /bin/true"},
	    {"exec /nowhere/rr", "exit 0", "not record /bin/true"}};
	write_rr(rows[_i][0], rows[_i][1]);
	ck_assert_int_eq(pmu_prove(&choice, "", 60, why, sizeof(why)), PMU_PROOF_FAILED);
	ck_assert_msg(strstr(why, rows[_i][2]) != NULL, "%s", why);
	ck_assert(is_empty(temporary));
}
END_TEST

/* Killed, perhaps not reaped yet by its new parent: 'Z' as well. */
static char state_of(long pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if ((file = fopen(path, "r")) != NULL) {
		if (fscanf(file, "%*d %*s %c", &state) != 1)
			state = 'Z'; /* it went meanwhile */
		fclose(file);
	}
	return state;
}

/* On a busy machine a killed process ends later. */
static void await_end(long pid)
{
	for (int tries = 0; tries < 2000 && state_of(pid) != 'Z'; tries++)
		usleep(10000);
	ck_assert_int_eq(state_of(pid), 'Z');
}

START_TEST(an_rr_that_hangs_is_ended_with_all_it_started)
{
	char pid[16] = "", path[PATH_MAX], said[32];
	FILE *file = NULL;

	snprintf(path, sizeof(path), "%s/pid", folder);
	write_rr(RECORD "; sleep 600 & echo $! >$TMPDIR/../../pid; wait", "exit 0");
	/* On a busy machine the script may not come to its sleep in a second. */
	for (int seconds = 1; file == NULL && seconds <= 32; seconds *= 2) {
		ck_assert_int_eq(
		    pmu_prove(&choice, "", seconds, why, sizeof(why)), PMU_PROOF_FAILED);
		snprintf(said, sizeof(said), "within %d s", seconds);
		ck_assert_msg(strstr(why, said) != NULL, "%s", why);
		ck_assert(is_empty(temporary));
		file = fopen(path, "r");
	}
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(pid, sizeof(pid), file));
	fclose(file);
	unlink(path);
	await_end(strtol(pid, NULL, 10));
}
END_TEST

START_TEST(without_a_place_for_the_recording_nothing_is_known)
{
	setenv("TMPDIR", "/nowhere", 1);
	write_rr("exit 1", "exit 1");
	ck_assert_int_eq(pmu_prove(&choice, "", 60, why, sizeof(why)), PMU_PROOF_OPEN);
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(options_of_the_choice_reach_rr)
{
	choice.kind = PMU_RR_SOFTWARE;
	choice.no_syscall_buffer = true;
	write_rr("exit 1", "exit 1");
	FILE *file = fopen(choice.rr_path, "w");
	fputs(
	    "#!/bin/sh\ncase $* in \"-W record -n -o \"*|\"-W replay -a \"*) ;; *) exit 1;; esac\n",
	    file);
	fclose(file);
	ck_assert_int_eq(pmu_prove(&choice, "", 60, why, sizeof(why)), PMU_PROOF_HELD);
}
END_TEST

static Suite *proof_suite(void)
{
	Suite *suite = suite_create("pmu_proof");
	TCase *proof = tcase_create("proof");
	tcase_add_checked_fixture(proof, make_folder, remove_folder);
	tcase_set_timeout(proof, TEST_TIMEOUT_S);
	tcase_add_test(proof, a_recording_that_replays_proves_it);
	tcase_add_loop_test(proof, what_rr_cannot_do_disproves_it, 0, 4);
	tcase_add_test(proof, an_rr_that_hangs_is_ended_with_all_it_started);
	tcase_add_test(proof, without_a_place_for_the_recording_nothing_is_known);
	tcase_add_test(proof, options_of_the_choice_reach_rr);
	suite_add_tcase(suite, proof);
	return suite;
}

int main(void)
{
	return run_suite(proof_suite());
}
