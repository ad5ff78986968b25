/*
 * What attackers found to give way, each as the attack that it was: as ourselves and, where we are
 * root, as an ordinary user, with a home that is a directory and one that is a link, with
 * namespaces and without. What is left where a layer is missing is in test_without.c, what a
 * supervisor and workers get that were taken over in test_usurped.c and test_broker.c.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/attacks/witness.h"
#include "tests/runner.h"

/* ---- 1: what a call names takes no layer away --------------------------------------------------
 */

static const char *const special[] = {"/dev/net", "/proc/self", "/dev/fd/0", "/sys/kernel", "/dev"};

START_TEST(a_directory_that_a_call_names_takes_no_layer_away)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
		expect_answer_within(
		    client_tool_fails(stage.client, "rr_record", NULL, "{s:[s], s:s}", "command",
			"/bin/true", "working_directory", special[i]),
		    "message", special[i]);
	}
	json_auto_t *recorded = stage_record(&stage);
	expect_layers(recorded, _i);
	stage_close(&stage);
}
END_TEST

START_TEST(a_link_to_itself_in_the_home_takes_no_layer_away)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage =
	    stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL}, NULL);

	harness_shell(
	    "cd '%s' && ln -s .rr .rr && mkdir -p .local/share && ln -s rr .local/share/rr",
	    stage.home);
	json_auto_t *recorded = stage_record(&stage);
	expect_layers(recorded, _i);
	json_auto_t *started =
	    client_tool(stage.client, "rr_replay_start", "{s:s}", "trace_dir", stage.trace);
	expect_layers(started, _i);
	stage_close(&stage);
}
END_TEST

/* An answer whose sandbox is full says only that. */
static bool names_layer(const json_t *answer, const char *layer)
{
	char path[64];

	snprintf(path, sizeof(path), "sandbox.layers.%s", layer);
	return answer_at(answer, path) != NULL;
}

static bool is_full(const json_t *answer)
{
	return strcmp(answer_text(answer, "sandbox.level"), "full") == 0;
}

START_TEST(every_answer_names_every_layer_where_one_is_missing)
{
	static const char *const layers[] = {"no_new_privs", "rlimits", "capabilities", "user_ns",
	    "pid_ns", "net_ns", "mount_ns", "ipc_ns", "uts_ns", "landlock", "seccomp"};

	if (!stage_can_play(_i))
		return;
	struct stage stage =
	    stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL}, NULL);
	json_auto_t *recorded = stage_record(&stage);
	json_auto_t *started =
	    client_tool(stage.client, "rr_replay_start", "{s:s}", "trace_dir", stage.trace);
	json_auto_t *status = client_tool(stage.client, "rr_status", NULL);
	for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); i++) {
		ck_assert(names_layer(recorded, layers[i]) == !is_full(recorded));
		ck_assert(names_layer(started, layers[i]) == !is_full(started));
		ck_assert(names_layer(status, layers[i]));
	}
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
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	stage_replay(&stage);
	for (size_t i = 0; i < sizeof(private_files) / sizeof(*private_files); i++)
		expect_refused(private_files[i],
		    stage_tried(&stage, "reach_read(\"%s/%s\")", stage.home, private_files[i]));
	expect_refused("a new file", stage_tried(&stage, "reach_make(\"%s/made\")", stage.home));
	stage_close(&stage);
}
END_TEST

