/*
 * Stripped programs whose debug information is elsewhere: with rr_replay_start's symbols, a session
 * answers as it does with the programs before strip, in each program and library, behind an exec,
 * and when it is restored. A file that cannot serve is refused with its reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define NOBODY 65534

static const char library_source[] =
    "struct item { int number; const char *name; struct item *next; };\n"
    "static int weigh(struct item *item, int factor)\n"
    "{\n"
    "\tint weight = item->number * factor;\n"
    "\n"
    "\treturn weight + item->next->number;\n"
    "}\n"
    "int part(struct item *item, int factor)\n"
    "{\n"
    "\tint sum = weigh(item, factor);\n"
    "\n"
    "\treturn sum + factor;\n"
    "}\n";

/* With an argument, it becomes that program; without, it crashes in the library that it loads. */
static const char program_source[] =
    "#include <dlfcn.h>\n"
    "#include <stddef.h>\n"
    "#include <unistd.h>\n"
    "struct item { int number; const char *name; struct item *next; };\n"
    "__attribute__((noinline)) static int act(int (*part)(struct item *, int), int factor)\n"
    "{\n"
    "\tstruct item last = {7, \"last\", NULL}, first = {5, \"first\", &last};\n"
    "\tint sum = part(&first, factor);\n"
    "\n"
    "\treturn sum + part(&last, factor);\n"
    "}\n"
    "__attribute__((noinline)) static void become(char **words)\n"
    "{\n"
    "\texecv(words[0], words);\n"
    "}\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "\tvoid *library;\n"
    "\n"
    "\tif (argc > 1)\n"
    "\t\tbecome(argv + 1);\n"
    "\tlibrary = dlopen(LIBRARY, RTLD_NOW);\n"
    "\treturn act((int (*)(struct item *, int))dlsym(library, \"part\"), argc + 2);\n"
    "}\n";

/* A folder with `program` and `library.so`, stripped; what they were before in `whole`, and their
 * debug files under names that nothing leads to, in `kept`. */
struct built {
	char *folder, *program, *trace, *program_debug, *library_debug;
	struct client *client;
};

static struct built built_begin(uid_t uid, const char *flags)
{
	struct built built = {.folder = harness_scratch(uid)};
	cleanup_free char *program = harness_path(built.folder, "program.c"),
			  *library = harness_path(built.folder, "library.c");

	built.program = harness_path(built.folder, "program");
	built.trace = harness_path(built.folder, "trace");
	built.program_debug = harness_path(built.folder, "kept/one");
	built.library_debug = harness_path(built.folder, "kept/two");
	harness_write_file(program, program_source);
	harness_write_file(library, library_source);
	harness_shell("cd '%s' && mkdir whole kept && export CCACHE_DISABLE=1 && "
		      "cc %s -shared -fPIC -Wl,--build-id -o whole/library.so library.c && "
		      "cc %s -Wl,--build-id -DLIBRARY='\"%s/library.so\"' -o whole/program "
		      "program.c -ldl && "
		      "objcopy --only-keep-debug whole/program kept/one && "
		      "objcopy --only-keep-debug whole/library.so kept/two && "
		      "strip -o program whole/program && strip -o library.so whole/library.so && "
		      "chown -R %u .",
	    built.folder, flags, flags, built.folder, uid);
	return built;
}

static struct built built_record(uid_t uid, const char *flags)
{
	struct built built = built_begin(uid, flags);

	built.client = client_start(&(struct client_options){
	    .uid = uid, .home = uid == geteuid() ? NULL : built.folder, .directory = built.folder});
	client_tool_done(built.client, "rr_record", "{s:[s], s:s}", "command", built.program,
	    "trace_dir", built.trace);
	return built;
}

static void built_end(struct built *built)
{
	if (built->client)
		client_end(built->client);
	harness_scratch_free(built->folder);
	free(built->program);
	free(built->trace);
	free(built->program_debug);
	free(built->library_debug);
}
#define cleanup_built __attribute__((cleanup(built_end)))

static json_t *start(const struct built *built, json_t *symbols)
{
	return client_tool(built->client, "rr_replay_start", "{s:s, s:o*}", "trace_dir",
	    built->trace, "symbols", symbols);
}

/* ---- As before strip ---------------------------------------------------------------------------
 */

static const struct {
	const char *tool, *argument, *value;
} asked[] = {
    {"rr_continue", "until", "act"},
    {"rr_backtrace", NULL, NULL},
    {"rr_locals", NULL, NULL},
    {"rr_continue", "until", "part"},
    {"rr_backtrace", NULL, NULL},
    {"rr_locals", NULL, NULL},
    {"rr_evaluate", "expression", "*item->next"},
    {"rr_lines_executed", "location", "act"},
    {"rr_trace_calls", "location", "act"},
    {"rr_type", "type", "struct item"},
    {"rr_crash_report", NULL, NULL},
    {"rr_locals", NULL, NULL},
};

