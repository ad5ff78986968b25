/*
 * Finds a trace directory and checks what it is. Must never follow a link inside of a trace, and
 * never treat a path as checked that was not opened first: the check is on the open directory.
 */
#include "worker/trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "sandbox/wire/scrub.h"

/* The substreams of a trace; every one is there from the recording's first moment on. */
static const char *const trace_streams[] = {"events", "data", "mmaps", "tasks"};

static const char *const trace_files[] = {"events", "data", "mmaps", "tasks", "version",
    "incomplete", "tmp_clone", "pack_mmaps", "files.rr", BROKER_BOOKMARKS_FILE,
    TRACE_LAST_WORDS_FILE, TRACE_GUARDHEAP_FILE};

static const char *const trace_prefixes[] = {"mmap_hardlink_", "mmap_clone_", "mmap_copy_",
    "mmap_pack_", "cloned_data_", BROKER_REPORT_PREFIX};

static bool directory_exists(const char *path)
{
	struct stat status;

	return *path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int join(char *path, size_t size, const char *directory, const char *name)
{
	int length =
	    snprintf(path, size, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);

	if (length >= 0 && (size_t)length < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

static int copy(char *path, size_t size, const char *text)
{
	if (strlcpy(path, text, size) < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* A variable that holds an absolute path, or NULL. */
static const char *absolute(const char *variable)
{
	const char *path = getenv(variable);

	return path && *path == '/' ? path : NULL;
}

int trace_base_dir(char *path, size_t size)
{
	const char *trace_dir = getenv("_RR_TRACE_DIR");
	const char *data = absolute("XDG_DATA_HOME");
	const char *home = absolute("HOME");
	char dot[TRACE_PATH_MAX] = "";
	char xdg[TRACE_PATH_MAX] = "";

	if (trace_dir)
		return copy(path, size, trace_dir);
	if (home && join(dot, sizeof(dot), home, ".rr") < 0)
		return -1;
	if (data ? join(xdg, sizeof(xdg), data, "rr") < 0
		 : home && join(xdg, sizeof(xdg), home, ".local/share/rr") < 0)
		return -1;
	if (!directory_exists(xdg) && directory_exists(dot))
		return copy(path, size, dot);
	if (*xdg)
		return copy(path, size, xdg);
	errno = ENOENT;
	return -1;
}

static int in_base_dir(const char *name, char *path, size_t size)
{
	char base[TRACE_PATH_MAX];

	if (trace_base_dir(base, sizeof(base)) < 0)
		return -1;
	return join(path, size, base, name);
}

int trace_file_to_path(const char *name, char *path, size_t size)
{
	const char *home = absolute("HOME");
	char here[TRACE_PATH_MAX];

	if (strncmp(name, "~/", 2) == 0 && home)
		return join(path, size, home, name + 2);
	if (*name == '/')
		return copy(path, size, name);
	if (!getcwd(here, sizeof(here)))
		return -1;
	return join(path, size, here, name);
}

int trace_name_to_path(const char *name, char *path, size_t size)
{
	bool bare = !strchr(name, '/');

	if (!*name)
		return in_base_dir(TRACE_LATEST, path, size);
	return bare && !directory_exists(name) ? in_base_dir(name, path, size)
					       : trace_file_to_path(name, path, size);
}

bool trace_fail_name(const char *name, struct failure *failure)
{
	if (errno == ENOENT)
		failure_set(failure, ERROR_NOT_FOUND,
		    "set HOME or _RR_TRACE_DIR, start the server with --trace-dir, or name an "
		    "absolute path",
		    "there is no directory for traces: HOME is not set, and user %u has no entry "
		    "in passwd",
		    (unsigned)getuid());
	else
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "use a shorter path; --trace-dir and _RR_TRACE_DIR set where new recordings go",
		    "the path of %.200s cannot be used: %s", name, strerror(errno));
	return false;
}

bool trace_fail_path(struct failure *failure, enum error_code code, const char *hint,
    const char *what, const char *path, int error)
{
	failure_set(failure, code, hint, "%s %.500s%s%s", what, path, error ? ": " : "",
	    error ? strerror(error) : "");
	return false;
}

bool trace_check_nameable(const char *what, const char *path, struct failure *failure)
{
	bool controls = false;
	json_auto_t *text = json_string(path);

	for (const char *at = path; *at; at++)
		controls |= (unsigned char)*at < ' ' || *at == 0x7f;
	if (text && !controls)
		return true;
	return trace_fail_path(failure, ERROR_INVALID_ARGUMENT,
	    controls ? "use a path without tabs, newlines and other control characters"
		     : "use a path that is valid UTF-8",
	    what, path, 0);
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

static bool is_stream(const char *name)
{
	for (size_t i = 0; i < sizeof(trace_streams) / sizeof(*trace_streams); i++)
		if (strcmp(name, trace_streams[i]) == 0)
			return true;
	return false;
}

/*
 * What rr leaves when it is killed while it makes a trace: empty streams and nothing else. rr makes
 * the rest within milliseconds, so one that is older is not being recorded.
 */
static enum trace_state beginning_state(int directory)
{
	DIR *entries = trace_entries(directory);
	time_t newest = 0;
	bool sound = entries != NULL;

	for (struct dirent *entry; sound && (entry = readdir(entries));) {
		struct stat status;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		sound = is_stream(entry->d_name) &&
			fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(status.st_mode) && status.st_size == 0;
		if (sound && status.st_mtime > newest)
			newest = status.st_mtime;
	}
	if (entries)
		closedir(entries);
	if (!sound || newest == 0)
		return TRACE_NONE;
	return time(NULL) - newest < TRACE_BEGINNING_S ? TRACE_RECORDING : TRACE_INCOMPLETE;
}

enum trace_state trace_state_of(int directory)
{
	/* Before `incomplete` is there, the streams may be, or some of them. */
	for (size_t i = 0; i < sizeof(trace_streams) / sizeof(*trace_streams); i++)
		if (!is_file(directory, trace_streams[i]))
			return beginning_state(directory);
	if (is_file(directory, "version"))
		return has_version(directory) ? TRACE_COMPLETE : TRACE_NONE;
	return is_file(directory, "incomplete") ? unfinished_state(directory)
						: beginning_state(directory);
}

bool trace_lock(int directory, enum trace_use use)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	int how = (use == TRACE_REMOVE ? LOCK_EX : LOCK_SH) | LOCK_NB;

	for (int waited = 0; flock(directory, how) < 0; waited += 20) {
		if (errno != EWOULDBLOCK)
			return true;
		if (waited >= TRACE_LOCK_WAIT_MS)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static bool fail_to_open(struct failure *failure, const char *path, int error)
{
	switch (error) {
	case ENOENT:
		failure_set(failure, ERROR_NOT_FOUND, "rr_list_recordings shows the traces",
		    "there is no trace %s", path);
		break;
	case ENOTDIR:
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "use the trace_dir from the answer of rr_record",
		    "%s is not a directory, so it cannot be a trace", path);
		break;
	case EACCES:
	case EPERM:
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "only the user who recorded a trace can read it",
		    "%s cannot be read: permission denied", path);
		break;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		failure_set(failure, ERROR_LIMIT,
		    "raise the limit (ulimit -a), or end some processes", "%s cannot be opened: %s",
		    path, strerror(error));
		break;
	default:
		failure_set(failure, ERROR_INTERNAL, NULL, "%s cannot be opened: %s", path,
		    strerror(error));
	}
	return false;
}

static bool check_state(const struct trace *trace, bool complete, struct failure *failure)
{
	switch (trace->state) {
	case TRACE_COMPLETE:
		return true;
	case TRACE_NONE:
		failure_set(failure, ERROR_INVALID_ARGUMENT, "rr_list_recordings shows the traces",
		    "%s is not a trace: it lacks files that rr writes", trace->path);
		return false;
	case TRACE_RECORDING:
		if (complete)
			failure_set(failure, ERROR_INVALID_ARGUMENT,
			    "wait until the recording has ended", "%s is still being recorded",
			    trace->path);
		return !complete;
	case TRACE_INCOMPLETE:
		if (complete)
			failure_set(failure, ERROR_INVALID_ARGUMENT,
			    "record the program again; rr_rm removes this one",
			    "%s is incomplete: rr was killed before it closed the trace",
			    trace->path);
		return !complete;
	}
	return false;
}

int trace_open_allowed(const struct worker *worker, const char *name, char path[TRACE_PATH_MAX],
    int *error, struct failure *failure)
{
	cleanup_fd int directory = trace_open_directory(name, path, TRACE_PATH_MAX);

	*error = directory < 0 ? errno : 0;
	if (directory < 0)
		strlcpy(path, name, TRACE_PATH_MAX);
	if (trace_path_is_under(worker->config.roots, path))
		return steal_fd(&directory);
	/* Does not even say whether something exists there. */
	*error = 0;
	failure_set(failure, ERROR_NOT_ALLOWED, "traces must be below the server's trace roots",
	    "%s is outside of the server's trace roots", path);
	return -1;
}

bool trace_open(const struct worker *worker, const char *name, bool complete, struct trace *trace,
    struct failure *failure)
{
	char wanted[TRACE_PATH_MAX];
	int error;

	*trace = (struct trace){.directory = -1};
	if (trace_name_to_path(name, wanted, sizeof(wanted)) < 0)
		return trace_fail_name(name, failure);
	trace->directory = trace_open_allowed(worker, wanted, trace->path, &error, failure);
	if (trace->directory < 0)
		return error ? fail_to_open(failure, wanted, error) : false;
	if (complete && !trace_lock(trace->directory, TRACE_USE)) {
		failure_set(failure, ERROR_NOT_FOUND, "rr_list_recordings shows the traces",
		    "%s is being removed", trace->path);
		return false;
	}
	trace->state = trace_state_of(trace->directory);
	/* rr closed it a moment ago: not all of its programs are visible here. */
	if (trace->state == TRACE_COMPLETE && worker->config.unfinished)
		trace->state = TRACE_RECORDING;
	return check_state(trace, complete, failure);
}

void trace_close(struct trace *trace)
{
	cleanup_close(&trace->directory);
	trace->directory = -1;
}