/* A core is an ELF file, as programs are, and a trace can name any file. */
START_TEST(a_replay_sees_no_core_though_its_trace_names_it)
{
	char core[TEXT], library[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	snprintf(core, sizeof(core), "%s/core.1", stage.home);
	snprintf(library, sizeof(library), "%s/library", stage.home);
	harness_shell("cp '%s' '%s' && cp '%s' '%s' && chmod 600 '%s' '%s' && chown %u '%s' '%s' &&"
		      "printf '\\004\\000' | dd of='%s' bs=1 seek=16 conv=notrunc status=none",
	    stage.program, core, stage.program, library, core, library, (unsigned)stage.uid, core,
	    library, core);
	client_tool_done(stage.client, "rr_record", "{s:[s,s,s], s:s}", "command", stage.program,
	    core, library, "trace_dir", stage.trace);
	stage.session = client_replay(stage.client, stage.trace);
	client_tool_done(stage.client, "rr_continue", "{s:s}", "until", "main");
	ck_assert_int_ge(
	    stage_tried(&stage, "reach_read(\"%s\")", library), 0); /* or it shows nothing */
	expect_refused("a core", stage_tried(&stage, "reach_read(\"%s\")", core));
	stage_close(&stage);
}
END_TEST

START_TEST(rr_source_lines_shows_the_programs_sources_and_nothing_else)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL},
	    (const char *const[]){"TOKEN=" SECRET, NULL});
	char path[TEXT];

	stage_replay(&stage);
	client_tool_done(stage.client, "rr_source_lines", "{s:s}", "file", "reach.c");
	for (size_t i = 0; i < sizeof(private_files) / sizeof(*private_files); i++) {
		if (strstr(private_files[i], "reach.c"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", stage.home, private_files[i]);
		client_tool_refused(stage.client, "rr_source_lines", NULL, "{s:s}", "file", path);
	}
	client_tool_refused(
	    stage.client, "rr_source_lines", NULL, "{s:s}", "file", "/proc/self/environ");
	client_tool_refused(stage.client, "rr_source_lines", NULL, "{s:s}", "file", "/etc/passwd");
	stage_close(&stage);
}
END_TEST

START_TEST(a_program_in_a_home_is_recorded_and_its_traces_are_removed_and_packed)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	json_decref(stage_record(&stage));
	client_tool_done(stage.client, "rr_pack", "{s:s}", "trace_dir", stage.trace);
	client_tool_done(stage.client, "rr_rm", "{s:s}", "trace_dir", stage.trace);
	ck_assert_int_ne(access(stage.trace, F_OK), 0);
	stage_close(&stage);
}
END_TEST

/* ---- 3: sockets --------------------------------------------------------------------------------
 */

START_TEST(a_replay_reaches_no_socket)
{
	static const int sockets[][3] = {
	    {1, 1, 0}, {1, 5, 0}, {16, 3, 0}, {2, 2, 0}, {2, 1, 262}, {40, 1, 0}, {17, 3, 0}};
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	int fd = stage_listen(&stage, path);
	stage_replay(&stage);
	expect_refused("the user's socket", stage_tried(&stage, "reach_unix(\"%s\")", path));
	for (size_t i = 0; i < sizeof(sockets) / sizeof(*sockets); i++) {
		char what[64];
		snprintf(what, sizeof(what), "socket(%d, %d, %d)", sockets[i][0], sockets[i][1],
		    sockets[i][2]);
		expect_refused(what, stage_tried(&stage, "reach_%s", what));
	}
	expect_refused("socketcall", stage_tried(&stage, "reach_socketcall()"));
	stage_expect_silence(fd);
	stage_close(&stage);
}
END_TEST

/* A type of socket that has no connection sends to every address. The last one is another name of
 * SOCK_DGRAM. */
static const int without_connection[] = {SOCK_DGRAM, SOCK_RAW};

START_TEST(a_pair_of_sockets_reaches_nobody_else)
{
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	int fd = stage_listen_for_datagrams(&stage, path);

	stage_replay(&stage);
	for (size_t i = 0; i < sizeof(without_connection) / sizeof(*without_connection); i++)
		expect_refused("the user's datagram socket",
		    stage_tried(&stage, "reach_datagram(\"%s\", %d)", path, without_connection[i]));
	stage_expect_silence(fd);
	stage_close(&stage);
}
END_TEST

/* Landlock rules connect(), but not TCP Fast Open, which connects as it sends. */
START_TEST(a_replay_reaches_no_server)
{
	int port;

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	int fd = stage_serve(&port);

	stage_replay(&stage);
	expect_refused("sendto", stage_tried(&stage, "reach_server(%d, 0)", port));
	expect_refused("sendmsg", stage_tried(&stage, "reach_server(%d, 1)", port));
	stage_expect_silence(fd);
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
	if (!stage_can_play(_i) || landlock_version() < 4)
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	stage_replay(&stage);
	expect_refused("any port", stage_tried(&stage, "reach_bind(0)"));
	expect_refused("port 40123", stage_tried(&stage, "reach_bind(40123)"));
	stage_close(&stage);
}
END_TEST

