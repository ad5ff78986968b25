/*
 * The confined view of the file system. What is to stay visible is taken hold of first
 * (open_tree), then everything becomes read-only, homes and secrets are covered, and what was held
 * is put on top. Must never change anything outside its own mount namespace.
 */
#include "sandbox/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/policy.h"

#define NAMED_MAX 512 /* directories and entries of the home that stay visible */

/* Bounds of what is only memory: a program that fills its /tmp fills nobody else's. */
#define COVER_OPTIONS "size=1m,nr_inodes=4096,mode=755"
#define TMP_OPTIONS   "size=1g,nr_inodes=65536,mode=1777"

/* A tree held by a descriptor, and where it is to appear. */
struct named {
	char *path;
	int tree;
	bool writable, is_directory;
};

struct view {
	struct named named[NAMED_MAX];
	size_t count;
	const char *home; /* of the user, NULL: none */
	const char *step; /* for the error */
};

static const char *const private_tmp[] = {"/tmp", "/var/tmp", NULL};

int mounts_fresh_proc(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static int set_attributes(int fd, const char *path, unsigned flags, uint64_t set, uint64_t clear)
{
	struct mount_attr attributes = {.attr_set = set, .attr_clr = clear};

	return mount_setattr(fd, path, flags, &attributes, sizeof(attributes));
}

/* Nothing to hide, nothing to show: no such file. */
static bool is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES;
}

static int hold(struct view *view, const char *path, bool writable)
{
	cleanup_free char *real = realpath(path, NULL);
	struct stat status;
	int tree;

	if (!real)
		return is_absent(errno) ? 0 : -1;
	if (strcmp(real, "/") == 0) /* the whole view lies on it: nothing to put on top */
		return 0;
	if (view->count == NAMED_MAX) {
		errno = E2BIG;
		return -1;
	}
	tree = open_tree(AT_FDCWD, real, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (tree < 0)
		return is_absent(errno) ? 0 : -1;
	if (fstat(tree, &status) < 0) {
		close(tree);
		return -1;
	}
	view->named[view->count++] = (struct named){.path = steal_pointer(&real),
	    .tree = tree,
	    .writable = writable,
	    .is_directory = S_ISDIR(status.st_mode)};
	return 0;
}

static int hold_all(struct view *view, const char *const *paths, bool writable)
{
	for (; paths && *paths; paths++)
		if (hold(view, *paths, writable) < 0)
			return -1;
	return 0;
}

/* Keys, tokens and settings of programs begin with a dot; work does not. */
static int hold_home(struct view *view)
{
	DIR *home = view->home ? opendir(view->home) : NULL;
	char path[PATH_MAX];
	struct dirent *entry;
	int result = 0;

	while (home && result == 0 && (entry = readdir(home))) {
		if (entry->d_name[0] == '.' || entry->d_type == DT_LNK)
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", view->home, entry->d_name) >=
		    sizeof(path))
			continue;
		/* The named ones must fit too, so a full home shows what fits. */
		if (view->count >= NAMED_MAX / 2)
			break;
		result = hold(view, path, false);
	}
	if (home)
		closedir(home);
	return result;
}

/* The worker and its library, wherever the server was installed. */
static int hold_programs(struct view *view)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (length < 0)
		return -1;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	if (strlcat(path, "/../libexec/rr-warden", sizeof(path)) >= sizeof(path))
		return 0;
	return hold(view, path, false);
}

static int by_length(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	size_t left_length = strlen(left->path), right_length = strlen(right->path);

	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return (int)left->writable - (int)right->writable;
}

/* Creates the directories of a path, and at its end one more or a file, where they are missing. */
static int make_mount_point(const char *path, bool is_directory)
{
	char part[PATH_MAX];
	struct stat status;

	if (stat(path, &status) == 0)
		return 0;
	for (size_t i = 1; i < sizeof(part) && path[i]; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST && errno != EROFS)
			return -1;
	}
	if (is_directory)
		return mkdir(path, 0755);
	return mknod(path, S_IFREG | 0644, 0);
}

static int show(const struct named *named)
{
	uint64_t set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

	if (!named->writable)
		set |= MOUNT_ATTR_RDONLY;
	if (set_attributes(named->tree, "", AT_EMPTY_PATH | AT_RECURSIVE, set, 0) < 0)
		return -1;
	return move_mount(named->tree, "", AT_FDCWD, named->path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* All of them before the first is put in place: a cover below may be sealed then. */
static int make_mount_points(const struct view *view)
{
	for (size_t i = 0; i < view->count; i++)
		if (make_mount_point(view->named[i].path, view->named[i].is_directory) < 0)
			return -1;
	return 0;
}

static int show_all(struct view *view)
{
	qsort(view->named, view->count, sizeof(*view->named), by_length);
	for (size_t i = 0; i < view->count; i++)
		if (show(&view->named[i]) < 0)
			return -1;
	return 0;
}

/* An empty directory over a directory, an empty file over a file; a link leads to either. */
static int cover(const char *path)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return is_absent(errno) ? 0 : -1;
	if (S_ISLNK(status.st_mode))
		return 0;
	if (S_ISDIR(status.st_mode))
		return mount(
		    "none", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, COVER_OPTIONS);
	return mount("/dev/null", path, NULL, MS_BIND, NULL);
}

static int cover_all(const struct view *view)
{
	for (const char *const *path = hidden_paths; *path; path++)
		if (cover(*path) < 0)
			return -1;
	return view->home ? cover(view->home) : 0;
}

/* The mount points are made: from now on nobody writes into the covers, while what is named is not
 * in place yet. */
static int seal(const char *path)
{
	struct stat status;

	if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode))
		return 0;
	/* EINVAL: no cover, since another lies over it (a home in /tmp) */
	if (set_attributes(AT_FDCWD, path, 0, MOUNT_ATTR_RDONLY, 0) < 0 && errno != EINVAL)
		return -1;
	return 0;
}

