/*
 * Core files: the crash report and what can be seen are those of a recording, what needs time says
 * so, and a file that is no core file, or not of this program, is told plainly.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/cores.h"
#include "tests/e2e/hang.h"
#include "tests/e2e/scene.h"

/* ---- What ended the program ------------------------------------------------------------------
 */

static const struct crash {
	const char *program, *form;
	const char *said[3];  /* in the conclusion */
	const char *function; /* of the first own frame that is shown */
	const char *operand;  /* of the fault; NULL: it has none */
} crashes[] = {
    {"crash", "", {"SIGSEGV in read_name (", "read of 0x8: customer is null"}, "read_name", "0x8("},
    {"faults", "divide",
	{"SIGFPE in divide (", "a division by zero: the divisor, by at 0x", "is 0"}, "divide",
	"(%rbp)"},
    {"faults_O2", "divide", {"a division by zero: the divisor, by in %e", "is 0"}, "divide", "%e"},
    {"faults", "undefined", {"SIGILL in run (", "the instruction ud2"}, "run", NULL},
    {"faults", "constant", {"write of 0x", "which is read-only"}, "store", "(%r"},
    {"faults", "no_access", {"read of 0x", "where the program has no access"}, "load", "(%r"},
    {"faults", "load_high", {"read of 0x4141414141414141, which is no valid"}, "load", "(%r"},
    {"followed", "member", {"SIGSEGV in member (", "read of 0x10: head->next is null"}, "member",
	"0x10("},
    {"followed_O2", "member", {"SIGSEGV in member (", "head->next is null"}, "member", "0x10("},
    {"followed", "method", {"read of 0x1234568: this is 0x1234560"}, "node::first", "0x8("},
    {"jumps_off", "null", {"called by act (", "a call of 0x0, where no code is"}, "act", NULL},
    {"jumps_off_O2", "null", {"called by act (", "a call of 0x0, where no code is"}, "act", NULL},
    {"overflows", "one", {"the stack overflowed", "descend calls itself, "}, "descend", "(%r"},
    {"throws_out", "plain", {"SIGABRT in check (", "an exception that nothing catches"}, "check",
	NULL},
    {"throws_out_O2", "plain", {"SIGABRT in check (", "an exception that nothing catches"}, "check",
	NULL},
    {"heap_aborts", "twice", {"SIGABRT in ", "called by release (", "free(): double free detected"},
	"release", NULL},
    {"checked", "itself", {"called by smash_itself (", "*** stack smashing detected"},
	"smash_itself", NULL},
    {"checked_O2", "strcpy", {"called by strcpy_to (", "*** buffer overflow detected"}, "strcpy_to",
	NULL},
};

static const json_t *first_own(const json_t *report, const char *function)
{
	const json_t *frames = answer_at(report, "frames"), *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const char *name = json_string_value(json_object_get(frame, "function"));

		if (name && strcmp(name, function) == 0)
			return frame;
	}
	return NULL;
}

/* gdb's own core lacks the rights of the page. */
static bool is_told_by_rights(const struct crash *crash)
{
	return strcmp(crash->form, "constant") == 0 || strcmp(crash->form, "no_access") == 0;
}

START_TEST(a_crash_is_told_as_in_a_recording)
{
	const struct crash *crash = &crashes[_i];
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", crash->program, crash->form);
	if (is_told_by_rights(crash) && !core_is_the_kernels())
		return;
	json_auto_t *report = client_tool(place.client, "rr_crash_report", "{s:s}", "core", core);

	for (size_t i = 0; i < 3 && crash->said[i]; i++)
		expect_within(report, "conclusion", crash->said[i]);
	ck_assert_msg(first_own(report, crash->function) != NULL, "no frame %s in %s",
	    crash->function, json_dumps(report, JSON_COMPACT));
	if (crash->operand)
		expect_within(report, "fault.operand", crash->operand);
	else
		ck_assert_ptr_null(answer_at(report, "fault.operand"));
	expect_within(
	    report, "hint", "a core file has one moment: record the program with rr_record");
	ck_assert_ptr_null(answer_at(report, "moment"));
	ck_assert_ptr_null(answer_at(report, "warnings"));
	ck_assert_ptr_nonnull(answer_at(report, "session"));
}
END_TEST

