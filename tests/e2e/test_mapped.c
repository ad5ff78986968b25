/*
 * Builds that were told to write other names for their sources (-ffile-prefix-map), and the reasons
 * why a source is not shown. What several files may be is not guessed.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMPILE "CCACHE_DISABLE=1 cc -g -O0 "
#define CRASHES                                                                                    \
	"'#include <stdlib.h>' 'int main(void)' '{' '	abort(); /* the line of main */' '}'"

/* A home with projects in it, and a place that belongs to none of them. */
struct desk {
	char *folder, *home, *elsewhere;
	struct client *client;
};

static struct desk desk_open(void)
{
	struct desk desk = {.folder = harness_scratch(0)};

	desk.home = harness_path(desk.folder, "home");
	desk.elsewhere = harness_path(desk.folder, "elsewhere");
	harness_shell("mkdir '%s' '%s'", desk.home, desk.elsewhere);
	return desk;
}

static void desk_serve(struct desk *desk, const char *const *args)
{
	if (desk->client)
		client_end(desk->client);
	desk->client = client_start(&(struct client_options){
	    .args = args, .home = desk->home, .directory = desk->elsewhere});
}

static void desk_close(struct desk *desk)
{
	client_end(desk->client);
	harness_scratch_free(desk->folder);
	free(desk->home);
	free(desk->elsewhere);
}

/* A path below the home. */
static char *at_home(const struct desk *desk, const char *name)
{
	return harness_path(desk->home, name);
}

static char *record(const struct desk *desk, const char *name)
{
	cleanup_free char *program = at_home(desk, name);
	char *trace = at_home(desk, "trace");

	client_tool_done(
	    desk->client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	return trace;
}

static void expect_in_report(const struct desk *desk, const char *trace, const char *text)
{
	json_auto_t *report =
	    client_tool(desk->client, "rr_crash_report", "{s:s}", "trace_dir", trace);
	cleanup_free char *shown = answer_show(report);

	ck_assert_msg(strstr(shown, text) != NULL, "no %s: %s", text, shown);
}

/* The compiler's directory and the source's name are both relative then, and gdb tells a frame's
 * name without the directory. */
static void build_below_a_dot(const struct desk *desk)
{
	harness_shell("mkdir -p '%s/app/src' '%s/app/b' && printf '%%s\\n' " CRASHES
		      " >'%s/app/src/main.c' && cd '%s/app/b' && " COMPILE
		      "-ffile-prefix-map='%s/app'=. -o app '%s/app/src/main.c'",
	    desk->home, desk->home, desk->home, desk->home, desk->home, desk->home);
}

START_TEST(a_frame_whose_name_begins_with_a_dot_shows_its_source)
{
	struct desk desk = desk_open();

	build_below_a_dot(&desk);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, "app/b/app");
	expect_in_report(&desk, trace, "the line of main");
	desk_close(&desk);
}
END_TEST

/* A copy of a trace has no list of sources, as an imported one. */
START_TEST(a_frame_whose_name_begins_with_a_dot_is_not_the_c_librarys)
{
	struct desk desk = desk_open();

	build_below_a_dot(&desk);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, "app/b/app"), *copy = at_home(&desk, "copy");
	harness_shell("cp -a '%s' '%s'", trace, copy);
	expect_in_report(&desk, copy, "src/main.c:4");
	desk_close(&desk);
}
END_TEST

/* Debug information then says nothing about the project beside the build directory, but what the
 * build tool wrote there does. Below a name with a leading dot nothing is looked for. */
static const struct beside {
	const char *file, *text, *project;
	bool found;
} besides[] = {
    {"out/CMakeCache.txt", "//x\nCMAKE_HOME_DIRECTORY:INTERNAL=", "app", true},
    {"out/bin/Makefile", "abs_top_srcdir = ", "app", true},
    {"out/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=", ".app", false},
    {"out/CMakeCache.txt", "CMAKE_SOURCE=", "app", false},
};
#define BESIDES (int)(sizeof(besides) / sizeof(*besides))

