/*
 * See destination.h. Must never make a directory outside of the roots, follow a link below one that
 * it made, nor make the trace itself; nor remove a directory that it did not make.
 */
#include "worker/record/plan/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/record/plan/claim.h"

/* Opens the deepest directory on the way to `path` that exists; *rest points to what is missing.
 * -1 with errno. */
static int open_existing(const char *path, char real[TRACE_PATH_MAX], const char **rest)
{
	char prefix[TRACE_PATH_MAX];
	int fd;

	strlcpy(prefix, path, sizeof(prefix));
	while ((fd = trace_open_directory(*prefix ? prefix : "/", real, TRACE_PATH_MAX)) < 0 &&
	       errno == ENOENT && *prefix)
		*strrchr(prefix, '/') = '\0';
	*rest = path + strlen(prefix);
	return fd;
}

/* ".." in a part that does not exist yet could lead anywhere. */
static bool leads_up(const char *rest)
{
	for (; (rest = strstr(rest, "/..")); rest++)
		if (rest[3] == '/' || rest[3] == '\0')
			return true;
	return false;
}

/* Makes the missing directories, private, step by step and never through a link. *fd follows. *made
 * is set to the first directory of `rest` that is new; NULL: none. Returns 0 or errno. */
static int make_below(int *fd, const char *rest, const char **made)
{
	char name[NAME_MAX + 1];

	*made = NULL;
	for (size_t length; *(rest += strspn(rest, "/")); rest += length) {
		length = strcspn(rest, "/");
		if (length >= sizeof(name))
			return ENAMETOOLONG;
		memcpy(name, rest, length);
		name[length] = '\0';
		if (mkdirat(*fd, name, 0700) == 0)
			*made = *made ? *made : rest;
		else if (errno == EEXIST)
			*made = NULL; /* somebody else made it, and may need what is above it */
		else
			return errno;
		int below = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			return errno;
		close(*fd);
		*fd = below;
	}
	return 0;
}

/* real + rest, which is empty or begins with a slash. Returns 0 or errno. */
static int append(char real[TRACE_PATH_MAX], const char *rest)
{
	if (*rest && strcmp(real, "/") == 0)
		*real = '\0';
	return strlcat(real, rest, TRACE_PATH_MAX) < TRACE_PATH_MAX ? 0 : ENAMETOOLONG;
}

/* Of the directories that were made for the trace, removes those that are empty: above a trace,
 * none is. The making may have failed half-way. */
static void remove_made(struct destination *destination)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	char above[TRACE_PATH_MAX], *path = destination->parent, *slash;

	for (size_t made = destination->made; made > 0 && strlen(path) > made; *slash = '\0') {
		slash = strrchr(path, '/');
		strlcpy(above, path, (size_t)(slash - path) + 2);
		cleanup_fd int fd = (int)syscall(SYS_openat2, AT_FDCWD, above, &how, sizeof(how));
		if (fd >= 0 && slash[1])
			(void)unlinkat(fd, slash + 1, AT_REMOVEDIR);
	}
	destination->made = 0;
}

/* The directory for the trace: allowed, made if it is missing, and writable. destination->parent
 * gets its path. */
static bool make_parent(const struct worker *worker, const char *path,
    struct destination *destination, struct failure *failure)
{
	char *real = destination->parent;
	const char *rest, *made = NULL;
	cleanup_fd int fd = open_existing(path, real, &rest);
	int error = fd < 0 ? errno : leads_up(rest) ? ENOENT : append(real, rest);

	if (!trace_path_is_under(worker->config.roots, error ? path : real))
		return trace_fail_path(failure, ERROR_NOT_ALLOWED,
		    "traces must be below the server's trace roots", "no trace may be put into",
		    path, 0);
	if (!error)
		error = make_below(&fd, rest, &made);
	if (made)
		destination->made = strlen(real) - strlen(made);
	if (!error && faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		error = errno;
	if (!error)
		return true;
	return trace_fail_path(failure,
	    error == ENOENT || error == ENOTDIR ? ERROR_NOT_FOUND : ERROR_NOT_ALLOWED,
	    "give a trace_dir in a directory that this user can write to, or leave it out",
	    "no trace can be put into", path, error);
}

static bool exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 || errno != ENOENT;
}

