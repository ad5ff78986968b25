/*
 * Reads /proc of the processes that rr has hold of.
 */
#include "tests/e2e/at_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define TRACEES_MAX 64

/* What each traced process has used when it was looked at last. */
struct uses {
	struct {
		pid_t pid;
		unsigned long long ticks;
	} processes[TRACEES_MAX];
	size_t count;
};

static bool is_traced(pid_t pid)
{
	char path[64], line[256];
	long tracer = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "re");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "TracerPid:", 10) == 0)
			tracer = strtol(line + 10, NULL, 10);
	if (file != NULL)
		fclose(file);
	return tracer > 0;
}

/* In user mode and in the kernel, of all its threads: the 12th and 13th field behind the name. */
static unsigned long long ticks_of(pid_t pid)
{
	char path[64], line[1024] = "", *at;
	unsigned long long ticks = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return 0;
	if (fgets(line, sizeof(line), file) != NULL && (at = strrchr(line, ')')) != NULL) {
		for (int field = 0; field < 12 && at != NULL; field++)
			at = strchr(at + 1, ' ');
		if (at != NULL) {
			ticks = strtoull(at, &at, 10);
			ticks += strtoull(at, NULL, 10);
		}
	}
	fclose(file);
	return ticks;
}

/* Since the last look; all of it at the first. */
static unsigned long long used_since(pid_t pid, struct uses *uses)
{
	unsigned long long before, now = ticks_of(pid);
	size_t i = 0;

	while (i < uses->count && uses->processes[i].pid != pid)
		i++;
	if (i == TRACEES_MAX)
		return 0;
	if (i == uses->count) {
		uses->processes[uses->count].pid = pid;
		uses->processes[uses->count++].ticks = 0;
	}
	before = uses->processes[i].ticks;
	uses->processes[i].ticks = now;
	return now > before ? now - before : 0;
}

static unsigned long long traced_use(pid_t root, struct uses *uses)
{
	struct census census;
	unsigned long long used = 0;

	census_take(root, &census);
	for (size_t i = 0; i < census.count; i++)
		if (is_traced(census.processes[i].pid))
			used += used_since(census.processes[i].pid, uses);
	return used;
}

static void await_use(
    unsigned long long (*look)(pid_t pid, struct uses *uses), pid_t pid, unsigned milliseconds)
{
	unsigned long long wanted = milliseconds * (unsigned long long)sysconf(_SC_CLK_TCK) / 1000;
	double end = harness_now() + HARNESS_TIMEOUT_S;
	struct uses uses = {.count = 0};

	look(pid, &uses);
	for (unsigned long long used = 0; used < wanted; used += look(pid, &uses)) {
		if (harness_now() > end)
			harness_fail("the program does not run");
		nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
	}
}

void at_work_await(pid_t root, unsigned milliseconds)
{
	await_use(traced_use, root, milliseconds);
}

static long long send_step(struct client *client, const char *session, bool reverse)
{
	return client_tool_send(client, "rr_step",
	    json_pack("{s:i, s:s, s:b, s:s*}", "count", 1000000, "unit", "instruction", "reverse",
		reverse, "session", session));
}

long long at_work_step(struct client *client, const char *session)
{
	long long id = send_step(client, session, false);

	at_work_await(client_pid(client), AT_WORK_STEPPED_MS);
	return id;
}

long long at_work_step_back(struct client *client, pid_t rr)
{
	long long id = send_step(client, NULL, true);

	await_use(used_since, rr, AT_WORK_STEPPED_MS);
	return id;
}