/*
 * Landlock does not know a listen without a bind. In the session's own network nobody else is
 * there: the machine has no socket more, and what listens is reached by the session alone.
 */
START_TEST(a_replay_that_listens_without_a_port_is_reached_by_nobody)
{
	size_t before, with;

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, (const char *const[]){"--allow-calls", NULL}, NULL);

	stage_replay(&stage);
	/* Others may open ports where the network is not ours alone. */
	for (int look = 0; look == 0 || (with > before && look < 5); look++) {
		before = witness_listeners();
		ck_assert_int_eq(
		    stage_tried(&stage, "reach_listen()"), 0); /* or it shows nothing */
		with = witness_listeners();
	}
	ck_assert_uint_le(with, before);
	stage_close(&stage);
}
END_TEST

/* ---- 4: what parses a trace writes nowhere -----------------------------------------------------
 */

/* Nobody else's. */
static const char *name_of(const struct stage *stage)
{
	return strrchr(stage->folder, '/') + 1;
}

/* An rr that a hostile trace has taken over: it writes where it may, and goes on as rr. */
static char *hostile_rr(const struct stage *stage)
{
	static const char script[] =
	    "#!/bin/sh\n"
	    "for last; do :; done\n"
	    "for place in \"$last\" \"${last%%/*}\" /tmp /var/tmp /dev/shm '%s'; do\n"
	    "	echo made >\"$place/by-%s\"\n"
	    "done 2>/dev/null\n"
	    "exec '%s' \"$@\"\n";
	char *path = harness_path(stage->folder, "rr");
	char rr[512] = "";
	char text[TEXT];
	FILE *found = popen("command -v rr", "r");

	ck_assert(found && fgets(rr, sizeof(rr), found));
	pclose(found);
	rr[strcspn(rr, "\n")] = '\0';
	snprintf(text, sizeof(text), script, stage->home, name_of(stage), rr);
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

static void expect_unwritten(const struct stage *stage)
{
	const char *const places[] = {stage->trace, stage->home, "/tmp", "/var/tmp", "/dev/shm"};
	char path[TEXT];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/by-%s", places[i], name_of(stage));
		ck_assert_msg(access(path, F_OK) != 0, "rr wrote %s", path);
	}
}

START_TEST(what_parses_a_trace_writes_nowhere)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	char *rr = hostile_rr(&stage), option[TEXT];

	json_decref(stage_record(&stage));
	client_end(stage.client);
	snprintf(option, sizeof(option), "--rr=%s", rr);
	stage.client = stage_client(&stage, _i, (const char *const[]){option, NULL}, NULL);
	client_tool_done(stage.client, "rr_ps", "{s:s}", "trace_dir", stage.trace);
	client_tool_done(stage.client, "rr_traceinfo", "{s:s}", "trace_dir", stage.trace);
	expect_unwritten(&stage);
	free(rr);
	stage_close(&stage);
}
END_TEST

/* ---- 5: archives -------------------------------------------------------------------------------
 */

static const char *const wrong_archives[] = {".ssh/authorized_keys", ".bash_login", ".profile",
    "x.txt", "archive", ".config/x.tar", ".tar", "work/../.ssh/x.tar", "link.tar", "trace/in.tar"};

START_TEST(rr_export_makes_archives_and_no_other_files)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	char path[TEXT];

	harness_shell("cd '%s' && mkdir .config && chown %u .config && ln -s .bash_login link.tar",
	    stage.home, (unsigned)stage.uid);
	json_decref(stage_record(&stage));
	for (size_t i = 0; i < sizeof(wrong_archives) / sizeof(*wrong_archives); i++) {
		snprintf(path, sizeof(path), "%s/%s", stage.home, wrong_archives[i]);
		client_tool_refused(stage.client, "rr_export", NULL, "{s:s, s:s}", "trace_dir",
		    stage.trace, "file", path);
		struct stat status;
		ck_assert_msg(stat(path, &status) != 0, "%s was made", path);
		ck_assert_msg(strstr(client_stderr(stage.client), path) != NULL,
		    "%s is not in the audit", path);
	}
	snprintf(path, sizeof(path), "%s/good.tar", stage.home);
	client_tool_done(
	    stage.client, "rr_export", "{s:s, s:s}", "trace_dir", stage.trace, "file", path);
	ck_assert_ptr_nonnull(strstr(client_stderr(stage.client), "audit: archive to write"));
	client_tool_done(stage.client, "rr_import", "{s:s}", "file", path);
	stage_close(&stage);
}
END_TEST

