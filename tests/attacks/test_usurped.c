/*
 * A supervisor that was taken over (tests/doubles/usurper.c) asks the monitor and the workers for
 * what its client could not have had: as ourselves and as an ordinary user, with a home that is a
 * directory and one that is a link, with namespaces and without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/wire/proto.h"
#include "supervisor/monitor/launcher.h"
#include "tests/attacks/machine.h"
#include "tests/attacks/stage.h"

#define RACES 20

/* A stage whose trace is there, and the usurper in the real server's place. */
struct coup {
	struct stage stage;
	char *tree;
};

static struct coup coup_open(int play, const char *const *args)
{
	static const char *const plain[] = {"--sandbox-net_ns=prefer", NULL};
	struct coup coup = {.stage = stage_open(play, plain, NULL)};

	json_decref(stage_record(&coup.stage));
	client_end(coup.stage.client);
	coup.tree = harness_tree("../../libexec/rr-warden/rr-warden-worker");
	cleanup_free char *usurper = harness_program("../doubles/usurper");
	harness_shell("cp '%s' '%s/bin/rr-warden'", usurper, coup.tree);
	coup.stage.client =
	    stage_tree_client(&coup.stage, play, coup.tree, args ? args : plain, true);
	return coup;
}

static void coup_close(struct coup *coup)
{
	stage_close(&coup->stage);
	harness_scratch_free(coup->tree);
}

static json_t *tell(const struct coup *coup, const char *method, json_t *params)
{
	json_auto_t *answer = client_wait(
	    coup->stage.client, client_send(coup->stage.client, method, params), HARNESS_TIMEOUT_S);
	json_t *result = json_incref(json_object_get(answer, "result"));

	if (result == NULL)
		harness_fail("the usurper did not answer %s; stderr: %s", method,
		    client_stderr(coup->stage.client));
	return result;
}

/* Every name of the request is this one. */
static json_t *launch(
    const struct coup *coup, enum worker_kind kind, uint32_t operation, const char *name)
{
	return tell(coup, "launch",
	    json_pack("{s:i, s:i, s:[s, s, s, s, s]}", "kind", kind, "operation", (int)operation,
		"names", name, name, name, name, name));
}

/* The worker's number; it must have been started. */
static int launched(
    const struct coup *coup, enum worker_kind kind, uint32_t operation, const char *name)
{
	json_auto_t *answer = launch(coup, kind, operation, name);

	if (strcmp(answer_text(answer, "what"), "started") != 0) {
		cleanup_free char *shown = answer_show(answer);
		harness_fail("kind %d with operation %u: %s", kind, operation, shown);
	}
	return (int)answer_number(answer, "worker");
}

static json_t *ask(const struct coup *coup, int worker, uint32_t operation, json_t *json)
{
	return tell(coup, "ask",
	    json_pack("{s:i, s:i, s:o}", "worker", worker, "type", (int)operation, "json", json));
}

static void drop(const struct coup *coup, int worker)
{
	json_decref(tell(coup, "drop", json_pack("{s:i}", "worker", worker)));
}

/* ---- Kinds ---------------------------------------------------------------------------------- */

/* A worker that replays, with the rights of one that removes, would run the trace's code with them.
 */
static const struct {
	enum worker_kind kind;
	uint32_t operation;
} mixed[] = {{WORKER_REPLAY, WIRE_OP_RM}, {WORKER_REPLAY, WIRE_OP_PACK},
    {WORKER_REPLAY, WIRE_OP_EXPORT}, {WORKER_REPLAY, WIRE_OP_IMPORT},
    {WORKER_REPLAY, WIRE_OP_LIST_RECORDINGS}, {WORKER_REPLAY, WIRE_OP_STATUS},
    {WORKER_REPLAY, WIRE_OP_RECORD}, {WORKER_REPLAY, WIRE_OP_START}, {WORKER_REPLAY, 0},
    {WORKER_REPLAY, 9998}, {WORKER_QUERY, WIRE_OP_REPLAY_START}, {WORKER_QUERY, WIRE_OP_CONTINUE},
    {WORKER_QUERY, WIRE_OP_CRASH_REPORT}, {WORKER_QUERY, WIRE_OP_RECORD}, {WORKER_QUERY, 0},
    {WORKER_QUERY, 9998}, {WORKER_RECORD, WIRE_OP_RM}, {WORKER_RECORD, WIRE_OP_EXPORT},
    {WORKER_RECORD, WIRE_OP_REPLAY_START}, {WORKER_RECORD, 0}, {WORKER_ANY, WIRE_OP_STATUS},
    {WORKER_ANY, 0}, {99, WIRE_OP_STATUS}};

