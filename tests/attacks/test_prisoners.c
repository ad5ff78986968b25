/*
 * What the processes of a session are by the kernel's own word, what a worker that was taken over
 * can do, and what another user of the machine can.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"
#define NOBODY	65534
#define PATHS	8192

static void run_shell(const char *format, const char *a, const char *b)
{
	char command[4096];

	snprintf(command, sizeof(command), format, a, b);
	ck_assert_int_eq(system(command), 0);
}

/* A copy of the built tree in which the worker is the prisoner. */
static char *tree_with_prisoner(void)
{
	const char *server = getenv("RR_WARDEN");
	char *folder = harness_scratch(0), *worker = harness_program("../doubles/prisoner");

	run_shell("cd \"$(dirname '%s')/..\" && tar -cf - bin libexec | tar -xf - -C '%s'",
	    server == NULL ? "build/bin/rr-warden" : server, folder);
	run_shell("cp '%s' '%s/libexec/rr-warden/rr-warden-worker'", worker, folder);
	free(worker);
	return folder;
}

START_TEST(a_worker_that_was_taken_over_gets_nothing)
{
	char *folder = tree_with_prisoner(), *server = harness_path(folder, "bin/rr-warden");
	struct client *client = client_start(&(struct client_options){.server = server});
	json_t *answer =
	    client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	char *shown = answer_show(answer);

	ck_assert_msg(answer_count(answer, "worked") == 0, "%s", shown);
	expect_number(answer, "pid", 1);
	free(shown);
	json_decref(answer);
	client_end(client);
	free(server);
	harness_scratch_free(folder);
}
END_TEST

static char *status_of(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return harness_file(path);
}

static void check_confined(const struct census_process *process)
{
	static const char *const lines[] = {"NoNewPrivs:\t1\n", "Seccomp:\t2\n",
	    "CapEff:\t0000000000000000\n", "CapPrm:\t0000000000000000\n",
	    "CapBnd:\t0000000000000000\n", "CapAmb:\t0000000000000000\n"};
	char *status = status_of(process->pid);

	ck_assert_ptr_nonnull(status);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		ck_assert_msg(strstr(status, lines[i]) != NULL, "%s (%d) is not %s%s",
		    process->name, (int)process->pid, lines[i], status);
	free(status);
}

static void check_namespaces(const struct census_process *process)
{
	static const char *const names[] = {"user", "pid", "net", "mnt", "ipc", "uts"};
	char path[64], theirs[64], ours[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		memset(theirs, 0, sizeof(theirs));
		memset(ours, 0, sizeof(ours));
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)process->pid, names[i]);
		ck_assert_int_gt(readlink(path, theirs, sizeof(theirs) - 1), 0);
		snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		ck_assert_int_gt(readlink(path, ours, sizeof(ours) - 1), 0);
		ck_assert_msg(strcmp(theirs, ours) != 0, "%s has our %s", process->name, names[i]);
	}
}

START_TEST(the_kernel_confirms_the_layers_of_every_process_of_a_session)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	pid_t worker = census_find(client_pid(scene.client), "rr-warden-worke", 0);
	struct census census;

	scene_run_to(&scene, "count_up");
	ck_assert_int_gt(worker, 0);
	census_take(worker, &census);
	ck_assert_uint_ge(census.count, 3); /* rr, gdb, the tracee */
	for (size_t i = 0; i < census.count; i++) {
		if (census.processes[i].state == 'Z')
			continue;
		check_confined(&census.processes[i]);
		check_namespaces(&census.processes[i]);
	}
	struct census_process itself = {.pid = worker, .name = "the worker"};
	check_confined(&itself);
	check_namespaces(&itself);
	scene_close(&scene);
}
END_TEST

START_TEST(the_supervisor_and_its_launcher_are_filtered)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	pid_t server = client_pid(scene.client);
	pid_t pids[] = {server, census_child(server), census_child(census_child(server))};

	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		char *status = status_of(pids[i]);
		ck_assert_ptr_nonnull(strstr(status, "NoNewPrivs:\t1\n"));
		ck_assert_ptr_nonnull(strstr(status, "Seccomp:\t2\n"));
		free(status);
	}
	scene_close(&scene);
}
END_TEST

START_TEST(the_debug_port_is_not_on_the_machine)
{
	/* Others may open ports meanwhile: so few chances that a second look settles it. */
	for (int look = 0;; look++) {
		size_t before = witness_listeners();
		struct scene scene = scene_open(PROGRAM, NULL);
		size_t with = witness_listeners();
		scene_close(&scene);
		if (with == before)
			break;
		ck_assert_msg(look < 5, "%zu listening sockets, %zu before", with, before);
	}
}
END_TEST

/* As another user: 0, or the number of the first thing that worked. */
static int neighbour(const char *trace, const struct census *census)
{
	char path[PATHS];

	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		return 100;
	snprintf(path, sizeof(path), "%s/version", trace);
	if (open(trace, O_RDONLY | O_DIRECTORY) >= 0 || open(path, O_RDONLY) >= 0)
		return 1;
	for (size_t i = 0; i < census->count; i++) {
		pid_t pid = census->processes[i].pid;
		if (kill(pid, 0) == 0)
			return 2;
		if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0)
			return 3;
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
		if (open(path, O_RDONLY) >= 0)
			return 4;
		snprintf(path, sizeof(path), "/proc/%d/fd/3", (int)pid);
		if (open(path, O_RDONLY) >= 0)
			return 5;
		snprintf(path, sizeof(path), "/proc/%d/root/tmp", (int)pid);
		if (open(path, O_RDONLY) >= 0)
			return 6;
	}
	return 0;
}

START_TEST(another_user_gets_neither_trace_nor_process)
{
	struct scene scene;
	struct census census;
	int status;

	if (geteuid() != 0)
		return; /* only root can play another user */
	scene = scene_open(PROGRAM, NULL);
	census_take(getpid(), &census);
	pid_t child = fork();
	if (child == 0)
		_exit(neighbour(scene_trace(PROGRAM), &census));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	scene_close(&scene);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_worker_that_was_taken_over_gets_nothing,
	    the_kernel_confirms_the_layers_of_every_process_of_a_session,
	    the_supervisor_and_its_launcher_are_filtered, the_debug_port_is_not_on_the_machine,
	    another_user_gets_neither_trace_nor_process, NULL};

	return scene_main("prisoners", tests, (const char *const[]){PROGRAM, NULL});
}
