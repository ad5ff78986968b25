/*
 * The allow-list view: a tmpfs gets the mount points and links that are needed, the named trees are
 * put on them, and the old root goes. Must never show a path that neither the policy nor
 * roles_files.c's list of the system name.
 */
#include "sandbox/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/held.h"
#include "sandbox/mounts.h"
#include "sandbox/roles.h"

#define ROOT_OPTIONS "size=4m,nr_inodes=16384,mode=755"

struct view {
	struct held held;
	int root;	  /* the new one */
	const char *step; /* for the error */
};

static bool is_below(const char *path, const char *const *roots)
{
	for (; roots && *roots; roots++) {
		size_t length = strlen(*roots);
		if (strncmp(path, *roots, length) == 0 && path[length] == '/')
			return true;
	}
	return false;
}

/* An entry of a directory whose entries can be removed must not be a mount, because it would be
 * busy. */
static int hold_all(
    struct view *view, const char *const *paths, bool writable, const char *const *parents)
{
	for (; paths && *paths; paths++) {
		if (is_below(*paths, parents))
			continue;
		view->held.path = *paths;
		if (held_add(&view->held, *paths, writable) < 0)
			return -1;
		view->held.path = NULL;
	}
	return 0;
}

/* The existing parts of the system: links such as /bin as links, everything else as a tree. */
static int hold_system(struct view *view)
{
	char target[PATH_MAX];

	for (const char *const *path = system_view; *path; path++) {
		ssize_t length = readlink(*path, target, sizeof(target) - 1);

		if (length > 0) {
			target[length] = '\0';
			if (mounts_make_link(view->root, *path, target) < 0)
				return -1;
		} else if (held_add(&view->held, *path, false) < 0 && errno != ENOENT &&
			   errno != ENOTDIR && errno != EACCES && errno != ELOOP) {
			return -1;
		}
	}
	return 0;
}

static int make_links(struct view *view, const char *const *links)
{
	for (; links && links[0]; links += 2) {
		view->held.path = links[0];
		if (mounts_make_link(view->root, links[0], links[1]) < 0)
			return -1;
		view->held.path = NULL;
	}
	return 0;
}

/* Must come first, because named paths may be in them. */
static int make_own(struct view *view)
{
	static const char *const own[] = {"proc", "dev", "tmp", "var/tmp", NULL};

	for (const char *const *path = own; *path; path++)
		if (mounts_make_point(view->root, *path, true) < 0)
			return -1;
	return mounts_private_tmp(view->root);
}

/* If the tmpfs cannot contain a path, because of a link on its way for instance, the call is
 * wrong. */
static int make_empty(struct view *view, const struct sandbox_policy *policy)
{
	for (const char *const *path = policy->empty; path && *path; path++) {
		view->held.path = *path;
		if ((*path)[1] && mounts_make_point(view->root, *path + 1, true) < 0)
			return -1;
		view->held.path = NULL;
	}
	return 0;
}

static int show_proc(struct view *view)
{
	cleanup_fd int proc = mounts_hold("/proc");

	if (proc < 0 || mounts_show(proc, view->root, "proc") < 0)
		return -1;
	return mounts_guard_proc(view->root);
}

/* The old root is put over the new one and taken away from there. */
static int leave_old_root(struct view *view)
{
	if (fchdir(view->root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0)
		return -1;
	return chdir("/");
}

static int build(struct view *view, const struct sandbox_policy *policy)
{
	view->step = "propagation";
	if (mounts_make_private() < 0)
		return -1;
	view->step = "new root";
	view->root = mounts_memory(ROOT_OPTIONS, 0);
	/* over the old root, which stays reachable by its path until the end */
	if (view->root < 0 ||
	    move_mount(view->root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -1;
	view->step = "system";
	if (hold_system(view) < 0)
		return -1;
	view->step = "private directories";
	if (make_own(view) < 0)
		return -1;
	view->step = "links";
	if (make_links(view, policy->links) < 0)
		return -1;
	view->step = "named paths";
	if (hold_all(view, policy->read_only, false, NULL) < 0 ||
	    hold_all(view, policy->parents, true, NULL) < 0 ||
	    hold_all(view, policy->read_write, true, policy->parents) < 0 ||
	    make_empty(view, policy) < 0)
		return -1;
	view->step = "places of named paths";
	held_sort(&view->held);
	if (held_make_points(&view->held, view->root) < 0 || held_show(&view->held, view->root) < 0)
		return -1;
	view->step = "/proc";
	if (show_proc(view) < 0)
		return -1;
	view->step = "private /dev";
	if (mounts_private_dev(view->root) < 0)
		return -1;
	view->step = "read-only root";
	if (mounts_set(view->root, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, 0) < 0)
		return -1;
	view->step = "old root";
	return leave_old_root(view);
}

int view_enter(const struct sandbox_policy *policy, bool *call_failed, char *why, size_t why_size)
{
	cleanup_free struct view *view = calloc(1, sizeof(*view));
	int result, error;

	if (!view) {
		snprintf(why, why_size, "memory");
		return -1;
	}
	view->root = -1;
	result = build(view, policy);
	if (result == 0 && policy->directory) {
		view->step = view->held.path = policy->directory;
		result = chdir(policy->directory);
	}
	result = held_end(&view->held, result, view->step, call_failed, why, why_size);
	error = errno;
	cleanup_close(&view->root);
	errno = error;
	return result;
}