START_TEST(no_worker_is_of_another_kind_than_its_operation)
{
	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, NULL);

	for (size_t i = 0; i < sizeof(mixed) / sizeof(*mixed); i++) {
		json_t *answer = launch(&coup, mixed[i].kind, mixed[i].operation, coup.stage.trace);
		ck_assert_msg(strcmp(answer_text(answer, "what"), "refused") == 0,
		    "kind %d with operation %u: %s", mixed[i].kind, mixed[i].operation,
		    answer_text(answer, "what"));
		json_decref(answer);
	}
	drop(&coup, launched(&coup, WORKER_REPLAY, WIRE_OP_REPLAY_START, coup.stage.trace));
	drop(&coup, launched(&coup, WORKER_QUERY, WIRE_OP_RM, coup.stage.trace));
	coup_close(&coup);
}
END_TEST

/* ---- Names ---------------------------------------------------------------------------------- */

/* In the home, unless they begin with a slash. */
static const char *const places[] = {"/", "/etc", "/root", "/home", "/proc/1/root",
    "/proc/self/cwd", "/dev", "", ".ssh", "work", ".ssh/id_test", "work/..", "trace/..",
    "trace/../.ssh"};

static const uint32_t questions[] = {WIRE_OP_TRACEINFO, WIRE_OP_PS, WIRE_OP_PACK, WIRE_OP_EXPORT,
    WIRE_OP_RM, WIRE_OP_LIST_RECORDINGS, WIRE_OP_IMPORT};

static json_t *arguments_of(uint32_t operation, const char *trace, const char *name)
{
	switch (operation) {
	case WIRE_OP_EXPORT:
		return json_pack("{s:{s:s, s:s}}", "args", "trace_dir", trace, "file", name);
	case WIRE_OP_IMPORT:
		return json_pack("{s:{s:s}}", "args", "file", name);
	case WIRE_OP_LIST_RECORDINGS:
		return json_pack("{s:{s:s}}", "args", "trace_base_dir", name);
	default:
		return json_pack("{s:{s:s}}", "args", "trace_dir", name);
	}
}

/* The worker that the monitor made for `announced` is asked about `name`. */
static void ask_about(
    const struct coup *coup, uint32_t operation, const char *announced, const char *name)
{
	json_t *started = launch(coup, WORKER_QUERY, operation, announced), *answer;

	if (strcmp(answer_text(started, "what"), "started") == 0) {
		int worker = (int)answer_number(started, "worker");
		answer =
		    ask(coup, worker, operation, arguments_of(operation, coup->stage.trace, name));
		char *shown = answer_show(answer);
		ck_assert_msg(
		    strstr(shown, SECRET) == NULL, "%u tells of %s: %s", operation, name, shown);
		ck_assert_msg(operation == WIRE_OP_LIST_RECORDINGS ||
				  answer_true(answer, "failed") || answer_true(answer, "gone"),
		    "%u is done with %s: %s", operation, name, shown);
		free(shown);
		json_decref(answer);
		drop(coup, worker);
	}
	json_decref(started);
}

