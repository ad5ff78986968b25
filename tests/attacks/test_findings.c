/*
 * What attackers found to give way, each as the attack that it was: as ourselves and, where we are
 * root, as an ordinary user, with a home that is a directory and one that is a link, with
 * namespaces and without.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/attacks/witness.h"
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define PROGRAM "reach"
#define SECRET	"THE-SECRET-OF-THIS-TEST"
#define NOBODY	65534
#define TEXT	4096
#define WORKER	"rr-warden-worke" /* as comm cuts it */

/* How a test is played: bit 0 an ordinary user, bit 1 a home that is a link, bit 2 no namespaces.
 */
enum { AS_USER = 1, LINKED_HOME = 2, NO_NAMESPACES = 4, PLAYS = 8 };

/* A home with secrets and a project in it, and a server in the project. */
struct stage {
	char *folder, *home, *project, *program, *trace;
	uid_t uid;
	struct client *client;
	char *session; /* NULL: none yet */
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
	char command[TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (system(command) != 0)
		harness_fail("%s", command);
}

static bool can_play(int play)
{
	char *wrapper, command[TEXT];
	bool can;

	if (play & AS_USER && geteuid() != 0)
		return false;
	if (!(play & NO_NAMESPACES))
		return true;
	wrapper = harness_program("../doubles/no_spaces");
	snprintf(command, sizeof(command), "'%s' /bin/true", wrapper);
	can = system(command) == 0;
	free(wrapper);
	return can;
}

static char *server_of(const char *folder, int play)
{
	const char *server = getenv("RR_WARDEN");
	char *wrapper, *path, text[TEXT];

	if (!(play & NO_NAMESPACES))
		return NULL;
	wrapper = harness_program("../doubles/no_spaces");
	path = harness_path(folder, "server");
	snprintf(text, sizeof(text), "#!/bin/sh\nexec '%s' '%s' \"$@\"\n", wrapper, server);
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	free(wrapper);
	return path;
}

/* The program is built where its source lies, as a user would. */
static void furnish(struct stage *stage, int play)
{
	char *source = harness_program("../../../tests/programs/" PROGRAM ".c");

	run("cd '%s' && mkdir real && mkdir -p real/.ssh real/work && ln -s real home",
	    stage->folder);
	run("cd '%s/real' && echo %s | tee .ssh/id_test notes.txt work/.env >.bash_history",
	    stage->folder, SECRET);
	run("cd '%s/real/work' && cp '%s' . && cc -g -O0 -o reach reach.c", stage->folder, source);
	run("chmod 755 '%s' && chown -R %u '%s'", stage->folder, (unsigned)stage->uid,
	    stage->folder);
	free(source);
	stage->home = harness_path(stage->folder, play & LINKED_HOME ? "home" : "real");
	stage->project = harness_path(stage->home, "work");
	stage->program = harness_path(stage->project, "reach");
	stage->trace = harness_path(stage->home, "trace");
}

static struct stage stage_open(int play, const char *const *args, const char *const *env)
{
	struct stage stage = {.uid = play & AS_USER ? NOBODY : 0};