/* What a new session answers; its name may be another one. */
static json_t *answers(const struct built *built, json_t *symbols)
{
	json_t *all = json_array();

	json_array_append_new(all, start(built, symbols));
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		json_array_append_new(all,
		    client_tool(built->client, asked[i].tool, asked[i].argument ? "{s:s}" : NULL,
			asked[i].argument, asked[i].value));
	for (size_t i = 0; i < json_array_size(all); i++)
		json_object_del(json_array_get(all, i), "session");
	return all;
}

/* Puts the programs before strip where the stripped ones are, in the recording too. */
static void unstrip(const struct built *built)
{
	harness_shell("cd '%s' && cp --remove-destination whole/program . && "
		      "cp --remove-destination whole/library.so . && "
		      "for f in trace/mmap_*_program; do cp --remove-destination program $f; done "
		      "&& for f in trace/mmap_*_library.so; do test ! -f $f || cp "
		      "--remove-destination library.so $f; done",
	    built->folder);
}

static const char *const flags[] = {
    "-g -O0", "-g -O2", "-gdwarf-4 -O0 -gz", "-g -O2 -gz -fno-pie -no-pie"};
#define FLAGS ((int)(sizeof(flags) / sizeof(*flags)))

START_TEST(with_its_debug_files_a_stripped_program_answers_as_before_strip)
{
	cleanup_built struct built built = built_record(geteuid(), flags[_i]);
	json_auto_t *named =
	    answers(&built, json_pack("[s,s]", built.program_debug, built.library_debug));

	unstrip(&built);
	json_auto_t *whole = answers(&built, NULL);
	expect_text(json_array_get(whole, 1), "frame.function", "act");
	expect_text(json_array_get(whole, 4), "frame.function", "part");
	expect_same(json_incref(named), json_incref(whole));
}
END_TEST

START_TEST(the_programs_before_strip_serve_too_and_one_needs_no_list)
{
	cleanup_built struct built built = built_record(geteuid(), flags[_i]);
	json_auto_t *started = start(&built, json_string("whole/program"));
	cleanup_free char *warnings = json_dumps(answer_at(started, "warnings"), 0);

	/* gdb 16 has one of its own, about casts. */
	ck_assert(!warnings || !strstr(warnings, "library.so"));
	expect_all(client_tool(built.client, "rr_continue", "{s:s}", "until", "act"),
	    IS("frame.function", "act"), HAS("frame.at", "program.c:"));
	ck_assert_ptr_nonnull(strstr(client_stderr(built.client), "/whole/program: granted"));
	ck_assert_ptr_null(strstr(client_stderr(built.client), "library.so: granted"));
}
END_TEST

START_TEST(both_programs_of_an_exec_have_theirs)
{
	cleanup_built struct built built = built_begin(geteuid(), "-g -O0");
	cleanup_free char *other = harness_path(built.folder, "other"),
			  *other_debug = harness_path(built.folder, "kept/three");

	harness_shell("cd '%s' && export CCACHE_DISABLE=1 && cc -g -O0 -Wl,--build-id "
		      "-DLIBRARY='\"none\"' -Dact=act_first -o whole/other program.c -ldl && "
		      "objcopy --only-keep-debug whole/other kept/three && "
		      "strip -o other whole/other",
	    built.folder);
	built.client = client_start(&(struct client_options){.directory = built.folder});
	client_tool_done(built.client, "rr_record", "{s:[s,s], s:s}", "command", other,
	    built.program, "trace_dir", built.trace);
	client_tool_done(built.client, "rr_replay_start", "{s:s, s:[s,s,s], s:s}", "trace_dir",
	    built.trace, "symbols", built.program_debug, built.library_debug, other_debug, "at",
	    "1");
	client_tool_done(built.client, "rr_breakpoint_set", "{s:s}", "location", "main");
	expect_all(client_tool(built.client, "rr_continue", "{s:s}", "until", "become"),
	    IS("frame.function", "main"), HAS("frame.at", "program.c:"));
	expect_value(built.client, "argc", "2");
	expect_answer(client_tool(built.client, "rr_continue", "{s:s}", "until", "become"),
	    "frame.function", "become");
	expect_answer(client_tool(built.client, "rr_continue", NULL), "reason", "exec");
	expect_answer(client_tool(built.client, "rr_continue", NULL), "frame.function", "main");
	expect_value(built.client, "argc", "1");
	expect_answer(client_tool(built.client, "rr_continue", "{s:s}", "until", "act"),
	    "frame.function", "act");
	expect_all(client_tool(built.client, "rr_continue", "{s:s}", "until", "part"),
	    IS("frame.function", "part"), HAS("frame.at", "library.c:"));
	expect_all(client_tool(built.client, "rr_backtrace", NULL), IS("frames.1.function", "act"),
	    IS("frames.2.function", "main"));
}
END_TEST

