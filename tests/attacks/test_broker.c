/*
 * The broker against a worker that was taken over (tests/doubles/petitioner.c), and against names
 * that change while it looks at them: as ourselves and as an ordinary user, with a home that is a
 * directory and one that is a link, with namespaces and without.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sandbox/wire/broker.h"
#include "tests/attacks/stage.h"

#define LINES_MOST   2100 /* of the audit, for one worker that floods */
#define DEATHS	     5
#define SWAPPED	     2 /* sessions under a race */
#define SWAPPED_MOST 30

/* The version of the kernel's Landlock; from 6 on it rules signals. */
static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
}

static const char *const plain[] = {"--sandbox-net_ns=prefer", "--timeout-eval=150", NULL};

/* A stage with a trace, another trace beside it, and the petitioner in the worker's place. */
struct plea {
	struct stage stage;
	char *tree, *bookmarks;
};

static struct plea plea_open(int play)
{
	struct plea plea = {.stage = stage_open(play, plain, NULL)};

	json_decref(stage_record(&plea.stage));
	client_end(plea.stage.client);
	harness_shell(
	    "cd '%s' && cp -a real/trace real/other && cp -a real .before", plea.stage.folder);
	plea.tree = harness_tree("../doubles/petitioner");
	plea.bookmarks = harness_path(plea.stage.trace, BROKER_BOOKMARKS_FILE);
	plea.stage.client = stage_tree_client(&plea.stage, play, plea.tree, plain, false);
	return plea;
}

/* Everything is as it was, but for the bookmarks and the reports of the trace. */
static void expect_unchanged(const struct plea *plea)
{
	harness_shell("cd '%s' && diff -r -x " BROKER_BOOKMARKS_FILE " -x " BROKER_REPORT_PREFIX
		      "[0-9]* -x .local real .before >&2 && "
		      "test -z \"$(find . -name 'rr-warden.*' ! -path './real/trace/*')\"",
	    plea->stage.folder);
}

static void plea_close(struct plea *plea)
{
	stage_close(&plea->stage);
	harness_scratch_free(plea->tree);
	free(plea->bookmarks);
}

/* A session of its own for each attack, and so a broker of its own. */
static char *plead_in(const struct plea *plea)
{
	return client_replay(plea->stage.client, plea->stage.trace);
}

static long long send_plea(const struct plea *plea, const char *session, const char *attack)
{
	return client_tool_send(plea->stage.client, "rr_bookmark",
	    json_pack("{s:s, s:s, s:s}", "name", "n", "note", attack, "session", session));
}

/* What is empty or false is left out of an answer. */
static void expect_nothing(const json_t *outcome)
{
	cleanup_free char *shown = answer_show(outcome);

	ck_assert_msg(json_object_get(outcome, "worked") == NULL, "%s", shown);
}

static json_t *plead(const struct plea *plea, const char *attack)
{
	cleanup_free char *session = plead_in(plea);
	json_t *outcome = client_tool_result(
	    plea->stage.client, send_plea(plea, session, attack), HARNESS_TIMEOUT_S);

	expect_nothing(outcome);
	client_tool_done(plea->stage.client, "rr_replay_stop", "{s:s}", "session", session);
	return outcome;
}

/* The file has these lines, empty ones left out, and no others. */
static void expect_lines(const struct plea *plea, const char *const *known)
{
	cleanup_free char *text = harness_file(plea->bookmarks);
	char *rest = text;
	char *line;

	ck_assert_ptr_nonnull(text);
	while ((line = strsep(&rest, "\n")) != NULL) {
		bool found = line[0] == '\0';
		for (size_t i = 0; known[i] != NULL && !found; i++)
			found = strcmp(line, known[i]) == 0;
		ck_assert_msg(found, "a bookmark that nobody was to make: %.80s", line);
	}
}

/* ---- Bookmarks ------------------------------------------------------------------------------ */

