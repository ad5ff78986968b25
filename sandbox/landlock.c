/*
 * Makes a Landlock ruleset from a role's rules. It handles all rights that the kernel knows, so
 * what no rule allows is refused. Must never fail open: a right or a path without a possible rule
 * is refused.
 */
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

/* The kernel's interface (linux/landlock.h), complete, because headers are often older than the
 * kernel. */
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1
#define RULE_NET_PORT	       2

struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

struct path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

struct net_port_attr {
	uint64_t allowed_access;
	uint64_t port;
};

#define FS_EXECUTE     (UINT64_C(1) << 0)
#define FS_WRITE_FILE  (UINT64_C(1) << 1)
#define FS_READ_FILE   (UINT64_C(1) << 2)
#define FS_READ_DIR    (UINT64_C(1) << 3)
#define FS_REMOVE_DIR  (UINT64_C(1) << 4)
#define FS_REMOVE_FILE (UINT64_C(1) << 5)
#define FS_MAKE_CHAR   (UINT64_C(1) << 6)
#define FS_MAKE_DIR    (UINT64_C(1) << 7)
#define FS_MAKE_REG    (UINT64_C(1) << 8)
#define FS_MAKE_SOCK   (UINT64_C(1) << 9)
#define FS_MAKE_FIFO   (UINT64_C(1) << 10)
#define FS_MAKE_BLOCK  (UINT64_C(1) << 11)
#define FS_MAKE_SYM    (UINT64_C(1) << 12)
#define FS_REFER       (UINT64_C(1) << 13) /* ABI 2 */
#define FS_TRUNCATE    (UINT64_C(1) << 14) /* ABI 3 */
#define FS_IOCTL_DEV   (UINT64_C(1) << 15) /* ABI 5 */
#define NET_BIND       (UINT64_C(1) << 0)  /* ABI 4 */
#define NET_CONNECT    (UINT64_C(1) << 1)  /* ABI 4 */
#define SCOPE_ABSTRACT (UINT64_C(1) << 0)  /* ABI 6: abstract unix sockets */
#define SCOPE_SIGNAL   (UINT64_C(1) << 1)  /* ABI 6 */

#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_READS    (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define FS_REMOVES  (FS_READ_DIR | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_SYM)
#define FS_CHANGES                                                                                 \
	(FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG |              \
	    FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER | FS_TRUNCATE)

/* What each version of the interface added. */
static const struct {
	int abi;
	uint64_t fs, net, scoped;
} versions[] = {
    {1, FS_MAKE_SYM * 2 - 1, 0, 0},
    {2, FS_REFER, 0, 0},
    {3, FS_TRUNCATE, 0, 0},
    {4, 0, NET_BIND | NET_CONNECT, 0},
    {5, FS_IOCTL_DEV, 0, 0},
    {6, 0, 0, SCOPE_ABSTRACT | SCOPE_SIGNAL},
};

/* What recorded programs expect to be able to write. */
static const char *const temporary[] = {"/tmp", "/var/tmp", NULL};

struct ruleset {
	int fd;
	uint64_t fs, net, scoped; /* handled */
};

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

/* A path that cannot be opened gets no rule, and therefore no access. The kernel refuses rights of
 * directories for files. */
static int allow_at(const struct ruleset *set, int dir, const char *path, uint64_t rights)
{
	cleanup_fd int fd = openat(dir, path, O_PATH | O_CLOEXEC);
	struct path_beneath_attr rule = {.parent_fd = fd};
	struct stat status;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		return -1;
	if (!S_ISDIR(status.st_mode))
		rights &= FS_OF_FILES;
	rule.allowed_access = rights & set->fs;
	if (!rule.allowed_access)
		return 0;
	return (int)syscall(SYS_landlock_add_rule, set->fd, RULE_PATH_BENEATH, &rule, 0);
}

static int allow_all(const struct ruleset *set, const char *const *paths, uint64_t rights)
{
	for (; paths && *paths; paths++)
		if (allow_at(set, AT_FDCWD, *paths, rights) < 0)
			return -1;
	return 0;
}

/*
 * If the role has its view, everything in it, unless the view is for others too; otherwise the same
 * list of system files as in the view. Rules cannot take access away, so what must not be read is
 * left out from the start.
 */
static int allow_system(const struct ruleset *set, const struct sandbox_policy *policy)
{
	const uint64_t device = FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV;

	if (policy->in_view && !policy->lists_only)
		return allow_at(set, AT_FDCWD, "/", FS_READS) < 0
			   ? -1
			   : allow_at(
				 set, AT_FDCWD, "/dev", FS_READS | FS_WRITE_FILE | FS_IOCTL_DEV);
	return allow_all(set, system_view, FS_READS) < 0 ? -1 : allow_all(set, devices, device);
}