/* The pid of a program that runs in the folder, silent. */
static pid_t start_in(const char *folder, const char *program)
{
	struct rlimit size;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (getrlimit(RLIMIT_CORE, &size) == 0) {
		size.rlim_cur = size.rlim_max;
		setrlimit(RLIMIT_CORE, &size);
	}
	if (chdir(folder) == 0 && freopen("/dev/null", "w", stdout))
		execl(program, program, (char *)NULL);
	_exit(127);
}

/* Where it would have been wrong: the program was well, and somebody ended it. */
START_TEST(a_signal_from_outside_is_told_with_its_sender_and_who_waits_for_whom)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("deadlock");
	cleanup_free char *path = harness_path(place.folder, "core");
	pid_t pid = start_in(place.folder, program);
	hang_await(pid, 4);
	harness_shell("cd '%s' && (gdb --nx --batch -ex 'generate-core-file by_gdb' -p %d "
		      "> /dev/null 2>&1 || true)",
	    place.folder, (int)pid);
	kill(pid, SIGSEGV);
	waitpid(pid, NULL, 0);
	harness_shell("cd '%s' && { [ ! -e core.%d ] || mv core.%d core; }", place.folder, (int)pid,
	    (int)pid);
	if (access(path, R_OK) == 0)
		expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", path),
		    HAS("conclusion", "deadlock: thread "),
		    HAS("conclusion", "the signal was sent"), HAS("conclusion", "sent it"),
		    PRESENT("sent_by"), COUNT("threads", 4));
	cleanup_free char *copied = harness_path(place.folder, "by_gdb");
	if (access(copied, R_OK) == 0)
		expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", copied),
		    HAS("conclusion", "no signal ended the process: it was copied while it was in"),
		    HAS("conclusion", "deadlock: thread "), ABSENT("signal"), COUNT("threads", 4));
	ck_assert_msg(access(path, R_OK) == 0 || access(copied, R_OK) == 0,
	    "neither the kernel nor gdb writes a core file here");
}
END_TEST

/* ---- What can be seen ------------------------------------------------------------------------
 */

START_TEST(frames_values_memory_and_code_are_read)
{
	cleanup_place struct place place = place_open();
	struct client *client = place.client;
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");

	expect_all(client_tool(client, "rr_core_open", "{s:s}", "core", core),
	    IS("reason", "signal"), IS("signal", "SIGSEGV"), IS("frame.function", "read_name"),
	    IS("core", core), HAS("command", "programs/crash"), HAS("program", "programs/crash"),
	    PRESENT("pid"), HAS("source", "=> "), PRESENT("sandbox"), ABSENT("moment"),
	    ABSENT("pmu"));
	expect_all(client_tool(client, "rr_backtrace", "{s:b}", "full", 1),
	    IS("frames.1.function", "greet"), IS("frames.2.function", "main"));
	expect_all(client_tool(client, "rr_select_frame", "{s:i}", "frame_level", 2),
	    IS("frame.function", "main"));
	expect_value(client, "customers[1].id", "2");
	expect_all(
	    client_tool(client, "rr_evaluate", "{s:s, s:i}", "expression", "count", "frame", 1),
	    IS("value", "2"));
	expect_all(client_tool(client, "rr_expand", "{s:s}", "expression", "customers[0]"),
	    IS("members.0", "id = 1"));
	expect_all(client_tool(client, "rr_type", "{s:s}", "expression", "customers[0]"),
	    NUMBER("size", 16));
	expect_all(client_tool(client, "rr_read_memory", "{s:s, s:i}", "address",
		       "customers[0].name", "count", 4),
	    IS("contents", "41646100"));
	expect_all(
	    client_tool(client, "rr_select_frame", "{s:i}", "frame_level", 1), PRESENT("frame"));
	expect_all(client_tool(client, "rr_locals", NULL), IS("variables.0.name", "all"));
	expect_all(client_tool(client, "rr_registers", "{s:[s]}", "register_names", "rip"),
	    PRESENT("registers.rip"));
	expect_all(client_tool(client, "rr_disassemble", "{s:s}", "location", "read_name"),
	    HAS("instructions.0", "<read_name+0>"));
	expect_all(client_tool(client, "rr_source_lines", NULL), HAS("source", "read_name(find"));
	expect_all(client_tool(client, "rr_symbols", "{s:s}", "pattern", "^read_name$"),
	    IS("symbols.0.name", "read_name"));
	expect_all(client_tool(client, "rr_find_memory", "{s:s}", "text", "hello %c"),
	    HAS("conclusion", "found"));
	expect_all(client_tool(client, "rr_memory_map", "{s:s}", "address", "$sp"),
	    HAS("mappings.0", "rw-p"), HAS("mappings.0", "[stack]"));
	expect_all(client_tool(client, "rr_thread_list", NULL), COUNT("threads", 1));
	expect_all(client_tool(client, "rr_sessions", NULL), IS("sessions.0.core", core),
	    ABSENT("sessions.0.moment"), ABSENT("sessions.0.trace_dir"));
}
END_TEST

