#ifndef SANDBOX_NS_H
#define SANDBOX_NS_H
/*
 * Namespaces: a child in fresh ones, and what each needs before it is of use.
 */
#include <stdint.h>
#include <sys/types.h>

/*
 * fork() into the namespaces of `flags` (CLONE_NEW*), with a CLOEXEC pidfd for the parent. The
 * caller must be single-threaded. -1 with errno.
 */
pid_t ns_fork(uint64_t flags, int *pidfd);

/* In a new user namespace: we are who we were, and nobody else exists. 0, or -1 with errno. */
int ns_map_ids(uid_t uid, gid_t gid);

/* No further user namespaces below ours: their capabilities are the widest road into a kernel. */
int ns_forbid_nesting(void);

/*
 * In a new pid namespace, while /proc/sys can be written: no more than `max` processes at once, be
 * they root's, whom RLIMIT_NPROC does not bind. Best effort: before Linux 6.14 that number is the
 * whole machine's, and is left alone.
 */
void ns_limit_processes(unsigned max);

/* In a new network namespace: 127.0.0.1 works. 0, or -1 with errno. */
int ns_loopback_up(void);

#endif