START_TEST(no_name_leads_out_of_a_trace)
{
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, NULL);
	harness_shell("cd '%s' && cp -a real .before", coup.stage.folder);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (size_t q = 0; q < sizeof(questions) / sizeof(*questions); q++) {
			snprintf(path, sizeof(path), "%s%s%s",
			    places[i][0] == '/' ? "" : coup.stage.home,
			    places[i][0] == '/' ? "" : "/", places[i]);
			ask_about(&coup, questions[q], path, path);
			ask_about(&coup, questions[q], coup.stage.trace, path);
		}
	/* The trace itself may be packed, and a directory for traces made. */
	harness_shell(
	    "cd '%s' && diff -r -x .local -x trace real .before && test -f real/trace/version",
	    coup.stage.folder);
	ask_about(&coup, WIRE_OP_LIST_RECORDINGS, coup.stage.home, coup.stage.home);
	coup_close(&coup);
}
END_TEST

/* What a worker that was taken over finds at the path; nothing where it is not started. */
static void look(
    const struct coup *coup, uint32_t operation, const char *path, const char *expected)
{
	json_t *started = launch(coup, WORKER_QUERY, operation, path), *answer;

	if (strcmp(answer_text(started, "what"), "started") == 0) {
		int worker = (int)answer_number(started, "worker");
		answer =
		    ask(coup, worker, operation, json_pack("{s:{s:s}}", "args", "trace_dir", path));
		const char *found = answer_text(answer, "json.worked");
		ck_assert_msg(strcmp(found, expected) == 0, "%s: %s", path, found);
		json_decref(answer);
		drop(coup, worker);
	} else {
		ck_assert_msg(expected[0] == '\0', "%s", answer_text(started, "why"));
	}
	json_decref(started);
}

/* Here the worker was taken over as well, before it confined itself: what it sees is what the
 * monitor shows, which takes a mount namespace. */
START_TEST(no_name_shows_the_home_to_a_worker)
{
	static const uint32_t operations[] = {WIRE_OP_TRACEINFO, WIRE_OP_PACK, WIRE_OP_RM};
	static const char *const names[] = {
	    "", ".ssh", "work", "work/..", "trace/..", "trace/../.ssh", "link"};
	char path[TEXT];

	if (!stage_can_play(_i) || _i & NO_NAMESPACES)
		return;
	struct coup coup = coup_open(_i, NULL);
	cleanup_free char *worker_double = harness_program("../doubles/petitioner");
	harness_shell("cp '%s' '%s/libexec/rr-warden/rr-warden-worker' && ln -s .ssh '%s/link'",
	    worker_double, coup.tree, coup.stage.home);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t k = 0; k < sizeof(operations) / sizeof(*operations); k++) {
			snprintf(path, sizeof(path), "%s/%s", coup.stage.home, names[i]);
			look(&coup, operations[k], path, "");
		}
	harness_shell("test -z \"$(find '%s' -name petitioner-was-here)\"", coup.stage.folder);
	look(&coup, WIRE_OP_TRACEINFO, coup.stage.trace, "sees it"); /* or it shows nothing */
	coup_close(&coup);
}
END_TEST

/* ---- Configuration -------------------------------------------------------------------------- */

/* A worker without a sandbox, which runs this instead of rr. */
static json_t *configuration(const char *evil)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:[s], s:[s], s:{s:s, s:s, s:s}}", "kind",
	    "replay", "rr", evil, "gdb", evil, "allow_calls", 1, "allow_gdb_command", 1,
	    "read_only", "/", "read_write", "/", "sandbox", "seccomp", "off", "landlock", "off",
	    "no_new_privs", "off");
}

static void expect_refusal(json_t *answer)
{
	cleanup_free char *shown = answer_show(answer);

	ck_assert_msg(answer_true(answer, "failed") || answer_true(answer, "gone"), "%s", shown);
	json_decref(answer);
}

static void expect_not_allowed(
    const struct coup *coup, int worker, uint32_t operation, json_t *json)
{
	expect_all(
	    ask(coup, worker, operation, json), TRUE("failed"), IS("json.code", "not_allowed"));
}

