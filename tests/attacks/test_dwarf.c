/*
 * Debug information that was made to harm its reader: types that contain themselves, locations that
 * never end or grow without end, millions of lines. gdb may die of it or run into the deadline: the
 * call is answered in time, memory stays within its limit, and another session is served as before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "tests/attacks/stage.h"
#include "tests/runner.h"

#define ANSWER_S   45	/* gdb starts anew after it has died, and the machine may be busy */
#define MEMORY_MAX 2048 /* MiB, as the server is told */
#define SOURCE_MAX 16384

/* The rest of a file that the assembler reads. %s: the entries. Code 2 is a base type, 3 a variable
 * with a location, 4 a typedef, 5 a structure, 6 a member, 7 an array, 8 a function. */
static const char frame[] =
    ".text\n.globl evil\n.type evil,@function\n"
    "evil: incl plain(%%rip)\n ret\n.size evil,.-evil\n"
    ".data\n.globl plain\nplain: .quad 41\n.zero 64\n"
    ".section .debug_abbrev,\"\",@progbits\n.Labbrev:\n"
    ".byte 1,0x11,1,3,8,0x13,0xb,0,0\n"
    ".byte 2,0x24,0,3,8,0xb,0xb,0x3e,0xb,0,0\n"
    ".byte 3,0x34,0,3,8,0x49,0x13,0x3f,0xb,2,0x18,0,0\n"
    ".byte 4,0x16,0,3,8,0x49,0x13,0,0\n"
    ".byte 5,0x13,1,3,8,0xb,0xb,0,0\n"
    ".byte 6,0xd,0,3,8,0x49,0x13,0x38,0xb,0,0\n"
    ".byte 7,1,0,0x49,0x13,0,0\n"
    ".byte 8,0x2e,0,0x47,0x13,0x11,1,0x12,7,0,0\n"
    ".byte 0\n"
    ".section .debug_info,\"\",@progbits\n.Linfo:\n.long .Lend-.Lbegin\n"
    ".Lbegin: .value 4\n.long .Labbrev\n.byte 8\n"
    ".byte 1\n.string \"evil.c\"\n.byte 12\n"
    ".Lint: .byte 2\n.string \"int\"\n.byte 4,5\n"
    ".byte 3\n.string \"plain\"\n.long .Lint-.Linfo\n.byte 1,9,3\n.quad plain\n"
    "%s.byte 0\n.Lend:\n.section .note.GNU-stack,\"\",@progbits\n";

/* What is asked, and the entries that answer it. */
static const struct {
	const char *expression, *entries;
} cases[] = {
    {"it", ".Lt: .byte 4\n.string \"t\"\n.long .Lt-.Linfo\n"
	   ".byte 3\n.string \"it\"\n.long .Lt-.Linfo\n.byte 1,9,3\n.quad plain\n"},
    {"it", ".Lt: .byte 4\n.string \"t\"\n.long .Lu-.Linfo\n"
	   ".Lu: .byte 4\n.string \"u\"\n.long .Lt-.Linfo\n"
	   ".byte 3\n.string \"it\"\n.long .Lt-.Linfo\n.byte 1,9,3\n.quad plain\n"},
    {"it", ".Ls: .byte 5\n.string \"s\"\n.byte 16\n"
	   ".byte 6\n.string \"m\"\n.long .Ls-.Linfo\n.byte 0\n.byte 0\n"
	   ".byte 3\n.string \"it\"\n.long .Ls-.Linfo\n.byte 1,9,3\n.quad plain\n"},
    {"it", ".La: .byte 7\n.long .La-.Linfo\n"
	   ".byte 3\n.string \"it\"\n.long .La-.Linfo\n.byte 1,9,3\n.quad plain\n"},
    /* skip back over the skip */
    {"it", ".byte 3\n.string \"it\"\n.long .Lint-.Linfo\n.byte 1,3,0x2f,0xfd,0xff\n"},
    /* dup, skip back to it: the stack grows */
    {"it", ".byte 3\n.string \"it\"\n.long .Lint-.Linfo\n.byte 1,5,0x30,0x12,0x2f,0xfc,0xff\n"},
    /* a location that calls itself */
    {"it", ".Lv: .byte 3\n.string \"it\"\n.long .Lint-.Linfo\n.byte 1,5,0x99\n.long .Lv-.Linfo\n"},
    /* a function that specifies itself: gdb 13 dies when it reads its name */
    {"evil", ".Lf: .byte 8\n.long .Lf-.Linfo\n.quad evil\n.quad 7\n"},
};
#define CASES ((int)(sizeof(cases) / sizeof(cases[0])))

