/*
 * Core files as attacks: damaged in many ways, naming what they must not show, and named where
 * nothing may be named. The server lives and answers clearly and in time, nothing escapes, and a
 * session on a sound trace does not notice.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/attacks/machine.h"
#include "tests/attacks/stage.h"
#include "tests/attacks/witness.h"
#include "tests/e2e/cores.h"
#include "tests/e2e/scene.h"

#define MUTATIONS  480
#define TRIED	   10 /* every tenth, or all of them with ATTACKS in the environment */
#define LOOK_EVERY 20
#define BOUND_S	   60.0
#define HEADERS	   (24 * 1024) /* bytes at a core file's beginning: headers and notes */

/* The same damage in every run. */
static unsigned long long state;

static size_t below(size_t bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % bound);
}

static void flip_bits(unsigned char *bytes, size_t *size)
{
	for (int i = 0; i < 8; i++)
		bytes[below(*size < HEADERS ? *size : HEADERS)] ^= (unsigned char)(1u << below(8));
}

static void claim_huge(unsigned char *bytes, size_t *size)
{
	for (int i = 0; i < 4; i++)
		memset(bytes + below((*size < HEADERS ? *size : HEADERS) - 8),
		    below(2) ? 0xff : 0x7f, 8);
}

static void claim_huge_header(unsigned char *bytes, size_t *size)
{
	(void)size;
	memset(bytes + 32 + below(64 + 56 * 8), 0xff, 1 + below(8));
}

static void clear_run(unsigned char *bytes, size_t *size)
{
	size_t from = below(*size);

	memset(bytes + from, 0, *size - from < 4096 ? *size - from : 4096);
}

static void cut(unsigned char *bytes, size_t *size)
{
	(void)bytes;
	*size = 1 + below(*size - 1);
}

static void scatter(unsigned char *bytes, size_t *size)
{
	for (int i = 0; i < 2000; i++)
		bytes[64 + below(*size - 64)] = (unsigned char)below(256);
}

static void (*const damages[])(unsigned char *, size_t *) = {
    flip_bits, claim_huge, claim_huge_header, clear_run, cut, scatter};
#define DAMAGES (sizeof(damages) / sizeof(*damages))

static unsigned char *read_core(const char *path, size_t *size)
{
	struct stat status;
	FILE *file = fopen(path, "re");
	unsigned char *bytes;

	ck_assert(file != NULL && fstat(fileno(file), &status) == 0);
	bytes = malloc((size_t)status.st_size);
	*size = fread(bytes, 1, (size_t)status.st_size, file);
	fclose(file);
	return bytes;
}

static void write_damaged(const char *sound, size_t number, const char *to)
{
	size_t size;
	unsigned char *bytes = read_core(sound, &size);
	FILE *file = fopen(to, "we");

	state = 0x9e3779b97f4a7c15ULL * (number + 1);
	damages[number % DAMAGES](bytes, &size);
	ck_assert(file != NULL && fwrite(bytes, 1, size, file) == size);
	fclose(file);
	free(bytes);
}

/* A result, or an error with a code and a message; true if it was a result. */
static bool expect_clear(struct client *client, const char *tool, json_t *arguments, size_t number)
{
	json_auto_t *answer =
	    client_wait(client, client_tool_send(client, tool, arguments), BOUND_S);
	const json_t *content = answer_at(answer, "result.structuredContent");
	bool failed = json_is_true(answer_at(answer, "result.isError"));

	if (!answer)
		harness_fail("mutation %zu: %s was not answered", number, tool);
	if (!content || (failed && (strcmp(answer_text(content, "code"), "internal") == 0 ||
				       answer_text(content, "message")[0] == '\0')))
		harness_fail(
		    "mutation %zu: %s is not clear: %s", number, tool, answer_show(answer));
	return !failed;
}

