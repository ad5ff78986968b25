/*
 * Makes namespaces with clone(2) and sets them up from inside. Must never leave one half made, so
 * every function reports its failure.
 */
#include "sandbox/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define PIDS_MIN    301u /* the kernel's own minimum */
#define PIDS_ENOUGH (1u << 22)

pid_t ns_fork(uint64_t flags, int *pidfd)
{
	/* The raw call, because clone(3) needs a stack and a function; without a stack, the child
	 * uses a copy of ours, as with fork. */
	return (pid_t)syscall(
	    SYS_clone, (unsigned long)flags | CLONE_PIDFD | SIGCHLD, NULL, pidfd, NULL, 0UL);
}

static int write_file(const char *path, const char *text)
{
	cleanup_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t length = strlen(text);

	if (fd < 0)
		return -1;
	return write(fd, text, length) == (ssize_t)length ? 0 : -1;
}

int ns_map_ids(uid_t uid, gid_t gid)
{
	char map[64];

	/* If the process is not dumpable, its files in /proc belong to root, and could not be
	 * written. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -1;
	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	if (write_file("/proc/self/uid_map", map) < 0)
		return -1;
	/* Without this the kernel refuses a group map from an unprivileged process. */
	if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
		return -1;
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", map);
}

int ns_forbid_nesting(void)
{
	return write_file("/proc/sys/user/max_user_namespaces", "0");
}

static bool has_own_pid_max(void)
{
	struct utsname kernel;
	long major, minor;
	char *end;

	if (uname(&kernel) < 0)
		return false;
	major = strtol(kernel.release, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	return major > 6 || (major == 6 && minor >= 14);
}

void ns_limit_processes(unsigned max)
{
	char text[16];

	if (!max || !has_own_pid_max())
		return;
	/* the kernel needs some for itself, depending on the number of processors, and refuses less
	 */
	for (unsigned room = max < PIDS_MIN ? PIDS_MIN : max; room < PIDS_ENOUGH; room *= 2) {
		snprintf(text, sizeof(text), "%u", room);
		if (write_file("/proc/sys/kernel/pid_max", text) == 0)
			return;
	}
}

int ns_loopback_up(void)
{
	cleanup_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo"};

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -1;
	request.ifr_flags |= IFF_UP | IFF_RUNNING;
	return ioctl(fd, SIOCSIFFLAGS, &request);
}