START_TEST(no_layer_goes_and_no_setting_changes)
{
	static const char *const args[] = {"--sandbox-net_ns=prefer", "--record=no", NULL};
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, args);
	cleanup_free char *evil = harness_path(coup.stage.folder, "evil"),
			  *was_run = harness_path(coup.stage.project, "was-run");
	snprintf(path, sizeof(path), "#!/bin/sh\necho run >'%s'\n", was_run);
	harness_write_file(evil, path);
	ck_assert_int_eq(chmod(evil, 0755), 0);

	json_auto_t *refused = launch(&coup, WORKER_RECORD, WIRE_OP_RECORD, evil);
	expect_text(refused, "what", "refused");
	int worker = launched(&coup, WORKER_REPLAY, WIRE_OP_REPLAY_START, coup.stage.trace);
	expect_refusal(ask(&coup, worker, WIRE_OP_START, configuration(evil)));
	json_auto_t *started = ask(&coup, worker, WIRE_OP_REPLAY_START,
	    json_pack("{s:{s:s}}", "args", "trace_dir", coup.stage.trace));
	ck_assert(!answer_true(started, "failed"));
	expect_layers(json_object_get(started, "json"), _i);
	expect_not_allowed(&coup, worker, WIRE_OP_EVALUATE,
	    json_pack("{s:{s:s, s:b}}", "args", "expression", "1", "allow_calls", 1));
	expect_not_allowed(&coup, worker, WIRE_OP_GDB_COMMAND,
	    json_pack("{s:{s:s}}", "args", "command", "info frame"));
	expect_all(
	    ask(&coup, worker, WIRE_OP_SOURCE_LINES, json_pack("{s:{s:s}}", "args", "file", path)),
	    TRUE("failed"));
	ck_assert_int_ne(access(was_run, F_OK), 0);
	coup_close(&coup);
}
END_TEST

/* The monitor's configuration is there before anybody else can send one. */
START_TEST(nobody_configures_a_worker_before_the_monitor)
{
	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, NULL);

	for (int race = 0; race < RACES; race++) {
		json_t *answer = tell(&coup, "launch",
		    json_pack("{s:i, s:i, s:[s], s:o}", "kind", WORKER_REPLAY, "operation",
			WIRE_OP_REPLAY_START, "names", coup.stage.trace, "hurry",
			configuration("/bin/false")));
		expect_text(answer, "what", "started");
		expect_refusal(json_incref(json_object_get(answer, "hurried")));
		drop(&coup, (int)answer_number(answer, "worker"));
		json_decref(answer);
	}
	coup_close(&coup);
}
END_TEST

/* A real session, and every file that its worker may be asked for. */
START_TEST(a_session_shows_its_sources_and_nothing_of_the_home)
{
	static const char *const files[] = {".ssh/id_test", "notes.txt", ".bash_history",
	    "work/.env", "../real/notes.txt", "../home/notes.txt", "trace/version"};
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, NULL);
	int worker = launched(&coup, WORKER_REPLAY, WIRE_OP_REPLAY_START, coup.stage.trace);
	json_decref(ask(&coup, worker, WIRE_OP_REPLAY_START,
	    json_pack("{s:{s:s}}", "args", "trace_dir", coup.stage.trace)));

	json_t *shown = ask(&coup, worker, WIRE_OP_SOURCE_LINES,
	    json_pack("{s:{s:s}}", "args", "file", STAGE_PROGRAM ".c"));
	ck_assert(!answer_true(shown, "failed")); /* or it shows nothing */
	json_decref(shown);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", coup.stage.home, files[i]);
		shown = ask(&coup, worker, WIRE_OP_SOURCE_LINES,
		    json_pack("{s:{s:s}}", "args", "file", path));
		char *text = answer_show(shown);
		ck_assert_msg(strstr(text, SECRET) == NULL, "%s: %s", path, text);
		ck_assert_msg(answer_true(shown, "failed"), "%s: %s", path, text);
		free(text);
		json_decref(shown);
	}
	coup_close(&coup);
}
END_TEST

/* ---- Signals -------------------------------------------------------------------------------- */

START_TEST(a_supervisor_signals_its_workers_and_nobody_else)
{
	if (!stage_can_play(_i))
		return;
	struct coup coup = coup_open(_i, NULL);
	pid_t other = stage_bystander(&coup.stage);
	json_auto_t *answer = tell(&coup, "signals", json_pack("{s:i}", "pid", (int)other));
	cleanup_free char *shown = answer_show(answer);

	ck_assert_int_gt(answer_number(answer, "tried"), 0);
	ck_assert_msg(answer_count(answer, "worked") == 0, "%s", shown);
	stage_bystander_end(other);
	coup_close(&coup);
}
END_TEST