static void build(const struct stage *stage, const char *assembly)
{
	cleanup_free char *source = harness_path(stage->project, "evil.s");
	cleanup_free char *body = harness_path(stage->project, "main.c");

	harness_write_file(source, assembly);
	harness_write_file(body, "extern int evil(void);\nint main(void) { return evil(); }\n");
	harness_shell("cd '%s' && cc -g -no-pie main.c evil.s -o evil", stage->project);
}

/* Each answer is there in time, whatever it says. */
static void ask(struct stage *stage, const char *tool, json_t *arguments)
{
	json_auto_t *answer =
	    client_wait(stage->client, client_tool_send(stage->client, tool, arguments), ANSWER_S);

	ck_assert_msg(answer != NULL, "%s was not answered in %d s", tool, ANSWER_S);
}

static long long largest_kib(pid_t server)
{
	struct census census;
	long long most = 0;

	census_take(server, &census);
	for (size_t i = 0; i < census.count; i++) {
		long long kib = census_resident_kib(census.processes[i].pid);
		most = kib > most ? kib : most;
	}
	return most;
}

static void record_evil(struct stage *stage, const char *trace)
{
	cleanup_free char *program = harness_path(stage->project, "evil");

	client_tool_done(
	    stage->client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
}

static void question(struct stage *stage, const char *trace, const char *expression)
{
	ask(stage, "rr_replay_start", json_pack("{s:s}", "trace_dir", trace));
	ask(stage, "rr_continue", json_pack("{s:s}", "until", "evil"));
	ask(stage, "rr_evaluate", json_pack("{s:s}", "expression", expression));
	ck_assert_int_lt(largest_kib(client_pid(stage->client)), MEMORY_MAX * 1024);
	ask(stage, "rr_locals", json_object());
	ask(stage, "rr_symbols", json_pack("{s:s}", "pattern", "it"));
	ask(stage, "rr_replay_stop", json_object()); /* gdb may never have started */
}

/* A session of a plain program is served as before, by the same server. */
static void expect_service(struct stage *stage)
{
	stage_replay(stage);
	json_auto_t *value =
	    client_tool(stage->client, "rr_evaluate", "{s:s}", "expression", "1 + 1");
	expect_text(value, "value", "2");
}

static struct stage open_limited(void)
{
	return stage_open(0,
	    (const char *const[]){
		"--timeout-eval=3", "--timeout-breakpoint=5", "--memory=2G", NULL},
	    NULL);
}

START_TEST(cycles_in_debug_information_end_in_time)
{
	struct stage stage = open_limited();
	char assembly[SOURCE_MAX], *trace = harness_path(stage.home, "evil-trace");

	snprintf(assembly, sizeof(assembly), frame, cases[_i].entries);
	build(&stage, assembly);
	record_evil(&stage, trace);
	question(&stage, trace, cases[_i].expression);
	expect_service(&stage);
	stage_close(&stage);
	free(trace);
}
END_TEST

/* Six million rows of the line table, in a program of 12 MB. */
static const char many_lines[] = ".text\n.file 1 \"evil.c\"\n.globl evil\n.type evil,@function\n"
				 "evil:\n.rept 3000000\n.loc 1 1\nnop\n.loc 1 2\nnop\n.endr\n"
				 "ret\n.size evil,.-evil\n"
				 ".section .note.GNU-stack,\"\",@progbits\n";

START_TEST(millions_of_lines_are_read_or_given_up_in_time)
{
	struct stage stage = open_limited();
	cleanup_free char *trace = harness_path(stage.home, "evil-trace");

	build(&stage, many_lines);
	record_evil(&stage, trace);
	question(&stage, trace, "1 + 1");
	expect_service(&stage);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dwarf");
	TCase *all = tcase_create("dwarf");

	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	tcase_add_loop_test(all, cycles_in_debug_information_end_in_time, 0, CASES);
	tcase_add_test(all, millions_of_lines_are_read_or_given_up_in_time);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