	stage.folder = harness_scratch(stage.uid);
	if (!stage.uid)
		stage.uid = geteuid();
	furnish(&stage, play);
	char *server = server_of(stage.folder, play);
	ck_assert_int_eq(chdir(stage.project), 0);
	stage.client = client_start(&(struct client_options){.server = server,
	    .home = stage.home,
	    .args = args,
	    .env = env,
	    .uid = play & AS_USER ? NOBODY : 0});
	ck_assert_int_eq(chdir("/"), 0);
	free(server);
	return stage;
}

static void stage_close(struct stage *stage)
{
	client_end(stage->client);
	harness_scratch_free(stage->folder);
	free(stage->home);
	free(stage->project);
	free(stage->program);
	free(stage->trace);
	free(stage->session);
}

static json_t *record(struct stage *stage)
{
	return client_tool(stage->client, "rr_record", "{s:[s], s:s}", "command", stage->program,
	    "trace_dir", stage->trace);
}

static void replay(struct stage *stage)
{
	json_decref(record(stage));
	stage->session = client_replay(stage->client, stage->trace);
	json_decref(client_tool(stage->client, "rr_continue", "{s:s}", "until", "main"));
}

/* What a function of the program gets in the replay; -1 too when the call is its end. */
static long long tried(struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static long long tried(struct stage *stage, const char *format, ...)
{
	char expression[TEXT];
	va_list arguments;
	long long result = -1;

	va_start(arguments, format);
	vsnprintf(expression, sizeof(expression), format, arguments);
	va_end(arguments);
	json_t *answer = client_wait(stage->client,
	    client_tool_send(stage->client, "rr_evaluate",
		json_pack("{s:s, s:b}", "expression", expression, "allow_calls", 1)),
	    60);
	const char *value = json_string_value(answer_at(answer, "result.structuredContent.value"));
	if (value)
		result = strtoll(value, NULL, 10);
	json_decref(answer);
	return result;
}

static void expect_refused(struct stage *stage, const char *what, long long result)
{
	ck_assert_msg(result < 0, "%s: %lld in the replay", what, result);
	(void)stage;
}

static void expect_full(const json_t *answer)
{
	char *shown = answer_show(answer);

	ck_assert_msg(strcmp(answer_text(answer, "sandbox.level"), "full") == 0, "%s", shown);
	free(shown);
}

/* ---- 1: what a call names takes no layer away --------------------------------------------------
 */

static const char *const special[] = {"/dev/net", "/proc/self", "/dev/fd/0", "/sys/kernel", "/dev"};

START_TEST(a_directory_that_a_call_names_takes_no_layer_away)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		json_t *failed = client_tool_fails(stage.client, "rr_record", NULL, "{s:[s], s:s}",
		    "command", "/bin/true", "working_directory", special[i]);
		ck_assert_ptr_nonnull(strstr(answer_text(failed, "message"), special[i]));
		json_decref(failed);
	}
	json_t *recorded = record(&stage);
	expect_full(recorded);
	json_decref(recorded);
	stage_close(&stage);
}
END_TEST

START_TEST(a_link_to_itself_in_the_home_takes_no_layer_away)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	run("cd '%s' && ln -s .rr .rr && mkdir -p .local/share && ln -s rr .local/share/rr",
	    stage.home);
	json_t *recorded = record(&stage);
	expect_full(recorded);
	json_decref(recorded);
	json_t *started =
	    client_tool(stage.client, "rr_replay_start", "{s:s}", "trace_dir", stage.trace);
	expect_full(started);
	json_decref(started);
	stage_close(&stage);
}
END_TEST

START_TEST(every_answer_names_every_layer)
{
	static const char *const layers[] = {"no_new_privs", "rlimits", "capabilities", "user_ns",
	    "pid_ns", "net_ns", "mount_ns", "ipc_ns", "uts_ns", "landlock", "seccomp"};
	struct stage stage = stage_open(0, NULL, NULL);
	char path[64];

	json_t *recorded = record(&stage);
	json_t *started =
	    client_tool(stage.client, "rr_replay_start", "{s:s}", "trace_dir", stage.trace);
	json_t *status = client_tool(stage.client, "rr_status", NULL);
	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		snprintf(path, sizeof(path), "sandbox.layers.%s", layers[i]);
		ck_assert_str_ne(answer_text(recorded, path), "");
		ck_assert_str_ne(answer_text(started, path), "");
		ck_assert_str_ne(answer_text(status, path), "");
	}
	json_decref(recorded);
	json_decref(started);
	json_decref(status);
	stage_close(&stage);
}
END_TEST

/* ---- 2 and 6: nothing is seen that was not named -----------------------------------------------
 */

/* Relative to the home. */
static const char *const private_files[] = {".ssh/id_test", "notes.txt", ".bash_history",
    "work/.env", "work/reach.c", "../real/notes.txt", "../home/notes.txt"};

START_TEST(a_replay_sees_nothing_of_the_home_and_the_project)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	replay(&stage);
	for (size_t i = 0; i < sizeof(private_files) / sizeof(*private_files); i++)
		expect_refused(&stage, private_files[i],
		    tried(&stage, "reach_read(\"%s/%s\")", stage.home, private_files[i]));
	expect_refused(&stage, "a new file", tried(&stage, "reach_make(\"%s/made\")", stage.home));
	stage_close(&stage);
}
END_TEST