/* As the C++ library's printers show them. */
START_TEST(containers_have_their_elements)
{
	static const char *const builds[] = {"containers", "containers_O2"};
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(builds[_i]);

	harness_shell(
	    "cd '%s' && gdb --nx --batch -ex 'break look' -ex run -ex "
	    "'generate-core-file its.core' -ex kill '%s' > /dev/null 2>&1 && test -s its.core",
	    place.folder, program);
	cleanup_free char *core = harness_path(place.folder, "its.core");
	client_tool_done(place.client, "rr_core_open", "{s:s}", "core", core);
	expect_all(client_tool(place.client, "rr_evaluate", "{s:s}", "expression", "where.numbers"),
	    HAS("value", "std::vector of length "));
}
END_TEST

/* ---- What needs time -------------------------------------------------------------------------
 */

static const struct {
	const char *tool, *name, *value; /* its needed argument; NULL: none */
} timed[] = {{"rr_when", NULL, NULL}, {"rr_continue", NULL, NULL}, {"rr_step", NULL, NULL},
    {"rr_next", NULL, NULL}, {"rr_finish", NULL, NULL}, {"rr_run_to_event", "event_number", "1"},
    {"rr_goto", "moment", "start"}, {"rr_breakpoint_set", "location", "main"},
    {"rr_breakpoint_remove", "breakpoint_number", "1"},
    {"rr_breakpoint_update", "breakpoint_number", "1"}, {"rr_breakpoint_list", NULL, NULL},
    {"rr_watchpoint_set", "expression", "all"}, {"rr_catch", NULL, NULL},
    {"rr_checkpoint_save", NULL, NULL}, {"rr_checkpoint_restore", "checkpoint_id", "1"},
    {"rr_checkpoint_list", NULL, NULL}, {"rr_checkpoint_delete", "checkpoint_id", "1"},
    {"rr_last_change", "expression", "all"}, {"rr_value_history", "expression", "all"},
    {"rr_origin_of", "expression", "all"}, {"rr_race_scan", "expression", "all"},
    {"rr_heap_history", "pointer", "all"}, {"rr_trace_calls", "location", "main"},
    {"rr_lines_executed", "location", "main"}, {"rr_frame_story", NULL, NULL},
    {"rr_last_time", "location", "main"}, {"rr_when_became", "predicate", "1"},
    {"rr_signals", NULL, NULL}, {"rr_who_printed", "text", "hello"}, {"rr_output", NULL, NULL},
    {"rr_bookmark", "name", "here"}, {"rr_bookmarks", NULL, NULL}};

