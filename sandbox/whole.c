/*
 * A recording's view. First opens what can be written (open_tree), then makes everything read-only
 * and /dev private, and mounts the opened trees on top. If the policy asks for covers, home
 * directories and secrets are hidden in between. Must never make a mount point in a directory of
 * the machine.
 */
#include "sandbox/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/mounts.h"
#include "sandbox/roles.h"

#define NAMED_MAX 256

struct named {
	const char *path;
	int tree;
	bool writable, is_directory;
};

struct whole {
	struct named named[NAMED_MAX];
	size_t count;
	int root;
	const char *step; /* for the error */
	const char *path; /* of the call, that the step is at; NULL: none */
};

static int hold(struct whole *whole, const char *path, bool writable)
{
	struct named *named = &whole->named[whole->count];
	struct stat status;

	if (strcmp(path, "/") ==
	    0) /* it is the root of the whole view, so there is nothing to mount on top */
		return 0;
	if (whole->count == NAMED_MAX) {
		errno = E2BIG;
		return -1;
	}
	*named = (struct named){.path = path, .tree = mounts_hold(path), .writable = writable};
	if (named->tree < 0)
		return -1;
	whole->count++;
	if (fstat(named->tree, &status) < 0)
		return -1;
	named->is_directory = S_ISDIR(status.st_mode);
	return mounts_seal(named->tree, writable);
}

static int hold_all(struct whole *whole, const char *const *paths, bool writable)
{
	for (; paths && *paths; paths++) {
		whole->path = *paths;
		if (hold(whole, *paths, writable) < 0)
			return -1;
		whole->path = NULL;
	}
	return 0;
}

static int make_read_only(const struct whole *whole)
{
	return mounts_set(whole->root, "", AT_EMPTY_PATH | AT_RECURSIVE,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0);
}

/* An empty directory over a directory, an empty file over a file. */
static int cover(const struct whole *whole, const char *path)
{
	struct stat status;

	if (fstatat(whole->root, path + 1, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
	if (S_ISDIR(status.st_mode))
		return mounts_cover(whole->root, path + 1, MOUNTS_EMPTY_OPTIONS);
	if (!S_ISREG(
		status.st_mode)) /* a link leads to something that is covered itself, or nowhere */
		return 0;
	cleanup_fd int null = mounts_hold("/dev/null");
	return null < 0 ? -1 : mounts_show(null, whole->root, path + 1);
}

static int cover_all(const struct whole *whole)
{
	for (const char *const *path = hidden_paths; *path; path++)
		if (cover(whole, *path) < 0)
			return -1;
	return mounts_private_tmp(whole->root);
}

/* From now on nobody can write into the covers. EINVAL: another one is over it (a home directory in
 * /tmp). */
static int seal_all(const struct whole *whole)
{
	struct stat status;

	for (const char *const *path = hidden_paths; *path; path++)
		if (fstatat(whole->root, *path + 1, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(status.st_mode) &&
		    mounts_set(whole->root, *path + 1, 0, MOUNT_ATTR_RDONLY, 0) < 0 &&
		    errno != EINVAL)
			return -1;
	return 0;
}

static int by_length(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	size_t left_length = strlen(left->path), right_length = strlen(right->path);

	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return (int)left->writable - (int)right->writable;
}

/* Mount points are missing only in covers, which are memory. */
static int make_points(struct whole *whole)
{
	for (size_t i = 0; i < whole->count; i++) {
		whole->path = whole->named[i].path;
		if (mounts_make_point(whole->root, whole->path + 1, whole->named[i].is_directory) <
		    0)
			return -1;
	}
	whole->path = NULL;
	return 0;
}

static int show_all(struct whole *whole)
{
	for (size_t i = 0; i < whole->count; i++) {
		whole->path = whole->named[i].path;
		if (mounts_show(whole->named[i].tree, whole->root, whole->path + 1) < 0)
			return -1;
	}
	whole->path = NULL;
	return 0;
}

static int build(struct whole *whole, const struct sandbox_policy *policy)
{
	whole->step = "propagation";
	if (mounts_make_private() < 0)
		return -1;
	whole->step = "root";
	whole->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (whole->root < 0)
		return -1;
	if (hold_all(whole, policy->read_only, false) < 0 ||
	    hold_all(whole, policy->read_write, true) < 0)
		return -1;
	qsort(whole->named, whole->count, sizeof(*whole->named), by_length);
	whole->step = "read-only root";
	if (make_read_only(whole) < 0)
		return -1;
	whole->step = "private /dev";
	if (mounts_private_dev(whole->root) < 0)
		return -1;
	whole->step = "hidden directories";
	if (policy->covers && cover_all(whole) < 0)
		return -1;
	whole->step = "places of named directories";
	if (make_points(whole) < 0 || (policy->covers && seal_all(whole) < 0) ||
	    show_all(whole) < 0)
		return -1;
	whole->step = "guarding /proc";
	return mounts_guard_proc(whole->root);
}

int whole_enter(const struct sandbox_policy *policy, bool *call_failed, char *why, size_t why_size)
{
	cleanup_free struct whole *whole = calloc(1, sizeof(*whole));
	int result, error;

	if (!whole) {
		snprintf(why, why_size, "memory");
		return -1;
	}
	whole->root = -1;
	result = build(whole, policy);
	/* from the current directory, ".." would lead under the covers */
	if (result == 0)
		result = chdir("/");
	if (result == 0 && policy->directory) {
		whole->path = policy->directory;
		result = chdir(policy->directory);
	}
	error = errno;
	*call_failed = result < 0 && whole->path;
	if (result < 0)
		snprintf(why, why_size, "%.150s: %s", whole->path ? whole->path : whole->step,
		    strerror(error));
	for (size_t i = 0; i < whole->count; i++)
		close(whole->named[i].tree);
	cleanup_close(&whole->root);
	errno = error;
	return result;
}
