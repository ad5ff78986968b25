#ifndef SANDBOX_NS_H
#define SANDBOX_NS_H
/*
 * Namespaces: makes a child in fresh ones, and sets up each of them.
 */
#include <stdint.h>
#include <sys/types.h>

/*
 * fork() into the namespaces of `flags` (CLONE_NEW*), with a CLOEXEC pidfd for the parent. The
 * caller must be single-threaded. -1 with errno.
 */
pid_t ns_fork(uint64_t flags, int *pidfd);

/* In a new user namespace: maps only our own ids, to themselves. 0, or -1 with errno. */
int ns_map_ids(uid_t uid, gid_t gid);

/* Forbids further user namespaces inside ours, because their capabilities open most attacks on the
 * kernel. */
int ns_forbid_nesting(void);

/*
 * In a new pid namespace, while /proc/sys can be written: allows at most `max` processes, also for
 * root, whom RLIMIT_NPROC does not limit. Best effort: before Linux 6.14 that number belongs to the
 * whole machine, and is left alone.
 */
void ns_limit_processes(unsigned max);

/* In a new network namespace: 127.0.0.1 works. 0, or -1 with errno. */
int ns_loopback_up(void);

#endif