static void expect_needs_recording(struct client *client, const char *tool, json_t *arguments)
{
	json_auto_t *failed = client_tool_failure(
	    client, client_tool_send(client, tool, arguments), "unsupported", HARNESS_TIMEOUT_S);

	expect_within(failed, "message", "a core file has one moment");
	expect_text(failed, "hint", "record the program with rr_record to go back in time");
	ck_assert(answer_true(failed, "session_alive"));
}

START_TEST(what_needs_time_says_so_and_the_session_lives)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");

	client_tool_done(place.client, "rr_core_open", "{s:s}", "core", core);
	for (size_t i = 0; i < sizeof(timed) / sizeof(*timed); i++)
		expect_needs_recording(place.client, timed[i].tool,
		    timed[i].name ? json_pack("{s:s}", timed[i].name, timed[i].value) : NULL);
	expect_needs_recording(place.client, "rr_backtrace", json_pack("{s:s}", "at", "start"));
	expect_needs_recording(
	    place.client, "rr_evaluate", json_pack("{s:s, s:s}", "expression", "all", "at", "1:0"));
	expect_needs_recording(place.client, "rr_verify_claims",
	    json_pack("{s:[{s:s, s:s, s:s}]}", "claims", "moment", "1:0", "expression", "1",
		"value", "1"));
	expect_alive(place.client, "s1");
	expect_value(place.client, "customer", "0x0");
}
END_TEST

/* ---- How it is kept --------------------------------------------------------------------------
 */

static const struct {
	const char *program, *ending;
} packed[] = {{"zstd", "zst"}, {"xz", "xz"}, {"lz4", "lz4"}};

START_TEST(a_compressed_one_is_unpacked)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");
	char path[600];

	snprintf(path, sizeof(path), "command -v %s > /dev/null 2>&1", packed[_i].program);
	if (system(path) != 0) {
		printf("%s is not installed: not tried\n", packed[_i].program);
		return;
	}
	snprintf(path, sizeof(path), "%s.%s", core, packed[_i].ending);
	harness_shell("%s -c '%s' > '%s'", packed[_i].program, core, path);
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", path),
	    HAS("conclusion", "SIGSEGV in read_name ("), HAS("fault.address", "0x8"),
	    ABSENT("warnings"));
	harness_shell("truncate -s -200 '%s'", path);
	expect_all(client_tool_fails(
		       place.client, "rr_core_open", "invalid_argument", "{s:s}", "core", path),
	    HAS("message", "is damaged: "), HAS("message", packed[_i].program));
	expect_alive(place.client, "s1");
}
END_TEST

/* A page of it takes four hundred bytes. */
START_TEST(what_would_fill_the_memory_is_not_unpacked)
{
	static const char *const args[] = {"--memory=300000000", NULL};
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_client struct client *client = client_start(&(struct client_options){.args = args});

	if (system("command -v zstd > /dev/null 2>&1") != 0)
		return;
	harness_shell(
	    "cd '%s' && (head -c 400000000 /dev/zero | tr '\\0' x) | zstd -q > bomb.zst", folder);
	cleanup_free char *path = harness_path(folder, "bomb.zst");
	expect_all(client_tool_fails(client, "rr_core_open", "limit", "{s:s}", "core", path),
	    HAS("message", "MB when it is unpacked"), HAS("hint", "coredumpctl dump"));
}
END_TEST

/* ---- What is no core file of this program ----------------------------------------------------
 */

