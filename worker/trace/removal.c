/*
 * Removes a trace. Works only on open directories, and never uses a name twice: something that is
 * replaced by a link in the meantime is unlinked itself, not followed. Must never remove a file
 * that a trace would not have, nor anything before the whole trace has been checked.
 */
#include "worker/trace/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define SUBDIRECTORY "files.rr" /* the only directory in a trace, which contains no directories */

/* A trace in its parent directory, both open. */
struct removal {
	int parent;
	int trace;
	char name[NAME_MAX + 1];
	char path[TRACE_PATH_MAX];
	uint64_t freed;
};

static void removal_close(struct removal *removal)
{
	cleanup_close(&removal->trace);
	cleanup_close(&removal->parent);
}

static void cleanup_closedir(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

#define cleanup_dir __attribute__((cleanup(cleanup_closedir)))

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Splits "/a/b/c///" into "/a/b" and "c"; false for "/" and for a last "." or "..". */
static bool split_path(char *path, char name[NAME_MAX + 1])
{
	size_t length = strlen(path);
	char *slash;

	while (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || !slash[1] || is_dot(slash + 1) ||
	    strlcpy(name, slash + 1, NAME_MAX + 1) > NAME_MAX)
		return false;
	slash[slash == path] = '\0';
	return true;
}

static bool fail_to_open(struct failure *failure, const char *path, int error)
{
	if (error == ENOENT)
		failure_set(failure, ERROR_NOT_FOUND, "rr_list_recordings shows the traces",
		    "there is no trace %s", path);
	else if (error == ELOOP || error == ENOTDIR)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "give the trace's own directory, because links are not followed",
		    "%s is a link or a file, not a trace directory", path);
	else
		failure_set(failure,
		    error == EACCES || error == EPERM ? ERROR_NOT_ALLOWED : ERROR_INTERNAL, NULL,
		    "%s cannot be opened: %s", path, strerror(error));
	return false;
}

/* Opens the parent, links resolved, and in it the trace itself, no link. */
static bool open_both(
    const struct worker *worker, const char *name, struct removal *removal, struct failure *failure)
{
	char wanted[TRACE_PATH_MAX], parent[TRACE_PATH_MAX];
	int error;

	if (!*name || trace_name_to_path(name, wanted, sizeof(wanted)) < 0 ||
	    strlcpy(parent, wanted, sizeof(parent)) >= sizeof(parent) ||
	    !split_path(parent, removal->name)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "give the trace directory itself",
		    "\"%.200s\" does not name a trace directory", name);
		return false;
	}
	removal->parent = trace_open_allowed(worker, parent, removal->path, &error, failure);
	if (removal->parent < 0)
		return error ? fail_to_open(failure, wanted, error) : false;
	removal->trace = openat(removal->parent, removal->name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (removal->trace < 0)
		return fail_to_open(failure, wanted, errno);
	if (strcmp(removal->path, "/") != 0)
		strlcat(removal->path, "/", sizeof(removal->path));
	strlcat(removal->path, removal->name, sizeof(removal->path));
	return true;
}

static bool refuse_entry(const struct removal *removal, const char *name, struct failure *failure)
{
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "nothing was removed; if this is a trace, first remove that entry from it yourself",
	    "%s contains %.200s, which does not belong to a trace", removal->path, name);
	return false;
}

static bool check_entry(const struct removal *removal, const char *name, struct failure *failure)
{
	struct stat status;

	if (!trace_owns_name(name) ||
	    fstatat(removal->trace, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return refuse_entry(removal, name, failure);
	if (S_ISDIR(status.st_mode) ? strcmp(name, SUBDIRECTORY) != 0
				    : !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
		return refuse_entry(removal, name, failure);
	return true;
}

/* Every entry must be one of rr's before the first one is removed. */
static bool check_all(const struct removal *removal, struct failure *failure)
{
	cleanup_dir DIR *entries = trace_entries(removal->trace);
	size_t count = 0;

	if (!entries)
		return fail_to_open(failure, removal->path, errno);
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (is_dot(entry->d_name))
			continue;
		if (++count > TRACE_ENTRIES_MAX) {
			failure_set(failure, ERROR_LIMIT, NULL, "%s contains more than %d files",
			    removal->path, TRACE_ENTRIES_MAX);
			return false;
		}
		if (!check_entry(removal, entry->d_name, failure))
			return false;
	}
	return true;
}

/* Removed last, so that an interrupted removal can be repeated. */
static bool marks_a_trace(const char *name)
{
	return strcmp(name, "version") == 0 || strcmp(name, "incomplete") == 0;
}

static uint64_t bytes_of(int directory, const char *name)
{
	struct stat status;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || status.st_nlink > 1)
		return 0;
	return (uint64_t)status.st_blocks * 512;
}

/* Unlinks the files of an open directory but the marks, or the marks only. Returns 0 or errno. */
static int unlink_files(int directory, bool marks, uint64_t *freed)
{
	cleanup_dir DIR *entries = trace_entries(directory);

	if (!entries)
		return errno;
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (is_dot(entry->d_name) || marks_a_trace(entry->d_name) != marks ||
		    (entry->d_type == DT_DIR))
			continue;
		uint64_t bytes = bytes_of(directory, entry->d_name);
		if (unlinkat(directory, entry->d_name, 0) == 0)
			*freed += bytes;
		else if (errno != ENOENT && errno != EISDIR)
			return errno;
	}
	return 0;
}