static int seal_all(const struct view *view)
{
	for (const char *const *path = hidden_paths; *path; path++)
		if (seal(*path) < 0)
			return -1;
	return view->home ? seal(view->home) : 0;
}

static int make_private_tmp(void)
{
	struct stat status;

	for (const char *const *path = private_tmp; *path; path++)
		if (stat(*path, &status) == 0 &&
		    mount("none", *path, "tmpfs", MS_NOSUID | MS_NODEV, TMP_OPTIONS) < 0)
			return -1;
	return 0;
}

/* Terminals are made where the kernel lets us, for programs that ask for one. */
static int fill_dev(void)
{
	if (mkdir("/dev/shm", 0777) < 0 || mkdir("/dev/pts", 0755) < 0 ||
	    symlink("/proc/self/fd", "/dev/fd") < 0 || symlink("fd/0", "/dev/stdin") < 0 ||
	    symlink("fd/1", "/dev/stdout") < 0 || symlink("fd/2", "/dev/stderr") < 0 ||
	    symlink("pts/ptmx", "/dev/ptmx") < 0)
		return -1;
	(void)mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
	    "newinstance,ptmxmode=0666,mode=600");
	return mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, TMP_OPTIONS);
}

/* As uid 0 the disks' nodes would open without any capability: only harmless ones are there. */
static int make_private_dev(void)
{
	int trees[16], result = 0;
	size_t count = 0;

	for (; count < 16 && devices[count]; count++)
		trees[count] =
		    open_tree(AT_FDCWD, devices[count], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (mount("none", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, COVER_OPTIONS) < 0)
		result = -1;
	for (size_t i = 0; i < count; i++) {
		if (trees[i] < 0)
			continue;
		/* the pass over / has made them read-only and no devices */
		if (result == 0 && (set_attributes(trees[i], "", AT_EMPTY_PATH,
					MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
					MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV) < 0 ||
				       mknod(devices[i], S_IFREG | 0666, 0) < 0 ||
				       move_mount(trees[i], "", AT_FDCWD, devices[i],
					   MOVE_MOUNT_F_EMPTY_PATH) < 0))
			result = -1;
		close(trees[i]);
	}
	if (result == 0)
		result = fill_dev();
	return result == 0 ? set_attributes(AT_FDCWD, "/dev", 0, MOUNT_ATTR_RDONLY, 0) : -1;
}

static int make_read_only(void)
{
	return set_attributes(AT_FDCWD, "/", AT_RECURSIVE,
	    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0);
}

/* rr writes its tracees' memory through /proc; the rest of it stays as it is. */
static int guard_proc(void)
{
	struct stat status;

	if (set_attributes(AT_FDCWD, "/proc", 0, 0, MOUNT_ATTR_RDONLY) < 0)
		return 0; /* a container's read-only /proc: rr falls back to ptrace */
	for (const char *const *path = proc_read_only; *path; path++) {
		if (stat(*path, &status) < 0)
			continue;
		if (mount(*path, *path, NULL, MS_BIND, NULL) < 0 ||
		    set_attributes(AT_FDCWD, *path, 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0) <
			0)
			return -1;
	}
	return 0;
}

/* The user's home where it lies elsewhere than under /home. */
static const char *home_of_user(void)
{
	const char *home = getenv("HOME");
	struct stat status;

	if (!home || home[0] != '/' || strcmp(home, "/") == 0 || stat(home, &status) < 0 ||
	    !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
		return NULL;
	return home;
}

static int hold_what_stays(struct view *view, const struct sandbox_settings *settings)
{
	if (settings->show_home && hold_home(view) < 0)
		return -1;
	if (hold_programs(view) < 0 || hold_all(view, settings->read_only, false) < 0)
		return -1;
	return hold_all(view, settings->read_write, true);
}

static int build(struct view *view, const struct sandbox_settings *settings)
{
	view->step = "propagation";
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	view->step = "named directories";
	if (hold_what_stays(view, settings) < 0)
		return -1;
	view->step = "read-only root";
	if (make_read_only() < 0)
		return -1;
	view->step = "private /dev";
	if (make_private_dev() < 0)
		return -1;
	view->step = "hidden directories";
	if (cover_all(view) < 0)
		return -1;
	view->step = "private /tmp";
	if (make_private_tmp() < 0)
		return -1;
	view->step = "named directories' places";
	if (make_mount_points(view) < 0)
		return -1;
	view->step = "sealing";
	if (seal_all(view) < 0)
		return -1;
	view->step = "named directories";
	if (show_all(view) < 0)
		return -1;
	view->step = "guarding /proc";
	return guard_proc();
}

/* From where we stand ".." would lead under the covers. */
static int leave_old_directory(struct view *view)
{
	cleanup_free char *here = getcwd(NULL, 0);

	view->step = "working directory";
	if (chdir("/") < 0)
		return -1;
	if (here && here[0] == '/')
		(void)!chdir(here);
	return 0;
}

int mounts_enter(const struct sandbox_settings *settings, char *why, size_t why_size)
{
	cleanup_free struct view *view = calloc(1, sizeof(*view));
	int result, error;

	if (!view) {
		snprintf(why, why_size, "memory");
		return -1;
	}
	view->home = home_of_user();
	result = build(view, settings);
	if (result == 0)
		result = leave_old_directory(view);
	error = errno;
	if (result < 0)
		snprintf(why, why_size, "%s: %s", view->step, strerror(error));
	for (size_t i = 0; i < view->count; i++) {
		close(view->named[i].tree);
		free(view->named[i].path);
	}
	errno = error;
	return result;
}