START_TEST(a_bookmark_is_one_line_in_the_sessions_own_trace)
{
	char longest[BROKER_BOOKMARK_MAX + 1];
	const char *const known[] = {"a line of the petitioner", longest, "/etc/passwd",
	    "../other/rr-warden.bookmarks", "rr-warden.bookmarks", "/proc/self/cwd/x",
	    ".ssh/authorized_keys", "%s%n", NULL};

	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);
	memset(longest, 'z', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';

	json_decref(plead(&plea, "bad sizes"));
	json_decref(plead(&plea, "bad lines"));
	json_decref(plead(&plea, "names"));
	json_decref(plead(&plea, "unknown"));
	json_decref(plead(&plea, "recorded"));
	expect_lines(&plea, known);
	expect_unchanged(&plea);
	plea_close(&plea);
}
END_TEST

static int audit_lines(const struct plea *plea)
{
	const char *at = client_stderr(plea->stage.client);
	int count = 0;

	while ((at = strstr(at, "audit: ")) != NULL) {
		count++;
		at++;
	}
	return count;
}

START_TEST(a_flood_of_bookmarks_fills_neither_disk_nor_audit)
{
	static const char *const floods[] = {"short lines", "long lines"};
	struct stat status;

	if (!stage_can_play(_i))
		return;
	for (size_t i = 0; i < sizeof(floods) / sizeof(*floods); i++) {
		struct plea plea = plea_open(_i);
		json_auto_t *outcome = plead(&plea, floods[i]);
		ck_assert_int_gt(answer_number(outcome, "granted"), 0); /* or it was none */
		ck_assert_int_eq(stat(plea.bookmarks, &status), 0);
		ck_assert_int_le(status.st_size, BROKER_BOOKMARKS_MAX);
		ck_assert_int_le(audit_lines(&plea), LINES_MOST);
		expect_unchanged(&plea);
		plea_close(&plea);
	}
}
END_TEST

/* Two sessions of one trace, each with processes that ask at the same moment. */
START_TEST(bookmarks_that_are_made_at_once_stay_whole)
{
	static const char *const known[] = {"a line of the petitioner", NULL};

	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);
	cleanup_free char *one = plead_in(&plea), *other = plead_in(&plea);
	long long ids[] = {
	    send_plea(&plea, one, "lines at once"), send_plea(&plea, other, "lines at once")};

	for (size_t i = 0; i < 2; i++) {
		expect_all(client_tool_result(plea.stage.client, ids[i], HARNESS_TIMEOUT_S),
		    NUMBER("granted", 80));
	}
	expect_lines(&plea, known);
	plea_close(&plea);
}
END_TEST

START_TEST(a_worker_that_dies_in_its_request_leaves_nothing)
{
	static const char *const known[] = {"a line of the petitioner", NULL};

	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);

	for (int i = 0; i < DEATHS; i++) {
		cleanup_free char *session = plead_in(&plea);
		json_decref(client_tool_failure(plea.stage.client, send_plea(&plea, session, "die"),
		    "worker_died", HARNESS_TIMEOUT_S));
	}
	client_end(plea.stage.client); /* no process is left */
	if (access(plea.bookmarks, F_OK) == 0)
		expect_lines(&plea, known);
	/* The next call has all layers, and lines that are no bookmarks do not count. */
	plea.stage.client = stage_client(&plea.stage, _i, plain, NULL);
	json_auto_t *started = client_tool(
	    plea.stage.client, "rr_replay_start", "{s:s}", "trace_dir", plea.stage.trace);
	expect_layers(started, _i);
	client_tool_done(plea.stage.client, "rr_bookmarks", NULL);
	plea_close(&plea);
}
END_TEST

/* ---- Reports -------------------------------------------------------------------------------- */

/* The trace's reports, from the first free number on, each of which begins with the policy; they
 * are removed. */
