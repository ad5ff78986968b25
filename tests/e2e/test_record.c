/*
 * How traces are named, kept private, listed, read and removed; how a program that does not want to
 * end is ended; how a rare failure is recorded.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

struct home {
	char *folder, *traces, *setting;
	struct client *client;
};

/* A server that keeps its traces in a folder of the test's own. */
static struct home home_open(void)
{
	struct home home = {.folder = harness_scratch(0)};
	size_t size = strlen(home.folder) + 64;

	home.traces = harness_path(home.folder, "traces");
	home.setting = malloc(size);
	snprintf(home.setting, size, "_RR_TRACE_DIR=%s", home.traces);
	const char *const environment[] = {home.setting, NULL};
	home.client = client_start(&(struct client_options){.env = environment});
	return home;
}

static void home_close(struct home *home)
{
	client_end(home->client);
	free(home->setting);
	free(home->traces);
	harness_scratch_free(home->folder);
}
#define cleanup_home __attribute__((cleanup(home_close)))

/* Records a program of tests/programs into the default directory. */
static json_t *record(struct home *home, const char *name)
{
	cleanup_free char *program = harness_program(name);
	json_t *recorded = client_tool(home->client, "rr_record", "{s:[s]}", "command", program);

	return recorded;
}

/* What a tool says of a recording of the program. */
static json_t *ask_about(struct home *home, const char *name, const char *tool)
{
	json_auto_t *recorded = record(home, name);

	return client_tool(
	    home->client, tool, "{s:s}", "trace_dir", answer_text(recorded, "trace_dir"));
}

static size_t count_traces(const char *folder)
{
	DIR *entries = opendir(folder);
	size_t count = 0;

	for (struct dirent *entry; entries && (entry = readdir(entries));)
		count += entry->d_type == DT_DIR && entry->d_name[0] != '.';
	if (entries)
		closedir(entries);
	return count;
}

