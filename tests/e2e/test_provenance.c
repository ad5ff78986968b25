/*
 * The sources of a program that was recorded here, by its owner, are shown without any option,
 * however it was built: each build tool's layout of paths, made by the compiler alone. What the
 * program's debug information names beyond that, and another copy of the trace, uncovers nothing.
 * As ourselves and as an ordinary user.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define NOBODY	 65534
#define OTHER	 "elsewhere"
#define TEXT_MAX 2048

/* How a part of the program is compiled: its source, and its compiler's directory and words. %H is
 * the home. */
static const struct part {
	const char *name, *source, *directory, *words;
} parts[] = {
    {"cmake_in_tree", "proj/src/cmake_in_tree.c", "proj/build", "%H/proj/src/cmake_in_tree.c"},
    {"cmake_sibling", "proj/src/cmake_sibling.c", "build-proj", "%H/proj/src/cmake_sibling.c"},
    {"cmake_elsewhere", "proj/src/cmake_elsewhere.c", "../tmp", "%H/proj/src/cmake_elsewhere.c"},
    {"generated", "build-proj/generated.c", "build-proj", "%H/build-proj/generated.c"},
    {"autotools", "proj/lib/autotools.c", "proj/build/lib", "../../lib/autotools.c"},
    {"meson", "proj/src/meson.c", "proj/builddir", "../src/meson.c"},
    {"cargo", "proj/src/cargo.c", "proj", "src/cargo.c"},
    {"crate", ".cargo/registry/src/index/crate-1/crate.c", ".cargo/registry/src/index/crate-1",
	"crate.c"},
    {"worktree", "tree/src/worktree.c", "tree", "-I. src/worktree.c"},
    {"ccache", "proj/src/ccache.c", "proj/build",
	"-fdebug-prefix-map=%H/proj/build=. ../src/ccache.c"},
    {"prefix", "proj/src/prefix.c", "proj", "-ffile-prefix-map=%H/proj=. src/prefix.c"},
    {"prefix_top", "proj/prefix_top.c", "proj", "-ffile-prefix-map=%H/proj=. prefix_top.c"},
    {"prefix_named", "proj/src/prefix_named.c", "proj/build",
	"-ffile-prefix-map=%H/proj=/usr/src/proj-1.0 %H/proj/src/prefix_named.c"},
    {"split", "proj/src/split.c", "proj/build", "-gsplit-dwarf %H/proj/src/split.c"},
    {"compressed", "proj/src/compressed.c", "proj/build", "-gz -gdwarf-4 %H/proj/src/compressed.c"},
    {"header", "other/include/header.h", "proj/build", "-x c %H/other/include/header.h"},
};
#define PARTS (sizeof(parts) / sizeof(*parts))

/* Parts that name what nobody meant to be a source. */
static const struct {
	const char *name, *named;
} secrets[] = {
    {"docker", "%H/.docker/config.json"},
    {"config", "%H/proj/.git/config"},
    {"credentials", "%H/.cargo/registry/token"},
    {"shadow", "/etc/shadow"},
    {"environ", "/proc/self/environ"},
};
#define SECRETS (sizeof(secrets) / sizeof(*secrets))

struct built {
	char *folder, *home, *program, *trace;
	uid_t uid;
};

static void write_source(const struct built *built, const char *path, const char *name)
{
	harness_shell("mkdir -p \"$(dirname '%s/%s')\" && printf '%%s\\n' '/* %s */' "
		      "'int part_%s(int x)' '{' '	return x + 1; /* the line of %s */' '}' "
		      ">'%s/%s'",
	    built->home, path, name, name, name, built->home, path);
}

/* The text with the home in place of %H. */
static char *with_home(const struct built *built, const char *text)
{
	char *result = strdup(text), *at;

	while ((at = strstr(result, "%H"))) {
		char *longer = NULL;
		if (asprintf(&longer, "%.*s%s%s", (int)(at - result), result, built->home, at + 2) <
		    0)
			harness_fail("out of memory");
		free(result);
		result = longer;
	}
	return result;
}