START_TEST(a_build_directory_beside_a_project_leads_to_it)
{
	const struct beside *beside = &besides[_i];
	struct desk desk = desk_open();

	harness_shell("cd '%s' && mkdir -p out/bin '%s/src' && printf '%%s\n' " CRASHES
		      " >'%s/src/main.c' && printf '%s%%s\n' '%s/%s' >%s && cd out/bin && " COMPILE
		      "-ffile-prefix-map='%s/%s'=. -o app '%s/%s/src/main.c'",
	    desk.home, beside->project, beside->project, beside->text, desk.home, beside->project,
	    beside->file, desk.home, beside->project, desk.home, beside->project);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, "out/bin/app");
	expect_in_report(&desk, trace, beside->found ? "the line of main" : "cannot be shown");
	desk_close(&desk);
}
END_TEST

/* A library and a program whose sources have one name. */
static void build_two(const struct desk *desk)
{
	harness_shell(
	    "cd '%s' && mkdir -p one/src two/src && "
	    "printf '%%s\\n' 'int work(int x)' '{' '	return x; /* the line of one */' '}' "
	    ">one/src/work.c && printf '%%s\\n' 'int work(int x);' 'int other(int x);' "
	    "'int main(void)' '{' '	return other(work(0));' '}' >one/src/main.c && "
	    "printf '%%s\\n' 'int other(int x)' '{' '	return x; /* the line of two */' '}' "
	    ">two/src/work.c && "
	    "cd two && " COMPILE
	    "-fPIC -shared -ffile-prefix-map='%s/two'=. -o libtwo.so src/work.c && "
	    "cd ../one && " COMPILE "-ffile-prefix-map='%s/one'=. -o app src/main.c src/work.c "
	    "-L../two -ltwo -Wl,-rpath,'%s/two'",
	    desk->home, desk->home, desk->home, desk->home);
}

static json_t *stop_in(const struct desk *desk, const char *trace, const char *function)
{
	cleanup_free char *session = client_replay(desk->client, trace);

	return client_tool(
	    desk->client, "rr_continue", "{s:s, s:s}", "until", function, "session", session);
}

START_TEST(a_name_that_two_projects_use_shows_no_wrong_source)
{
	struct desk desk = desk_open();
	char *flag = NULL;

	build_two(&desk);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, "one/app");
	json_auto_t *other = stop_in(&desk, trace, "other");
	ck_assert_ptr_null(answer_at(other, "source"));
	expect_within(other, "source_warning", "one/src/work.c");
	expect_within(other, "source_warning", "two/src/work.c");
	expect_within(other, "source_warning", "--source-dir");
	json_auto_t *entry = stop_in(&desk, trace, "main");
	expect_within(entry, "source_warning", "shown from");
	if (asprintf(&flag, "--source-dir=%s/two", desk.home) < 0)
		harness_fail("out of memory");
	desk_serve(&desk, (const char *const[]){flag, NULL});
	json_auto_t *chosen = stop_in(&desk, trace, "other");
	expect_within(chosen, "source", "the line of two");
	free(flag);
	desk_close(&desk);
}
END_TEST

/* ---- Built again ---------------------------------------------------------------------------- */

/* rr links the program into the trace, so a new one in its place changes nothing. Where the user's
 * traces are by default, that is another directory than the program's. */
START_TEST(a_recording_outlives_the_program_that_was_built_again)
{
	struct desk desk = desk_open();
	cleanup_free char *program = at_home(&desk, "app/app");

	harness_shell("mkdir '%s/app' && cd '%s/app' && printf '%%s\\n' " CRASHES
		      " >main.c && " COMPILE "-o app main.c",
	    desk.home, desk.home);
	desk_serve(&desk, NULL);
	json_auto_t *recorded =
	    client_tool(desk.client, "rr_record", "{s:[s]}", "command", program);
	harness_shell(
	    "cd '%s/app' && rm app && printf 'int main(void) { return 0; }' >other.c && " COMPILE
	    "-o app other.c",
	    desk.home);
	expect_in_report(
	    &desk, json_string_value(answer_at(recorded, "trace_dir")), "the line of main");
	desk_close(&desk);
}
END_TEST

/* Below --trace-root, which is another mount, rr can link nothing of the home, and would replay
 * what is there now. */
