/*
 * What lies beside a program or in a trace's place: init files and scripts for gdb, directories of
 * links, names with "..", and names that change while they are looked at.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/attacks/bare.h"
#include "tests/attacks/stage.h"
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"

#define PROGRAM "exit_code"
#define RACES	40

/* ---- Scripts for gdb ------------------------------------------------------------------------ */

/* A copy of the program with everything beside and in it that a gdb left to itself would run. */
static void lay_scripts(const char *folder, const char *witness)
{
	cleanup_free char *program = harness_program(PROGRAM);

	harness_shell(
	    "cd '%s' && cp '%s' prog && mkdir -p .config/gdb && "
	    "echo 'shell touch %s/gdbinit' | tee .gdbinit .gdbearlyinit .config/gdb/gdbinit "
	    "prog-gdb.gdb >scripts.gdb && "
	    "echo 'open(\"%s/python\", \"w\").close()' >prog-gdb.py",
	    folder, program, witness, witness);
	/* 4: python text inside; 6: gdb commands inside; 3: the name of a gdb script */
	harness_shell(
	    "cd '%s' && { printf '\\004inlined\\nopen(\"%s/inlined\", \"w\").close()\\n\\000' && "
	    "printf '\\006commands\\nshell touch %s/commands\\n\\000' && "
	    "printf '\\003%s/scripts.gdb\\000'; } >section && "
	    "objcopy --add-section .debug_gdb_scripts=section prog",
	    folder, witness, witness, folder);
}

static void replay_among_scripts(const char *const *args)
{
	struct witness witness = witness_new();
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	cleanup_free char *program = harness_path(folder, "prog");

	lay_scripts(folder, witness.folder);
	struct client *client = client_start(
	    &(struct client_options){.home = folder, .directory = folder, .args = args});
	client_tool_done(
	    client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	free(client_replay(client, trace));
	expect_answer(client_tool(client, "rr_continue", "{s:s}", "until", "main"),
	    "frame.function", "main"); /* its symbols were read, and so its scripts */
	client_end(client);
	witness_end(&witness);
}

START_TEST(gdb_runs_no_script_of_the_program_or_beside_it)
{
	replay_among_scripts(NULL);
}
END_TEST

START_TEST(gdb_runs_no_script_without_the_sandbox_either)
{
	replay_among_scripts(bare_arguments);
}
END_TEST

/* ---- A trace made of links ------------------------------------------------------------------ */

static const char *const link_targets[] = {
    "", /* the secret */
    "/etc/passwd",
    "/dev/zero",
    "/dev/tty",
    "/proc/self/environ",
    "/proc/1/root",
    ".",
    "version",
    "/",
};

static const char *const trace_files[] = {"version", "data", "events", "mmaps", "tasks"};

/* A trace directory whose files lead to `target`; "version" is sound where `known` is. */
static void make_links(const char *folder, const char *target, bool known, const char *sound)
{
	mkdir(folder, 0700);
	for (size_t i = 0; i < sizeof(trace_files) / sizeof(*trace_files); i++) {
		cleanup_free char *path = harness_path(folder, trace_files[i]);
		if (known && strcmp(trace_files[i], "version") == 0)
			harness_shell("cp '%s/version' '%s'", sound, path);
		else
			ck_assert_int_eq(symlink(target, path), 0);
	}
}

/* No answer shows the secret, and each comes. */
static void ask_about(struct client *client, const char *folder)
{
	static const char *const tools[] = {
	    "rr_traceinfo", "rr_ps", "rr_replay_start", "rr_pack", "rr_export", "rr_rm"};
	cleanup_free char *file = harness_path(folder, "../exported.tar");

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		json_t *args = json_pack("{s:s}", "trace_dir", folder);
		if (strcmp(tools[i], "rr_export") == 0)
			json_object_set_new(args, "file", json_string(file));
		json_auto_t *answer =
		    client_wait(client, client_tool_send(client, tools[i], args), 60);
		if (answer == NULL)
			harness_fail("%s was not answered for %s", tools[i], folder);
		cleanup_free char *shown = answer_show(answer);
		ck_assert_msg(strstr(shown, SECRET) == NULL, "%s tells: %s", tools[i], shown);
	}
	if (access(file, F_OK) == 0)
		harness_shell("! grep -q '%s' '%s' && rm '%s'", SECRET, file, file);
}