START_TEST(rr_source_lines_shows_the_programs_sources_and_nothing_else)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL},
	    (const char *const[]){"TOKEN=" SECRET, NULL});
	char path[TEXT];

	replay(&stage);
	json_t *shown = client_tool(stage.client, "rr_source_lines", "{s:s}", "file", "reach.c");
	json_decref(shown);
	for (size_t i = 0; i < sizeof(private_files) / sizeof(*private_files); i++) {
		if (strstr(private_files[i], "reach.c"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", stage.home, private_files[i]);
		json_decref(client_tool_fails(
		    stage.client, "rr_source_lines", NULL, "{s:s}", "file", path));
	}
	json_decref(client_tool_fails(
	    stage.client, "rr_source_lines", NULL, "{s:s}", "file", "/proc/self/environ"));
	json_decref(client_tool_fails(
	    stage.client, "rr_source_lines", NULL, "{s:s}", "file", "/etc/passwd"));
	stage_close(&stage);
}
END_TEST

START_TEST(a_program_in_a_home_is_recorded_and_its_traces_are_removed_and_packed)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	json_decref(record(&stage));
	client_tool_done(stage.client, "rr_pack", "{s:s}", "trace_dir", stage.trace);
	client_tool_done(stage.client, "rr_rm", "{s:s}", "trace_dir", stage.trace);
	ck_assert_int_ne(access(stage.trace, F_OK), 0);
	stage_close(&stage);
}
END_TEST

/* ---- 3: sockets --------------------------------------------------------------------------------
 */

/* A socket of the user's in the project, as tmux or an agent has one. */
static int listen_in(const struct stage *stage, char path[TEXT])
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(path, TEXT, "%s/real/work/socket", stage->folder);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(chmod(path, 0777), 0);
	return fd;
}

START_TEST(a_replay_reaches_no_socket)
{
	static const int sockets[][3] = {
	    {1, 1, 0}, {1, 5, 0}, {16, 3, 0}, {2, 2, 0}, {2, 1, 262}, {40, 1, 0}, {17, 3, 0}};
	char path[TEXT];

	if (!can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	int fd = listen_in(&stage, path);
	replay(&stage);
	expect_refused(&stage, "the user's socket", tried(&stage, "reach_unix(\"%s\")", path));
	for (size_t i = 0; i < sizeof(sockets) / sizeof(*sockets); i++) {
		char what[64];
		snprintf(what, sizeof(what), "socket(%d, %d, %d)", sockets[i][0], sockets[i][1],
		    sockets[i][2]);
		expect_refused(&stage, what, tried(&stage, "reach_%s", what));
	}
	expect_refused(&stage, "socketcall", tried(&stage, "reach_socketcall()"));
	close(fd);
	stage_close(&stage);
}
END_TEST

/* The version of the kernel's Landlock; from 4 on it rules ports. */
static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
}

START_TEST(a_replay_listens_on_no_port_but_that_of_rr)
{
	if (!can_play(_i) || landlock_version() < 4)
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	replay(&stage);
	expect_refused(&stage, "any port", tried(&stage, "reach_bind(0)"));
	expect_refused(&stage, "port 40123", tried(&stage, "reach_bind(40123)"));
	stage_close(&stage);
}
END_TEST

/* ---- 5: archives -------------------------------------------------------------------------------
 */

static const char *const wrong_archives[] = {".ssh/authorized_keys", ".bash_login", ".profile",
    "x.txt", "archive", ".config/x.tar", ".tar", "work/../.ssh/x.tar", "link.tar"};

START_TEST(rr_export_makes_archives_and_no_other_files)
{
	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	char path[TEXT];

	run("cd '%s' && mkdir .config && chown %u .config && ln -s .bash_login link.tar",
	    stage.home, (unsigned)stage.uid);
	json_decref(record(&stage));
	for (size_t i = 0; i < sizeof(wrong_archives) / sizeof(*wrong_archives); i++) {
		snprintf(path, sizeof(path), "%s/%s", stage.home, wrong_archives[i]);
		json_decref(client_tool_fails(stage.client, "rr_export", NULL, "{s:s, s:s}",
		    "trace_dir", stage.trace, "file", path));
		struct stat status;
		ck_assert_msg(stat(path, &status) != 0, "%s was made", path);
	}
	snprintf(path, sizeof(path), "%s/good.tar", stage.home);
	client_tool_done(
	    stage.client, "rr_export", "{s:s, s:s}", "trace_dir", stage.trace, "file", path);
	ck_assert_ptr_nonnull(strstr(client_stderr(stage.client), "audit: archive to write"));
	client_tool_done(stage.client, "rr_import", "{s:s}", "file", path);
	stage_close(&stage);
}
END_TEST