START_TEST(a_restored_session_has_them_again_or_says_why_not)
{
	cleanup_built struct built built = built_record(geteuid(), "-g -O0");

	json_decref(start(&built, json_pack("[s,s]", built.program_debug, built.library_debug)));
	client_tool_done(built.client, "rr_continue", "{s:s}", "until", "part");
	json_auto_t *before = client_tool(built.client, "rr_locals", NULL);
	census_end_session(client_pid(built.client));
	expect_all(client_tool(built.client, "rr_backtrace", NULL), TRUE("restored"),
	    IS("frames.0.function", "part"), IS("frames.1.function", "act"));
	expect_same(client_tool(built.client, "rr_locals", NULL), json_incref(before));
	harness_shell("mv '%s' '%s.away'", built.library_debug, built.library_debug);
	census_end_session(client_pid(built.client));
	expect_all(client_tool_fails(built.client, "rr_locals", NULL, NULL),
	    HAS("message", "could not be restored"), HAS("message", "/kept/two: No such file"));
}
END_TEST

/* ---- What cannot serve -------------------------------------------------------------------------
 */

static const struct {
	const char *make, *name, *code, *said;
} refused[] = {
    {"true", "program", "invalid_argument", "no debug information (.debug_info)"},
    {"true", "program.c", "invalid_argument", "no program and no debug file"},
    {": >none", "none", "invalid_argument", "it cannot be read as an ELF file"},
    {"true", "whole", "invalid_argument", "it is a directory, not a debug file"},
    {"true", "missing", "not_found", "No such file"},
    {"mkfifo pipe", "pipe", "invalid_argument", "it is no regular file"},
    {"true", "/proc/self/exe", "not_allowed", "nothing in /proc, /sys or /dev"},
    {"head -c 5000 kept/one >cut", "cut", "invalid_argument", "it is truncated or damaged"},
    {"head -c 40 kept/one >cut", "cut", "invalid_argument", "it is truncated or damaged"},
    {"cc -g -Wl,--build-id=none -DLIBRARY=0 -o idless program.c -ldl", "idless", "invalid_argument",
	"it has no build id, by which gdb finds it"},
    {"cc -g -O1 -Wl,--build-id -DLIBRARY=0 -o another program.c -ldl", "another",
	"invalid_argument", "no program or library of this recording has its build id"},
    {"printf 'none\\0aaaaaaaaaaaaaaaaaaaa' >link && objcopy --add-section "
     ".gnu_debugaltlink=link kept/one parted",
	"parted", "invalid_argument", "dwz has moved a part of it to another file"},
    {"ln -s /etc/shadow hidden", "hidden", "not_allowed", "no option uncovers this place"},
    {"true", "", "invalid_argument", "a name that is empty"},
};

START_TEST(a_file_that_cannot_serve_is_refused_with_the_reason)
{
	cleanup_built struct built built = built_record(geteuid(), "-g -O0");

	harness_shell("cd '%s' && export CCACHE_DISABLE=1 && %s", built.folder, refused[_i].make);
	json_auto_t *failure =
	    client_tool_fails(built.client, "rr_replay_start", refused[_i].code, "{s:s, s:[s,s]}",
		"trace_dir", built.trace, "symbols", built.library_debug, refused[_i].name);
	expect_within(failure, "message", refused[_i].said);
	ck_assert_ptr_nonnull(answer_at(failure, "hint"));
}
END_TEST

