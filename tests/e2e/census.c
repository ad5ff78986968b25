/*
 * Counts processes through /proc. Must never signal any.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define PROC_MAX 8192 /* processes on the machine; enough for a busy one */

/* Reads pid, parent, state and comm of one process. comm may hold spaces and parentheses. */
static bool read_stat(pid_t pid, struct census_process *process)
{
	char path[64], line[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return false;
	size_t length = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[length] = '\0';

	char *open = strchr(line, '('), *close = strrchr(line, ')');
	if (open == NULL || close == NULL)
		return false;
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(close - open - 1), open + 1);
	if (strlen(close) < strlen(") S "))
		return false;
	process->pid = pid;
	process->state = close[2];
	process->parent = (pid_t)strtol(close + 4, NULL, 10);
	return true;
}

bool census_sleeps(pid_t thread)
{
	struct census_process process;

	return read_stat(thread, &process) && process.state == 'S';
}

static size_t read_all(struct census_process *all, size_t max)
{
	size_t count = 0;
	DIR *proc = opendir("/proc");
	if (proc == NULL)
		harness_fail("no /proc");
	for (struct dirent *entry; count < max && (entry = readdir(proc)) != NULL;) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0 && read_stat(pid, &all[count]))
			count++;
	}
	closedir(proc);
	return count;
}

void census_take(pid_t root, struct census *census)
{
	struct census_process *all = calloc(PROC_MAX, sizeof(*all));
	if (all == NULL)
		harness_fail("out of memory");
	size_t total = read_all(all, PROC_MAX);
	census->count = 0;

	/* Breadth first: the parents found so far are the queue. */
	for (size_t done = 0, more = 1; more > 0; done++) {
		pid_t parent = done == 0 ? root : census->processes[done - 1].pid;
		for (size_t i = 0; i < total && census->count < CENSUS_MAX; i++)
			if (all[i].parent == parent)
				census->processes[census->count++] = all[i];
		more = census->count - done;
	}
	free(all);
}

pid_t census_find(pid_t root, const char *name, size_t nth)
{
	struct census census;
	census_take(root, &census);
	for (size_t i = 0; i < census.count; i++)
		if (strcmp(census.processes[i].name, name) == 0 && nth-- == 0)
			return census.processes[i].pid;
	return 0;
}

pid_t census_child(pid_t parent)
{
	struct census census;
	census_take(parent, &census);
	return census.count == 0 ? 0 : census.processes[0].pid;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
}

pid_t census_await(pid_t root, const char *name)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;
	for (; harness_now() < end; nap()) {
		pid_t pid = census_find(root, name, 0);
		if (pid != 0)
			return pid;
	}
	harness_fail("no process %s appeared", name);
}

void census_kill(pid_t pid)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;

	kill(pid, SIGKILL);
	for (; kill(pid, 0) == 0; nap())
		if (harness_now() > end)
			harness_fail("process %d stays", (int)pid);
}

void census_end_session(pid_t root)
{
	double end = harness_now() + HARNESS_TIMEOUT_S;
	pid_t rr = census_await(root, "rr"), parent = 0;
	struct census census;

	census_take(root, &census);
	for (size_t i = 0; i < census.count; i++)
		if (census.processes[i].pid == rr)
			parent = census.processes[i].parent;
	kill(rr, SIGKILL);
	for (; kill(rr, 0) == 0 || kill(parent, 0) == 0; nap())
		if (harness_now() > end)
			harness_fail("the session of rr %d stays", (int)rr);
}

/* Orphans become our children (subreaper) and would stay as zombies. Leaves the server itself
 * alone. */
static void reap_orphans(const struct census *census, pid_t server)
{
	for (size_t i = 0; i < census->count; i++)
		if (census->processes[i].state == 'Z' && census->processes[i].pid != server)
			waitpid(census->processes[i].pid, NULL, WNOHANG);
}

static size_t count_left(pid_t root, struct census *census)
{
	census_take(root, census);
	if (root == getpid())
		reap_orphans(census, 0);
	size_t left = 0;
	for (size_t i = 0; i < census->count; i++)
		left += census->processes[i].state != 'Z';
	return left;
}

double census_await_none(pid_t root, double timeout_s)
{
	struct census census;
	double start = harness_now();
	while (count_left(root, &census) > 0) {
		if (harness_now() - start > timeout_s) {
			for (size_t i = 0; i < census.count; i++)
				fprintf(stderr, "still there: %d %s (%c), child of %d\n",
				    (int)census.processes[i].pid, census.processes[i].name,
				    census.processes[i].state, (int)census.processes[i].parent);
			return -1;
		}
		nap();
	}
	return harness_now() - start;
}

/* The nth (1: the pid, as proc(5) counts) number of /proc/PID/stat, from the 4th on. */
static long long stat_field(const char *text, int nth)
{
	const char *at = strrchr(text, ')');
	for (int field = 2; at != NULL && field < nth; field++)
		at = strchr(at + 1, ' ');
	return at == NULL ? 0 : strtoll(at, NULL, 10);
}

long long census_cpu_ticks(pid_t pid)
{
	enum { UTIME = 14, STIME = 15 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	char *text = harness_file(path);
	long long ticks = text == NULL ? -1 : stat_field(text, UTIME) + stat_field(text, STIME);
	free(text);
	return ticks;
}

long long census_resident_kib(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	char *text = harness_file(path);
	char *line = text == NULL ? NULL : strstr(text, "\nVmRSS:");
	long long kib = line == NULL ? -1 : strtoll(line + strlen("\nVmRSS:"), NULL, 10);
	free(text);
	return kib;
}
