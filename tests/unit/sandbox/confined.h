#ifndef TESTS_UNIT_SANDBOX_CONFINED_H
#define TESTS_UNIT_SANDBOX_CONFINED_H
/*
 * A child in new namespaces, and what it can see.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "sandbox/sandbox.h"
#include "tests/unit/sandbox/child.h"

static struct sandbox_policy policy;
static struct sandbox_report report;
static char why[256], folder[] = "/tmp/rr-warden-unit.XXXXXX";
static int pidfd = -1;

static inline void set_up(void)
{
	sandbox_policy_default(&policy);
	memcpy(strrchr(folder, '.') + 1, "XXXXXX", 7);
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
	close(pidfd);
}

/* A child in new namespaces, which must be available. Returns as fork does. */
static inline pid_t confined(enum sandbox_role role)
{
	pid_t child = sandbox_fork(role, &policy, &report, &pidfd, why, sizeof(why));

	ck_assert_msg(child >= 0, "%s", why);
	for (int layer = 0; child > 0 && layer < LAYER_COUNT; layer++)
		ck_assert_msg(report.status[layer] != STATUS_DEGRADED, "%s: %s",
		    sandbox_layer_name((enum sandbox_layer)layer), report.why[layer]);
	return child;
}

static inline bool exists(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

static inline bool is_empty(const char *path)
{
	struct stat status;

	/* an empty directory: . and .. */
	return stat(path, &status) < 0 || (S_ISDIR(status.st_mode) && status.st_nlink == 2);
}

static inline void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0644);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

static inline int creates(const char *directory)
{
	char path[PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/made", directory);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#endif
