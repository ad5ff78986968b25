/*
 * Programs that people run, as they run them: each is recorded, replayed to its end, and stopped
 * and stepped back in. Its output and status must be those of a run without rr; some are recorded
 * with the guard heap as well.
 *
 *	real [NAME...]	default: all
 *
 * A row whose program is not installed is skipped, and says which package has it. Prints a line for
 * each, with seconds, and "N passed, N failed".
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/harness.h"
#include "tests/real/costs.h"
#include "tests/real/programs.h"

enum {
	SKIPPED = 77,
	OUTPUT_MAX = 32768,
	NOBODY = 65534,
	RECORD_S = 300,
};

#define NATIVE_S "120"

struct run {
	const struct real_program *program;
	char *folder; /* owned */
	struct client *client;
};

/* ---- Without rr ------------------------------------------------------------------------------ */

/* In a folder of its own. Returns the wait status. */
static int run_natively(const struct run *run, double *seconds)
{
	cleanup_free char *folder = harness_path(run->folder, "native"), *out = NULL;
	const double start = harness_now();
	int status;
	pid_t pid;

	if (asprintf(&out, "%s/native.out", run->folder) < 0)
		harness_fail("out of memory");
	harness_shell("mkdir %s", folder);
	pid = fork();
	if (pid == 0) {
		int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int null = open("/dev/null", O_RDWR);

		if (chdir(folder) < 0 || dup2(to, 1) < 0 || dup2(null, 0) < 0 || dup2(null, 2) < 0)
			_exit(126);
		execl("/usr/bin/timeout", "timeout", NATIVE_S, "/bin/sh", "-c",
		    run->program->script, NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		harness_fail("waitpid: %m");
	*seconds = harness_now() - start;
	return status;
}

/* ---- Recorded -------------------------------------------------------------------------------- */

static json_t *record(const struct run *run, const char *name, const char *heap)
{
	cleanup_free char *folder = harness_path(run->folder, name), *trace = NULL;

	if (asprintf(&trace, "%s.trace", folder) < 0)
		harness_fail("out of memory");
	harness_shell("mkdir %s", folder);
	return client_tool_result(run->client,
	    client_tool_send(run->client, "rr_record",
		json_pack("{s:[s, s, s], s:s, s:s, s:i, s:i, s:s*}", "command", "/bin/sh", "-c",
		    run->program->script, "working_directory", folder, "trace_dir", trace,
		    "output_limit", OUTPUT_MAX, "timeout", RECORD_S, "heap", heap)),
	    RECORD_S + HARNESS_TIMEOUT_S);
}

static void expect_same(const struct run *run, const json_t *recorded, int status)
{
	cleanup_free char *path = harness_path(run->folder, "native.out");
	cleanup_free char *native = harness_file(path), *shown = answer_show(recorded);
	const json_t *out = answer_at(recorded, "stdout");
	const char *said = out ? json_string_value(out) : "";

	if (!WIFEXITED(status) || answer_number(recorded, "exit_code") != WEXITSTATUS(status))
		harness_fail("natively the wait status is %d; recorded: %s", status, shown);
	if (!(run->program->how & REAL_VARIES) && strcmp(native, said) != 0)
		harness_fail("natively it prints:\n%s\nand recorded:\n%s", native, said);
	if (!strstr(said, run->program->prints))
		harness_fail("it does not print \"%s\": %s", run->program->prints, shown);
}

/* ---- Replayed -------------------------------------------------------------------------------- */

/* The process whose command has the row's word; the first one is the script, and has it too. */
static long long process_of(const struct run *run, const char *trace)
{
	json_auto_t *list = client_tool(run->client, "rr_ps", "{s:s}", "trace_dir", trace);
	const json_t *row;
	size_t i;

	json_array_foreach(answer_at(list, "processes"), i, row)
	{
		if (i > 0 && strstr(answer_text(row, "command"), run->program->process))
			return answer_number(row, "pid");
	}
	cleanup_free char *shown = answer_show(list);
	harness_fail("no process \"%s\": %s", run->program->process, shown);
}

static void call(const struct run *run, const char *tool, json_t *args)
{
	json_decref(
	    client_tool_result(run->client, client_tool_send(run->client, tool, args), RECORD_S));
}

/* To its end; then to a breakpoint from the start, and a step back from there. */
static double replay(const struct run *run, const char *trace)
{
	double start = harness_now(), seconds;

	call(run, "rr_replay_start",
	    json_pack("{s:s, s:I, s:s}", "trace_dir", trace, "pid",
		(json_int_t)process_of(run, trace), "at", "end"));
	seconds = harness_now() - start;
	call(run, "rr_goto", json_pack("{s:s}", "moment", "start"));
	call(run, "rr_breakpoint_set", json_pack("{s:s}", "location", run->program->stop));
	json_auto_t *stopped = client_tool_result(run->client,
	    client_tool_send(run->client, "rr_continue", json_pack("{s:i}", "deadline", 280)),
	    RECORD_S);
	if (strcmp(answer_text(stopped, "reason"), "breakpoint") != 0) {
		cleanup_free char *shown = answer_show(stopped);
		harness_fail("no breakpoint at %s: %s", run->program->stop, shown);
	}
	call(run, "rr_step", json_pack("{s:b, s:s}", "reverse", 1, "unit", "instruction"));
	call(run, "rr_replay_stop", NULL);
	return seconds;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_installed(const char *name)
{
	cleanup_free char *command = NULL;

	if (asprintf(
		&command, "command -v %s >/dev/null 2>&1 || ls %s >/dev/null 2>&1", name, name) < 0)
		harness_fail("out of memory");
	return system(command) == 0; // NOLINT(cert-env33-c): the harness's own words
}

static double megabytes_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)usage.ru_maxrss / 1024;
}

/* Returns its seconds. It must print and end as it did alone. `costs` may be NULL. */
static double record_as(
    const struct run *run, const char *name, const char *heap, int status, struct costs *costs)
{
	struct costs_watch *watch = costs ? costs_begin(client_pid(run->client)) : NULL;
	const double start = harness_now();
	json_auto_t *answer = record(run, name, heap);
	const double seconds = harness_now() - start;

	if (watch)
		*costs = costs_end(watch);
	expect_same(run, answer, status);
	return seconds;
}

static void print_costs(const struct costs *costs)
{
	const double rr = costs->rr_own + costs->rr_kernel;
	const double programs = costs->programs_own + costs->programs_kernel;
	const double all = rr + programs + costs->compression;

	if (all > 0)
		printf("; of %.2f s of the processor's: rr %.0f %% (its system calls %.0f), "
		       "programs %.0f (%.0f), compression %.0f",
		    all, 100 * rr / all, 100 * costs->rr_kernel / all, 100 * programs / all,
		    100 * costs->programs_kernel / all, 100 * costs->compression / all);
}

static _Noreturn void play(const struct real_program *program)
{
	struct run run = {.program = program};
	double native, recorded, replayed, guarded = 0;
	struct costs costs;
	int status;

	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1); /* the distribution's own */
	if (!is_installed(program->needs)) {
		printf("skipped: %s: install %s\n", program->name, program->package);
		exit(SKIPPED);
	}
	/* Several refuse root, or want to become another user. */
	if (getuid() == 0 && (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		harness_fail("setuid: %m");
	if (access(harness_server(), X_OK) < 0) {
		printf("skipped: %s: user %d cannot run %s\n", program->name, (int)getuid(),
		    harness_server());
		exit(SKIPPED);
	}
	run.folder = harness_scratch(0);
	setenv("HOME", run.folder, 1);
	status = run_natively(&run, &native);
	run.client = client_start(NULL);
	recorded = record_as(&run, "recorded", NULL, status, &costs);
	cleanup_free char *trace = harness_path(run.folder, "recorded.trace");
	replayed = replay(&run, trace);
	if (program->how & REAL_GUARDED)
		guarded = record_as(&run, "guarded", "guard", status, NULL);
	client_end(run.client);
	printf("ok %-12s %6.2f s alone, %6.2f s recorded (%5.1f), %6.2f s to its end, %5.0f MB",
	    program->name, native, recorded, recorded / native, replayed, megabytes_of_children());
	print_costs(&costs);
	if (program->how & REAL_GUARDED)
		printf("; %.2f s recorded with the guard heap", guarded);
	puts("");
	harness_scratch_free(run.folder);
	exit(0);
}

static bool is_wanted(const struct real_program *program, char **names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted |= strcmp(*names, program->name) == 0;
	return wanted;
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0;

	(void)argc;
	for (const struct real_program *program = real_programs; program->name; program++) {
		int status = 0;
		pid_t pid;

		if (!is_wanted(program, argv + 1))
			continue;
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			play(program);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			harness_fail("fork: %m");
		if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
			continue;
		if (status != 0)
			printf("FAILED: %s\n", program->name);
		*(status == 0 ? &passed : &failed) += 1;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0 || passed == 0;
}