static const struct {
	const char *make; /* in the folder that has its.core */
	const char *name, *code, *said;
} bad[] = {{": > bad", "bad", "invalid_argument", "it is empty"},
    {"mkdir bad", "bad", "invalid_argument", "it is a directory, not a core file"},
    {"mkfifo bad", "bad", "invalid_argument", "it is no regular file"},
    {"echo text > bad", "bad", "invalid_argument", "it is not a core file"},
    {"cp /bin/true bad", "bad", "invalid_argument", "it is a program or a library"},
    {"cp its.core bad && printf '\\267\\000' | dd of=bad bs=1 seek=18 conv=notrunc 2> /dev/null",
	"bad", "invalid_argument", "of another processor (AArch64)"},
    {"head -c 50 its.core > bad", "bad", "invalid_argument",
	"it is truncated: not even its header"},
    {"head -c 1000 its.core > bad", "bad", "invalid_argument", "it is truncated"},
    {"ln -s /dev/zero bad", "bad", "not_allowed", "nothing in /proc, /sys or /dev"},
    {"ln -s bad bad", "bad", "invalid_argument", "symbolic links"},
    {"true", "bad", "not_found", "No such file"}, {"true", "/proc/kcore", "not_allowed", "/proc"}};

START_TEST(what_is_no_core_file_is_said_and_nothing_waits)
{
	cleanup_place struct place place = place_open();
	char path[600];

	free(core_make(place.folder, "its.core", "crash", ""));
	harness_shell("cd '%s' && %s", place.folder, bad[_i].make);
	snprintf(path, sizeof(path), "%s%s%s", bad[_i].name[0] == '/' ? "" : place.folder,
	    bad[_i].name[0] == '/' ? "" : "/", bad[_i].name);
	json_auto_t *failed =
	    client_tool_fails(place.client, "rr_core_open", bad[_i].code, "{s:s}", "core", path);
	expect_within(failed, "message", bad[_i].said);
	ck_assert_str_ne(answer_text(failed, "hint"), "");
	expect_all(client_tool(place.client, "rr_sessions", NULL), COUNT("sessions", 0));
}
END_TEST

START_TEST(a_truncated_one_is_opened_with_what_it_has)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");

	if (!core_is_the_kernels())
		return;
	harness_shell("truncate -s -4096 '%s'", core);
	expect_all(client_tool(place.client, "rr_core_open", "{s:s}", "core", core),
	    IS("frame.function", "read_name"), HAS("warnings.0", "the core file is truncated: "));
}
END_TEST

/* Symbols of another program would make every answer wrong. */
START_TEST(a_program_that_does_not_match_is_refused_or_warned_of)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("crash"),
			  *other = harness_program("exit_code");
	cleanup_free char *moved = harness_path(place.folder, "app");

	harness_shell("cp '%s' '%s'", program, moved);
	cleanup_free char *core = core_make_of(place.folder, "its.core", moved, "");
	expect_all(client_tool_fails(place.client, "rr_core_open", "invalid_argument", "{s:s, s:s}",
		       "core", core, "program", other),
	    HAS("message", "is not the program of this core file: its build id is "));
	harness_shell("cp '%s' '%s'", other, moved);
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", core),
	    HAS("warnings.0", "there are no symbols of the program: "),
	    HAS("warnings.0", "is another one by now"));
	if (!core_is_the_kernels())
		return;
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", core),
	    COUNT("frames", 1), ABSENT("fault"));
	/* Its file has other bytes there by now. */
	client_tool_refused(
	    place.client, "rr_read_memory", "invalid_argument", "{s:s}", "address", "$pc");
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s, s:s}", "core", core,
		       "program", program),
	    HAS("conclusion", "SIGSEGV in read_name ("), HAS("fault.address", "0x8"));
	harness_shell("rm '%s'", moved);
	expect_all(client_tool(place.client, "rr_core_open", "{s:s}", "core", core),
	    HAS("warnings.0", "there are no symbols of the program"),
	    HAS("warnings.0", "Name it with program"));
	expect_all(client_tool_fails(place.client, "rr_core_open", "not_found", "{s:s, s:s}",
		       "core", core, "program", moved),
	    HAS("message", "No such file"));
}
END_TEST

