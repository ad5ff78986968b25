/*
 * Debug information that is not in the program: packed beside it (.dwp), named by a link, in a
 * folder .debug, and for the system by its path and by its build id. Each is found, with its
 * sources, in a recording made here, without any option, after everything but the named files is
 * gone. As ourselves and as an ordinary user.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define NOBODY	     65534
#define SYSTEM_DEBUG "/usr/lib/debug"

/* A library each, with where its debug information goes; in a shell, $n is its name, $h the
 * folder. */
static const struct part {
	const char *name, *move;
	bool of_system;
} parts[] = {
    {"beside", "objcopy --add-gnu-debuglink=lib$n.debug lib$n.so", false},
    {"folder",
	"objcopy --add-gnu-debuglink=lib$n.debug lib$n.so && mkdir .debug && mv lib$n.debug .debug",
	false},
    {"path",
	"objcopy --add-gnu-debuglink=lib$n.debug lib$n.so && mkdir -p " SYSTEM_DEBUG "/$h && "
	"mv lib$n.debug " SYSTEM_DEBUG "/$h",
	true},
    {"build_id",
	"id=$(readelf -n lib$n.so | sed -n 's/.*Build ID: //p') d=$(echo $id | cut -c1-2) && "
	"mkdir -p " SYSTEM_DEBUG "/.build-id/$d && "
	"mv lib$n.debug " SYSTEM_DEBUG "/.build-id/$d/"
	"${id#??}.debug",
	true},
};
#define PARTS (sizeof(parts) / sizeof(*parts))

/* A folder for the system's debug information that only this test and its servers see. */
static bool has_system_folder(void)
{
	static int has = -1;

	if (has < 0)
		has = geteuid() == 0 && access(SYSTEM_DEBUG, F_OK) == 0 &&
		      unshare(CLONE_NEWNS) == 0 &&
		      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		      mount("tmpfs", SYSTEM_DEBUG, "tmpfs", 0, NULL) == 0;
	return has == 1;
}

static bool is_played(const struct part *part)
{
	return !part->of_system || has_system_folder();
}

static void build_part(const char *folder, const struct part *part)
{
	harness_shell(
	    "cd '%s' && h=$PWD n=%s && "
	    "printf 'int part_%%s(int x)\\n{\\n\\treturn x + 1; /* of %%s */\\n}\\n' $n $n "
	    ">$n.c && cc -g -O0 -shared -fPIC -Wl,--build-id -o lib$n.so $n.c && "
	    "objcopy --only-keep-debug lib$n.so lib$n.debug && strip -g lib$n.so && %s",
	    folder, part->name, part->move);
}

/* The program's own is in a .dwp: gdb 13 and the dwp of binutils know version 4. */
static void build_program(const char *folder)
{
	cleanup_free char *path = harness_path(folder, "packed.c");
	char text[2048] = "", libraries[512] = "";

	for (size_t i = 0; i < PARTS; i++) {
		if (!is_played(&parts[i]))
			continue;
		build_part(folder, &parts[i]);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "int part_%s(int);\n",
		    parts[i].name);
		snprintf(libraries + strlen(libraries), sizeof(libraries) - strlen(libraries),
		    " -l%s", parts[i].name);
	}
	strlcat(text,
	    "int part_packed(int x)\n{\n\treturn x + 1; /* of packed */\n}\n"
	    "int main(void)\n{\n\tint x = part_packed(0);\n",
	    sizeof(text));
	for (size_t i = 0; i < PARTS; i++)
		if (is_played(&parts[i]))
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
			    "\tx += part_%s(x);\n", parts[i].name);
	strlcat(text, "\treturn x == 0;\n}\n", sizeof(text));
	harness_write_file(path, text);
	harness_shell("cd '%s' && cc -gdwarf-4 -gsplit-dwarf -O0 -c packed.c && "
		      "cc -o packed packed.o -L. %s -Wl,-rpath,'%s' && dwp -e packed -o "
		      "packed.dwp && rm packed.o packed.dwo",
	    folder, libraries, folder);
}

static void expect_source_of(struct client *client, const char *name)
{
	char function[64], line[64];

	snprintf(function, sizeof(function), "part_%s", name);
	snprintf(line, sizeof(line), "/* of %s *", name);
	json_auto_t *stop = client_tool(client, "rr_continue", "{s:s}", "until", function);
	cleanup_free char *text = answer_show(stop);
	ck_assert_msg(strstr(text, line) != NULL, "%s: %s", name, text);
	json_auto_t *local = client_tool(client, "rr_evaluate", "{s:s}", "expression", "x");
	ck_assert_ptr_nonnull(answer_at(local, "value"));
}

START_TEST(debug_information_beside_the_program_is_found_with_its_sources)
{
	uid_t uid = _i ? NOBODY : geteuid();
	cleanup_scratch char *folder = harness_scratch(uid);
	cleanup_free char *project = harness_path(folder, "project"),
			  *program = harness_path(project, "packed"),
			  *trace = harness_path(folder, "trace");

	ck_assert_int_eq(mkdir(project, 0755), 0);
	build_program(project);
	harness_shell("chown -R %u '%s'", uid, folder);
	struct client *client =
	    client_start(&(struct client_options){.uid = uid, .home = folder, .directory = "/tmp"});
	client_tool_done(
	    client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	free(client_replay(client, trace));
	expect_source_of(client, "packed");
	for (size_t i = 0; i < PARTS; i++)
		if (is_played(&parts[i]))
			expect_source_of(client, parts[i].name);
	client_end(client);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {debug_information_beside_the_program_is_found_with_its_sources,
		geteuid() == 0 ? 2 : 1},
	    {NULL, 0}};

	if (system("command -v dwp >/dev/null") != 0) {
		puts("skipped: there is no dwp here, which binutils has");
		return 0;
	}
	return scene_main_loops("parted", tests, (const char *const[]){NULL});
}