START_TEST(a_trace_is_named_after_its_program_and_private)
{
	cleanup_home struct home home = home_open();
	json_auto_t *first = record(&home, "exit_code"), *second = record(&home, "exit_code");
	struct stat status;
	cleanup_free char *expected = harness_path(home.traces, "exit_code-0");
	cleanup_free char *latest = harness_path(home.traces, "latest-trace");
	char target[64] = "";

	expect_text(first, "trace_dir", expected);
	expect_within(second, "trace_dir", "/exit_code-1");
	ck_assert_int_eq(stat(expected, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0700);
	ck_assert_int_gt(readlink(latest, target, sizeof(target) - 1), 0);
	ck_assert_str_eq(target, "exit_code-1");
}
END_TEST

/* From two servers, because agents run side by side. */
START_TEST(recordings_at_once_never_get_the_same_name)
{
	enum { AT_ONCE = 12 };
	cleanup_home struct home home = home_open();
	const char *const environment[] = {home.setting, NULL};
	struct client *clients[] = {
	    home.client, client_start(&(struct client_options){.env = environment})};
	cleanup_free char *program = harness_program("exit_code");
	json_auto_t *names = json_object();
	long long ids[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		ids[i] = client_tool_send(
		    clients[i % 2], "rr_record", json_pack("{s:[s]}", "command", program));
	for (int i = 0; i < AT_ONCE; i++) {
		json_auto_t *recorded =
		    client_tool_result(clients[i % 2], ids[i], HARNESS_TIMEOUT_S);
		expect_number(recorded, "exit_code", 42);
		json_object_set_new(names, answer_text(recorded, "trace_dir"), json_true());
	}
	ck_assert_uint_eq(json_object_size(names), AT_ONCE);
	ck_assert_uint_eq(count_traces(home.traces), AT_ONCE);
	client_abandon(clients[1]);
}
END_TEST

/* The names that rr gives its temporary files, which a killed rr, or anybody, can leave. */
static void take_temporary_names(const char *folder)
{
	char path[256];

	for (int pid = 1; pid <= 64; pid++) {
		snprintf(
		    path, sizeof(path), "%s/rr-shared-preload_thread_locals-%d-0", folder, pid);
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
}

START_TEST(files_with_the_names_of_rrs_temporary_ones_do_not_end_a_recording)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("exit_code");

	take_temporary_names(home.folder);
	expect_all(client_tool(home.client, "rr_record", "{s:[s], s:{s:s}}", "command", program,
		       "env", "TMPDIR", home.folder),
	    NUMBER("exit_code", 42));
}
END_TEST

START_TEST(the_program_inherits_nothing_of_ours)
{
	cleanup_home struct home home = home_open();
	json_auto_t *recorded = record(&home, "descriptors");
	const char *text = answer_text(recorded, "stdout");

	/* 999 and 1001 are rr's own. */
	ck_assert_int_eq(strncmp(text, "fd 0\nfd 1\nfd 2\nfd 999\nfd 1001\n", 30), 0);
	ck_assert_ptr_null(strstr(text, "ignored"));
	ck_assert_ptr_nonnull(strstr(text, "umask 022"));
	ck_assert_ptr_null(strstr(text, "softpmu"));
}
END_TEST

START_TEST(a_program_that_ignores_every_signal_is_ended_and_its_trace_complete)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("stubborn");
	json_auto_t *recorded =
	    client_tool(home.client, "rr_record", "{s:[s], s:i}", "command", program, "timeout", 8);

	expect_text(recorded, "ended_by", "timeout");
	/* On a slow machine it may not have become stubborn yet. */
	if (strcmp(answer_text(recorded, "stdout"), "up\n") == 0) {
		expect_text(recorded, "signal", "SIGKILL");
		expect_number(
		    recorded, "processes.1.ppid", answer_number(recorded, "processes.0.pid"));
	}
	free(client_replay(home.client, answer_text(recorded, "trace_dir")));
}
END_TEST

START_TEST(a_tree_of_processes_is_told_with_every_end)
{
	cleanup_home struct home home = home_open();
	json_auto_t *list = ask_about(&home, "fork_tree", "rr_ps");

	ck_assert_uint_eq(answer_count(list, "processes"), 8);
	expect_number(list, "processes.0.exit_code", 0);
	expect_text(list, "processes.1.signal", "SIGTERM");
	ck_assert(answer_true(list, "processes.1.forked"));
	expect_number(list, "processes.1.ppid", answer_number(list, "processes.0.pid"));
}
END_TEST

START_TEST(traces_are_listed_newest_first_in_pages)
{
	cleanup_home struct home home = home_open();
	json_decref(record(&home, "crash"));
	json_decref(record(&home, "exit_code"));

	json_auto_t *page = client_tool(home.client, "rr_list_recordings", "{s:i}", "limit", 1);
	expect_all(json_incref(page), COUNT("recordings", 1), NUMBER("total", 2),
	    HAS("recordings.0.trace_dir", "/exit_code-0"), TRUE("recordings.0.latest"),
	    FALSE("recordings.0.crashed"));

	json_auto_t *next = client_tool(home.client, "rr_list_recordings", "{s:I}", "offset",
	    (json_int_t)answer_number(page, "next_offset"));
	expect_all(json_incref(next), COUNT("recordings", 1), HAS("recordings.0.command", "crash"),
	    TRUE("recordings.0.crashed"), ABSENT("next_offset"));
	ck_assert_int_gt(answer_number(next, "recordings.0.bytes"), 1000);
}
END_TEST

START_TEST(a_trace_tells_where_it_was_made)
{
	cleanup_home struct home home = home_open();
	json_auto_t *info = ask_about(&home, "exit_code", "rr_traceinfo");

	ck_assert(answer_true(info, "cpu.same_as_here"));
	expect_text(info, "ticks_semantics", "rcb");
	ck_assert_uint_eq(strlen(answer_text(info, "uuid")), 32);
}
END_TEST

START_TEST(a_trace_with_a_foreign_file_in_it_is_not_removed)
{
	cleanup_home struct home home = home_open();
	json_auto_t *recorded = record(&home, "exit_code");
	const char *trace = answer_text(recorded, "trace_dir");
	cleanup_free char *thesis = harness_path(trace, "thesis.tex");

	harness_write_file(thesis, "ten years\n");
	client_tool_refused(home.client, "rr_rm", "not_allowed", "{s:s}", "trace_dir", trace);
	client_tool_done(home.client, "rr_ps", "{s:s}", "trace_dir", trace);
	ck_assert_int_eq(unlink(thesis), 0);
	client_tool_done(home.client, "rr_rm", "{s:s}", "trace_dir", trace);
	ck_assert_int_lt(access(trace, F_OK), 0);
}
END_TEST

/* A server of `user` (0: ours) without HOME. */
static struct client *start_homeless(uid_t user)
{
	const char *const args[] = {"-u", "HOME", harness_server(), NULL};

	return client_start(
	    &(struct client_options){.server = "/usr/bin/env", .args = args, .uid = user});
}

START_TEST(without_a_home_traces_go_where_passwd_says)
{
	cleanup_client struct client *client = start_homeless(0);
	const char *home = getpwuid(getuid())->pw_dir;
	json_auto_t *recorded = client_tool(client, "rr_record", "{s:[s]}", "command", "/bin/true");
	const char *trace = answer_text(recorded, "trace_dir");

	ck_assert_msg(strncmp(trace, home, strlen(home)) == 0, "%s is not below %s", trace, home);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", trace);
}
END_TEST

START_TEST(without_any_home_nothing_goes_into_a_shared_directory)
{
	enum { NOBODY_KNOWS_ME = 54321 };
	if (getuid() != 0) {
		puts("skipped: only root can play a user without an entry in passwd");
		return;
	}
	cleanup_client struct client *client = start_homeless(NOBODY_KNOWS_ME);
	expect_answer_within(
	    client_tool_fails(client, "rr_record", "not_found", "{s:[s]}", "command", "/bin/true"),
	    "message", "HOME is not set");
	client_tool_refused(client, "rr_list_recordings", "not_found", NULL);
}
END_TEST

START_TEST(a_path_for_traces_that_is_too_long_is_refused_with_a_way_on)
{
	char home[4090] = "/";

	memset(home + 1, 'a', sizeof(home) - 2);
	home[sizeof(home) - 1] = '\0';
	cleanup_client struct client *client = client_start(&(struct client_options){.home = home});
	expect_answer_within(client_tool_fails(client, "rr_record", "invalid_argument", "{s:[s]}",
				 "command", "/bin/true"),
	    "hint", "use a shorter path");
}
END_TEST

START_TEST(a_relative_path_of_a_server_in_the_root_begins_with_one_slash)
{
	cleanup_client struct client *client =
	    client_start(&(struct client_options){.directory = "/"});

	expect_answer_within(client_tool_fails(client, "rr_replay_start", "not_found", "{s:s}",
				 "trace_dir", "no/trace"),
	    "message", "no trace /no/trace");
}
END_TEST

START_TEST(a_trace_that_another_server_replays_is_not_removed)
{
	cleanup_home struct home home = home_open();
	json_auto_t *recorded = record(&home, "exit_code");
	const char *trace = answer_text(recorded, "trace_dir");
	struct client *other = client_start(NULL);
	cleanup_free char *session = client_replay(other, trace);

	expect_answer_within(
	    client_tool_fails(home.client, "rr_rm", "not_allowed", "{s:s}", "trace_dir", trace),
	    "message", "in use");
	expect_answer(client_tool(other, "rr_continue", NULL), "reason", "end");
	client_tool_done(other, "rr_replay_stop", "{s:s}", "session", session);
	client_tool_done(home.client, "rr_rm", "{s:s}", "trace_dir", trace);
	ck_assert_int_lt(access(trace, F_OK), 0);
	client_abandon(other);
}
END_TEST

/* As rr leaves a trace when it is killed, with its worker, while it makes that. */
START_TEST(the_beginning_of_a_trace_can_be_listed_and_removed)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *begun = harness_path(home.traces, "begun-0");
	char command[4096];

	json_decref(record(&home, "exit_code"));
	snprintf(command, sizeof(command),
	    "mkdir -m 700 '%s' && cd '%s' && touch -d '1 minute ago' events data", begun, begun);
	ck_assert_int_eq(system(command), 0);
	expect_all(client_tool(home.client, "rr_list_recordings", NULL), COUNT("recordings", 2));
	client_tool_done(home.client, "rr_rm", "{s:s}", "trace_dir", begun);
	ck_assert_int_lt(access(begun, F_OK), 0);
}
END_TEST