/* ---- 7: what is left where a layer is missing ---------------------------------------------------
 */

START_TEST(without_namespaces_a_replay_is_as_tight_as_what_is_left)
{
	char path[TEXT];

	if (!can_play(NO_NAMESPACES | _i))
		return;
	struct stage stage = stage_open(NO_NAMESPACES | _i,
	    (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	replay(&stage);
	snprintf(path, sizeof(path), "%s/trace/version", stage.home);
	ck_assert_int_ge(tried(&stage, "reach_read(\"%s\")", path), 0); /* or nothing is shown */
	expect_refused(&stage, "/etc/shadow", tried(&stage, "reach_read(\"/etc/shadow\")"));
	expect_refused(&stage, "/var/lib", tried(&stage, "reach_read(\"/var/lib/dpkg/status\")"));
	expect_refused(&stage, "core_pattern",
	    tried(&stage, "reach_write(\"/proc/sys/kernel/core_pattern\")"));
	expect_refused(&stage, "chmod", tried(&stage, "reach_chmod(\"%s/notes.txt\")", stage.home));
	expect_refused(&stage, "chmod", tried(&stage, "reach_chmod(\"%s\")", path));
	expect_refused(
	    &stage, "prlimit64", tried(&stage, "reach_limits(%d)", (int)client_pid(stage.client)));
	stage_close(&stage);
}
END_TEST

/* The README's table: what a replay gets that one layer is taken from. A letter for each attack
 * that works then: h a file of the home, s the machine's secrets, k the kernel's settings, u a
 * socket of the user's, n a UDP socket, p another process. */
static const struct {
	const char *layer, *gets;
} without[] = {{"rlimits", ""}, {"capabilities", ""}, {"pid_ns", ""}, {"net_ns", ""},
    {"mount_ns", ""}, {"ipc_ns", ""}, {"uts_ns", ""}, {"landlock", ""}, {"seccomp", "n"}};

START_TEST(without_one_layer_the_others_hold_as_the_readme_says)
{
	char off[64], socket_path[TEXT], gets[8] = "";
	struct stage stage;

	snprintf(off, sizeof(off), "--sandbox-%s=off", without[_i].layer);
	stage = stage_open(0, (const char *const[]){"--allow-calls", off, NULL}, NULL);
	int fd = listen_in(&stage, socket_path);
	replay(&stage);
	const struct {
		const char *letter;
		long long result;
	} attacks[] = {{"h", tried(&stage, "reach_read(\"%s/notes.txt\")", stage.home)},
	    {"s", tried(&stage, "reach_read(\"/etc/shadow\")")},
	    {"k", tried(&stage, "reach_write(\"/proc/sys/kernel/core_pattern\")")},
	    {"u", tried(&stage, "reach_unix(\"%s\")", socket_path)},
	    {"n", tried(&stage, "reach_socket(2, 2, 0)")},
	    {"p", tried(&stage, "reach_limits(%d)", (int)client_pid(stage.client))}};
	for (size_t i = 0; i < sizeof(attacks) / sizeof(*attacks); i++)
		if (attacks[i].result >= 0)
			strlcat(gets, attacks[i].letter, sizeof(gets));
	ck_assert_msg(strcmp(gets, without[_i].gets) == 0, "without %s: %s, not %s",
	    without[_i].layer, gets, without[_i].gets);
	close(fd);
	stage_close(&stage);
}
END_TEST

/* ---- 9 and 10: environments ---------------------------------------------------------------------
 */

START_TEST(with_a_list_of_commands_the_environment_is_a_list_too)
{
	struct stage stage = stage_open(0,
	    (const char *const[]){"--record-command=/usr/bin/*", "--record-variable=LC_*", NULL},
	    NULL);

	json_t *failed = client_tool_fails(stage.client, "rr_record", "not_allowed",
	    "{s:[s], s:{s:s}}", "command", "/usr/bin/true", "env", "LD_PRELOAD", "/tmp/evil.so");
	ck_assert_ptr_nonnull(strstr(answer_text(failed, "message"), "LD_PRELOAD"));
	json_decref(failed);
	json_decref(client_tool(stage.client, "rr_record", "{s:[s], s:{s:s}, s:s}", "command",
	    "/usr/bin/true", "env", "LC_ALL", "C", "trace_dir", stage.trace));
	stage_close(&stage);
}
END_TEST

START_TEST(a_replay_has_nothing_of_the_servers_environment)
{
	struct stage stage = stage_open(0, NULL, (const char *const[]){"TOKEN=" SECRET, NULL});
	char path[64], *text;
	struct census census;

	replay(&stage);
	pid_t worker = census_find(client_pid(stage.client), WORKER, 0);
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)worker);
	text = harness_file(path);
	ck_assert(text == NULL || memmem(text, 4096, SECRET, strlen(SECRET)) == NULL);
	census_take(worker, &census);
	free(text);
	stage_close(&stage);
}
END_TEST

