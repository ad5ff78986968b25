/*
 * `rr-warden record-until`, as people and CI jobs call it: what it prints where, and how it exits.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

struct job {
	char *folder;
	char output[8192]; /* its stdout */
	int status;
};

/* Runs it in a shell, in a folder of its own, which also gets its traces. */
static struct job run(const char *before, const char *arguments)
{
	struct job job = {.folder = harness_scratch(0)};
	const char *server = harness_server();
	char *here = getcwd(NULL, 0), command[8192];

	snprintf(command, sizeof(command),
	    "cd '%s' && export _RR_TRACE_DIR=\"$PWD/traces\" && '%s%s%s' %s record-until %s",
	    job.folder, *server == '/' ? "" : here, *server == '/' ? "" : "/", server, before,
	    arguments);
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	job.output[fread(job.output, 1, sizeof(job.output) - 1, pipe)] = '\0';
	int status = pclose(pipe);
	job.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	free(here);
	return job;
}

static void job_end(struct job *job)
{
	harness_scratch_free(job->folder);
}

/* Its third run fails. */
#define FLAKY "sh -c 'echo >>runs; [ $(wc -l <runs) != 3 ]'"

START_TEST(the_guard_heap_makes_a_silent_overflow_fail)
{
	cleanup_free char *program = harness_program("guarded");
	char command[4096];

	snprintf(command, sizeof(command), "-n 1 -- '%s' overflow", program);
	struct job job = run("", command);
	ck_assert_int_eq(job.status, 0);
	job_end(&job);
	snprintf(command, sizeof(command), "-n 1 --heap=guard -- '%s' overflow", program);
	job = run("", command);
	ck_assert_int_eq(job.status, 1);
	ck_assert_ptr_nonnull(strstr(job.output, "guarded-0"));
	job_end(&job);
}
END_TEST

/* Whatever form of answers people want for their agents. */
static const char *const forms[] = {"", "--answers=plain"};

START_TEST(a_failure_is_kept_and_its_path_printed)
{
	struct job job = run(forms[_i], "-n 5 -- " FLAKY);
	cleanup_free char *expected = harness_path(job.folder, "traces/sh-0\n");

	ck_assert_int_eq(job.status, 1);
	ck_assert_str_eq(job.output, expected);
	job.output[strcspn(job.output, "\n")] = '\0';
	struct client *client = client_start(NULL);
	expect_all(client_tool(client, "rr_ps", "{s:s}", "trace_dir", job.output),
	    NUMBER("processes.0.exit_code", 1));
	client_end(client);
	job_end(&job);
}
END_TEST

START_TEST(the_failing_trace_leaves_as_one_file)
{
	struct job job = run("", "--chaos --export failure.tar -- " FLAKY);
	cleanup_free char *archive = harness_path(job.folder, "failure.tar");

	ck_assert_int_eq(job.status, 1);
	ck_assert_ptr_nonnull(strstr(job.output, archive));
	ck_assert_int_eq(access(archive, R_OK), 0);
	job_end(&job);
}
END_TEST

START_TEST(a_program_that_never_fails_leaves_nothing)
{
	struct job job = run("", "-n 2 --no-chaos true 2>&1");

	ck_assert_int_eq(job.status, 0);
	ck_assert_msg(strstr(job.output, "2 attempts: exit 0 (2)") != NULL, "%s", job.output);
	job_end(&job);
	job = run("", "-n 1 --no-chaos true 2>&1");
	ck_assert_msg(strstr(job.output, "1 attempt: exit 0 (1)") != NULL, "%s", job.output);
	job_end(&job);
}
END_TEST

/* Makes sh-0 as soon as the second attempt has chosen that name: its rr, which is to make it, needs
 * some time to start. */