START_TEST(a_rare_failure_is_recorded_and_the_other_traces_removed)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("flaky"),
			  *counter = harness_path(home.folder, "runs");
	json_auto_t *found =
	    client_tool(home.client, "rr_record_until", "{s:[s,s]}", "command", program, counter);

	ck_assert(answer_true(found, "failed"));
	expect_number(found, "attempts", 3);
	expect_number(found, "exit_code", 7);
	expect_number(found, "endings.exit 0", 2);
	ck_assert_uint_eq(count_traces(home.traces), 1);
	free(client_replay(home.client, answer_text(found, "trace_dir")));
}
END_TEST

/* Its second run kills rr, which leaves half a trace; its third fails. */
static const char kills_rr[] = "echo >>\"$0\"; n=$(wc -l <\"$0\"); echo run $n; "
			       "if [ $n = 2 ]; then kill -9 $PPID; sleep 60; fi; [ $n != 3 ]";

START_TEST(an_attempt_that_rr_spoils_is_counted_and_the_next_one_made)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *counter = harness_path(home.folder, "runs");
	expect_all(client_tool(home.client, "rr_record_until", "{s:[s,s,s,s]}", "command",
		       "/bin/sh", "-c", kills_rr, counter),
	    TRUE("failed"), NUMBER("attempts", 3), NUMBER("endings.exit 0", 1),
	    NUMBER("endings.rr failed", 1), NUMBER("endings.exit 1", 1),
	    IS("printed.exit 0", "run 1"), IS("printed.exit 1", "run 3"),
	    HAS("printed.rr failed", "killed by SIGKILL"));
	ck_assert_uint_eq(count_traces(home.traces), 1);
}
END_TEST

