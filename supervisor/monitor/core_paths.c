/*
 * See core_paths.h. A core file holds the memory of a process, and a call may name any path: so
 * only what begins as one is shown, as one file, where the settings allow traces. Must never wait
 * for a pipe or a device, and never show a directory but a root that grant.c has judged.
 */
#include "supervisor/monitor/core_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/core/core_file.h"
#include "sandbox/log.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/core_beginning.h"
#include "supervisor/monitor/grant.h"
#include "supervisor/monitor/program_paths.h"
#include "supervisor/monitor/trace_paths.h"

/* What a call names: how the audit and the client's error call it. */
struct named {
	struct composition *composition;
	const char *what;
	const char *name;    /* as the client wrote it */
	char real[PATH_MAX]; /* links resolved */
	char *why;
	size_t why_size;
};

static int fail(const struct named *named, int error, const char *reason)
{
	snprintf(named->why, named->why_size, "%s %.150s: %s", named->what, named->name, reason);
	errno = error;
	return -1;
}

static int refuse(const struct named *named, const char *rule)
{
	char result[PATH_MAX + 16];

	snprintf(result, sizeof(result), "refused: %.300s", rule);
	log_audit_path(named->what, named->real, result);
	return fail(named, EPERM, rule);
}

/* Where a name of the call leads: 1; 0 if it names nothing; -1. */
static int follow(struct named *named)
{
	char path[PATH_MAX];

	if (!named->name[0])
		return 0;
	if (trace_paths_absolute(named->composition, named->name, path, sizeof(path)) < 0)
		return fail(named, ENAMETOOLONG, strerror(ENAMETOOLONG));
	if (visible_paths_follow(&named->composition->visible, path, false, named->real) < 0)
		return fail(named, errno == EACCES ? EPERM : errno,
		    errno == EPERM ? "nothing in /proc, /sys or /dev can be named here"
				   : strerror(errno));
	if (!trace_paths_may_be_here(named->composition, named->real))
		return refuse(named, "it must be below the server's trace roots (--trace-root)");
	return 1;
}

static struct grantee grantee_of_call(char home[PATH_MAX])
{
	const char *name = getenv("HOME");
	bool is_root = geteuid() == 0;

	if (!name || name[0] != '/' || visible_paths_follow(NULL, name, false, home) < 0 ||
	    !grant_is_home(home, is_root))
		*home = '\0';
	return (struct grantee){.home = home, .is_root = is_root, .by_call = true};
}

static int check_hidden(const struct named *named)
{
	char home[PATH_MAX], rule[PATH_MAX], text[PATH_MAX];
	struct grantee grantee = grantee_of_call(home);
	const char *remedy = "";

	if (grant_program(&grantee, named->real, rule, &remedy))
		return 0;
	snprintf(
	    text, sizeof(text), "%.120s; copy it elsewhere: no option uncovers this place", rule);
	return refuse(named, text);
}

/* A regular file that the user owns, or that the administrator or everybody lets him read. */
static int open_core(const struct named *named, struct stat *status)
{
	cleanup_fd int fd =
	    open(named->real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return fail(named, errno == EACCES ? EPERM : errno, strerror(errno));
	if (fstat(fd, status) < 0 || !S_ISREG(status->st_mode))
		return fail(named, EINVAL,
		    S_ISDIR(status->st_mode)
			? "it is a directory, not a core file"
			: "it is no regular file, so it cannot be a core file");
	if (status->st_uid != geteuid() && status->st_uid != 0 && !(status->st_mode & S_IROTH))
		return refuse(named, "it belongs to somebody else");
	return steal_fd(&fd);
}

static int add_core(struct composition *composition, const struct sandbox_policy *policy, char *why,
    size_t why_size)
{
	struct named named = {
	    composition, "core file", composition->names[LAUNCH_CORE], "", why, why_size};
	unsigned char begin[CORE_BEGINNING];
	char reason[CORE_WHY_MAX];
	const char *unpacker;
	struct stat status = {0};
	int followed = follow(&named);
	cleanup_fd int fd = -1, unpacked = -1;
	ssize_t length;

	if (followed <= 0)
		return followed;
	if (check_hidden(&named) < 0 || (fd = open_core(&named, &status)) < 0)
		return -1;
	length = pread(fd, begin, sizeof(begin), 0);
	if (length < 0)
		return fail(&named, EINVAL, strerror(errno));
	unpacker = core_unpacker(core_packing(begin, (size_t)length));
	if (!unpacker && !core_file_is(begin, (size_t)length, reason))
		return fail(&named, EINVAL, reason);
	if (visible_paths_add(&composition->visible, VISIBLE_READ, named.real) < 0)
		return fail(&named, errno, strerror(errno));
	log_audit_path(named.what, named.real, "granted");
	if (unpacker)
		unpacked = core_beginning_unpack(fd, unpacker, policy);
	if (!unpacker || unpacked >= 0)
		program_paths_add_mapped(composition, unpacker ? unpacked : fd, policy);
	return 0;
}

static int add_program(struct composition *composition, char *why, size_t why_size)
{
	struct named named = {
	    composition, "program", composition->names[LAUNCH_EXECUTABLE], "", why, why_size};
	int followed = follow(&named);

	if (followed <= 0)
		return followed;
	if (check_hidden(&named) < 0)
		return -1;
	if (!program_paths_add_named(composition, named.real))
		return fail(&named, EINVAL, "it is not a program that this user can read");
	log_audit_path(named.what, named.real, "granted");
	return 0;
}

static int add_sysroot(struct composition *composition, char *why, size_t why_size)
{
	struct named named = {
	    composition, "sysroot", composition->names[LAUNCH_SYSROOT], "", why, why_size};
	char home[PATH_MAX], rule[PATH_MAX], text[PATH_MAX];
	struct grantee grantee = grantee_of_call(home);
	const char *remedy = "";
	int followed = follow(&named);
	struct stat status;

	if (followed <= 0 || strcmp(named.real, "/") == 0)
		return followed < 0 ? -1 : 0;
	if (lstat(named.real, &status) < 0 || !S_ISDIR(status.st_mode))
		return fail(&named, EINVAL, "it is not a directory");
	if (grant_directory(&grantee, named.real, rule, &remedy) == GRANT_REFUSED) {
		snprintf(text, sizeof(text), "%.120s; %.120s", rule, remedy);
		return refuse(&named, text);
	}
	if (visible_paths_add(&composition->visible, VISIBLE_READ, named.real) < 0)
		return fail(&named, errno, strerror(errno));
	log_audit_path(named.what, named.real, "granted");
	return 0;
}

int core_paths_add(struct composition *composition, const struct sandbox_policy *policy, char *why,
    size_t why_size)
{
	source_homes_find(&composition->homes);
	return add_sysroot(composition, why, why_size) < 0 ||
		       add_program(composition, why, why_size) < 0 ||
		       add_core(composition, policy, why, why_size) < 0
		   ? -1
		   : 0;
}
