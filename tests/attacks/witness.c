/*
 * See witness.h.
 */
#include "tests/attacks/witness.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/ns.h"
#include "tests/e2e/harness.h"

#define LOOKS	 500 /* processes take a while to end */
#define PAUSE_US 20000

#define MONITOR_PROCESSES 2 /* the keeper and its launcher */

struct witness witness_new(void)
{
	struct witness witness = {
	    .folder = strdup("/tmp/w.XXXXXX"), .directory = harness_scratch(0)};

	if (witness.folder == NULL || mkdtemp(witness.folder) == NULL ||
	    chmod(witness.folder, 0777) != 0)
		harness_fail("no witness folder");
	return witness;
}

static bool make_network(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (uid == 0)
		return unshare(CLONE_NEWNET) == 0;
	return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && ns_map_ids(uid, gid) == 0;
}

/* Tried in a child: what fails half-way cannot be taken back. */
void witness_alone(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(!make_network() || ns_loopback_up() < 0);
	if (child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
	    (!make_network() || ns_loopback_up() < 0))
		harness_fail("no network of its own: %m");
}

size_t witness_listeners(void)
{
	static const char *const tables[] = {"/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp"};
	static const char *const states[] = {" 0A ", " 0A ", " 07 "}; /* listening, unconnected */
	size_t count = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		char *text = harness_file(tables[i]);
		for (char *at = text; at != NULL && (at = strstr(at, states[i])) != NULL; at++)
			count++;
		free(text);
	}
	return count;
}

/* What is traced and stopped ('t') is rr's: it keeps a copy of the program for each moment that it
 * was sent to, and ends them with the session. Such a process does nothing. */
static size_t living(pid_t server)
{
	struct census census;
	size_t count = 0;

	census_take(server, &census);
	for (size_t i = 0; i < census.count; i++)
		count += strchr("Zt", census.processes[i].state) == NULL;
	return count;
}

void witness_count(struct witness *witness, pid_t server)
{
	witness->sockets = witness_listeners();
	witness->processes = living(server);
}

void witness_count_none(struct witness *witness)
{
	witness->sockets = witness_listeners();
	witness->processes = MONITOR_PROCESSES;
}

static void look_at_folder(const struct witness *witness)
{
	DIR *opened = opendir(witness->folder);

	if (opened == NULL)
		harness_fail("the witness folder is gone");
	for (struct dirent *entry; (entry = readdir(opened)) != NULL;)
		if (entry->d_name[0] != '.')
			harness_fail("an attack made %s/%s", witness->folder, entry->d_name);
	closedir(opened);
}

/* rr has made a trace, or is about to. */
static bool is_trace(const char *path)
{
	char *version = harness_path(path, "version"), *events = harness_path(path, "events");
	bool found = access(version, F_OK) == 0 || access(events, F_OK) == 0;

	free(version);
	free(events);
	return found;
}

/* A call may make a trace where it names one, with the directories above it, and another call
 * remove the trace. What is beside is an attack's. */
static void look_for_more_than_traces(const char *directory)
{
	DIR *opened = opendir(directory);

	if (opened == NULL)
		harness_fail("an attack made %s", directory); /* which is no directory */
	for (struct dirent *entry; (entry = readdir(opened)) != NULL;) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *path = harness_path(directory, entry->d_name);
		if (!is_trace(path))
			look_for_more_than_traces(path);
		free(path);
	}
	closedir(opened);
}

static void look_at_both(const struct witness *witness)
{
	look_at_folder(witness);
	look_for_more_than_traces(witness->directory);
}

void witness_look(const struct witness *witness, pid_t server)
{
	size_t processes, sockets;

	look_at_both(witness);
	for (int look = 0; look < LOOKS; look++) {
		processes = living(server);
		sockets = witness_listeners();
		if (processes <= witness->processes && sockets <= witness->sockets)
			return;
		usleep(PAUSE_US);
	}
	census_await_none(server, 0); /* says which */
	harness_fail("%zu processes, %zu before; %zu listening sockets, %zu before", processes,
	    witness->processes, sockets, witness->sockets);
}

void witness_end(struct witness *witness)
{
	look_at_both(witness);
	rmdir(witness->folder);
	free(witness->folder);
	harness_scratch_free(witness->directory);
	witness->folder = witness->directory = NULL;
}