static int take_reports(const struct plea *plea)
{
	static const char policy[] = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">"
				     "\n<meta http-equiv=\"Content-Security-Policy\" "
				     "content=\"default-src 'none'; ";
	char path[TEXT], *page;
	struct stat status;
	int count = 0;

	for (int i = 1; i <= BROKER_REPORTS_MAX + 1; i++) {
		snprintf(path, sizeof(path), "%s/" BROKER_REPORT_PREFIX "%d" BROKER_REPORT_ENDING,
		    plea->stage.trace, i);
		if (lstat(path, &status) != 0)
			continue;
		page = harness_file(path);
		ck_assert(S_ISREG(status.st_mode) && (status.st_mode & 0777) == 0600);
		ck_assert_uint_eq(status.st_uid, plea->stage.uid);
		ck_assert_int_le(status.st_size, BROKER_REPORT_MAX + 1000);
		ck_assert_msg(strncmp(page, policy, sizeof(policy) - 1) == 0, "%.300s", page);
		ck_assert_int_eq(unlink(path), 0);
		free(page);
		count++;
	}
	return count;
}

static void expect_reports(const struct plea *plea, const char *attack, int count)
{
	json_decref(plead(plea, attack));
	ck_assert_int_eq(take_reports(plea), count);
}

/* Their parts come together as it happens. */
static void expect_some_reports(const struct plea *plea, const char *attack, int most)
{
	json_decref(plead(plea, attack));
	int count = take_reports(plea);
	ck_assert_int_gt(count, 0);
	ck_assert_int_le(count, most);
}

START_TEST(a_report_is_a_new_file_of_the_sessions_own_trace)
{
	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);

	expect_reports(&plea, "report sizes", 1);
	expect_reports(&plea, "report names", 9);
	expect_reports(&plea, "report length", 1);
	expect_reports(&plea, "report bytes", 3); /* those without tags */
	expect_some_reports(&plea, "reports at once", 20);
	expect_unchanged(&plea);
	plea_close(&plea);
}
END_TEST

/* Links, FIFOs and directories that have a report's name already. */
START_TEST(a_report_is_written_into_nothing_that_is_there)
{
	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);
	harness_shell("cd '%s' && ln -s ../.ssh/id_test rr-warden.report-1.html && "
		      "ln -s ../made rr-warden.report-2.html && mkfifo rr-warden.report-3.html && "
		      "mkdir rr-warden.report-4.html",
	    plea.stage.trace);

	json_decref(plead(&plea, "report bytes"));
	harness_shell("cd '%s' && test -L rr-warden.report-1.html && "
		      "test -L rr-warden.report-2.html && test -p rr-warden.report-3.html && "
		      "test -z \"$(ls rr-warden.report-4.html)\" && test \"$(ls -d "
		      "rr-warden.report-* | wc -l)\" = 7 && rm -r rr-warden.report-[1-4].html",
	    plea.stage.trace);
	ck_assert_int_eq(take_reports(&plea), 3);
	expect_unchanged(&plea);
	plea_close(&plea);
}
END_TEST

START_TEST(a_flood_of_reports_comes_to_an_end)
{
	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);

	json_decref(plead(&plea, "reports"));
	ck_assert_int_eq(take_reports(&plea), BROKER_REPORTS_MAX);
	ck_assert_int_le(audit_lines(&plea), LINES_MOST);
	json_decref(plead(&plea, "parts"));
	ck_assert_int_eq(take_reports(&plea), 0);
	ck_assert_int_le(audit_lines(&plea), LINES_MOST);
	expect_unchanged(&plea);
	plea_close(&plea);
}
END_TEST

/* What a process of the worker would write when the session has ended, nobody asked for. */
START_TEST(nothing_is_written_after_the_session)
{
	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);

	json_decref(plead(&plea, "outlive"));
	client_end(plea.stage.client); /* no process is left */
	ck_assert_int_eq(take_reports(&plea), 0);
	ck_assert_int_ne(access(plea.bookmarks, F_OK), 0);
	expect_unchanged(&plea);
	plea.stage.client = stage_client(&plea.stage, _i, plain, NULL);
	plea_close(&plea);
}
END_TEST

/* ---- Sources -------------------------------------------------------------------------------- */