/* A path that fills the line, each byte of it four when it is escaped, and says what it likes. */
START_TEST(the_audit_tells_the_result_however_long_the_path_is)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	char path[TEXT];

	json_decref(stage_record(&stage));
	snprintf(path, sizeof(path), "%s/x: granted", stage.home);
	for (int part = 0; part < 10; part++)
		strlcat(path,
		    "/\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
		    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		    sizeof(path));
	strlcat(path, "/the-end.tar", sizeof(path));
	client_tool_refused(
	    stage.client, "rr_export", NULL, "{s:s, s:s}", "trace_dir", stage.trace, "file", path);
	ck_assert_ptr_nonnull(strstr(client_stderr(stage.client), "audit: archive to write /"));
	ck_assert_ptr_nonnull(
	    strstr(client_stderr(stage.client), "/the-end.tar: No such file or directory\n"));
	stage_close(&stage);
}
END_TEST

/* ---- 9 and 10: environments ---------------------------------------------------------------------
 */

START_TEST(with_a_list_of_commands_the_environment_is_a_list_too)
{
	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i,
	    (const char *const[]){"--record-command=/usr/bin/*", "--record-variable=LC_*", NULL},
	    NULL);

	expect_answer_within(
	    client_tool_fails(stage.client, "rr_record", "not_allowed", "{s:[s], s:{s:s}}",
		"command", "/usr/bin/true", "env", "LD_PRELOAD", "/tmp/evil.so"),
	    "message", "LD_PRELOAD");
	client_tool_done(stage.client, "rr_record", "{s:[s], s:{s:s}, s:s}", "command",
	    "/usr/bin/true", "env", "LC_ALL", "C", "trace_dir", stage.trace);
	stage_close(&stage);
}
END_TEST

START_TEST(a_replay_has_nothing_of_the_servers_environment)
{
	char path[64], *text;
	struct census census;

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL},
	    (const char *const[]){"TOKEN=" SECRET, NULL});
	stage_replay(&stage);
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

#define RIGHT_TO_LEFT "\xe2\x80\xae"	 /* U+202E turns the rest of the line around */
#define TAG	      "\xf3\xa0\x81\x81" /* U+E0041 is not seen at all */

/* The tool answers, and nothing in the answer misleads. */
static void expect_plain(struct stage *stage, const char *tool, json_t *arguments)
{
	static const char *const wrong[] = {RIGHT_TO_LEFT, TAG, "\\u001b", "\\u007f"};
	json_auto_t *call = arguments;
	json_auto_t *answer = client_tool(stage->client, tool, "O", call);
	cleanup_free char *shown = answer_show(answer);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(strstr(shown, wrong[i]) == NULL, "%s: %s", tool, shown);
}

