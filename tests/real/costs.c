/*
 * See costs.h. Times are those of proc(5), /proc/PID/stat and /proc/PID/task/TID/stat: a process
 * that was waited for is in its parent's, and so at last in rr's.
 */
#include "tests/real/costs.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define PROCESSES_MAX 4096
#define PERIOD_US     50000

struct usage {
	pid_t pid, parent;
	bool is_rr;
	double own, kernel, reaped_own, reaped_kernel; /* seconds */
};

struct costs_watch {
	pthread_t thread;
	pid_t below;
	atomic_bool ended;
	struct costs costs;
	struct usage seen[PROCESSES_MAX];
	size_t count;
};

/* The fields behind the name, numbered as in proc(5): 3 is the state, a letter. */
static bool fields_read(char *at, long long *fields, size_t count)
{
	char *end;

	at += strspn(at, " ");
	if (!*at)
		return false;
	at++;
	for (size_t i = 4; i < count; i++, at = end) {
		fields[i] = strtoll(at, &end, 10);
		if (end == at)
			return false;
	}
	return true;
}

static bool usage_read(const char *path, struct usage *usage)
{
	enum { PARENT = 4, OWN = 14, KERNEL, REAPED_OWN, REAPED_KERNEL, FIELDS };
	const double second = (double)sysconf(_SC_CLK_TCK);
	long long fields[FIELDS];
	char line[512], *name, *after;
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, sizeof(line), file);

	if (file)
		fclose(file);
	if (!read || !(name = strchr(line, '(')) || !(after = strrchr(line, ')')))
		return false;
	*after = '\0';
	if (!fields_read(after + 1, fields, FIELDS))
		return false;
	usage->pid = (pid_t)strtol(line, NULL, 10);
	usage->parent = (pid_t)fields[PARENT];
	usage->is_rr = strcmp(name + 1, "rr") == 0;
	usage->own = (double)fields[OWN] / second;
	usage->kernel = (double)fields[KERNEL] / second;
	usage->reaped_own = (double)fields[REAPED_OWN] / second;
	usage->reaped_kernel = (double)fields[REAPED_KERNEL] / second;
	return true;
}

static void look(struct costs_watch *watch)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	char path[300];

	watch->count = 0;
	while (folder && (entry = readdir(folder)) && watch->count < PROCESSES_MAX) {
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    usage_read(path, &watch->seen[watch->count]))
			watch->count++;
	}
	if (folder)
		closedir(folder);
}

static const struct usage *find(const struct costs_watch *watch, pid_t pid)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->seen[i].pid == pid)
			return &watch->seen[i];
	return NULL;
}

static bool is_below(const struct costs_watch *watch, const struct usage *usage, pid_t pid)
{
	for (int depth = 0; usage && depth < 100; depth++) {
		if (usage->parent == pid)
			return true;
		usage = find(watch, usage->parent);
	}
	return false;
}

static const struct usage *find_rr(const struct costs_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++) {
		const struct usage *usage = &watch->seen[i], *parent = find(watch, usage->parent);

		if (usage->is_rr && is_below(watch, usage, watch->below) &&
		    !(parent && parent->is_rr))
			return usage;
	}
	return NULL;
}

static void add_programs(
    const struct costs_watch *watch, const struct usage *rr, struct costs *costs)
{
	costs->programs_own = rr->reaped_own;
	costs->programs_kernel = rr->reaped_kernel;
	for (size_t i = 0; i < watch->count; i++) {
		const struct usage *usage = &watch->seen[i];

		if (!is_below(watch, usage, rr->pid))
			continue;
		costs->programs_own += usage->own + usage->reaped_own;
		costs->programs_kernel += usage->kernel + usage->reaped_kernel;
	}
}

static void add_rr(const struct usage *rr, struct costs *costs)
{
	struct usage thread = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", rr->pid, rr->pid);
	if (!usage_read(path, &thread))
		thread = *rr;
	costs->rr_own = thread.own;
	costs->rr_kernel = thread.kernel;
	/* What was read later has a little more. */
	costs->compression = rr->own + rr->kernel - thread.own - thread.kernel;
	if (costs->compression < 0)
		costs->compression = 0;
}

static void *watch_it(void *from)
{
	struct costs_watch *watch = from;

	while (!watch->ended) {
		const struct usage *rr;
		struct costs costs = {0};

		look(watch);
		rr = find_rr(watch);
		if (rr) {
			add_programs(watch, rr, &costs);
			add_rr(rr, &costs);
			watch->costs = costs;
		}
		usleep(PERIOD_US);
	}
	return NULL;
}

struct costs_watch *costs_begin(pid_t below)
{
	struct costs_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		harness_fail("out of memory");
	watch->below = below;
	if (pthread_create(&watch->thread, NULL, watch_it, watch) != 0)
		harness_fail("pthread_create");
	return watch;
}

struct costs costs_end(struct costs_watch *watch)
{
	struct costs costs;

	watch->ended = true;
	pthread_join(watch->thread, NULL);
	costs = watch->costs;
	free(watch);
	return costs;
}
