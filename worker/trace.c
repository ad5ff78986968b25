/*
 * Finding a trace directory and judging what it is. Must never follow a link inside of a trace and
 * never take a path for checked that was not opened first: the check is on the open directory.
 */
#include "worker/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/scrub.h"

/* The substreams of a trace; every one is there from the recording's first moment on. */
static const char *const trace_streams[] = {"events", "data", "mmaps", "tasks"};

static const char *const trace_files[] = {"events", "data", "mmaps", "tasks", "version",
    "incomplete", "tmp_clone", "pack_mmaps", "files.rr", "rr-warden.bookmarks"};

static const char *const trace_prefixes[] = {
    "mmap_hardlink_", "mmap_clone_", "mmap_copy_", "mmap_pack_", "cloned_data_"};

static bool directory_exists(const char *path)
{
	struct stat status;

	return *path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int join(char *path, size_t size, const char *directory, const char *name)
{
	int length = snprintf(path, size, "%s/%s", directory, name);

	return length < 0 || (size_t)length >= size ? -1 : 0;
}

int trace_base_dir(char *path, size_t size)
{
	const char *trace_dir = getenv("_RR_TRACE_DIR");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	char dot[TRACE_PATH_MAX] = "";
	char xdg[TRACE_PATH_MAX] = "";

	if (trace_dir)
		return strlcpy(path, trace_dir, size) >= size ? -1 : 0;
	if (home && join(dot, sizeof(dot), home, ".rr") < 0)
		return -1;
	if (data ? join(xdg, sizeof(xdg), data, "rr") < 0
		 : home && join(xdg, sizeof(xdg), home, ".local/share/rr") < 0)
		return -1;
	if (!directory_exists(xdg) && directory_exists(dot))
		return strlcpy(path, dot, size) >= size ? -1 : 0;
	return strlcpy(path, *xdg ? xdg : "/tmp/rr", size) >= size ? -1 : 0;
}

static int in_base_dir(const char *name, char *path, size_t size)
{
	char base[TRACE_PATH_MAX];

	if (trace_base_dir(base, sizeof(base)) < 0)
		return -1;
	return join(path, size, base, name);
}

int trace_name_to_path(const char *name, char *path, size_t size)
{
	const char *home = getenv("HOME");
	char here[TRACE_PATH_MAX];

	if (!*name)
		return in_base_dir(TRACE_LATEST, path, size);
	if (strncmp(name, "~/", 2) == 0 && home)
		return join(path, size, home, name + 2);
	if (*name == '/')
		return strlcpy(path, name, size) >= size ? -1 : 0;
	if (!strchr(name, '/') && !directory_exists(name))
		return in_base_dir(name, path, size);
	if (!getcwd(here, sizeof(here)))
		return -1;
	return join(path, size, here, name);
}

static bool is_under(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		length--;
	if (length == 1 && *directory == '/')
		return true;
	return strncmp(directory, path, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0');
}

bool trace_path_is_under(const json_t *directories, const char *path)
{
	size_t index;
	json_t *directory;

	if (json_array_size(directories) == 0)
		return true;
	json_array_foreach(directories, index, directory)
	{
		char real[PATH_MAX];
		const char *text = json_string_value(directory);
		if (text && realpath(text, real) && is_under(real, path))
			return true;
	}
	return false;
}

int trace_open_directory(const char *name, char *path, size_t size)
{
	char link[64];
	ssize_t length;
	cleanup_fd int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, size);
	if (length < 0)
		return -1;
	if ((size_t)length >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	path[length] = '\0';
	return steal_fd(&fd);
}

DIR *trace_entries(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries;

	if (fd < 0)
		return NULL;
	entries = fdopendir(fd);
	if (!entries)
		close(fd);
	return entries;
}

json_t *trace_path_to_json(const char *path)
{
	return scrub_json(path, strlen(path), 4 * TRACE_PATH_MAX, NULL);
}

bool trace_owns_name(const char *name)
{
	for (size_t i = 0; i < sizeof(trace_files) / sizeof(*trace_files); i++)
		if (strcmp(name, trace_files[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(trace_prefixes) / sizeof(*trace_prefixes); i++)
		if (strncmp(name, trace_prefixes[i], strlen(trace_prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_file(int directory, const char *name)
{
	struct stat status;

	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode);
}

/* A version file begins with a format number and a newline. */
static bool has_version(int directory)
{
	char line[16];
	ssize_t length;
	cleanup_fd int fd =
	    openat(directory, "version", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	length = read(fd, line, sizeof(line));
	for (ssize_t i = 0; i < length; i++) {
		if (line[i] == '\n')
			return i > 0;
		if (line[i] < '0' || line[i] > '9')
			return false;
	}
	return false;
}

/* rr holds a lock on the file while it records, and renames it to `version` at the end. */
static enum trace_state unfinished_state(int directory)
{
	cleanup_fd int fd =
	    openat(directory, "incomplete", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return TRACE_RECORDING;
	return TRACE_INCOMPLETE;
}

enum trace_state trace_state_of(int directory)
{
	for (size_t i = 0; i < sizeof(trace_streams) / sizeof(*trace_streams); i++)
		if (!is_file(directory, trace_streams[i]))
			return TRACE_NONE;
	if (is_file(directory, "version"))
		return has_version(directory) ? TRACE_COMPLETE : TRACE_NONE;
	return is_file(directory, "incomplete") ? unfinished_state(directory) : TRACE_NONE;
}

static bool fail_to_open(struct op_reply *reply, const char *path, int error)
{
	switch (error) {
	case ENOENT:
		op_fail(reply, ERROR_NOT_FOUND, "rr_list_recordings shows the traces there are",
		    "there is no trace %s", path);
		break;
	case ENOTDIR:
		op_fail(reply, ERROR_INVALID_ARGUMENT,
		    "name the directory that rr_record answered as trace_dir",
		    "%s is not a directory, so not a trace", path);
		break;
	case EACCES:
	case EPERM:
		op_fail(reply, ERROR_NOT_ALLOWED,
		    "traces are private to the user who recorded them", "%s may not be read", path);
		break;
	default:
		op_fail(
		    reply, ERROR_INTERNAL, NULL, "%s cannot be opened: %s", path, strerror(error));
	}
	return false;
}

static bool check_state(const struct trace *trace, bool complete, struct op_reply *reply)
{
	switch (trace->state) {
	case TRACE_COMPLETE:
		return true;
	case TRACE_NONE:
		op_fail(reply, ERROR_INVALID_ARGUMENT,
		    "rr_list_recordings shows the traces there are",
		    "%s is not a trace: it lacks the files that rr writes", trace->path);
		return false;
	case TRACE_RECORDING:
		if (complete)
			op_fail(reply, ERROR_INVALID_ARGUMENT, "wait until the recording has ended",
			    "%s is still being recorded", trace->path);
		return !complete;
	case TRACE_INCOMPLETE:
		if (complete)
			op_fail(reply, ERROR_INVALID_ARGUMENT,
			    "record the program again; rr_rm removes this one",
			    "%s is half-written: rr was killed before it closed the trace",
			    trace->path);
		return !complete;
	}
	return false;
}

bool trace_open(const struct worker *worker, const char *name, bool complete, struct trace *trace,
    struct op_reply *reply)
{
	*trace = (struct trace){.directory = -1};
	if (trace_name_to_path(name, trace->path, sizeof(trace->path)) < 0) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "the path of the trace is too long");
		return false;
	}
	char wanted[TRACE_PATH_MAX];
	strlcpy(wanted, trace->path, sizeof(wanted));
	trace->directory = trace_open_directory(wanted, trace->path, sizeof(trace->path));
	int error = errno;
	/* Not even whether something is there is told about a place outside of the roots. */
	const char *judged = trace->directory < 0 ? wanted : trace->path;
	if (!trace_path_is_under(worker->config.roots, judged)) {
		op_fail(reply, ERROR_NOT_ALLOWED,
		    "the server's trace roots say where traces may be",
		    "%s is outside of the directories that traces may be in", judged);
		return false;
	}
	if (trace->directory < 0)
		return fail_to_open(reply, wanted, error);
	trace->state = trace_state_of(trace->directory);
	return check_state(trace, complete, reply);
}

void trace_close(struct trace *trace)
{
	cleanup_close(&trace->directory);
	trace->directory = -1;
}