static void take_name(const char *traces)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	int watch = inotify_init1(IN_CLOEXEC);
	bool gone = false, chosen = false;

	inotify_add_watch(watch, traces, IN_DELETE | IN_MOVED_FROM | IN_MODIFY);
	while (!chosen) {
		ssize_t length = read(watch, events, sizeof(events));

		for (ssize_t at = 0; at < length;) {
			const struct inotify_event *event = (const void *)(events + at);

			gone |= event->len > 0 && strcmp(event->name, "sh-0") == 0;
			chosen |= gone && (event->mask & IN_MODIFY);
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	usleep(3000);
	cleanup_free char *name = harness_path(traces, "sh-0/mine");
	*strrchr(name, '/') = '\0';
	mkdir(name, 0700);
	name[strlen(name)] = '/';
	harness_write_file(name, "mine");
}

/* The attempt whose name somebody else has taken begins again under another one. */
START_TEST(an_attempt_that_begins_again_still_looks_for_the_text)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *traces = harness_path(folder, "traces");
	const char *server = harness_server();
	cleanup_free char *here = getcwd(NULL, 0);

	mkdir(traces, 0700);
	pid_t taker = fork();
	if (taker == 0) {
		take_name(traces);
		_exit(0);
	}
	harness_shell("cd '%s' && export _RR_TRACE_DIR=\"$PWD/traces\" && "
		      "'%s%s%s' record-until --no-chaos -n 2 --fail-when=output:BROKEN -- "
		      "sh -c 'if [ -e once ]; then echo BROKEN; else >once; fi' >/dev/null 2>&1; "
		      "[ $? = 1 ]",
	    folder, *server == '/' ? "" : here, *server == '/' ? "" : "/", server);
	kill(taker, SIGKILL);
	waitpid(taker, NULL, 0);
}
END_TEST

/* Wrong calls and programs that cannot be recorded, with the messages for them. */
static const struct {
	const char *before, *arguments, *said;
} troubles[] = {
    {"", "", "the command to record is missing"},
    {"", "--attemps=3 true", "no such option"},
    {"", "-n 0 true", "attempts"},
    {"", "-n many true", "-n takes a number of attempts, not: many"},
    {"", "--export=failure false", "must end in .tar: failure"},
    {"", "--export=nowhere/failure.tar false", "no archive can be put into nowhere"},
    {"", "$(touch taken.tar; echo --export=taken.tar) false", "exists already"},
    {"", "-- no-such-program-anywhere", "no-such-program-anywhere"},
    {"", "\"--trace-dir=/tmp/$(printf '\\377')\" true", "must be UTF-8"},
    {"", "true \"$(printf '\\377')\"", "must be UTF-8"},
    {"--record=no", "true", "off in this server"},
};

START_TEST(trouble_is_told_from_a_failure)
{
	char arguments[256];
	snprintf(arguments, sizeof(arguments), "%s 2>&1", troubles[_i].arguments);
	struct job job = run(troubles[_i].before, arguments);

	ck_assert_msg(job.status == 2, "%d: %s", job.status, job.output);
	ck_assert_msg(strstr(job.output, troubles[_i].said) != NULL, "%s", job.output);
	job_end(&job);
}
END_TEST

/* What a person does next stands in the last line. */
START_TEST(the_last_line_is_the_next_step)
{
	struct job failed = run("", "-n 5 -- " FLAKY " 2>&1 | tail -n 1");
	struct job passed = run("", "-n 1 -- true 2>&1 | tail -n 1");

	ck_assert_msg(strncmp(failed.output, "Next: ", 6) == 0, "%s", failed.output);
	ck_assert_msg(strstr(failed.output, "traces/sh-0") != NULL, "%s", failed.output);
	ck_assert_msg(strncmp(passed.output, "Next: try more often", 20) == 0, "%s", passed.output);
	job_end(&failed);
	job_end(&passed);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_failure_is_kept_and_its_path_printed, TIMES(forms)},
	    {the_guard_heap_makes_a_silent_overflow_fail, 1},
	    {the_failing_trace_leaves_as_one_file, 1},
	    {an_attempt_that_begins_again_still_looks_for_the_text, 1},
	    {a_program_that_never_fails_leaves_nothing, 1},
	    {trouble_is_told_from_a_failure, TIMES(troubles)},
	    {the_last_line_is_the_next_step, 1},
	    {NULL, 0},
	};

	return scene_main_loops("record-until", tests, (const char *const[]){NULL});
}