static void compile_part(const struct built *built, const struct part *part)
{
	cleanup_free char *words = with_home(built, part->words);

	write_source(built, part->source, part->name);
	harness_shell(
	    "mkdir -p '%s/%s' && cd '%s/%s' && CCACHE_DISABLE=1 cc -g -O0 -c -o '%s/%s.o' %s",
	    built->home, part->directory, built->home, part->directory,
	    strcmp(part->name, "split") == 0 ? "../build" : built->folder, part->name, words);
}

static void compile_secret(const struct built *built, const char *name, const char *named)
{
	cleanup_free char *path = with_home(built, named);

	if (strncmp(path, built->home, strlen(built->home)) == 0)
		harness_shell("mkdir -p \"$(dirname '%s')\" && printf 'a secret\\nof %s\\n' >'%s'",
		    path, name, path);
	harness_shell("cd '%s' && printf '#line 1 \"%s\"\\nint part_%s(int x) {\\nreturn x; }\\n' "
		      ">%s.c && CCACHE_DISABLE=1 cc -g -O0 -c %s.c",
	    built->folder, path, name, name, name);
}

static void write_main(const struct built *built)
{
	char text[8192] = "";

	for (size_t i = 0; i < PARTS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "int part_%s(int x);\n",
		    parts[i].name);
	for (size_t i = 0; i < SECRETS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "int part_%s(int x);\n",
		    secrets[i].name);
	strlcat(text, "int main(void)\n{\nint x = 0;\n", sizeof(text));
	for (size_t i = 0; i < PARTS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "x += part_%s(x);\n",
		    parts[i].name);
	for (size_t i = 0; i < SECRETS; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "x += part_%s(x);\n",
		    secrets[i].name);
	strlcat(text, "return x == 0;\n}\n", sizeof(text));
	cleanup_free char *path = harness_path(built->home, "proj/main.c");
	harness_write_file(path, text);
}

static struct built build(uid_t uid)
{
	struct built built = {.folder = harness_scratch(uid), .uid = uid};

	built.home = harness_path(built.folder, "home");
	built.program = harness_path(built.home, "proj/build/prog");
	built.trace = harness_path(built.home, "trace");
	harness_shell("mkdir -p '%s/proj/build' '%s/tmp' '%s/" OTHER "' && "
		      "mkdir '%s/proj/.git'",
	    built.home, built.folder, built.folder, built.home);
	for (size_t i = 0; i < PARTS; i++)
		compile_part(&built, &parts[i]);
	for (size_t i = 0; i < SECRETS; i++)
		compile_secret(&built, secrets[i].name, secrets[i].named);
	write_main(&built);
	harness_shell("cd '%s/proj/build' && CCACHE_DISABLE=1 cc -g -O0 -o prog ../main.c '%s'/*.o "
		      "split.o && "
		      "chown -R %u '%s'",
	    built.home, built.folder, uid, built.folder);
	return built;
}

/* The debug information in a file of its own, which the program names. */
static void part_debug_information(const struct built *built)
{
	harness_shell("cd '%s/proj/build' && objcopy --only-keep-debug prog prog.debug && "
		      "objcopy --strip-debug --add-gnu-debuglink=prog.debug prog && "
		      "chown %u prog prog.debug",
	    built->home, built->uid);
}

static void built_free(struct built *built)
{
	harness_scratch_free(built->folder);
	free(built->home);
	free(built->program);
	free(built->trace);
}

static struct client *serve(
    const struct built *built, const char *directory, const char *const *args)
{
	return client_start(&(struct client_options){
	    .args = args, .uid = built->uid, .home = built->home, .directory = directory});
}

static json_t *run_to_part(struct client *client, const char *name)
{
	char function[64];

	snprintf(function, sizeof(function), "part_%s", name);
	return client_tool(client, "rr_continue", "{s:s}", "until", function);
}

static void expect_line_of(const json_t *stop, const char *name)
{
	cleanup_free char *text = answer_show(stop);
	char line[64];

	snprintf(line, sizeof(line), "the line of %s *", name);
	ck_assert_msg(strstr(text, line) != NULL, "%s: %s", name, text);
}

static void expect_no_secret(const json_t *stop, const char *name)
{
	cleanup_free char *text = answer_show(stop),
			  *source = answer_show(answer_at(stop, "source"));

	ck_assert_msg(answer_at(stop, "source") == NULL, "%s: %s", name, source);
	ck_assert_msg(strstr(text, "--source-dir") != NULL, "%s: %s", name, text);
}

