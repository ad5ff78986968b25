/*
 * System calls that are newer than this machine's rr: the recording goes on, the program gets an
 * older kernel's answer, and a replay shows the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PATH_SIZE 4096

/* Calls that no rr released by the end of 2026 records. Some rr records each of the program's other
 * calls. */
static const char *const refused[] = {"MADV_GUARD_INSTALL EINVAL", "MADV_GUARD_REMOVE EINVAL",
    "TCGETS2 ENOTTY", "TCSETSW2 ENOTTY", "PR_GET_MDWE EINVAL", "PR_GET_AUXV EINVAL",
    "PR_SET_SYSCALL_USER_DISPATCH EINVAL", "F_DUPFD_QUERY EINVAL", "preadv2 ENOSYS",
    "mlock2 ENOSYS", "io_uring_setup ENOSYS", "io_uring_register ENOSYS", "userfaultfd ENOSYS",
    "cachestat ENOSYS", "futex_wake ENOSYS", "mseal ENOSYS", "file_getattr ENOSYS"};

START_TEST(newer_calls_are_refused_as_by_an_older_kernel_and_replay)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_record(place.client, place.trace, "newer_calls", NULL);
	expect_number(recorded, "exit_code", 0);
	const char *output = answer_text(recorded, "stdout");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ck_assert_msg(
		    strstr(output, refused[i]) != NULL, "no %s in %s", refused[i], output);
	ck_assert_ptr_null(strstr(output, "changed"));

	free(client_replay(place.client, place.trace));
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("reason", "end"),
	    IS("output", output));
}
END_TEST

/* A message for each call only once, because a loop must not fill the output. */
START_TEST(a_refused_call_that_no_libc_makes_is_told)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("newer_calls");
	json_auto_t *recorded = client_tool(place.client, "rr_record", "{s:[s,s,s,s],s:s}",
	    "command", program, "mseal", "mlock2", "mlock2", "trace_dir", place.trace);
	const char *told = strstr(answer_text(recorded, "stderr"), "mlock2");
	ck_assert_ptr_nonnull(told);
	ck_assert_ptr_null(strstr(told + 1, "mlock2"));
	ck_assert_ptr_null(strstr(answer_text(recorded, "stderr"), "mseal"));
}
END_TEST

/* Runs the double of rr with the library, as rr gets it on a machine with hardware counters. */
static void run_tracer(const char *environment, char *output, size_t size)
{
	cleanup_free char *tracer = harness_program("../doubles/tracer");
	char command[2 * PATH_SIZE];
	snprintf(command, sizeof(command), "%s '%s'", environment, tracer);
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	output[fread(output, 1, size - 1, pipe)] = '\0';
	ck_assert_int_eq(pclose(pipe), 0);
}

START_TEST(with_hardware_counters_rr_is_carried_too)
{
	cleanup_free char *folder = harness_program("../../libexec/rr-warden");
	char environment[PATH_SIZE], output[256];
	/* LD_PRELOAD takes no path with a space. */
	snprintf(environment, sizeof(environment),
	    "RR_WARDEN_SOFTPMU=carry RR_WARDEN_RR_VERSION=50900 LD_LIBRARY_PATH='%s' "
	    "LD_PRELOAD=softpmu.so",
	    folder);
	run_tracer(environment, output, sizeof(output));
	/* The number and the argument of the call, and the value of the result register. */
	ck_assert_str_eq(output, "entry 28 102 -38\nexit 28 102 -22\n");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {newer_calls_are_refused_as_by_an_older_kernel_and_replay,
	    a_refused_call_that_no_libc_makes_is_told, with_hardware_counters_rr_is_carried_too,
	    NULL};
	return scene_main("newer", tests, (const char *const[]){NULL});
}
