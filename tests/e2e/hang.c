/*
 * Looks at the threads of the recorded program from outside.
 */
#include "tests/e2e/hang.h"

#include <dirent.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKS	       2
#define LOOK_US	       20000
#define NAME_MAX_SHOWN 15 /* TASK_COMM_LEN of the kernel, without the NUL */

static bool all_sleep(pid_t pid, size_t threads)
{
	char path[40];
	DIR *tasks;
	size_t asleep = 0, awake = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	for (struct dirent *entry; (entry = readdir(tasks));)
		if (entry->d_name[0] != '.')
			*(census_sleeps((pid_t)strtol(entry->d_name, NULL, 10)) ? &asleep
										: &awake) += 1;
	closedir(tasks);
	return awake == 0 && asleep == threads;
}

void hang_await(pid_t pid, size_t threads)
{
	double until = harness_now() + HARNESS_TIMEOUT_S;

	for (int looks = 0; looks < LOOKS; usleep(LOOK_US)) {
		looks = all_sleep(pid, threads) ? looks + 1 : 0;
		if (harness_now() > until)
			harness_fail("process %d never had %zu threads asleep", (int)pid, threads);
	}
}

void hang_record(struct client *client, const char *trace, json_t *command, size_t threads)
{
	char *program = strdup(json_string_value(json_array_get(command, 0)));
	char name[NAME_MAX_SHOWN + 1];

	if (!program)
		harness_fail("out of memory");
	snprintf(name, sizeof(name), "%s", basename(program));
	free(program);
	json_decref(client_tool(client, "rr_record", "{s:o, s:s, s:b}", "command", command,
	    "trace_dir", trace, "background", 1));
	hang_await(census_await(client_pid(client), name), threads);
	json_decref(client_tool(client, "rr_record_stop", "{s:s}", "trace_dir", trace));
}