/* ---- 11: text that misleads
 * ---------------------------------------------------------------------- */

START_TEST(characters_that_mislead_a_reader_are_escaped)
{
	struct stage stage = stage_open(0, NULL, NULL);

	replay(&stage);
	json_t *value =
	    client_tool(stage.client, "rr_evaluate", "{s:s}", "expression", "misleading");
	char *shown = answer_show(value);
	ck_assert_ptr_null(strstr(shown, "\xe2\x80\xae"));
	ck_assert_ptr_null(strstr(shown, "\xf3\xa0\x81\x81"));
	free(shown);
	json_decref(value);
	stage_close(&stage);
}
END_TEST

/* ---- Recording is its user's own act
 * -------------------------------------------------------------- */

START_TEST(a_recorded_client_reaches_its_server_unless_the_network_is_private)
{
	const char *const private[] = {"--record-network=private", NULL};
	char command[TEXT];
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	ck_assert_int_eq(listen(server, 4), 0); /* a port of the kernel's choice */
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&address, &length), 0);
	snprintf(
	    command, sizeof(command), "exec 3<>/dev/tcp/127.0.0.1/%d", ntohs(address.sin_port));
	struct stage stage = stage_open(0, _i ? private : NULL, NULL);
	json_t *recorded = client_tool(stage.client, "rr_record", "{s:[s,s,s], s:s}", "command",
	    "/bin/bash", "-c", command, "trace_dir", stage.trace);
	ck_assert_int_eq(answer_number(recorded, "exit_code") == 0, !_i);
	expect_full(recorded);
	json_decref(recorded);
	close(server);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct {
		const TTest *test;
		int plays;
	} tests[] = {
	    {a_directory_that_a_call_names_takes_no_layer_away, NO_NAMESPACES},
	    {a_link_to_itself_in_the_home_takes_no_layer_away, NO_NAMESPACES},
	    {every_answer_names_every_layer, 1},
	    {a_replay_sees_nothing_of_the_home_and_the_project, PLAYS},
	    {rr_source_lines_shows_the_programs_sources_and_nothing_else, PLAYS},
	    {a_program_in_a_home_is_recorded_and_its_traces_are_removed_and_packed, PLAYS},
	    {a_replay_reaches_no_socket, PLAYS},
	    {a_replay_listens_on_no_port_but_that_of_rr, PLAYS},
	    {rr_export_makes_archives_and_no_other_files, PLAYS},
	    {without_namespaces_a_replay_is_as_tight_as_what_is_left, 2},
	    {with_a_list_of_commands_the_environment_is_a_list_too, 1},
	    {a_replay_has_nothing_of_the_servers_environment, 1},
	    {characters_that_mislead_a_reader_are_escaped, 1},
	    {a_recorded_client_reaches_its_server_unless_the_network_is_private, 2},
	};
	Suite *suite = suite_create("findings");
	TCase *all = tcase_create("findings");

	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_loop_test(all, tests[i].test, 0, tests[i].plays);
	suite_add_tcase(suite, all);
	all = tcase_create("without");
	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	tcase_add_loop_test(all, without_one_layer_the_others_hold_as_the_readme_says, 0,
	    (int)(sizeof(without) / sizeof(*without)));
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