static json_t *stop_in(const struct built *built, const char *directory, const char *const *args,
    const char *trace, const char *part)
{
	struct client *client = serve(built, directory, args);
	json_t *stop;

	free(client_replay(client, trace));
	stop = run_to_part(client, part);
	client_end(client);
	return stop;
}

/* The same trace in another place, as an import makes it: nobody recorded it here. */
static void expect_another_copy_shows_little(const struct built *built, const char *elsewhere)
{
	cleanup_free char *copy = harness_path(built->home, "copy"),
			  *project = harness_path(built->home, "proj"), *option = NULL;

	if (asprintf(&option, "--source-dir=%s/build-proj", built->home) < 0)
		harness_fail("out of memory");
	harness_shell("cp -a '%s' '%s'", built->trace, copy);
	json_auto_t *refused = stop_in(built, elsewhere, NULL, copy, "meson");
	ck_assert_ptr_null(answer_at(refused, "source"));
	expect_within(refused, "source_warning", "--source-dir");
	json_auto_t *in_project = stop_in(built, project, NULL, copy, "meson");
	expect_line_of(in_project, "meson");
	json_auto_t *secret = stop_in(built, project, NULL, copy, "config");
	expect_no_secret(secret, "config");
	json_auto_t *named =
	    stop_in(built, elsewhere, (const char *const[]){option, NULL}, copy, "generated");
	expect_line_of(named, "generated");
	json_auto_t *beside =
	    stop_in(built, elsewhere, (const char *const[]){option, NULL}, copy, "meson");
	ck_assert_ptr_null(answer_at(beside, "source"));
}

static void expect_changes_are_told(const struct built *built, const char *elsewhere)
{
	harness_shell("cd '%s/proj' && echo '/* more */' >>src/meson.c && touch -d 2020-01-01 "
		      "src/meson.c && touch build/prog",
	    built->home);
	json_auto_t *changed = stop_in(built, elsewhere, NULL, built->trace, "meson");
	expect_line_of(changed, "meson");
	expect_within(changed, "source_warning", "has changed since the recording");
	expect_within(changed, "source_warning", "built again since the recording");
}

static int ledger_files(const struct built *built)
{
	cleanup_free char *folder = harness_path(built->home, ".local/state/rr-warden");
	DIR *directory = opendir(folder);
	int count = 0;

	if (!directory)
		harness_fail("%s: %m", folder);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

START_TEST(sources_of_every_layout_are_shown_and_nothing_else_that_is_named)
{
	/* As root, and as a user whom root becomes; without root, as the user that there is. */
	struct built built = build(_i ? NOBODY : geteuid());
	cleanup_free char *elsewhere = harness_path(built.folder, OTHER);
	struct client *client = serve(&built, elsewhere, NULL);

	if (_i)
		part_debug_information(&built);
	client_tool_done(client, "rr_record", "{s:[s], s:s}", "command", built.program, "trace_dir",
	    built.trace);
	free(client_replay(client, built.trace));
	for (size_t i = 0; i < PARTS; i++) {
		json_auto_t *stop = run_to_part(client, parts[i].name);
		expect_line_of(stop, parts[i].name);
	}
	for (size_t i = 0; i < SECRETS; i++) {
		json_auto_t *stop = run_to_part(client, secrets[i].name);
		expect_no_secret(stop, secrets[i].name);
	}
	client_end(client);
	expect_another_copy_shows_little(&built, elsewhere);
	expect_changes_are_told(&built, elsewhere);
	ck_assert_int_eq(ledger_files(&built), 1);
	client = serve(&built, elsewhere, NULL);
	client_tool_done(client, "rr_rm", "{s:s}", "trace_dir", built.trace);
	ck_assert_int_eq(ledger_files(&built), 0);
	client_end(client);
	built_free(&built);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {sources_of_every_layout_are_shown_and_nothing_else_that_is_named,
		geteuid() == 0 ? 2 : 1},
	    {NULL, 0}};

	return scene_main_loops("provenance", tests, (const char *const[]){NULL});
}