START_TEST(an_rr_that_spoils_every_attempt_ends_the_hunt)
{
	cleanup_home struct home home = home_open();
	expect_all(client_tool_fails(home.client, "rr_record_until", "rr_failed", "{s:[s,s,s]}",
		       "command", "/bin/sh", "-c", "kill -9 $PPID; sleep 60"),
	    NUMBER("attempts", 3), NUMBER("endings.rr failed", 3),
	    HAS("message", "attempt 3 of 10"));
	ck_assert_uint_eq(count_traces(home.traces), 0);
}
END_TEST

START_TEST(only_the_failure_that_is_asked_for_counts)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("flaky"),
			  *counter = harness_path(home.folder, "runs");
	expect_all(client_tool(home.client, "rr_record_until", "{s:[s,s], s:s, s:i}", "command",
		       program, counter, "fail_when", "signal", "attempts", 3),
	    FALSE("failed"), ABSENT("trace_dir"));
	ck_assert_uint_eq(count_traces(home.traces), 0);
	expect_all(client_tool(home.client, "rr_record_until", "{s:[s,s], s:s}", "command", program,
		       counter, "fail_when", "output:counter overflowed"),
	    TRUE("failed"), NUMBER("attempts", 3));
}
END_TEST

START_TEST(every_attempt_is_in_the_progress)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("stubborn");
	long long id = client_tool_send_progress(home.client, "rr_record_until",
	    json_pack(
		"{s:[s], s:s, s:i}", "command", program, "fail_when", "timeout", "timeout", 3),
	    "token");
	json_auto_t *note =
	    client_notification(home.client, "notifications/progress", HARNESS_TIMEOUT_S);

	ck_assert_ptr_nonnull(note);
	expect_within(note, "params.message", "attempt 1 of 10");
	json_decref(client_tool_result(home.client, id, HARNESS_TIMEOUT_S));
}
END_TEST

