/*
 * See named.h. Must never wait for a pipe or a device, and never read what a file holds.
 */
#include "supervisor/monitor/named.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/grant.h"
#include "supervisor/monitor/trace_paths.h"

int named_fail(const struct named *named, int error, const char *reason)
{
	snprintf(named->why, named->why_size, "%s %.150s: %s", named->what, named->name, reason);
	errno = error;
	return -1;
}

int named_refuse(const struct named *named, const char *rule)
{
	char result[PATH_MAX + 16];

	snprintf(result, sizeof(result), "refused: %.300s", rule);
	log_audit_path(named->what, named->real, result);
	return named_fail(named, EPERM, rule);
}

int named_follow(struct named *named)
{
	char path[PATH_MAX];

	if (!named->name[0])
		return 0;
	if (trace_paths_absolute(named->composition, named->name, path, sizeof(path)) < 0)
		return named_fail(named, ENAMETOOLONG, strerror(ENAMETOOLONG));
	if (visible_paths_follow(&named->composition->visible, path, false, named->real) < 0)
		return named_fail(named, errno == EACCES ? EPERM : errno,
		    errno == EPERM ? "nothing in /proc, /sys or /dev can be named here"
				   : strerror(errno));
	if (!trace_paths_may_be_here(named->composition, named->real))
		return named_refuse(
		    named, "it must be below the server's trace roots (--trace-root)");
	return 1;
}

struct grantee named_grantee(char home[PATH_MAX])
{
	const char *name = getenv("HOME");
	bool is_root = geteuid() == 0;

	if (!name || name[0] != '/' || visible_paths_follow(NULL, name, false, home) < 0 ||
	    !grant_is_home(home, is_root))
		*home = '\0';
	return (struct grantee){.home = home, .is_root = is_root, .by_call = true};
}

int named_check_hidden(const struct named *named)
{
	char home[PATH_MAX], rule[PATH_MAX], text[PATH_MAX];
	struct grantee grantee = named_grantee(home);
	const char *remedy = "";

	if (grant_program(&grantee, named->real, rule, &remedy))
		return 0;
	snprintf(
	    text, sizeof(text), "%.120s; copy it elsewhere: no option uncovers this place", rule);
	return named_refuse(named, text);
}

int named_open(const struct named *named, const char *kind, struct stat *status)
{
	cleanup_fd int fd =
	    open(named->real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char text[128];

	if (fd < 0)
		return named_fail(named, errno == EACCES ? EPERM : errno, strerror(errno));
	if (fstat(fd, status) < 0 || !S_ISREG(status->st_mode)) {
		snprintf(text, sizeof(text),
		    S_ISDIR(status->st_mode) ? "it is a directory, not %s"
					     : "it is no regular file, so it cannot be %s",
		    kind);
		return named_fail(named, EINVAL, text);
	}
	if (status->st_uid != geteuid() && status->st_uid != 0 && !(status->st_mode & S_IROTH))
		return named_refuse(named, "it belongs to somebody else");
	return steal_fd(&fd);
}
