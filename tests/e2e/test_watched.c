/*
 * Watchpoints in a process that has not run yet: the software counter must know them, or rr gets
 * stops that it does not understand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define COMMAND_SIZE 8192

/* What the double of rr sees, with the library or without. */
static void run_watcher(const char *environment, char *output, size_t size)
{
	char *watcher = harness_program("../doubles/watcher"), command[COMMAND_SIZE];
	FILE *pipe;

	snprintf(command, sizeof(command), "%s '%s'", environment, watcher);
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	output[fread(output, 1, size - 1, pipe)] = '\0';
	ck_assert_int_eq(pclose(pipe), 0);
	free(watcher);
}

START_TEST(a_watchpoint_set_before_a_process_runs_is_seen_as_without_the_counter)
{
	char *folder = harness_program("../../libexec/rr-warden"), library[COMMAND_SIZE / 2];
	char alone[256], counted[256];

	/* LD_PRELOAD cannot hold a path with a space. */
	snprintf(library, sizeof(library), "LD_LIBRARY_PATH='%s' LD_PRELOAD=softpmu.so", folder);
	run_watcher("", alone, sizeof(alone));
	run_watcher(library, counted, sizeof(counted));
	ck_assert_ptr_nonnull(strstr(alone, "stop 5 hits 1 "));
	ck_assert_str_eq(counted, alone);
	free(folder);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_watchpoint_set_before_a_process_runs_is_seen_as_without_the_counter, NULL};
	return scene_main("watched", tests, (const char *const[]){NULL});
}