START_TEST(a_trace_travels_as_one_file)
{
	cleanup_home struct home home = home_open();
	json_auto_t *recorded = record(&home, "crash");
	const char *trace = answer_text(recorded, "trace_dir");
	cleanup_free char *file = harness_path(home.folder, "bug.tar");

	client_tool_done(home.client, "rr_export", "{s:s, s:s}", "trace_dir", trace, "file", file);
	/* It holds memory: nobody else's. */
	struct stat status;
	ck_assert_int_eq(stat(file, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0600);
	client_tool_refused(home.client, "rr_export", "invalid_argument", "{s:s, s:s}", "trace_dir",
	    trace, "file", file);
	client_tool_done(home.client, "rr_rm", "{s:s}", "trace_dir", trace);

	json_auto_t *imported = client_tool(home.client, "rr_import", "{s:s}", "file", file);
	expect_text(imported, "trace_dir", trace);
	/* rr refuses to replay a trace of another processor, so the import says so at once. */
	ck_assert(answer_true(imported, "cpu.same_as_here"));
	ck_assert(answer_true(imported, "cpu.xsave_fits"));
	free(client_replay(home.client, trace));
	expect_answer(client_tool(home.client, "rr_continue", NULL), "reason", "signal");
	expect_answer_within(client_tool(home.client, "rr_import", "{s:s}", "file", file),
	    "trace_dir", "/crash-0-1");

	cleanup_free char *other = harness_path(home.folder, "other.tar");
	harness_write_file(other, "no archive\n");
	client_tool_refused(home.client, "rr_import", "invalid_argument", "{s:s}", "file", other);
	ck_assert_uint_eq(count_traces(home.traces), 2);
}
END_TEST

START_TEST(a_packed_trace_does_without_its_program)
{
	cleanup_home struct home home = home_open();
	cleanup_free char *program = harness_program("exit_code"),
			  *copy = harness_path(home.folder, "gone");
	char command[4096];

	snprintf(command, sizeof(command), "cp '%s' '%s'", program, copy);
	ck_assert_int_eq(system(command), 0);
	json_auto_t *recorded = client_tool(home.client, "rr_record", "{s:[s]}", "command", copy);
	const char *trace = answer_text(recorded, "trace_dir");
	client_tool_done(home.client, "rr_pack", "{s:s}", "trace_dir", trace);
	ck_assert_int_eq(unlink(copy), 0);
	free(client_replay(home.client, trace));
}
END_TEST

/* As root there, only ptrace may write to a tracee; see memory.h. */
START_TEST(in_a_container_the_code_cache_is_used_too)
{
	cleanup_free char *container = harness_program("../doubles/container");
	char text[8192];
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *script = harness_path(folder, "server");

	snprintf(
	    text, sizeof(text), "#!/bin/sh\nexec '%s' '%s' \"$@\"\n", container, harness_server());
	harness_write_file(script, text);
	ck_assert_int_eq(chmod(script, 0755), 0);
	snprintf(text, sizeof(text), "'%s' /bin/true", container);
	if (system(text) == 0) {
		cleanup_free char *trace = harness_path(folder, "trace");
		cleanup_client struct client *client =
		    client_start(&(struct client_options){.server = script});
		json_auto_t *recorded = client_tool(client, "rr_record", "{s:[s], s:s}", "command",
		    "/bin/true", "trace_dir", trace);
		const char *said = json_string_value(json_object_get(recorded, "stderr"));

		ck_assert_msg(!said || !strstr(said, "code cache"), "%s", said);
	}
}
END_TEST

/* rr replays a copy of the program, or a link to it, that it keeps in the trace. */
START_TEST(a_session_names_the_program_and_not_the_copy_in_the_trace)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *from = harness_program("overrun");
	cleanup_free char *program = harness_path(place.folder, "renamed");

	harness_shell("cp '%s' '%s'", from, program);
	client_tool_done(place.client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir",
	    place.trace);
	json_auto_t *opened =
	    client_tool(place.client, "rr_replay_start", "{s:s}", "trace_dir", place.trace);
	expect_text(opened, "command", program);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_trace_is_named_after_its_program_and_private,
	    recordings_at_once_never_get_the_same_name,
	    files_with_the_names_of_rrs_temporary_ones_do_not_end_a_recording,
	    the_program_inherits_nothing_of_ours,
	    a_program_that_ignores_every_signal_is_ended_and_its_trace_complete,
	    a_tree_of_processes_is_told_with_every_end, traces_are_listed_newest_first_in_pages,
	    a_trace_tells_where_it_was_made, a_trace_with_a_foreign_file_in_it_is_not_removed,
	    without_a_home_traces_go_where_passwd_says,
	    without_any_home_nothing_goes_into_a_shared_directory,
	    a_path_for_traces_that_is_too_long_is_refused_with_a_way_on,
	    a_relative_path_of_a_server_in_the_root_begins_with_one_slash,
	    a_trace_that_another_server_replays_is_not_removed,
	    the_beginning_of_a_trace_can_be_listed_and_removed,
	    a_rare_failure_is_recorded_and_the_other_traces_removed,
	    an_attempt_that_rr_spoils_is_counted_and_the_next_one_made,
	    an_rr_that_spoils_every_attempt_ends_the_hunt,
	    only_the_failure_that_is_asked_for_counts, every_attempt_is_in_the_progress,
	    a_trace_travels_as_one_file, a_packed_trace_does_without_its_program,
	    in_a_container_the_code_cache_is_used_too,
	    a_session_names_the_program_and_not_the_copy_in_the_trace, NULL};
	return scene_main("record", tests, (const char *const[]){NULL});
}
