#ifndef SANDBOX_MOUNTS_H
#define SANDBOX_MOUNTS_H
/*
 * Functions for mounts in a fresh mount namespace. All work on descriptors and follow no links.
 * Each returns 0 or a descriptor, or -1 with errno.
 */
#include <stdbool.h>
#include <stdint.h>

/* Limits on file systems in memory: a program that fills its /tmp does not fill anybody else's. */
#define MOUNTS_EMPTY_OPTIONS "size=1m,nr_inodes=4096,mode=755"
#define MOUNTS_TMP_OPTIONS   "size=1g,nr_inodes=65536,mode=1777"

/* Nothing that happens here reaches the machine's mounts. */
int mounts_make_private(void);

/* Mounts /proc of a fresh pid namespace. Must come first, because the kernel requires an uncovered
 * /proc. */
int mounts_fresh_proc(void);

/* A copy of the mounts at an absolute path in which no component is a link, with what is mounted
 * below it, attached to nothing. */
int mounts_hold(const char *path);

/* Makes a held copy nosuid and nodev, and read-only unless `writable`. */
int mounts_seal(int tree, bool writable);

/* Sets MOUNT_ATTR_* of the mount at a descriptor and a path below it ("" is itself). */
int mounts_set(int fd, const char *path, unsigned flags, uint64_t set, uint64_t clear);

/* Attaches a held copy at `path`, relative to the directory `root`; "." is not taken. */
int mounts_show(int tree, int root, const char *path);

/* A new tmpfs, attached to nothing. */
int mounts_memory(const char *options, uint64_t attributes);

/* The same, attached at `path` relative to `root`. */
int mounts_cover(int root, const char *path, const char *options);

/* Makes the directories down to `path`, relative to `root`, and at its end a directory or an empty
 * file. */
int mounts_make_point(int root, const char *path, bool is_directory);

/* Makes a link at this absolute path below `root`, and the directories down to it. Something that
 * is there already stays. */
int mounts_make_link(int root, const char *path, const char *target);

/* A private /dev at root/dev, with harmless devices (see roles.h), pts and shm. */
int mounts_private_dev(int root);

/* Private /tmp and /var/tmp below `root`, where these directories exist. */
int mounts_private_tmp(int root);

/* Makes the parts of root/proc read-only that a process of uid 0 could change. */
int mounts_guard_proc(int root);

#endif