START_TEST(a_recording_without_the_program_does_not_replay_another)
{
	setenv("TMPDIR", "/var/tmp", 1); /* rr copies what it cannot link from /tmp */
	struct desk desk = desk_open();
	cleanup_free char *program = at_home(&desk, "app/app");
	char root[PATH_MAX], trace[PATH_MAX];

	snprintf(root, sizeof(root), "--trace-root=%s/traces", desk.elsewhere);
	snprintf(trace, sizeof(trace), "%s/traces/one", desk.elsewhere);
	harness_shell("mkdir '%s/traces' '%s/app' && cd '%s/app' && printf '%%s\n' " CRASHES
		      " >main.c && " COMPILE "-o app main.c && chmod a-w app",
	    desk.elsewhere, desk.home, desk.home);
	desk_serve(&desk, (const char *const[]){root, NULL});
	client_tool_done(
	    desk.client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	harness_shell(
	    "cd '%s/app' && rm app && printf 'int main(void) { return 0; }' >other.c && " COMPILE
	    "-o app other.c",
	    desk.home);
	json_auto_t *failure = client_tool_fails(
	    desk.client, "rr_replay_start", "unsupported", "{s:s}", "trace_dir", trace);
	expect_within(failure, "message", "app/app is another file than the one that ran");
	desk_close(&desk);
}
END_TEST

/* ---- Reasons -------------------------------------------------------------------------------- */

static const struct reason {
	const char *project;   /* below the home */
	const char *meanwhile; /* a command in the project, after the recording */
	const char *says;
} reasons[] = {
    {".local/src/app", "true", "begin with a dot"},
    {"app", "rm main.c", "is gone"},
    {"app", "rm main.c && ln -s /etc/passwd main.c", "is gone"},
};
#define REASONS (int)(sizeof(reasons) / sizeof(*reasons))

START_TEST(a_source_that_is_not_shown_has_the_reason_and_the_remedy)
{
	const struct reason *reason = &reasons[_i];
	struct desk desk = desk_open();
	char program[256];

	harness_shell("mkdir -p '%s/%s' && cd '%s/%s' && printf '%%s\\n' " CRASHES
		      " >main.c && " COMPILE "-o app main.c",
	    desk.home, reason->project, desk.home, reason->project);
	snprintf(program, sizeof(program), "%s/app", reason->project);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, program);
	harness_shell("cd '%s/%s' && %s", desk.home, reason->project, reason->meanwhile);
	json_auto_t *stop = stop_in(&desk, trace, "main");
	ck_assert_ptr_null(answer_at(stop, "source"));
	expect_within(stop, "source_warning", "main.c");
	expect_within(stop, "source_warning", reason->says);
	expect_within(stop, "source_warning", "--source-dir");
	desk_close(&desk);
}
END_TEST

/* Debian builds Rust's library in another directory than others. */
START_TEST(rusts_library_of_debian_is_not_the_program)
{
	struct desk desk = desk_open();

	harness_shell(
	    "mkdir '%s/app' && cd '%s/app' && printf '%%s\\n' '#include <stdlib.h>' "
	    "'#line 5 \"/usr/src/rustc-1.63.0/library/std/src/process.rs\"' "
	    "'void leave(void) { abort(); }' "
	    "'#line 1 \"main.c\"' 'int main(void)' '{' '	leave(); /* the line of main */' "
	    "'}' >main.c && " COMPILE "-o app main.c",
	    desk.home, desk.home);
	desk_serve(&desk, NULL);
	cleanup_free char *trace = record(&desk, "app/app");
	json_auto_t *report =
	    client_tool(desk.client, "rr_crash_report", "{s:s}", "trace_dir", trace);
	cleanup_free char *shown = answer_show(report);
	ck_assert_msg(strstr(shown, "called by main") != NULL, "%s", shown);
	desk_close(&desk);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{a_frame_whose_name_begins_with_a_dot_shows_its_source, 1},
	    {a_frame_whose_name_begins_with_a_dot_is_not_the_c_librarys, 1},
	    {a_build_directory_beside_a_project_leads_to_it, BESIDES},
	    {a_name_that_two_projects_use_shows_no_wrong_source, 1},
	    {a_recording_outlives_the_program_that_was_built_again, 1},
	    {a_recording_without_the_program_does_not_replay_another, 1},
	    {a_source_that_is_not_shown_has_the_reason_and_the_remedy, REASONS},
	    {rusts_library_of_debian_is_not_the_program, 1}, {NULL, 0}};

	return scene_main_loops("mapped names", tests, (const char *const[]){NULL});
}