START_TEST(two_files_of_one_program_and_nine_files_are_refused)
{
	cleanup_built struct built built = built_record(geteuid(), "-g -O0");

	expect_answer_within(
	    client_tool_fails(built.client, "rr_replay_start", "invalid_argument", "{s:s, s:[s,s]}",
		"trace_dir", built.trace, "symbols", built.program_debug, "whole/program"),
	    "message", "another of the files has the same build id");
	expect_answer_within(
	    client_tool_fails(built.client, "rr_replay_start", NULL, "{s:s, s:[s,s,s,s,s,s,s,s,s]}",
		"trace_dir", built.trace, "symbols", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
	    "message", "its limit is 8");
}
END_TEST

static const char mapping_source[] =
    "#include <fcntl.h>\n"
    "#include <sys/mman.h>\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "\tint self = open(argv[0], O_RDONLY);\n"
    "\n"
    "\tfor (int i = 0; i < 20000; i++) {\n"
    "\t\tint size = 4096 * (1 + i % 3);\n"
    "\n"
    "\t\tmunmap(mmap(0, size, PROT_READ, MAP_PRIVATE, self, 0), size);\n"
    "\t}\n"
    "\treturn argc - 1;\n"
    "}\n";

/* Its list of mappings is longer than what is read of it. */
START_TEST(where_it_is_not_known_whether_a_file_belongs_a_warning_says_so)
{
	cleanup_built struct built built = built_begin(geteuid(), "-g -O0");
	cleanup_free char *source = harness_path(built.folder, "maps.c"),
			  *maps = harness_path(built.folder, "maps");

	harness_write_file(source, mapping_source);
	harness_shell(
	    "cd '%s' && CCACHE_DISABLE=1 cc -O1 -Wl,--build-id -o maps maps.c", built.folder);
	built.client = client_start(&(struct client_options){.directory = built.folder});
	client_tool_done(
	    built.client, "rr_record", "{s:[s], s:s}", "command", maps, "trace_dir", built.trace);
	json_auto_t *started = start(&built, json_string(built.program_debug));
	expect_within(started, "warnings.0", "belong to this recording is not known");
}
END_TEST

/* Its sections are where they should be, and hold nothing that is true. */
START_TEST(a_debug_file_of_noise_costs_its_names_and_nothing_else)
{
	cleanup_built struct built built = built_record(geteuid(), "-g -O0");

	harness_shell("cd '%s' && head -c 3000 /dev/urandom >noise && objcopy --update-section "
		      ".debug_info=noise --update-section .debug_abbrev=noise kept/one 2>&1",
	    built.folder);
	json_decref(start(&built, json_pack("[s,s]", built.program_debug, built.library_debug)));
	expect_answer(client_tool(built.client, "rr_continue", "{s:s}", "until", "part"),
	    "frame.function", "part");
	expect_all(client_tool(built.client, "rr_crash_report", NULL), HAS("conclusion", "weigh"));
}
END_TEST

/* ---- Who may name what -------------------------------------------------------------------------
 */

START_TEST(a_users_own_private_file_serves_and_another_users_does_not)
{
	if (geteuid() != 0)
		return;
	cleanup_built struct built built = built_record(NOBODY, "-g -O0");

	harness_shell("chmod 600 '%s' && cp '%s' '%s/roots' && chmod 600 '%s/roots'",
	    built.program_debug, built.program_debug, built.folder, built.folder);
	json_decref(start(&built, json_pack("[s,s]", built.program_debug, built.library_debug)));
	expect_all(client_tool(built.client, "rr_continue", "{s:s}", "until", "part"),
	    IS("frame.function", "part"));
	expect_all(client_tool(built.client, "rr_backtrace", NULL), IS("frames.1.function", "act"));
	expect_all(client_tool_fails(built.client, "rr_replay_start", "not_allowed", "{s:s, s:s}",
		       "trace_dir", built.trace, "symbols", "roots"),
	    HAS("message", "symbols roots: Permission denied"));
}
END_TEST

static const struct {
	const char *option, *said;
} narrowed[] = {
    {"--trace-root=%s/trace", "it must be below the server's trace roots"},
    {"--sandbox-mount_ns=off", "copy it to /usr/lib/debug/.build-id/"},
};

START_TEST(what_the_server_cannot_show_is_said)
{
	cleanup_built struct built built = built_record(geteuid(), "-g -O0");
	char option[256];

	snprintf(option, sizeof(option), narrowed[_i].option, built.folder);
	client_end(built.client);
	built.client = client_start(&(struct client_options){
	    .directory = built.folder, .args = (const char *const[]){option, NULL}});
	expect_all(client_tool_fails(built.client, "rr_replay_start", "not_allowed", "{s:s, s:s}",
		       "trace_dir", built.trace, "symbols", built.program_debug),
	    HAS("message", narrowed[_i].said));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {with_its_debug_files_a_stripped_program_answers_as_before_strip, FLAGS},
	    {the_programs_before_strip_serve_too_and_one_needs_no_list, FLAGS},
	    {both_programs_of_an_exec_have_theirs, 1},
	    {a_restored_session_has_them_again_or_says_why_not, 1},
	    {a_file_that_cannot_serve_is_refused_with_the_reason,
		sizeof(refused) / sizeof(*refused)},
	    {two_files_of_one_program_and_nine_files_are_refused, 1},
	    {where_it_is_not_known_whether_a_file_belongs_a_warning_says_so, 1},
	    {a_debug_file_of_noise_costs_its_names_and_nothing_else, 1},
	    {a_users_own_private_file_serves_and_another_users_does_not, 1},
	    {what_the_server_cannot_show_is_said, sizeof(narrowed) / sizeof(*narrowed)}, {NULL, 0}};

	return scene_main_loops("symbols", tests, (const char *const[]){NULL});
}