static bool is_nameable(const struct destination *destination, struct failure *failure)
{
	return trace_check_nameable(
	    "a trace there could not be named to replay it:", destination->trace, failure);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Claims the name when it is free, or when all that is there is an empty directory that a killed
 * recording of ours left. rmdir takes nothing else, and follows no link.
 */
static bool claim_free(const struct destination *destination)
{
	const char *name = last_part(destination->trace);
	bool is_there = exists(destination->trace);

	if (is_there && !claim_was_left(destination->claims, name))
		return false;
	return claim_name(destination->claims, name) &&
	       (!is_there || rmdir(destination->trace) == 0);
}

/* Whatever exists under the claimed name must not be removed because of its mark. */
static void settle(struct destination *destination)
{
	if (destination->claimed)
		claim_settle(destination->claims, last_part(destination->trace));
	destination->claimed = false;
}

bool destination_next(struct destination *destination)
{
	char *number = strrchr(destination->trace, '-') + 1;
	size_t room = sizeof(destination->trace) - (size_t)(number - destination->trace);

	if (destination->named)
		return false;
	settle(destination);
	for (int i = 0; i < DESTINATION_TRIES; i++) {
		snprintf(number, room, "%d", i);
		destination->claimed = claim_free(destination);
		if (destination->claimed)
			return true;
	}
	return false;
}

/* Uses the name that rr would choose: the program's name and the first free number. */
bool destination_choose(const struct worker *worker, const char *program,
    struct destination *destination, struct failure *failure)
{
	char base[TRACE_PATH_MAX];
	const char *real;

	if (trace_base_dir(base, sizeof(base)) < 0)
		return trace_fail_name("rr's trace directory", failure);
	if (!make_parent(worker, base, destination, failure))
		return false;
	real = destination->parent;
	destination->claims = claim_open(real);
	if (snprintf(destination->trace, sizeof(destination->trace), "%s/%.200s-0", real,
		last_part(program)) >= (int)sizeof(destination->trace) - 16 ||
	    !destination_next(destination))
		return trace_fail_path(
		    failure, ERROR_LIMIT, "remove traces with rr_rm", "no unused name in", real, 0);
	return is_nameable(destination, failure);
}

/* A client's relative name starts at the program's directory, as with `rr record -o`. */
bool destination_take(const struct worker *worker, const char *name, const char *directory,
    struct destination *destination, struct failure *failure)
{
	char path[TRACE_PATH_MAX];
	const char *real = destination->parent;
	char *slash;
	int length;

	destination->named = true;
	if (*name == '/' || strncmp(name, "~/", 2) == 0)
		length = trace_name_to_path(name, path, sizeof(path));
	else
		length = snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path)
			     ? -1
			     : 0;
	if (length < 0)
		return trace_fail_path(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "too long:", "trace_dir", 0);
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	slash = strrchr(path, '/');
	if (!slash[1] || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
		return trace_fail_path(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "does not name a new directory:", name, 0);
	*slash = '\0';
	if (!make_parent(worker, *path ? path : "/", destination, failure))
		return false;
	if (snprintf(destination->trace, sizeof(destination->trace), "%s/%s", real[1] ? real : "",
		slash + 1) >= (int)sizeof(destination->trace))
		return trace_fail_path(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "too long:", "trace_dir", 0);
	if (exists(destination->trace))
		return trace_fail_path(failure, ERROR_INVALID_ARGUMENT,
		    "give a directory that does not exist yet, or leave trace_dir out",
		    "trace_dir exists already:", destination->trace, 0);
	return is_nameable(destination, failure);
}

void destination_release(struct destination *destination)
{
	settle(destination);
	if (destination->claims > 0)
		close(destination->claims);
	destination->claims = 0;
	remove_made(destination);
}

void destination_link_latest(const struct destination *destination)
{
	char directory[TRACE_PATH_MAX];
	char *slash;
	cleanup_fd int fd = -1;

	strlcpy(directory, destination->trace, sizeof(directory));
	slash = strrchr(directory, '/');
	*slash = '\0';
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Tries once, like rr: if another process makes the link in between, that one has the newer
	 * trace. */
	if (fd >= 0 && (unlinkat(fd, TRACE_LATEST, 0) == 0 || errno == ENOENT) &&
	    symlinkat(slash + 1, fd, TRACE_LATEST) < 0)
		return;
}
