/*
 * See balance.h. Must never change what it counts.
 */
#include "tests/soak/balance.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_PROCESSES 2 /* keeper and launcher */
#define SETTLE_S      30.0

static size_t files_found;

static int count_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)path, (void)status, (void)type, (void)walk;
	files_found++;
	return 0;
}

static bool is_socket(pid_t pid, const char *number)
{
	char path[64], target[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", (int)pid, number);
	length = readlink(path, target, sizeof(target));
	return length > 7 && strncmp(target, "socket:", 7) == 0;
}

static void count_descriptors(pid_t pid, struct balance *balance)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *files = opendir(path);

	if (files == NULL)
		balance->descriptors =
		    -1; /* a process that locked itself down shows them to root only */
	for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
		if (entry->d_name[0] == '.' || balance->descriptors < 0)
			continue;
		balance->descriptors++;
		balance->sockets += is_socket(pid, entry->d_name);
	}
	if (files != NULL)
		closedir(files);
}

static void await_rest(pid_t server, struct census *census)
{
	double end = harness_now() + SETTLE_S;

	do {
		usleep(100 * 1000);
		census_take(server, census);
	} while (census->count != OWN_PROCESSES && harness_now() < end);
}

void balance_take(struct client *client, const char *folder, struct balance *balance)
{
	struct census census;
	pid_t server = client_pid(client);

	await_rest(server, &census);
	*balance =
	    (struct balance){.processes = census.count, .memory_kib = census_resident_kib(server)};
	count_descriptors(server, balance);
	for (size_t i = 0; i < census.count && i < OWN_PROCESSES; i++) {
		balance->memory_kib += census_resident_kib(census.processes[i].pid);
		count_descriptors(census.processes[i].pid, balance);
	}
	files_found = 0;
	nftw(folder, count_one, 16, FTW_PHYS);
	balance->files = files_found;
}

static bool compare_row(const char *what, long long before, long long after, long long allowed)
{
	bool equal = after <= before + allowed;

	printf("| %s | %lld | %lld |%s\n", what, before, after, equal ? "" : " MORE");
	return equal;
}

bool balance_compare(const char *what, const struct balance *before, const struct balance *after)
{
	bool equal = true;

	printf("\n| %s | before | after |\n|---|--:|--:|\n", what);
	equal &=
	    compare_row("memory, KiB", before->memory_kib, after->memory_kib, BALANCE_MEMORY_KIB);
	equal &= compare_row("descriptors", before->descriptors, after->descriptors, 0);
	equal &= compare_row("of them sockets", before->sockets, after->sockets, 0);
	equal &=
	    compare_row("processes", (long long)before->processes, (long long)after->processes, 0);
	equal &= compare_row("files", (long long)before->files, (long long)after->files, 0);
	printf("\n");
	fflush(stdout);
	return equal;
}