/* Tracees' memory is written through /proc/PID/mem. Uid 0 could write other parts of /proc without
 * any capability, which only the view's guard prevents. */
static uint64_t rights_of_proc(const struct role_rules *rules, const struct sandbox_policy *policy)
{
	bool guarded = policy->in_view || geteuid() != 0;

	return FS_READS | (rules->writes_proc && guarded ? FS_WRITE_FILE : 0);
}

/* The worker's directory, and the counter's library that rr loads, even in a home directory or in
 * /tmp. */
static int allow_programs(const struct ruleset *set)
{
	char path[PATH_MAX], *slash;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		return -1;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	*slash = '\0';
	return allow_at(set, AT_FDCWD, path, FS_READS);
}

static int allow_port(const struct ruleset *set, unsigned port, uint64_t rights)
{
	struct net_port_attr rule = {.allowed_access = rights & set->net, .port = port};

	if (!rule.allowed_access)
		return 0;
	return (int)syscall(SYS_landlock_add_rule, set->fd, RULE_NET_PORT, &rule, 0);
}

static void choose_rights(struct ruleset *set, const struct role_rules *rules,
    const struct sandbox_policy *policy, int abi)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions) && versions[i].abi <= abi;
	     i++) {
		set->fs |= versions[i].fs;
		set->net |= versions[i].net;
		set->scoped |= versions[i].scoped;
	}
	if (!rules->keeps_signals)
		set->scoped &= ~SCOPE_SIGNAL;
	/* A recording with its user's network can reach everything that its user can. */
	if (rules->user_network && !policy->own_network)
		set->scoped &= ~SCOPE_ABSTRACT;
	/* Without a port there is no rule for the role's TCP, and only seccomp restricts it. */
	if (rules->binds_port && !policy->tcp_port)
		set->net &= ~NET_BIND;
	if (rules->connects && !policy->tcp_port)
		set->net &= ~NET_CONNECT;
}

/* What the role can use of the system. */
static int allow_role(
    const struct ruleset *set, const struct role_rules *rules, const struct sandbox_policy *policy)
{
	if (allow_system(set, policy) < 0 || allow_programs(set) < 0 ||
	    allow_at(set, AT_FDCWD, "/proc", rights_of_proc(rules, policy)) < 0)
		return -1;
	return rules->writes ? allow_at(set, AT_FDCWD, "/dev/shm", FS_READS | FS_CHANGES) : 0;
}

static int add_rules(
    const struct ruleset *set, const struct role_rules *rules, const struct sandbox_policy *policy)
{
	uint64_t net = (rules->binds_port ? NET_BIND : 0) | (rules->connects ? NET_CONNECT : 0);

	if (rules->reads_system && allow_role(set, rules, policy) < 0)
		return -1;
	if (allow_all(set, policy->read_only, FS_READS) < 0 ||
	    allow_all(set, policy->listed, FS_READ_DIR) < 0 ||
	    allow_all(set, policy->files_only, FS_READ_FILE) < 0)
		return -1;
	if (rules->writes_tmp && allow_all(set, temporary, FS_READS | FS_CHANGES) < 0)
		return -1;
	if (rules->writes && allow_all(set, policy->parents, FS_REMOVES) < 0)
		return -1;
	if (allow_all(set, policy->read_write, FS_READS | (rules->writes ? FS_CHANGES : 0)) < 0)
		return -1;
	return policy->tcp_port && net ? allow_port(set, policy->tcp_port, net) : 0;
}

int landlock_restrict(const struct role_rules *rules, const struct sandbox_policy *policy)
{
	static const size_t sizes[] = {0, 8, 8, 8, 16, 16, 24};
	struct ruleset set = {.fd = -1};
	int abi = landlock_abi(), result = -1;

	if (abi < 1) {
		errno = ENOSYS;
		return -1;
	}
	choose_rights(&set, rules, policy, abi);
	struct ruleset_attr attr = {set.fs, set.net, set.scoped};
	set.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizes[abi < 6 ? abi : 6], 0);
	if (set.fd < 0)
		return -1;
	if (add_rules(&set, rules, policy) == 0)
		result = (int)syscall(SYS_landlock_restrict_self, set.fd, 0);
	close(set.fd);
	return result;
}

int landlock_keep_signals(void)
{
	const struct ruleset_attr attr = {.scoped = SCOPE_SIGNAL};
	cleanup_fd int fd = -1;

	if (landlock_abi() < 6)
		return 0;
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (fd < 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, fd, 0);
}
