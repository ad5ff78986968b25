/*
 * Something that rr needs is missing or forbidden: `rr-warden rr` and the server say in one line
 * what, and what to do about it. If only performance events are forbidden, everything works.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "exit_code"

/* The output of a shell command on stdout and stderr; *status is its wait status. */
static char *output_of(const char *command, int *status)
{
	static char text[4096];
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	size_t length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = 0;
	*status = pclose(pipe);
	return text;
}

/* Expects one line, from rr-warden, that contains this. */
static void expect_refusal(const char *text, int status, const char *part)
{
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) != 0, "status %d: %s", status, text);
	ck_assert_msg(strncmp(text, "rr-warden", strlen("rr-warden")) == 0, "%s", text);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in %s", part, text);
	ck_assert_msg(strchr(text, '\n') == text + strlen(text) - 1, "not one line: %s", text);
}

/* A folder with the script `rr_says` as rr, or, if that is NULL, with the real rr if `rr`; and with
 * gdb if `gdb`. */
static char *folder_with(const char *rr_says, bool rr, bool gdb)
{
	char *folder = harness_scratch(0);
	char *path = harness_path(folder, "rr");
	if (rr_says != NULL) {
		harness_write_file(path, rr_says);
		ck_assert_int_eq(chmod(path, 0700), 0);
	} else if (rr) {
		ck_assert_int_eq(symlink("/usr/bin/rr", path), 0);
	}
	free(path);
	path = harness_path(folder, "gdb");
	if (gdb)
		ck_assert_int_eq(symlink("/usr/bin/gdb", path), 0);
	free(path);
	return folder;
}

#define OLD_RR "#!/bin/sh\necho rr version 5.5.0\n"

static const struct {
	const char *rr_says;
	bool rr, gdb;
	const char *command, *says;
} missing[] = {
    {NULL, false, true, "record true", "rr was not found: install it (apt install rr)"},
    {NULL, true, false, "replay", "gdb was not found: install it (apt install gdb)"},
    {OLD_RR, false, true, "record true", "rr 5.5.0 is too old: rr-warden needs 5.6.0 or later"},
    {"#!/bin/sh\necho hello\n", false, true, "record true", "is --rr=PATH really rr?"},
};
#define MISSING_COUNT TIMES(missing)

START_TEST(by_hand_what_is_missing_is_said_in_one_line)
{
	for (int i = 0; i < MISSING_COUNT; i++) {
		char *folder = folder_with(missing[i].rr_says, missing[i].rr, missing[i].gdb);
		char command[4096];
		int status;
		snprintf(command, sizeof(command), "PATH='%s' '%s' rr %s 2>&1", folder,
		    harness_server(), missing[i].command);
		char *text = output_of(command, &status);
		expect_refusal(text, status, missing[i].says);
		harness_scratch_free(folder);
	}
}
END_TEST

START_TEST(by_hand_forbidden_ptrace_is_said_in_one_line)
{
	cleanup_free char *forbid = harness_program("../doubles/forbid");
	char command[4096];
	int status;
	snprintf(command, sizeof(command), "'%s' ptrace '%s' rr record true 2>&1", forbid,
	    harness_server());
	char *text = output_of(command, &status);
	expect_refusal(text, status, "ptrace, which is not allowed here");
	ck_assert_ptr_nonnull(strstr(text, "ptrace_scope"));
}
END_TEST

/* The smallest 32-bit program: exit(0). */
static char *write_program_32(const char *folder)
{
	static const unsigned char code[] = {0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80};
	struct {
		Elf32_Ehdr elf;
		Elf32_Phdr segment;
		unsigned char code[sizeof(code)];
	} image = {.elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		       .e_type = ET_EXEC,
		       .e_machine = EM_386,
		       .e_version = EV_CURRENT,
		       .e_entry = 0x8048000 + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
		       .e_phoff = sizeof(Elf32_Ehdr),
		       .e_ehsize = sizeof(Elf32_Ehdr),
		       .e_phentsize = sizeof(Elf32_Phdr),
		       .e_phnum = 1},
	    .segment = {.p_type = PT_LOAD,
		.p_vaddr = 0x8048000,
		.p_filesz = sizeof(image),
		.p_memsz = sizeof(image),
		.p_flags = PF_R | PF_X,
		.p_align = 0x1000}};
	char *path = harness_path(folder, "program32");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	memcpy(image.code, code, sizeof(code));
	ck_assert_int_eq(write(fd, &image, sizeof(image)), (ssize_t)sizeof(image));
	close(fd);
	return path;
}

START_TEST(a_32_bit_program_is_refused_by_the_software_pmu)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *program = write_program_32(folder);
	char command[4096];
	int status;
	output_of(program, &status);
	if (status == 0) { /* else this kernel does not run such programs at all */
		snprintf(command, sizeof(command),
		    "'%s' rr --pmu=software record -o '%s/trace' '%s' 2>&1 | grep -v Saving",
		    harness_server(), folder, program);
		char *text = output_of(command, &status);
		ck_assert_msg(strstr(text, "is a 32-bit program") != NULL, "%s", text);
		ck_assert_ptr_nonnull(strstr(text, "use a machine with performance counters"));
	}
}
END_TEST

