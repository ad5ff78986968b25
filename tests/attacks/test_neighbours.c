/*
 * Two ordinary users of one machine, each with a server, recordings and sessions, in directories
 * that both may write to: neither reaches anything of the other's, neither by hand nor through a
 * server. Needs root, to become both.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/runner.h"

#define ALICE 65533U
#define BOB   65532U

/* A user with a home, a program of a secret source in it, and a server that keeps what it makes
 * for a while, and its traces, in the directory that both share. */
struct neighbour {
	uid_t uid;
	char *folder, *home, *program, *trace;
	struct client *client;
	char *session;
};

static struct neighbour move_in(uid_t uid, const char *name, const char *shared)
{
	struct neighbour user = {.uid = uid, .folder = harness_scratch(uid)};
	cleanup_free char *source = harness_program("../../../tests/programs/" STAGE_PROGRAM ".c");
	char env[2][TEXT];

	user.home = harness_path(user.folder, "home");
	user.program = harness_path(user.home, "work/reach");
	if (asprintf(&user.trace, "%s/%s-trace", shared, name) < 0)
		harness_fail("out of memory");
	/* the home is open, as it is on many machines */
	harness_shell("mkdir -p '%s/work' && cd '%s/work' && cp '%s' . && cc -g -O0 -o reach "
		      "reach.c && echo %s >../notes.c && chmod 600 ../notes.c && chmod 755 .. && "
		      "chown -R %u ..",
	    user.home, user.home, source, SECRET, uid);
	snprintf(env[0], TEXT, "TMPDIR=%s", shared);
	snprintf(env[1], TEXT, "_RR_TRACE_DIR=%s", shared);
	user.client = client_start(&(struct client_options){.uid = uid,
	    .home = user.home,
	    .directory = user.home,
	    .env = (const char *[]){env[0], env[1], NULL}});
	return user;
}

static void record_and_replay(struct neighbour *user)
{
	client_tool_done(user->client, "rr_record", "{s:[s], s:s}", "command", user->program,
	    "trace_dir", user->trace);
	user->session = client_replay(user->client, user->trace);
	client_tool_done(user->client, "rr_continue", "{s:s}", "until", "main");
	client_tool_done(user->client, "rr_bookmark", "{s:s}", "name", "here");
	client_tool_done(user->client, "rr_report", "{s:s, s:[{s:s, s:s, s:s}]}", "title",
	    "a report", "claims", "expression", "1", "value", "1", "moment", "here");
}

static void move_out(struct neighbour *user)
{
	if (user->client)
		client_end(user->client);
	harness_scratch_free(user->folder);
	free(user->home);
	free(user->program);
	free(user->trace);
	free(user->session);
}

static char *shared_directory(void)
{
	char *shared = harness_scratch(0);

	ck_assert_int_eq(chmod(shared, 01777), 0);
	return shared;
}

/* ---- By hand -----------------------------------------------------------------------------------
 */

/* In a child that is the other user: ends it if something could be reached. */
static const char *tried;

static void expect_denied(const char *what, bool reached)
{
	if (!reached)
		return;
	fprintf(stderr, "reached: %s of %s\n", what, tried);
	_exit(1);
}

static void become(uid_t uid)
{
	/* in a session of one's own: in the same one, everybody may send SIGCONT */
	if (setsid() < 0 || setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0)
		_exit(2);
}

static void expect_as(uid_t uid, void (*try)(const void *), const void *about)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		become(uid);
		try(about);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

static void try_process(const void *about)
{
	static const char *const files[] = {"environ", "mem", "maps", "auxv", "syscall", "stack"},
				 *const links[] = {"exe", "cwd", "root", "fd", "map_files", "ns"};
	pid_t pid = *(const pid_t *)about;
	char path[64], text[64], name[64];
	struct iovec here = {text, sizeof(text)}, there = {(void *)0x400000, sizeof(text)};

	snprintf(name, sizeof(name), "process %d", (int)pid);
	tried = name;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, files[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		expect_denied(files[i], fd >= 0 && read(fd, text, sizeof(text)) > 0);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, links[i]);
		expect_denied(links[i], readlink(path, text, sizeof(text)) > 0 ||
					    open(path, O_RDONLY | O_CLOEXEC) >= 0);
	}
	for (int signal = 0; signal < SIGRTMIN; signal++)
		expect_denied("a signal", kill(pid, signal) == 0);
	expect_denied("the memory", process_vm_readv(pid, &here, 1, &there, 1, 0) > 0);
	expect_denied("the memory", process_vm_writev(pid, &here, 1, &there, 1, 0) > 0);
	expect_denied("ptrace", ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0);
}

