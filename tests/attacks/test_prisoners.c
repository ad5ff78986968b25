/*
 * What a worker that was taken over can do, and what another user of the machine can.
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
#include "tests/attacks/stage.h"
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"
#define PATHS	8192

/* Both kinds of worker: they see different things. Recordings may do what the user may. */
static void expect_nothing_worked(struct client *client, const char *tool)
{
	json_auto_t *answer = client_tool(client, tool, "{s:s}", "trace_dir", scene_trace(PROGRAM));
	cleanup_free char *shown = answer_show(answer);

	ck_assert_int_gt(answer_number(answer, "tried"), 0);
	/* An empty list is left out of an answer. */
	ck_assert_msg(json_object_get(answer, "worked") == NULL, "%s: %s", tool, shown);
	cleanup_free char *inside = harness_path(scene_trace(PROGRAM), "rr-warden-was-here");
	cleanup_free char *beside = harness_path(scene_trace(PROGRAM), "../rr-warden-was-here");
	ck_assert_msg(access(inside, F_OK) != 0, "%s writes into the trace", tool);
	ck_assert_msg(access(beside, F_OK) != 0, "%s writes beside the trace", tool);
	expect_number(answer, "pid", 1);
}

/* No browser runs a script in a report that such a worker wrote. */
static void expect_policy_in_reports(void)
{
	static const char policy[] = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">"
				     "\n<meta http-equiv=\"Content-Security-Policy\" "
				     "content=\"default-src 'none'; ";
	char name[64], *path, *page;

	for (int i = 1; i <= 99; i++) {
		snprintf(name, sizeof(name), "rr-warden.report-%d.html", i);
		path = harness_path(scene_trace(PROGRAM), name);
		page = harness_file(path);
		ck_assert_msg(page != NULL, "%s is not there", name);
		ck_assert_msg(strncmp(page, policy, sizeof(policy) - 1) == 0, "%.300s", page);
		ck_assert_int_eq(unlink(path), 0);
		free(page);
		free(path);
	}
}

START_TEST(a_worker_that_was_taken_over_gets_nothing)
{
	char *folder = harness_tree("../doubles/prisoner");
	cleanup_free char *server = harness_path(folder, "bin/rr-warden");
	struct scene bystander = scene_open(PROGRAM, NULL);
	struct witness witness = witness_new();
	struct client *client = client_start(&(struct client_options){.server = server,
	    .args = (const char *const[]){"--processes=500", "--memory=1G", NULL}});

	expect_nothing_worked(client, "rr_traceinfo");
	witness_count_none(&witness);
	witness.processes += 2; /* the session's worker and its broker */
	expect_nothing_worked(client, "rr_replay_start");
	expect_policy_in_reports();
	expect_nothing_worked(client, "rr_traceinfo");
	witness_look(&witness, client_pid(client));
	scene_run_to(&bystander, "count_up");
	client_close_stdin(bystander.client);
	ck_assert_int_eq(client_wait_exit(bystander.client, 30), 0);
	client_abandon(bystander.client);
	free(bystander.session);
	client_end(client);
	witness_end(&witness);
	harness_scratch_free(folder);
}
END_TEST

/* Its own lines are marked as such, and lose what a terminal would obey; the last one has no end.
 */
START_TEST(a_worker_that_was_taken_over_only_adds_lines_to_the_log)
{
	static const char before[] = "a line of yesterday\n";
	char *folder = harness_tree("../doubles/prisoner");
	cleanup_free char *server = harness_path(folder, "bin/rr-warden");
	cleanup_free char *log = harness_path(folder, "log");
	struct client *client;
	cleanup_free char *text = NULL;
	const char *forged, *words;

	harness_write_file(log, before);
	client = client_start(&(struct client_options){.server = server,
	    .args = (const char *const[]){
		"--processes=500", "--memory=1G", "--log", log, "--log-level=calls", NULL}});
	expect_nothing_worked(client, "rr_replay_start");
	expect_policy_in_reports();
	json_decref(client_tool(client, "rr_sessions", NULL));
	client_end(client);
	text = harness_file(log);
	ck_assert_msg(strncmp(text, before, strlen(before)) == 0, "%.200s", text);
	ck_assert_msg(strstr(text, "]: audit: source /etc/passwd: ") != NULL, "%s", text);
	forged = strstr(text, "\nworker: rr-warden[1]: audit: forged\\x1b[2J\n");
	words = strstr(text, "\nworker: last words\n");
	ck_assert_msg(forged != NULL && words != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "]: call: rr_sessions: "));
	harness_scratch_free(folder);
}
END_TEST

START_TEST(the_debug_port_is_not_on_the_machine)
{
	/* Others may open ports where the network is not ours alone. */
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

	if (geteuid() != 0) {
		puts("skipped: only root can play another user of the machine");
		return;
	}
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
	    a_worker_that_was_taken_over_only_adds_lines_to_the_log,
	    the_debug_port_is_not_on_the_machine, another_user_gets_neither_trace_nor_process,
	    NULL};

	witness_alone();
	return scene_main("prisoners", tests, (const char *const[]){PROGRAM, NULL});
}