START_TEST(a_trace_of_links_leads_nowhere)
{
	struct witness witness = witness_new();
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *home = harness_path(folder, "home");
	cleanup_free char *secret = harness_path(folder, "home/.secret");
	char name[64];
	size_t count = sizeof(link_targets) / sizeof(*link_targets);

	ck_assert_int_eq(mkdir(home, 0700), 0);
	harness_write_file(secret, SECRET "\n");
	struct client *client = client_start(&(struct client_options){.home = home,
	    .args = (const char *const[]){"--timeout-startup=5", "--timeout-connect=5",
		"--timeout-reverse=10", "--memory=8G", NULL}});
	witness_count_none(&witness);
	for (size_t i = 0; i < 2 * count; i++) {
		const char *target = i % count == 0 ? secret : link_targets[i % count];
		snprintf(name, sizeof(name), "links%zu", i);
		cleanup_free char *links = harness_path(folder, name);
		make_links(links, target, i >= count, scene_trace(PROGRAM));
		ask_about(client, links);
		witness_look(&witness, client_pid(client));
	}
	cleanup_free char *kept = harness_file(secret);
	ck_assert_str_eq(kept, SECRET "\n");
	client_end(client);
	witness_end(&witness);
}
END_TEST

START_TEST(a_pipe_in_the_place_of_a_trace_file_holds_nothing_up)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	cleanup_client struct client *client = client_start(
	    &(struct client_options){.args = (const char *const[]){"--timeout-startup=3",
					 "--timeout-connect=3", "--timeout-reverse=3", NULL}});

	mkdir(trace, 0700);
	for (size_t i = 0; i < sizeof(trace_files) / sizeof(*trace_files); i++) {
		cleanup_free char *path = harness_path(trace, trace_files[i]);
		ck_assert_int_eq(mkfifo(path, 0600), 0);
	}
	ask_about(client, trace);
	harness_shell("cp '%s/version' '%s/v' && mv '%s/v' '%s/version'", scene_trace(PROGRAM),
	    trace, trace, trace);
	ask_about(client, trace);
}
END_TEST

/* ---- rr_rm ---------------------------------------------------------------------------------- */

/* %s is the folder; victim is a trace outside of the root, t one inside. */
static const char *const wrong_names[] = {
    "%s/root/../victim",
    "%s/root/t/../../victim",
    "%s/root/t/..",
    "%s/root/t/.",
    "%s/root/.",
    "%s/root",
    "%s/root/link",
    "%s/root/link/",
    "%s/root/link/.",
    "%s/root/up/victim",
    "%s/root//../victim",
    "%s/victim",
    "../victim",
    "..",
    ".",
    "/",
    "",
};

static const char *const outside[] = {
    "%s/victim", "%s/root/link", "%s/root/up/victim", "%s/root//../victim", "/proc/self/cwd"};

START_TEST(rr_rm_goes_nowhere_by_names)
{
	cleanup_scratch char *folder = harness_scratch(0);
	char root[4096], path[4096];

	harness_shell("cd '%s' && mkdir root && cp -a '%s' victim && cp -a victim root/t && "
		      "ln -s ../victim root/link && ln -s .. root/up && cp -a victim .copy",
	    folder, scene_trace(PROGRAM));
	snprintf(root, sizeof(root), "--trace-root=%s/root", folder);
	struct client *client =
	    client_start(&(struct client_options){.args = (const char *const[]){root, NULL}});
	for (size_t i = 0; i < sizeof(wrong_names) / sizeof(*wrong_names); i++) {
		snprintf(path, sizeof(path), wrong_names[i], folder);
		client_tool_refused(client, "rr_rm", NULL, "{s:s}", "trace_dir", path);
		harness_shell(
		    "cd '%s' && diff -r victim .copy && diff -r root/t .copy && test -L root/link",
		    folder);
	}
	snprintf(path, sizeof(path), "%s/root/t", folder);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", path); /* or nothing is shown */
	ck_assert_int_ne(access(path, F_OK), 0);
	client_end(client);
}
END_TEST

