/*
 * See mounts.h. Must never change anything outside its own mount namespace, and never follow a link
 * that it has not made itself.
 */
#include "sandbox/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/roles.h"

#define DEVICES_MAX 16
#define STRICT	    (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

static int open_strictly(int at, const char *path, uint64_t more)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = STRICT | more};

	return (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
}

int mounts_make_private(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int mounts_fresh_proc(void)
{
	if (mounts_make_private() < 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int mounts_hold(const char *path)
{
	cleanup_fd int fd = open_strictly(AT_FDCWD, path, 0);

	if (fd < 0)
		return -1;
	return open_tree(
	    fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
}

int mounts_set(int fd, const char *path, unsigned flags, uint64_t set, uint64_t clear)
{
	struct mount_attr attributes = {.attr_set = set, .attr_clr = clear};

	return mount_setattr(fd, path, flags, &attributes, sizeof(attributes));
}

int mounts_seal(int tree, bool writable)
{
	uint64_t set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

	return mounts_set(
	    tree, "", AT_EMPTY_PATH | AT_RECURSIVE, set | (writable ? 0 : MOUNT_ATTR_RDONLY), 0);
}

int mounts_show(int tree, int root, const char *path)
{
	cleanup_fd int point = open_strictly(root, path, RESOLVE_BENEATH);

	if (point < 0)
		return -1;
	return move_mount(tree, "", point, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* "key=value,key=value" */
static int configure(int context, const char *options)
{
	char text[256], *rest = text;

	if (strlcpy(text, options, sizeof(text)) >= sizeof(text)) {
		errno = EINVAL;
		return -1;
	}
	for (char *key; (key = strsep(&rest, ","));) {
		char *value = strchr(key, '=');
		*value++ = '\0';
		if (fsconfig(context, FSCONFIG_SET_STRING, key, value, 0) < 0)
			return -1;
	}
	return fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

int mounts_memory(const char *options, uint64_t attributes)
{
	cleanup_fd int context = fsopen("tmpfs", FSOPEN_CLOEXEC);

	if (context < 0 || configure(context, options) < 0)
		return -1;
	return fsmount(context, FSMOUNT_CLOEXEC,
	    (unsigned)(attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
}

int mounts_cover(int root, const char *path, const char *options)
{
	cleanup_fd int memory = mounts_memory(options, 0);

	return memory < 0 ? -1 : mounts_show(memory, root, path);
}

int mounts_make_point(int root, const char *path, bool is_directory)
{
	char part[PATH_MAX];
	struct stat status;

	if (fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	for (size_t i = 1; i < sizeof(part) && path[i]; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdirat(root, part, 0755) < 0 && errno != EEXIST && errno != EROFS)
			return -1;
	}
	if (is_directory)
		return mkdirat(root, path, 0755) < 0 && errno != EEXIST ? -1 : 0;
	return mknodat(root, path, S_IFREG | 0644, 0) < 0 && errno != EEXIST ? -1 : 0;
}

int mounts_make_link(int root, const char *path, const char *target)
{
	char parent[PATH_MAX];
	char *slash;

	if (strlcpy(parent, path + 1, sizeof(parent)) >= sizeof(parent)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	slash = strrchr(parent, '/');
	if (slash) {
		*slash = '\0';
		if (mounts_make_point(root, parent, true) < 0)
			return -1;
	}
	return symlinkat(target, root, path + 1) < 0 && errno != EEXIST ? -1 : 0;
}

/* Makes terminals if the kernel allows it, for programs that ask for one. */
static int fill_dev(int dev)
{
	static const char *const links[][2] = {{"/proc/self/fd", "fd"}, {"fd/0", "stdin"},
	    {"fd/1", "stdout"}, {"fd/2", "stderr"}, {"pts/ptmx", "ptmx"}};
	char pts[64];

	if (mkdirat(dev, "shm", 0777) < 0 || mkdirat(dev, "pts", 0755) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (symlinkat(links[i][0], dev, links[i][1]) < 0)
			return -1;
	snprintf(pts, sizeof(pts), "/proc/self/fd/%d/pts", dev);
	(void)mount(
	    "devpts", pts, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=600");
	return mounts_cover(dev, "shm", MOUNTS_TMP_OPTIONS);
}

static int show_device(int tree, int dev, const char *name)
{
	/* if / was made read-only, this is read-only too, and not a device */
	if (mounts_set(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV) < 0 ||
	    mounts_make_point(dev, name, false) < 0)
		return -1;
	return mounts_show(tree, dev, name);
}

/* Uid 0 could open the disks' nodes without any capability, so only harmless devices are there. */
int mounts_private_dev(int root)
{
	int trees[DEVICES_MAX], result = 0;
	size_t count = 0;

	for (; count < DEVICES_MAX && devices[count]; count++)
		trees[count] = mounts_hold(devices[count]);
	cleanup_fd int dev = mounts_memory(MOUNTS_EMPTY_OPTIONS, MOUNT_ATTR_NOEXEC);
	if (dev < 0 || mounts_show(dev, root, "dev") < 0)
		result = -1;
	for (size_t i = 0; i < count; i++) {
		if (result == 0 && trees[i] >= 0)
			result = show_device(trees[i], dev, strrchr(devices[i], '/') + 1);
		cleanup_close(&trees[i]);
	}
	if (result == 0)
		result = fill_dev(dev);
	return result == 0 ? mounts_set(dev, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, 0) : -1;
}

int mounts_private_tmp(int root)
{
	static const char *const places[] = {"tmp", "var/tmp"};
	struct stat status;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (fstatat(root, places[i], &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(status.st_mode) &&
		    mounts_cover(root, places[i], MOUNTS_TMP_OPTIONS) < 0)
			return -1;
	return 0;
}

/* rr writes its tracees' memory through /proc; the rest of it stays as it is. */
int mounts_guard_proc(int root)
{
	cleanup_fd int proc = open_strictly(root, "proc", RESOLVE_BENEATH);
	struct stat status;

	if (proc < 0)
		return errno == ENOENT ? 0 : -1;
	if (mounts_set(proc, "", AT_EMPTY_PATH, 0, MOUNT_ATTR_RDONLY) < 0)
		return 0; /* a container's read-only /proc: rr falls back to ptrace */
	for (const char *const *name = proc_read_only; *name; name++) {
		if (fstatat(proc, *name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		cleanup_fd int tree =
		    open_tree(proc, *name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
		if (tree < 0 ||
		    mounts_set(tree, "", AT_EMPTY_PATH | AT_RECURSIVE,
			MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0) < 0 ||
		    mounts_show(tree, proc, *name) < 0)
			return -1;
	}
	return 0;
}
