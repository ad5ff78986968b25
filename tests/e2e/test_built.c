/*
 * Sources that are newer than what was built of them: each file is compared with the library that
 * has its code, not with the program.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "tests/e2e/scene.h"

/* Gives a file of the folder a time, in hours from now. */
static void set_time(const char *folder, const char *name, int hours)
{
	cleanup_free char *path = harness_path(folder, name);
	time_t then = time(NULL) + hours * 3600;
	const struct timespec times[2] = {{.tv_sec = then}, {.tv_sec = then}};
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_function(const char *folder, const char *name)
{
	char text[200];
	snprintf(text, sizeof(text), "int %s(int n)\n{\n\treturn n + 1;\n}\n", name);
	cleanup_free char *file = harness_path(folder, name);
	harness_shell("printf '%%s' '%s' >'%s.c'", text, file);
	harness_shell("cc -g -O0 -shared -fPIC -o '%s.so' '%s.c'", file, file);
}

/* The warning at a breakpoint in that function, NULL if there is none. */
static void expect_warning(struct client *client, const char *function, const char *said)
{
	json_auto_t *stop = client_tool(client, "rr_continue", "{s:s}", "until", function);
	expect_text(stop, "frame.function", function);
	json_auto_t *lines = client_tool(client, "rr_source_lines", NULL);
	if (said) {
		expect_within(stop, "source_warning", said);
		expect_within(lines, "warning", said);
	} else {
		ck_assert_ptr_null(answer_at(stop, "source_warning"));
		ck_assert_ptr_null(answer_at(lines, "warning"));
	}
}

START_TEST(a_source_is_compared_with_the_library_that_has_its_code)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_path(place.folder, "program");
	write_function(place.folder, "edited");
	write_function(place.folder, "rebuilt");
	harness_shell("printf 'int edited(int n);\\nint rebuilt(int n);\\n"
		      "int main(void)\\n{\\n\\treturn edited(rebuilt(-2));\\n}\\n' >'%s.c'",
	    program);
	harness_shell("cd '%s' && cc -g -O0 -o program program.c ./edited.so ./rebuilt.so "
		      "-Wl,-rpath,'%s'",
	    place.folder, place.folder);
	set_time(place.folder, "program.c", -9);
	/* Newer than its library, older than the program. */
	set_time(place.folder, "edited.so", -8);
	set_time(place.folder, "edited.c", -4);
	/* The other way round. */
	set_time(place.folder, "rebuilt.c", 4);
	set_time(place.folder, "rebuilt.so", 8);
	client_tool_done(place.client, "rr_record", "{s:[s], s:s, s:s}", "command", program,
	    "trace_dir", place.trace, "working_directory", place.folder);
	free(client_replay(place.client, place.trace));
	expect_warning(place.client, "main", NULL);
	expect_warning(place.client, "rebuilt", NULL);
	expect_warning(place.client, "edited", "newer than edited.so");
	/* A file that is named, where the session stands in another one. */
	expect_all(client_tool(place.client, "rr_source_lines", "{s:s, s:i}", "file", "rebuilt.c",
		       "line", 3),
	    ABSENT("warning"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_source_is_compared_with_the_library_that_has_its_code, NULL};
	return scene_main("built", tests, (const char *const[]){NULL});
}