START_TEST(a_damaged_core_file_is_answered_clearly_and_in_time_and_nothing_else)
{
	static const char *const args[] = {
	    "--timeout-startup=10", "--timeout-connect=10", "--memory=8G", NULL};
	static const char *const looks[] = {
	    "rr_backtrace", "rr_memory_map", "rr_disassemble", "rr_thread_list"};
	struct witness witness = witness_new();
	struct scene scene = scene_open("exit_code", &(struct client_options){.args = args});
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *sound = core_make(folder, "sound", "crash", "");
	cleanup_free char *damaged = harness_path(folder, "damaged");
	size_t opened = 0, refused = 0, step = getenv("ATTACKS") ? 1 : TRIED + 1;

	witness_count(&witness, client_pid(scene.client));
	for (size_t number = 0; number < MUTATIONS; number += step) {
		write_damaged(sound, number, damaged);
		json_auto_t *answer = client_wait(scene.client,
		    client_tool_send(
			scene.client, "rr_crash_report", json_pack("{s:s}", "core", damaged)),
		    BOUND_S);
		if (!answer)
			harness_fail("mutation %zu: rr_crash_report was not answered", number);
		const json_t *session = answer_at(answer, "result.structuredContent.session");
		refused += !session;
		if (session) {
			opened++;
			for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
				expect_clear(scene.client, looks[i],
				    json_pack("{s:O}", "session", session), number);
			expect_clear(scene.client, "rr_replay_stop",
			    json_pack("{s:O}", "session", session), number);
		}
		if ((opened + refused) % LOOK_EVERY == 0) {
			witness_look(&witness, client_pid(scene.client));
			expect_alive(scene.client, scene.session);
		}
	}
	fprintf(stderr, "%zu opened, %zu refused\n", opened, refused);
	ck_assert_uint_gt(opened, 5);
	ck_assert_uint_gt(refused, 0); /* or the damage was none */
	witness_look(&witness, client_pid(scene.client));
	expect_alive(scene.client, scene.session);
	scene_close(&scene);
	witness_end(&witness);
}
END_TEST

/* Its notes say that a file was mapped: that opens no file. */
START_TEST(a_name_in_a_core_file_shows_only_programs)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("crash");
	cleanup_free char *app = harness_path(place.folder, "app");

	harness_shell("cp '%s' '%s' && echo " SECRET " > '%s/key' && chmod 600 '%s/key'", program,
	    app, place.folder, place.folder);
	cleanup_free char *core = core_make_of(place.folder, "its.core", app, "");
	harness_shell("LC_ALL=C sed -i 's#%s/app#%s/key#g' '%s'", place.folder, place.folder, core);
	json_auto_t *opened = client_tool(place.client, "rr_core_open", "{s:s}", "core", core);
	expect_within(opened, "warnings.0", "there are no symbols of the program");
	json_auto_t *map = client_tool(place.client, "rr_memory_map", NULL);
	ck_assert_ptr_nonnull(strstr(json_dumps(map, 0), "/key"));
	/* A core of gdb's has the code in itself. */
	if (core_is_the_kernels())
		client_tool_refused(
		    place.client, "rr_read_memory", "invalid_argument", "{s:s}", "address", "$pc");
	json_auto_t *found = client_tool(place.client, "rr_find_memory", "{s:s}", "text", SECRET);
	expect_within(found, "conclusion", "0 found");
	cleanup_free char *key = harness_path(place.folder, "key");
	expect_all(client_tool_fails(place.client, "rr_core_open", NULL, "{s:s, s:s}", "core", core,
		       "program", key),
	    HAS("message", "it is not a program"));
	expect_all(client_tool_fails(place.client, "rr_core_open", NULL, "{s:s}", "core", key),
	    HAS("message", "it is not a core file"));
}
END_TEST

static const struct {
	const char *argument, *value;
} hidden[] = {{"core", "/etc/shadow"}, {"core", "/run/core"}, {"core", "/proc/self/mem"},
    {"core", "/dev/mem"}, {"program", "/etc/shadow"}, {"program", "/proc/self/exe"},
    {"sysroot", "/etc/ssh"}, {"sysroot", "/home"}, {"sysroot", "/proc"}, {"sysroot", "/etc"},
    {"sysroot", "/var"}, {"sysroot", "/run"}};