/* A trace "victim" of a program that lies there: with trace roots, a replay sees no program in a
 * home, where the tests' own programs may lie. */
static void record_in(const char *folder)
{
	cleanup_free char *built = harness_program(PROGRAM),
			  *program = harness_path(folder, PROGRAM);
	cleanup_free char *trace = harness_path(folder, "victim");
	struct client *client = client_start(NULL);

	harness_shell("cp '%s' '%s'", built, program);
	client_tool_done(
	    client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	client_end(client);
}

/* Neither trace of a comparison may be one that the settings do not allow. */
START_TEST(a_comparison_sees_no_trace_outside_the_roots)
{
	cleanup_scratch char *folder = harness_scratch(0);
	char root[4096], inside[4096], path[4096];

	record_in(folder);
	harness_shell("cd '%s' && mkdir root && cp -a victim root/t && "
		      "ln -s ../victim root/link && ln -s .. root/up",
	    folder);
	snprintf(root, sizeof(root), "--trace-root=%s/root", folder);
	snprintf(inside, sizeof(inside), "%s/root/t", folder);
	struct client *client =
	    client_start(&(struct client_options){.args = (const char *const[]){root, NULL}});
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		snprintf(path, sizeof(path), outside[i], folder);
		client_tool_refused(
		    client, "rr_compare_runs", NULL, "{s:s, s:s}", "good", inside, "bad", path);
		client_tool_refused(
		    client, "rr_compare_runs", NULL, "{s:s, s:s}", "good", path, "bad", inside);
	}
	/* Or nothing is shown. */
	client_tool_done(client, "rr_compare_runs", "{s:s, s:s}", "good", inside, "bad", inside);
	client_end(client);
}
END_TEST

/* Swaps a trace with a link to the victim, as fast as it can. */
static pid_t swap_forever(const char *a, const char *b)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
	return child;
}

START_TEST(rr_rm_goes_nowhere_by_a_race)
{
	cleanup_scratch char *folder = harness_scratch(0);
	char *a, *b;
	cleanup_client struct client *client = client_start(NULL);
	size_t removed = 0;

	harness_shell(
	    "cd '%s' && cp -a '%s' victim && cp -a victim .copy", folder, scene_trace(PROGRAM));
	a = harness_path(folder, "a");
	b = harness_path(folder, "b");
	for (int i = 0; i < RACES; i++) {
		harness_shell("cd '%s' && rm -rf a b && cp -a .copy a && ln -s victim b", folder);
		pid_t swapping = swap_forever(a, b);
		json_auto_t *answer = client_wait(client,
		    client_tool_send(client, "rr_rm", json_pack("{s:s}", "trace_dir", a)), 60);
		kill(swapping, SIGKILL);
		waitpid(swapping, NULL, 0);
		ck_assert_ptr_nonnull(answer);
		removed += !json_is_true(answer_at(answer, "result.isError"));
		harness_shell("cd '%s' && diff -r victim .copy", folder);
	}
	fprintf(stderr, "%zu of %d removed the trace\n", removed, RACES);
	free(a);
	free(b);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {gdb_runs_no_script_of_the_program_or_beside_it,
	    gdb_runs_no_script_without_the_sandbox_either, a_trace_of_links_leads_nowhere,
	    a_pipe_in_the_place_of_a_trace_file_holds_nothing_up, rr_rm_goes_nowhere_by_names,
	    a_comparison_sees_no_trace_outside_the_roots, rr_rm_goes_nowhere_by_a_race, NULL};

	witness_alone();
	return scene_main("beside", tests, (const char *const[]){PROGRAM, NULL});
}