START_TEST(a_container_is_read_below_its_root)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("crash"),
			  *root = harness_path(place.folder, "root");
	cleanup_free char *inside = harness_path(place.folder, "app");

	harness_shell("cp '%s' '%s'", program, inside);
	cleanup_free char *core = core_make_of(place.folder, "its.core", inside, "");
	harness_shell(
	    "mkdir '%s' && cp -L --parents '%s' $(ldd '%s' | grep -o '/[^ ]*') '%s' && rm '%s'",
	    root, inside, inside, root, inside);
	/* The core file names the libraries with all links resolved. */
	harness_shell(
	    "for f in $(ldd '%s' | grep -o '/[^ ]*'); do cp --parents \"$(readlink -f $f)\" "
	    "'%s'; done",
	    program, root);
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s, s:s}", "core", core,
		       "sysroot", root),
	    HAS("conclusion", "SIGSEGV in read_name ("), IS("frames.1.function", "greet"),
	    ABSENT("warnings"));
	expect_all(client_tool(place.client, "rr_memory_map", "{s:s}", "address", "$pc"),
	    HAS("mappings.0", inside));
}
END_TEST

START_TEST(a_core_file_excludes_a_recording)
{
	cleanup_place struct place place = place_open();

	expect_all(client_tool_fails(place.client, "rr_crash_report", "invalid_argument",
		       "{s:s, s:s}", "core", "core", "trace_dir", place.trace),
	    HAS("message", "core and trace_dir exclude each other"));
	expect_all(client_tool_fails(place.client, "rr_crash_report", "invalid_argument", "{s:s}",
		       "program", "/bin/true"),
	    HAS("message", "program belongs to a core file"));
}
END_TEST

/* ---- Another crash, and another worker -------------------------------------------------------
 */

START_TEST(the_next_crash_is_not_taken_for_this_one)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");

	client_tool_done(place.client, "rr_core_open", "{s:s}", "core", core);
	cleanup_free char *next = core_make(place.folder, "next", "faults", "divide");
	harness_shell("cat '%s' > '%s'", next, core);
	expect_all(client_tool_fails(place.client, "rr_backtrace", "not_found", NULL),
	    HAS("message", "has been written again since"),
	    IS("hint", "rr_core_open opens the new one"));
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "core", core),
	    HAS("conclusion", "SIGFPE in divide ("), IS("session", "s2"));
}
END_TEST

START_TEST(a_session_comes_back_with_its_thread_and_frame)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *core = core_make(place.folder, "its.core", "crash", "");

	client_tool_done(place.client, "rr_core_open", "{s:s}", "core", core);
	client_tool_done(place.client, "rr_select_frame", "{s:i}", "frame_level", 2);
	census_kill(census_find(client_pid(place.client), "gdb", 0));
	expect_all(
	    client_tool(place.client, "rr_evaluate", "{s:s}", "expression", "customers[1].id"),
	    IS("value", "2"), TRUE("restored"));
	census_kill(census_find(client_pid(place.client), "gdb", 0));
	harness_shell("cp '%s' '%s.new' && mv '%s.new' '%s'", core, core, core, core);
	expect_all(client_tool_fails(place.client, "rr_evaluate", NULL, "{s:s}", "expression", "1"),
	    HAS("message", "is another file than the one this session was opened on"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_crash_is_told_as_in_a_recording, TIMES(crashes)},
	    {a_signal_from_outside_is_told_with_its_sender_and_who_waits_for_whom, 1},
	    {frames_values_memory_and_code_are_read, 1},
	    {containers_have_their_elements, 2},
	    {what_needs_time_says_so_and_the_session_lives, 1},
	    {a_compressed_one_is_unpacked, TIMES(packed)},
	    {what_would_fill_the_memory_is_not_unpacked, 1},
	    {what_is_no_core_file_is_said_and_nothing_waits, TIMES(bad)},
	    {a_truncated_one_is_opened_with_what_it_has, 1},
	    {a_program_that_does_not_match_is_refused_or_warned_of, 1},
	    {a_container_is_read_below_its_root, 1},
	    {a_core_file_excludes_a_recording, 1},
	    {the_next_crash_is_not_taken_for_this_one, 1},
	    {a_session_comes_back_with_its_thread_and_frame, 1},
	    {NULL, 0},
	};

	return scene_main_loops("cores", tests, (const char *const[]){NULL});
}