START_TEST(a_name_of_a_call_uncovers_nothing_that_is_hidden)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");
	json_t *arguments =
	    json_pack("{s:s, s:s}", "core", core, hidden[_i].argument, hidden[_i].value);
	json_auto_t *failed = client_tool_failure(place.client,
	    client_tool_send(place.client, "rr_core_open", arguments), NULL, HARNESS_TIMEOUT_S);
	const char *code = answer_text(failed, "code");

	ck_assert_msg(strcmp(code, "not_allowed") == 0 || strcmp(code, "not_found") == 0, "%s: %s",
	    hidden[_i].value, answer_text(failed, "message"));
	expect_all(client_tool(place.client, "rr_sessions", NULL), COUNT("sessions", 0));
}
END_TEST

/* The roots of traces bound core files, programs and roots, whatever links lead out. */
START_TEST(trace_roots_bound_what_a_call_names)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *inside = harness_path(folder, "in"),
			  *outside = harness_path(folder, "out");
	cleanup_free char *option = NULL;

	ck_assert_int_gt(asprintf(&option, "--trace-root=%s", inside), 0);
	harness_shell("mkdir '%s' '%s'", inside, outside);
	cleanup_free char *core = core_make(inside, "its.core", "crash", "");
	harness_shell(
	    "cp '%s' '%s/its.core' && cp '%s' '%s/app' && ln -s ../out/its.core '%s/link' && "
	    "cp /bin/true '%s/app'",
	    core, outside, "/bin/true", outside, inside, outside);
	const char *const args[] = {option, NULL};
	cleanup_client struct client *client = client_start(&(struct client_options){.args = args});
	const struct {
		const char *argument, *folder, *name;
	} rows[] = {{"core", outside, "its.core"}, {"core", inside, "link"},
	    {"program", outside, "app"}, {"sysroot", outside, ""}};

	client_tool_done(client, "rr_core_open", "{s:s}", "core", core);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cleanup_free char *path = harness_path(rows[i].folder, rows[i].name);
		json_t *arguments = json_pack("{s:s, s:s}", "core", core, rows[i].argument, path);
		json_auto_t *failed =
		    client_tool_failure(client, client_tool_send(client, "rr_core_open", arguments),
			"not_allowed", HARNESS_TIMEOUT_S);
		expect_within(failed, "message", "--trace-root");
	}
}
END_TEST

/* gdb could start a program, or open another core file, if it were not for its sandbox. */
START_TEST(gdb_can_start_nothing_beside_a_core_file)
{
	static const char *const args[] = {"--allow-gdb-command", NULL};
	static const char *const commands[] = {"run", "shell id > %s/shell", "start",
	    "core-file /etc/shadow", "attach 1", "python open('%s/python', 'w')",
	    "generate-core-file %s/gcore", "dump binary memory %s/dump $sp $sp+8"};
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *core = core_make(folder, "its.core", "crash", "");
	cleanup_client struct client *client = client_start(&(struct client_options){.args = args});

	client_tool_done(client, "rr_core_open", "{s:s}", "core", core);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char command[TEXT];
		snprintf(command, sizeof(command), commands[i], folder);
		expect_clear(client, "rr_gdb_command", json_pack("{s:s}", "command", command), i);
	}
	harness_shell("test \"$(ls '%s')\" = its.core", folder);
	ck_assert_int_eq(census_find(client_pid(client), "crash", 0), 0);
}
END_TEST

/* Another user's, and one that only root may read. */
START_TEST(a_core_file_of_somebody_else_is_his)
{
	if (!stage_can_play(AS_USER))
		return;
	struct stage stage = stage_open(AS_USER, NULL, NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *core = core_make(folder, "its.core", "crash", "");

	harness_shell("chmod 600 '%s'", core);
	expect_all(
	    client_tool_fails(stage.client, "rr_core_open", "not_allowed", "{s:s}", "core", core),
	    HAS("message", "ermission denied"));
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_damaged_core_file_is_answered_clearly_and_in_time_and_nothing_else, 1},
	    {a_name_in_a_core_file_shows_only_programs, 1},
	    {a_name_of_a_call_uncovers_nothing_that_is_hidden, TIMES(hidden)},
	    {trace_roots_bound_what_a_call_names, 1},
	    {gdb_can_start_nothing_beside_a_core_file, 1},
	    {a_core_file_of_somebody_else_is_his, 1},
	    {NULL, 0},
	};

	witness_alone();
	return scene_main_loops("core files", tests, (const char *const[]){"exit_code", NULL});
}