/* Its own refusal, by the name alone: the layers below would refuse as well, but in words that tell
 * what is there. */
START_TEST(the_broker_itself_refuses_what_is_no_source)
{
	static const char dotted[] = "directories of a home that begin with a dot",
			  other[] = "it was not there when the program was recorded,";
	static const struct {
		const char *name, *words;
	} files[] = {{".ssh/id_test", dotted}, {"notes.txt", other}, {".bash_history", dotted},
	    {"work/.env", dotted}, {"trace/version", other}, {"../real/notes.txt", other},
	    {"work/../notes.txt", other}};
	char path[TEXT], line[2 * TEXT];

	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);
	cleanup_free char *session = plead_in(&plea);

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", plea.stage.home, files[i].name);
		expect_all(client_tool(plea.stage.client, "rr_type", "{s:s, s:s}", "expression",
			       path, "session", session),
		    NUMBER("refused", 1));
		snprintf(line, sizeof(line), "audit: source %s: %s", path, files[i].words);
		ck_assert_msg(strstr(client_stderr(plea.stage.client), line) != NULL, "%s\n%s",
		    line, client_stderr(plea.stage.client));
	}
	snprintf(path, sizeof(path), "%s/reach.c", plea.stage.project);
	expect_all(client_tool(plea.stage.client, "rr_type", "{s:s, s:s}", "expression", path,
		       "session", session),
	    NUMBER("granted", 1)); /* or it shows nothing */
	plea_close(&plea);
}
END_TEST

/* ---- Names that change ---------------------------------------------------------------------- */

/* Swaps two names in the home, as fast as it can. */
static pid_t swap_forever(const struct plea *plea, const char *a, const char *b)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (bool go = chdir(plea->stage.home) == 0; go;)
			/* an archive is there only at times */
			go = renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0 ||
			     errno == ENOENT;
		_exit(1);
	}
	ck_assert_int_gt(child, 0);
	return child;
}

static void stop_swapping(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status)); /* or nothing was swapped any more */
}

/* What a link or a directory in its place leads to is not read. */
static void ask_for_swapped(const char *file, const char *a, const char *b, int play)
{
	char path[TEXT];
	struct plea plea = plea_open(play);
	int granted = 0;

	harness_shell("cd '%s' && cp -a reach.c plain.c && ln -s ../.ssh/id_test evil.c && "
		      "mkdir sub && cp -a reach.c sub/id_test && ln -s '%s/.ssh' evil",
	    plea.stage.project, plea.stage.home);
	snprintf(path, sizeof(path), "%s/work/%s", plea.stage.home, file);
	/* On a busy machine all requests of a session may meet one of the two. */
	for (int i = 0; i < SWAPPED || (granted == 0 && i < SWAPPED_MOST); i++) {
		pid_t swapping = swap_forever(&plea, a, b);
		cleanup_free char *session = plead_in(&plea);
		json_auto_t *outcome = client_tool(plea.stage.client, "rr_source_lines",
		    "{s:s, s:s}", "file", path, "session", session);
		expect_nothing(outcome);
		ck_assert(answer_true(outcome, "ended"));
		granted += (int)answer_number(outcome, "granted");
		stop_swapping(swapping);
	}
	ck_assert_int_gt(granted, 0); /* or it shows nothing */
	plea_close(&plea);
}

START_TEST(a_source_that_is_swapped_with_a_link_shows_no_secret)
{
	if (!stage_can_play(_i))
		return;
	ask_for_swapped("plain.c", "work/plain.c", "work/evil.c", _i);
	ask_for_swapped("sub/id_test", "work/sub", "work/evil", _i);
}
END_TEST

/* Nobody swaps: only the number ends it. */
START_TEST(a_flood_of_sources_comes_to_an_end)
{
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct plea plea = plea_open(_i);
	cleanup_free char *session = plead_in(&plea);

	snprintf(path, sizeof(path), "%s/reach.c", plea.stage.project);
	json_auto_t *outcome = client_tool(
	    plea.stage.client, "rr_source_lines", "{s:s, s:s}", "file", path, "session", session);
	ck_assert(answer_true(outcome, "ended"));
	ck_assert_int_gt(answer_number(outcome, "granted"), 1000);
	plea_close(&plea);
}
END_TEST