static int try_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)walk;
	if (status->st_uid != ALICE || type == FTW_SL)
		return 0;
	tried = path;
	expect_denied("writing", access(path, W_OK) == 0);
	/* her home and her program are open, as she left them */
	if (!strstr(path, "/home/work") && type == FTW_F)
		expect_denied("reading", access(path, R_OK) == 0);
	return 0;
}

static void try_files(const void *about)
{
	const char *const *places = about;

	for (; *places; places++)
		(void)nftw(*places, try_file, 16, FTW_PHYS);
}

static bool is_of_alice(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_uid == ALICE;
}

/* Sockets that the machine's tables show: of the network, and of the file system. */
static void expect_no_socket(void)
{
	static const char *const tables[] = {
	    "/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"};
	char line[512], uid[32];

	snprintf(uid, sizeof(uid), " %u ", ALICE);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		FILE *table = fopen(tables[i], "re");
		while (table && fgets(line, sizeof(line), table))
			ck_assert_msg(strstr(line, uid) == NULL, "%s: %s", tables[i], line);
		if (table)
			fclose(table);
	}
	FILE *table = fopen("/proc/net/unix", "re");
	while (table && fgets(line, sizeof(line), table)) {
		const char *path = strchr(line, '/');
		line[strcspn(line, "\n")] = '\0';
		ck_assert_msg(!path || !is_of_alice(path), "%s", line);
		ck_assert_msg(!strstr(line, "@rr-warden"), "%s", line);
	}
	if (table)
		fclose(table);
}

START_TEST(nothing_of_a_user_is_reached_by_hand)
{
	static struct census census;
	cleanup_scratch char *shared = shared_directory();
	struct neighbour alice = move_in(ALICE, "alice", shared);
	const char *const places[] = {shared, alice.home, "/dev/shm", "/tmp", "/var/tmp", NULL};
	pid_t server = client_pid(alice.client);

	record_and_replay(&alice);
	census_take(server, &census);
	ck_assert_uint_gt(census.count, 4); /* keeper, launcher, broker, worker, rr, gdb */
	expect_as(BOB, try_process, &server);
	for (size_t i = 0; i < census.count; i++)
		expect_as(BOB, try_process, &census.processes[i].pid);
	expect_as(BOB, try_files, places);
	expect_no_socket();
	/* and it all still works */
	client_tool_done(alice.client, "rr_backtrace", NULL);
	move_out(&alice);
}
END_TEST

/* ---- Through a server --------------------------------------------------------------------------
 */

static void expect_nothing_of(
    const struct neighbour *user, const char *tool, json_t *args, const struct neighbour *other)
{
	json_auto_t *answer = client_wait(
	    user->client, client_tool_send(user->client, tool, args), HARNESS_TIMEOUT_S);
	cleanup_free char *text = answer_show(answer);

	ck_assert_msg(answer && answer_true(answer, "result.isError"), "%s of %s: %s", tool,
	    other->trace, text);
	ck_assert_msg(!strstr(text, SECRET) && !strstr(text, "reach"), "%s: %s", tool, text);
}