/* rr loses the flag at its next stop, and its replay fails an assertion. */
START_TEST(a_program_that_steps_itself_is_refused_by_the_software_pmu)
{
	static const char *const how[] = {"popf", "return"}, *const modes[] = {
								 "run", "legs", "step"};
	cleanup_free char *program = harness_program("steps_itself");
	cleanup_scratch char *folder = harness_scratch(0);
	for (int i = 0; i < 2 * 3; i++) {
		char command[4096];
		int status;
		snprintf(command, sizeof(command),
		    "RR_WARDEN_SOFTPMU=%s '%s' rr --pmu=software record -o '%s/%d' '%s' %s 2>&1 | "
		    "grep -v Saving",
		    modes[i / 2], harness_server(), folder, i, program, how[i % 2]);
		char *text = output_of(command, &status);
		ck_assert_msg(
		    strstr(text, "sets the trap flag to step itself, which rr cannot record") !=
			NULL,
		    "%s %s: %s", modes[i / 2], how[i % 2], text);
		ck_assert_msg(
		    strchr(text, '\n') == text + strlen(text) - 1, "not one line: %s", text);
	}
}
END_TEST

static void expect_failure(struct client *client, const char *tool, json_t *args, const char *part)
{
	json_auto_t *failed = client_tool_failure(
	    client, client_tool_send(client, tool, args), NULL, HARNESS_TIMEOUT_S);
	const char *message = answer_text(failed, "message");
	ck_assert_msg(strstr(message, part) != NULL, "no \"%s\" in %s", part, message);
	ck_assert_msg(strchr(message, '\n') == NULL, "not one line: %s", message);
}

static json_t *program_args(void)
{
	cleanup_free char *program = harness_program(PROGRAM);
	json_t *args = json_pack("{s:[s]}", "command", program);
	return args;
}

static json_t *trace_args(void)
{
	return json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM));
}

START_TEST(the_server_says_what_is_missing_when_it_is_wanted)
{
	struct client *client = client_start(
	    &(struct client_options){.args = (const char *const[]){"--rr=/nowhere/rr", NULL}});
	expect_failure(client, "rr_record", program_args(), "rr was not found: install it");
	expect_failure(client, "rr_replay_start", trace_args(), "rr was not found: install it");
	client_end(client);
	client = client_start(
	    &(struct client_options){.args = (const char *const[]){"--gdb=/nowhere/gdb", NULL}});
	expect_failure(client, "rr_replay_start", trace_args(),
	    "/nowhere/gdb was not found: install it (apt install gdb)");
	client_end(client);
}
END_TEST

/* Under /tmp, of which replays see only what they get. */
START_TEST(the_server_refuses_an_rr_that_is_too_old)
{
	char *folder = folder_with(OLD_RR, false, false), *rr = harness_path(folder, "rr");
	char option[4096];
	snprintf(option, sizeof(option), "--rr=%s", rr);
	struct client *client =
	    client_start(&(struct client_options){.args = (const char *const[]){option, NULL}});
	expect_failure(client, "rr_record", program_args(), "rr 5.5.0 is too old");
	expect_failure(client, "rr_replay_start", trace_args(), "rr 5.5.0 is too old");
	client_end(client);
	free(rr);
	harness_scratch_free(folder);
}
END_TEST

/* A busy machine looks like this. That is no reason to doubt that it is rr. */
START_TEST(the_server_says_that_rr_did_not_answer_in_time)
{
	char *folder = folder_with("#!/bin/sh\nexec sleep 600\n", false, false);
	cleanup_free char *rr = harness_path(folder, "rr");
	char option[4096];
	snprintf(option, sizeof(option), "--rr=%s", rr);
	struct client *client = client_start(&(struct client_options){
	    .args = (const char *const[]){option, "--timeout-startup=1", NULL}});
	expect_failure(client, "rr_record", program_args(), "`rr help` did not end in time");
	expect_failure(client, "rr_replay_start", trace_args(), "`rr help` did not end in time");
	client_end(client);
	harness_scratch_free(folder);
}
END_TEST

/* A server that may not make one system call, and neither may anything that it starts. */
static struct client *client_without(const char *call)
{
	cleanup_free char *forbid = harness_program("../doubles/forbid");
	struct client *client = client_start(&(struct client_options){
	    .server = forbid, .args = (const char *const[]){call, harness_server(), NULL}});
	return client;
}

START_TEST(the_server_says_that_ptrace_is_forbidden)
{
	cleanup_client struct client *client = client_without("ptrace");
	expect_failure(client, "rr_record", program_args(), "ptrace, which is not allowed here");
	expect_failure(
	    client, "rr_replay_start", trace_args(), "ptrace, which is not allowed here");
}
END_TEST

START_TEST(without_performance_events_all_works)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	cleanup_client struct client *client = client_without("perf_event_open");
	json_t *args = program_args();
	json_object_set_new(args, "trace_dir", json_string(trace));
	expect_answer(client_tool_result(
			  client, client_tool_send(client, "rr_record", args), HARNESS_TIMEOUT_S),
	    "pmu", "software");
	client_tool_done(client, "rr_replay_start", "{s:s}", "trace_dir", trace);
	json_auto_t *end = client_tool(client, "rr_continue", NULL);
	expect_text(end, "reason", "end");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {by_hand_what_is_missing_is_said_in_one_line,
	    by_hand_forbidden_ptrace_is_said_in_one_line,
	    a_32_bit_program_is_refused_by_the_software_pmu,
	    a_program_that_steps_itself_is_refused_by_the_software_pmu,
	    the_server_says_what_is_missing_when_it_is_wanted,
	    the_server_refuses_an_rr_that_is_too_old,
	    the_server_says_that_rr_did_not_answer_in_time,
	    the_server_says_that_ptrace_is_forbidden, without_performance_events_all_works, NULL};
	return scene_main("missing", tests, (const char *const[]){PROGRAM, NULL});
}
