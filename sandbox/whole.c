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
#include "sandbox/held.h"
#include "sandbox/mounts.h"
#include "sandbox/roles.h"

struct whole {
	struct held held;
	int root;
	const char *step; /* for the error */
};

static int hold_all(struct whole *whole, const char *const *paths, bool writable)
{
	for (; paths && *paths; paths++) {
		if (strcmp(*paths, "/") == 0) /* it is the root of the whole view already */
			continue;
		whole->held.path = *paths;
		if (held_add(&whole->held, *paths, writable) < 0)
			return -1;
		whole->held.path = NULL;
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

/* A link of a named path that is under a cover, as a home in /tmp may be one: the worker goes the
 * way that the call named. The machine's own links are seen as they are. */
static int make_links(struct whole *whole, const char *const *links)
{
	struct stat status;

	for (; links && links[0]; links += 2) {
		if (fstatat(whole->root, links[0] + 1, &status, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		whole->held.path = links[0];
		if (mounts_make_link(whole->root, links[0], links[1]) < 0)
			return -1;
		whole->held.path = NULL;
	}
	return 0;
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
	held_sort(&whole->held);
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
	/* The only points that are missing are in covers, which are memory. */
	if (held_make_points(&whole->held, whole->root) < 0 ||
	    (policy->covers && make_links(whole, policy->links) < 0) ||
	    (policy->covers && seal_all(whole) < 0) || held_show(&whole->held, whole->root) < 0)
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
		whole->held.path = policy->directory;
		result = chdir(policy->directory);
	}
	result = held_end(&whole->held, result, whole->step, call_failed, why, why_size);
	error = errno;
	cleanup_close(&whole->root);
	errno = error;
	return result;
}
