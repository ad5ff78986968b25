/*
 * See program.h. Must never start the program, and never treat a name as checked that was not
 * opened.
 */
#include "worker/record/plan/program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define KEPT_BY_KERNEL 15 /* letters of a process's name */

/* One candidate as exec sees it from the program's directory. 0 or errno. */
static int check_executable(int directory, const char *path, char real[PATH_MAX])
{
	struct stat status;
	char link[64];
	ssize_t length;
	cleanup_fd int fd = openat(directory, path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode) || faccessat(directory, path, X_OK, AT_EACCESS) < 0 ||
	    !(status.st_mode & 0111))
		return EACCES;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, real, PATH_MAX - 1);
	if (length < 0)
		return errno;
	real[length] = '\0';
	return 0;
}

/*
 * Searches as rr and execvp do. 0 or errno; `path` gets the name that was found, and real its path.
 * In PATH, only an existing file counts: a directory that cannot be read, or that is not a
 * directory, contains no program for us.
 */
static int find_executable(
    int directory, const char *name, const char *search, char path[PATH_MAX], char real[PATH_MAX])
{
	int error = ENOENT;

	if (strchr(name, '/')) {
		if (strlcpy(path, name, PATH_MAX) >= PATH_MAX)
			return ENAMETOOLONG;
		return check_executable(directory, name, real);
	}
	while (search && *search) {
		size_t length = strcspn(search, ":");
		int written =
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? search : ".", name);
		struct stat status;
		search += length + (search[length] == ':');
		if (written >= PATH_MAX || fstatat(directory, path, &status, 0) < 0 ||
		    S_ISDIR(status.st_mode))
			continue;
		int got = check_executable(directory, path, real);
		if (got == 0)
			return 0;
		error = got;
	}
	return error;
}

/* Whether nobody but the administrator can put something else into a directory. */
static bool is_settled(const char *directory)
{
	return (strncmp(directory, "/usr/", 5) == 0 || strcmp(directory, "/bin") == 0) &&
	       access(directory, W_OK) < 0;
}

/*
 * The path by which rr must start the program so that it is the one that was checked: without a
 * link that somebody can change in between. A link that is the administrator's stays, because some
 * programs look at the name by which they were called. 0 or errno.
 */
static int pin(int directory, const char *name, char path[PATH_MAX], char real[PATH_MAX])
{
	char folder[PATH_MAX], link[64];
	const char *last = strrchr(name, '/') + 1;
	ssize_t length;

	snprintf(folder, sizeof(folder), "%.*s", (int)(last - name), name);
	cleanup_fd int fd = openat(directory, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, folder, sizeof(folder) - 1);
	if (length < 0)
		return errno;
	folder[length] = '\0';
	if (!is_settled(folder))
		strlcpy(path, real, PATH_MAX);
	else if (snprintf(path, PATH_MAX, "%s/%s", folder, last) >= PATH_MAX)
		return ENAMETOOLONG;
	/* what is checked from now on is this path */
	return check_executable(AT_FDCWD, path, real);
}

static bool command_is_allowed(const json_t *patterns, const char *path)
{
	size_t index;
	json_t *pattern;

	if (json_array_size(patterns) == 0)
		return true;
	json_array_foreach(patterns, index,
	    pattern) if (fnmatch(json_string_value(pattern), path, 0) == 0) return true;
	return false;
}

/* Valgrind's tools are programs of their own: memcheck-amd64-linux, of which the kernel keeps only
 * the first letters. Many other programs have the processor in their names, but not these tools. */
static bool is_of_valgrind(const char *name)
{
	static const char *const tools[] = {"memcheck", "cachegrind", "callgrind", "helgrind",
	    "drd", "massif", "dhat", "lackey", "none", "exp-bbv", "exp-dhat", "exp-sgcheck"};
	static const char *const systems[] = {"-amd64-linux", "-x86-linux"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		const char *rest;

		if (strncmp(name, tools[i], strlen(tools[i])) != 0)
			continue;
		rest = name + strlen(tools[i]);
		for (size_t j = 0; j < sizeof(systems) / sizeof(*systems); j++)
			if (strcmp(rest, systems[j]) == 0 ||
			    (strlen(name) == KEPT_BY_KERNEL &&
				strncmp(rest, systems[j], strlen(rest)) == 0))
				return true;
	}
	return false;
}

bool program_is_tracer(const char *path)
{
	static const char *const tracers[] = {"strace", "ltrace", "gdb", "gdbserver", "lldb",
	    "lldb-server", "valgrind", "valgrind.bin"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(tracers) / sizeof(*tracers); i++) {
		size_t length = strlen(tracers[i]);
		/* "lldb-14" too */
		if (strncmp(name, tracers[i], length) == 0 &&
		    (!name[length] ||
			(name[length] == '-' && isdigit((unsigned char)name[length + 1]))))
			return true;
	}
	return is_of_valgrind(name);
}

bool program_find(const struct worker *worker, const char *directory, const char *name,
    const char *search, char program[PATH_MAX], char real[PATH_MAX], struct failure *failure)
{
	char found[PATH_MAX];
	bool limited = json_array_size(worker->config.commands) > 0;
	cleanup_fd int start = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = find_executable(start, name, search, found, real);

	strlcpy(program, name, PATH_MAX);
	if (!error && limited)
		error = pin(start, found, program, real);

	if (error == ENOENT || error == ENOTDIR)
		return trace_fail_path(failure, ERROR_NOT_FOUND,
		    "a name without a slash is searched for in PATH; a name with a slash is "
		    "relative to the working directory",
		    "there is no program", name, 0);
	if (error)
		return trace_fail_path(failure, ERROR_INVALID_ARGUMENT,
		    "command[0] must be a file that this user can execute",
		    "cannot be executed:", name, error);
	if (!command_is_allowed(worker->config.commands, real))
		return trace_fail_path(failure, ERROR_NOT_ALLOWED,
		    "the server's settings limit which programs can be recorded",
		    "this program may not be recorded:", real, 0);
	if (program_is_tracer(name) || program_is_tracer(real))
		return trace_fail_path(failure, ERROR_UNSUPPORTED, PROGRAM_TRACER_HINT,
		    "a program that traces others cannot be recorded:", name, 0);
	return trace_check_nameable(
	    "a recording could not be replayed, because gdb cannot be given the name", real,
	    failure);
}