/* What a trace's sender names: the program, its arguments, the directory, strings. */
START_TEST(characters_that_mislead_a_reader_are_escaped)
{
	char program[TEXT], trace[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage =
	    stage_open(_i, (const char *const[]){"--sandbox-net_ns=prefer", NULL}, NULL);
	snprintf(program, sizeof(program), "%s/re" RIGHT_TO_LEFT TAG "ach", stage.project);
	snprintf(trace, sizeof(trace), "%s/traces/t" RIGHT_TO_LEFT TAG, stage.home);
	harness_shell("cp '%s' '%s' && mkdir '%s/traces' && chown %u '%s' '%s/traces'",
	    stage.program, program, stage.home, (unsigned)stage.uid, program, stage.home);
	expect_plain(&stage, "rr_record",
	    json_pack("{s:[s,s], s:s}", "command", program, "\x1b[2J" RIGHT_TO_LEFT TAG "\x7f",
		"trace_dir", trace));
	expect_plain(&stage, "rr_replay_start", json_pack("{s:s}", "trace_dir", trace));
	expect_plain(&stage, "rr_continue", json_pack("{s:s}", "until", "main"));
	expect_plain(&stage, "rr_evaluate", json_pack("{s:s}", "expression", "misleading"));
	expect_plain(&stage, "rr_ps", json_pack("{s:s}", "trace_dir", trace));
	expect_plain(&stage, "rr_traceinfo", json_pack("{s:s}", "trace_dir", trace));
	snprintf(trace, sizeof(trace), "%s/traces", stage.home);
	expect_plain(&stage, "rr_list_recordings", json_pack("{s:s}", "trace_base_dir", trace));
	expect_plain(&stage, "rr_sessions", json_object());
	expect_plain(&stage, "rr_status", json_object());
	stage_close(&stage);
}
END_TEST

/* ---- Recording is its user's own act
 * -------------------------------------------------------------- */

/* Where no network can be made, one that is asked for is not left out: nothing is recorded. */
static void record_client(int play, bool private)
{
	const char *const arguments[] = {"--record-network=private", NULL};
	char command[TEXT];
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	ck_assert_int_eq(listen(server, 4), 0); /* a port of the kernel's choice */
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&address, &length), 0);
	snprintf(
	    command, sizeof(command), "exec 3<>/dev/tcp/127.0.0.1/%d", ntohs(address.sin_port));
	struct stage stage = stage_open(play, private ? arguments : NULL, NULL);
	json_auto_t *call = json_pack(
	    "{s:[s,s,s], s:s}", "command", "/bin/bash", "-c", command, "trace_dir", stage.trace);
	if (private && play & NO_NAMESPACES) {
		expect_answer_within(
		    client_tool_fails(stage.client, "rr_record", "sandbox_violation", "O", call),
		    "message", "net_ns");
	} else {
		json_auto_t *recorded = client_tool(stage.client, "rr_record", "O", call);
		ck_assert_int_eq(answer_number(recorded, "exit_code") == 0, !private);
		expect_layers(recorded, play);
	}
	close(server);
	stage_close(&stage);
}

START_TEST(a_recorded_client_reaches_its_server_unless_the_network_is_private)
{
	if (!stage_can_play(_i))
		return;
	record_client(_i, false);
	record_client(_i, true);
}
END_TEST

int main(void)
{
	const struct {
		const TTest *test;
		int plays;
	} tests[] = {
	    {a_directory_that_a_call_names_takes_no_layer_away, PLAYS},
	    {a_link_to_itself_in_the_home_takes_no_layer_away, PLAYS},
	    {every_answer_names_every_layer_where_one_is_missing, PLAYS},
	    {a_replay_sees_nothing_of_the_home_and_the_project, PLAYS},
	    {a_replay_sees_no_core_though_its_trace_names_it, PLAYS},
	    {rr_source_lines_shows_the_programs_sources_and_nothing_else, PLAYS},
	    {a_program_in_a_home_is_recorded_and_its_traces_are_removed_and_packed, PLAYS},
	    {a_replay_reaches_no_socket, PLAYS},
	    {a_pair_of_sockets_reaches_nobody_else, PLAYS},
	    {a_replay_reaches_no_server, PLAYS},
	    {a_replay_listens_on_no_port_but_that_of_rr, PLAYS},
	    {a_replay_that_listens_without_a_port_is_reached_by_nobody, NO_NAMESPACES},
	    {what_parses_a_trace_writes_nowhere, PLAYS},
	    {rr_export_makes_archives_and_no_other_files, PLAYS},
	    {the_audit_tells_the_result_however_long_the_path_is, LINKED_HOME},
	    {with_a_list_of_commands_the_environment_is_a_list_too, PLAYS},
	    {a_replay_has_nothing_of_the_servers_environment, PLAYS},
	    {characters_that_mislead_a_reader_are_escaped, PLAYS},
	    {a_recorded_client_reaches_its_server_unless_the_network_is_private, PLAYS},
	};
	Suite *suite = suite_create("findings");
	TCase *all = tcase_create("findings");

	witness_alone();
	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_loop_test(all, tests[i].test, 0, tests[i].plays);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
