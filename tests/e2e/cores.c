/*
 * See cores.h. What the kernel does with a core file is the machine's to say (core_pattern, a hard
 * limit of none): if it is not in the folder, gdb runs the program once more and writes it.
 */
#include "tests/e2e/cores.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

static bool by_kernel;

/* The kernel may add the pid to the name. */
static bool take_kernels(const char *folder, const char *path)
{
	cleanup_free char *pattern = harness_path(folder, "core*");
	glob_t found = {0};
	bool taken = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1 &&
		     rename(found.gl_pathv[0], path) == 0;

	globfree(&found);
	return taken;
}

char *core_make_of(const char *folder, const char *name, const char *path, const char *words)
{
	char *core = harness_path(folder, name);

	unlink(core);
	harness_shell(
	    "cd '%s' && rm -f core core.* && "
	    "{ (ulimit -c unlimited && exec '%s' %s) > /dev/null 2>&1; true; } 2> /dev/null",
	    folder, path, words);
	by_kernel = take_kernels(folder, core);
	if (!by_kernel)
		harness_shell("cd '%s' && gdb --nx --batch -ex run -ex 'generate-core-file %s' "
			      "-ex kill --args '%s' %s > /dev/null 2>&1 && test -s %s",
		    folder, name, path, words, name);
	return core;
}

bool core_is_the_kernels(void)
{
	if (!by_kernel)
		puts("skipped: the kernel leaves no core file here");
	return by_kernel;
}

char *core_make(const char *folder, const char *name, const char *program, const char *words)
{
	cleanup_free char *path = harness_program(program);

	return core_make_of(folder, name, path, words);
}