START_TEST(a_server_reaches_nothing_of_another_user)
{
	static const char *const tools[] = {
	    "rr_traceinfo", "rr_ps", "rr_replay_start", "rr_pack", "rr_rm", "rr_crash_report"};
	cleanup_scratch char *shared = shared_directory();
	struct neighbour alice = move_in(ALICE, "alice", shared), bob = move_in(BOB, "bob", shared);
	char link[TEXT];

	record_and_replay(&alice);
	/* a name that is a link is no way either */
	snprintf(link, sizeof(link), "%s/work/link", bob.home);
	ck_assert_int_eq(symlink(alice.trace, link), 0);
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		expect_nothing_of(
		    &bob, tools[i], json_pack("{s:s}", "trace_dir", alice.trace), &alice);
		expect_nothing_of(&bob, tools[i], json_pack("{s:s}", "trace_dir", link), &alice);
	}
	expect_nothing_of(&bob, "rr_export",
	    json_pack("{s:s, s:s+}", "trace_dir", alice.trace, "file", bob.home, "/stolen.tar"),
	    &alice);
	expect_nothing_of(&bob, "rr_compare_runs",
	    json_pack("{s:s, s:s}", "good", alice.trace, "bad", alice.trace), &alice);
	expect_nothing_of(
	    &bob, "rr_backtrace", json_pack("{s:s}", "session", alice.session), &alice);
	expect_nothing_of(
	    &bob, "rr_replay_stop", json_pack("{s:s}", "session", alice.session), &alice);
	json_auto_t *list =
	    client_tool(bob.client, "rr_list_recordings", "{s:s}", "trace_base_dir", shared);
	cleanup_free char *listed = answer_show(list);
	ck_assert_msg(!strstr(listed, "alice-trace"), "%s", listed);
	/* each has a session of that name now */
	record_and_replay(&bob);
	ck_assert_str_eq(alice.session, bob.session);
	client_tool_done(bob.client, "rr_replay_stop", "{s:s}", "session", bob.session);
	client_tool_done(alice.client, "rr_backtrace", "{s:s}", "session", alice.session);
	/* the last one looks for processes of both */
	client_close_stdin(bob.client);
	client_wait_exit(bob.client, HARNESS_TIMEOUT_S);
	client_end(alice.client);
	alice.client = NULL;
	move_out(&bob);
	move_out(&alice);
}
END_TEST

/* ---- Traps -------------------------------------------------------------------------------------
 */

/* What rr and the server would write to in a directory for traces, prepared by somebody else. */
START_TEST(what_another_user_prepares_in_a_shared_directory_changes_nothing)
{
	cleanup_scratch char *shared = shared_directory();
	struct neighbour alice = move_in(ALICE, "alice", shared);
	cleanup_free char *notes = harness_path(alice.home, "notes.c"),
			  *goal = harness_path(alice.home, "goal");

	harness_shell("cd '%s' && mkdir '%s' && chown %u '%s' && ln -s '%s' cpu_lock && "
		      "ln -s '%s' latest-trace && ln -s '%s' reach-0 && ln -s '%s' reach-1 && "
		      "ln -s '%s' alice-trace && chown -h %u cpu_lock latest-trace reach-0 "
		      "reach-1 alice-trace",
	    shared, goal, ALICE, goal, notes, goal, goal, notes, goal, BOB);
	/* it may fail, and it may work, but not there */
	json_auto_t *answer = client_wait(alice.client,
	    client_tool_send(
		alice.client, "rr_record", json_pack("{s:[s]}", "command", alice.program)),
	    HARNESS_TIMEOUT_S);
	json_auto_t *named = client_wait(alice.client,
	    client_tool_send(alice.client, "rr_record",
		json_pack("{s:[s], s:s}", "command", alice.program, "trace_dir", alice.trace)),
	    HARNESS_TIMEOUT_S);
	ck_assert(answer && named);
	cleanup_free char *text = harness_file(notes);
	ck_assert_str_eq(text, SECRET "\n");
	ck_assert_int_eq(rmdir(goal), 0);
	move_out(&alice);
}
END_TEST