static int remove_subdirectory(struct removal *removal)
{
	cleanup_fd int fd = openat(removal->trace, SUBDIRECTORY,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int error;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : errno;
	error = unlink_files(fd, false, &removal->freed);
	if (!error && unlinkat(removal->trace, SUBDIRECTORY, AT_REMOVEDIR) < 0)
		error = errno;
	return error;
}

/* Removes the name only while it still refers to the directory that was emptied. */
static int remove_directory(struct removal *removal)
{
	struct stat named, open;

	if (fstat(removal->trace, &open) < 0 ||
	    fstatat(removal->parent, removal->name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	if (named.st_ino != open.st_ino || named.st_dev != open.st_dev)
		return ESTALE;
	return unlinkat(removal->parent, removal->name, AT_REMOVEDIR) < 0 ? errno : 0;
}

static int remove_all(struct removal *removal)
{
	int error = unlink_files(removal->trace, false, &removal->freed);

	if (!error)
		error = remove_subdirectory(removal);
	if (!error)
		error = unlink_files(removal->trace, true, &removal->freed);
	return error ? error : remove_directory(removal);
}

/* The newest complete trace in the directory; false when there is none. */
static bool newest_trace(int parent, char name[NAME_MAX + 1])
{
	cleanup_dir DIR *entries = trace_entries(parent);
	struct timespec newest = {0};
	bool found = false;

	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		struct stat status;
		cleanup_fd int fd = openat(parent, entry->d_name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 || is_dot(entry->d_name) || trace_state_of(fd) != TRACE_COMPLETE ||
		    fstatat(fd, "version", &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (found && (status.st_mtim.tv_sec < newest.tv_sec ||
				 (status.st_mtim.tv_sec == newest.tv_sec &&
				     status.st_mtim.tv_nsec <= newest.tv_nsec)))
			continue;
		newest = status.st_mtim;
		strlcpy(name, entry->d_name, NAME_MAX + 1);
		found = true;
	}
	return found;
}

/*
 * rr's latest-trace link would dangle: it goes to the newest of those left. As in rr, an rr that
 * makes the link in between has won, and its trace is the newer one.
 */
static void relink_latest(const struct removal *removal)
{
	char target[TRACE_PATH_MAX], name[NAME_MAX + 1];
	ssize_t length = readlinkat(removal->parent, TRACE_LATEST, target, sizeof(target) - 1);

	if (length <= 0)
		return;
	target[length] = '\0';
	if (strcmp(target, removal->name) != 0 && strcmp(target, removal->path) != 0)
		return;
	if (unlinkat(removal->parent, TRACE_LATEST, 0) == 0 &&
	    newest_trace(removal->parent, name) &&
	    symlinkat(name, removal->parent, TRACE_LATEST) < 0)
		return;
}

static bool check_is_trace(const struct removal *removal, struct failure *failure)
{
	struct stat mark;
	enum trace_state state = trace_state_of(removal->trace);
	/* What a killed removal left has its mark yet, but not its streams. */
	bool marked = fstatat(removal->trace, "version", &mark, AT_SYMLINK_NOFOLLOW) == 0 ||
		      fstatat(removal->trace, "incomplete", &mark, AT_SYMLINK_NOFOLLOW) == 0;

	if (state == TRACE_RECORDING)
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "wait until the recording has ended, or stop it", "%s is being recorded",
		    removal->path);
	else if (state == TRACE_NONE && !(marked && S_ISREG(mark.st_mode)))
		failure_set(failure, ERROR_INVALID_ARGUMENT, "rr_list_recordings shows the traces",
		    "%s is not a trace, so nothing was removed", removal->path);
	else if (!trace_lock(removal->trace, TRACE_REMOVE))
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "close its session with rr_replay_stop first; another agent's server may also "
		    "have it open",
		    "%s is in use: a session is replaying it, or it is being packed",
		    removal->path);
	else
		return check_all(removal, failure);
	return false;
}

bool removal_remove(const struct worker *worker, const char *name, char path[TRACE_PATH_MAX],
    uint64_t *freed, struct failure *failure)
{
	struct removal removal = {.parent = -1, .trace = -1};
	bool done = false;
	int error;

	if (!open_both(worker, name, &removal, failure) || !check_is_trace(&removal, failure))
		goto out;
	error = remove_all(&removal);
	if (error) {
		failure_set(failure,
		    error == EACCES || error == EPERM ? ERROR_NOT_ALLOWED : ERROR_INTERNAL,
		    "fix that, and repeat the call to remove the rest",
		    "%s could not be removed: %s", removal.path, strerror(error));
		goto out;
	}
	relink_latest(&removal);
	strlcpy(path, removal.path, TRACE_PATH_MAX);
	*freed = removal.freed;
	done = true;
out:
	removal_close(&removal);
	return done;
}

void removal_remove_recorded(const struct worker *worker, const char *trace)
{
	struct removal removal = {.parent = -1, .trace = -1};
	struct failure ignored = {0};

	if (open_both(worker, trace, &removal, &ignored) && check_all(&removal, &ignored) &&
	    remove_all(&removal) == 0)
		relink_latest(&removal);
	removal_close(&removal);
}

void removal_discard(int parent, const char *name)
{
	struct removal removal = {.parent = parent};

	strlcpy(removal.name, name, sizeof(removal.name));
	removal.trace =
	    openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (removal.trace >= 0 && remove_all(&removal) != 0)
		removal.freed = 0; /* if it cannot be removed, it stays hidden */
	cleanup_close(&removal.trace);
}