/* The directory in which an archive is made, and the archive that is made there. */
static void make_swapped(const char *a, const char *b, int play)
{
	char path[TEXT];
	struct plea plea = plea_open(play);
	int granted = 0;

	harness_shell("cd '%s' && mkdir out && ln -s .ssh evil && echo kept >out/keep && "
		      "chown -R %u out && ln -s ../.ssh/id_test evil.tar",
	    plea.stage.home, (unsigned)plea.stage.uid);
	snprintf(path, sizeof(path), "%s/out/x.tar", plea.stage.home);
	for (int i = 0; i < SWAPPED; i++) {
		pid_t swapping = swap_forever(&plea, a, b);
		/* A name that is a link at this moment is refused. */
		json_auto_t *answer = client_wait(plea.stage.client,
		    client_tool_send(plea.stage.client, "rr_export",
			json_pack("{s:s, s:s}", "trace_dir", plea.stage.trace, "file", path)),
		    HARNESS_TIMEOUT_S);
		json_t *outcome = answer_at(answer, "result.structuredContent");
		if (!json_is_true(answer_at(answer, "result.isError"))) {
			expect_nothing(outcome);
			granted += (int)answer_number(outcome, "granted");
		}
		stop_swapping(swapping);
	}
	if (strcmp(a, "out/x.tar") == 0)
		ck_assert_int_gt(granted, SWAPPED); /* or none was discarded */
	harness_shell("cd '%s' && diff -r real/.ssh .before/.ssh && "
		      "grep -rqx kept real/out real/evil",
	    plea.stage.folder);
	plea_close(&plea);
}

START_TEST(an_archive_is_made_only_in_the_directory_that_was_judged)
{
	if (!stage_can_play(_i))
		return;
	make_swapped("out", "evil", _i);
}
END_TEST

/* Of two files that are swapped, the one that the broker made is removed. */
START_TEST(only_the_archive_that_was_made_is_discarded)
{
	if (!stage_can_play(_i))
		return;
	make_swapped("out/x.tar", "out/keep", _i);
}
END_TEST

/* ---- Signals -------------------------------------------------------------------------------- */

/* In a pid namespace it has no number for others; without one, Landlock keeps its signals. */
START_TEST(a_worker_signals_no_process_but_those_of_its_session)
{
	char pid[16];

	if (!stage_can_play(_i) || landlock_version() < 6)
		return;
	struct plea plea = plea_open(_i);
	pid_t other = stage_bystander(&plea.stage);
	cleanup_free char *session = plead_in(&plea);

	snprintf(pid, sizeof(pid), "%d", (int)other);
	json_auto_t *outcome = client_tool(
	    plea.stage.client, "rr_evaluate", "{s:s, s:s}", "expression", pid, "session", session);
	expect_nothing(outcome);
	stage_bystander_end(other);
	plea_close(&plea);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_bookmark_is_one_line_in_the_sessions_own_trace,
	    a_flood_of_bookmarks_fills_neither_disk_nor_audit,
	    bookmarks_that_are_made_at_once_stay_whole,
	    a_worker_that_dies_in_its_request_leaves_nothing,
	    a_report_is_a_new_file_of_the_sessions_own_trace,
	    a_report_is_written_into_nothing_that_is_there, a_flood_of_reports_comes_to_an_end,
	    nothing_is_written_after_the_session, the_broker_itself_refuses_what_is_no_source,
	    a_source_that_is_swapped_with_a_link_shows_no_secret,
	    a_flood_of_sources_comes_to_an_end,
	    an_archive_is_made_only_in_the_directory_that_was_judged,
	    only_the_archive_that_was_made_is_discarded,
	    a_worker_signals_no_process_but_those_of_its_session, NULL};

	return stage_main("broker", tests);
}