START_TEST(a_trace_that_everybody_may_write_leads_reports_and_bookmarks_nowhere)
{
	cleanup_scratch char *shared = shared_directory();
	struct neighbour alice = move_in(ALICE, "alice", shared);
	cleanup_free char *notes = harness_path(alice.home, "notes.c"), *report = NULL;
	struct stat status;

	record_and_replay(&alice);
	harness_shell(
	    "cd '%s' && chmod 777 . && rm rr-warden.bookmarks && ln -s '%s' rr-warden.bookmarks && "
	    "ln -s '%s' rr-warden.report-2.html && ln '%s' rr-warden.report-3.html && "
	    "chown -h %u rr-warden.bookmarks rr-warden.report-2.html",
	    alice.trace, notes, notes, notes, BOB);
	client_tool_refused(alice.client, "rr_bookmark", NULL, "{s:s}", "name", "there");
	json_auto_t *answer = client_tool(alice.client, "rr_report", "{s:s, s:[{s:s, s:s, s:s}]}",
	    "title", "a report", "claims", "expression", "1", "value", "1", "moment", "main");
	report = strdup(answer_text(answer, "file"));
	ck_assert_ptr_nonnull(strstr(report, "report-4"));
	ck_assert_int_eq(lstat(report, &status), 0);
	ck_assert(S_ISREG(status.st_mode) && status.st_uid == ALICE && !(status.st_mode & 077));
	cleanup_free char *text = harness_file(notes);
	ck_assert_str_eq(text, SECRET "\n");
	move_out(&alice);
}
END_TEST

/* ---- Programs ----------------------------------------------------------------------------------
 */

static void expect_no_notes(const struct neighbour *user, const char *trace, const char *notes)
{
	json_decref(client_tool(user->client, "rr_replay_start", "{s:s}", "trace_dir", trace));
	json_auto_t *stop = client_tool(user->client, "rr_continue", "{s:s}", "until", "lure");
	cleanup_free char *text = answer_show(stop);
	ck_assert_msg(strstr(text, "lure") && !strstr(text, SECRET), "%s", text);
	json_auto_t *lines = client_wait(user->client,
	    client_tool_send(
		user->client, "rr_source_lines", json_pack("{s:s, s:i}", "file", notes, "line", 1)),
	    HARNESS_TIMEOUT_S);
	cleanup_free char *shown = answer_show(lines);
	ck_assert_msg(lines && !strstr(shown, SECRET), "%s", shown);
	client_tool_done(user->client, "rr_replay_stop", NULL);
}

static const uid_t victims[] = {ALICE, 0};

/* Bob's program says that its sources are Alice's files, or root's, one of them beside it. She runs
 * it. */
START_TEST(another_users_program_makes_nothing_a_source)
{
	cleanup_scratch char *shared = shared_directory();
	struct neighbour alice = move_in(victims[_i], "alice", shared);
	cleanup_free char *program = harness_path(shared, "tool"),
			  *beside = harness_path(shared, "notes.c"),
			  *copy = harness_path(alice.home, "copy"),
			  *notes = harness_path(alice.home, "notes.c");
	const char *const lures[] = {beside, notes};

	harness_shell("cp -p '%s' '%s'", notes, beside);
	for (size_t i = 0; i < sizeof(lures) / sizeof(*lures); i++) {
		harness_shell("cd '%s' && printf '#line 1 \"%s\"\\nint lure(void) { return 0; }\\n"
			      "int main(void) { return lure(); }\\n' >lure.c && "
			      "cc -g -O0 -o tool lure.c && rm lure.c && chown %u tool && "
			      "chmod 755 tool",
		    shared, lures[i], BOB);
		client_tool_done(alice.client, "rr_record", "{s:[s], s:s}", "command", program,
		    "trace_dir", alice.trace);
		expect_no_notes(&alice, alice.trace, lures[i]);
		harness_shell("cp -a '%s' '%s'", alice.trace, copy);
		expect_no_notes(&alice, copy, lures[i]);
		client_tool_done(alice.client, "rr_rm", "{s:s}", "trace_dir", alice.trace);
		client_tool_done(alice.client, "rr_rm", "{s:s}", "trace_dir", copy);
	}
	move_out(&alice);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {nothing_of_a_user_is_reached_by_hand, 1},
	    {a_server_reaches_nothing_of_another_user, 1},
	    {what_another_user_prepares_in_a_shared_directory_changes_nothing, 1},
	    {a_trace_that_everybody_may_write_leads_reports_and_bookmarks_nowhere, 1},
	    {another_users_program_makes_nothing_a_source, TIMES(victims)},
	    {NULL, 0},
	};

	if (geteuid() != 0) {
		puts("skipped: only root can become two other users");
		return 0;
	}
	return scene_main_loops("neighbours", tests, (const char *const[]){NULL});
}