/* ---- Recordings ------------------------------------------------------------------------------ */

/* Reads what is hidden, and writes where it must not; it leaves nothing behind. */
static char *prying(void)
{
	static char script[TEXT];

	strlcpy(script, "cat /home/victim/notes.txt /home/victim/.ssh/id_test /home/victim/bin/key",
	    sizeof(script));
	for (const char *const *key = machine_keys; *key; key++) {
		strlcat(script, " ", sizeof(script));
		strlcat(script, *key, sizeof(script));
	}
	strlcat(script,
	    " 2>/dev/null; for d in /etc /usr/bin /home /home/victim /etc/munge; do "
	    "mkdir $d/probe 2>/dev/null && rmdir $d/probe && echo WRITABLE $d; done; echo the end",
	    sizeof(script));
	return script;
}

/* Announces one name to the monitor, and has the worker record something else. */
static void pry(const struct coup *coup, enum launch_name which, const char *path, int number)
{
	json_t *names = json_array();
	char trace[TEXT];

	for (int i = 0; i < LAUNCH_NAME_COUNT; i++)
		json_array_append_new(names, json_string(i == (int)which ? path : ""));
	json_auto_t *started = tell(coup, "launch",
	    json_pack("{s:i, s:i, s:o}", "kind", WORKER_RECORD, "operation", WIRE_OP_RECORD,
		"names", names));
	if (strcmp(answer_text(started, "what"), "started") != 0)
		return;
	int worker = (int)answer_number(started, "worker");
	snprintf(trace, sizeof(trace), "%s/pried%d", coup->stage.home, number);
	json_auto_t *answer = ask(coup, worker, WIRE_OP_RECORD,
	    json_pack("{s:{s:[s,s,s], s:s, s:s}}", "args", "command", "/bin/sh", "-c", prying(),
		"working_directory", "/tmp", "trace_dir", trace));
	const char *printed = answer_text(answer, "json.stdout");
	ck_assert_msg(
	    strstr(printed, "the end") && !strstr(printed, "WRITABLE") && !strstr(printed, SECRET),
	    "announced %d %s: %s", (int)which, path, printed);
	drop(coup, worker);
}

START_TEST(no_announced_name_uncovers_anything_to_a_recording)
{
	static const struct {
		enum launch_name which;
		const char *path;
	} announced[] = {{LAUNCH_TRACE, "/etc/munge/x"}, {LAUNCH_TRACE, "/home/victim/bin/key"},
	    {LAUNCH_DIRECTORY, "/etc"}, {LAUNCH_DIRECTORY, "/home/victim/.ssh"},
	    {LAUNCH_DIRECTORY, "/home/victim/bin/key"}, {LAUNCH_DIRECTORY, "/usr/bin"},
	    {LAUNCH_PROGRAM, "/etc/munge/munge.key"}, {LAUNCH_PROGRAM, "/home/victim/bin/key"},
	    {LAUNCH_BASE, "/home"}};

	if (!stage_can_play(_i) || _i & (AS_USER | LINKED_HOME) || !machine_has_keys())
		return;
	struct coup coup = coup_open(_i, NULL);

	for (size_t i = 0; i < sizeof(announced) / sizeof(*announced); i++)
		pry(&coup, announced[i].which, announced[i].path, (int)i);
	coup_close(&coup);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {no_worker_is_of_another_kind_than_its_operation,
	    no_name_leads_out_of_a_trace, no_name_shows_the_home_to_a_worker,
	    no_layer_goes_and_no_setting_changes, nobody_configures_a_worker_before_the_monitor,
	    a_session_shows_its_sources_and_nothing_of_the_home,
	    a_supervisor_signals_its_workers_and_nobody_else,
	    no_announced_name_uncovers_anything_to_a_recording, NULL};

	return stage_main("usurped", tests);
}
