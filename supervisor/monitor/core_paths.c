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
#include "supervisor/monitor/named.h"
#include "supervisor/monitor/program_paths.h"
#include "supervisor/monitor/trace_paths.h"

static int add_core(struct composition *composition, const struct sandbox_policy *policy, char *why,
    size_t why_size)
{
	struct named named = {
	    composition, "core file", composition->names[LAUNCH_CORE], "", why, why_size};
	unsigned char begin[CORE_BEGINNING];
	char reason[CORE_WHY_MAX];
	const char *unpacker;
	struct stat status = {0};
	int followed = named_follow(&named);
	cleanup_fd int fd = -1, unpacked = -1;
	ssize_t length;

	if (followed <= 0)
		return followed;
	if (named_check_hidden(&named) < 0 || (fd = named_open(&named, "a core file", &status)) < 0)
		return -1;
	length = pread(fd, begin, sizeof(begin), 0);
	if (length < 0)
		return named_fail(&named, EINVAL, strerror(errno));
	unpacker = core_unpacker(core_packing(begin, (size_t)length));
	if (!unpacker && !core_file_is(begin, (size_t)length, reason))
		return named_fail(&named, EINVAL, reason);
	if (visible_paths_add(&composition->visible, VISIBLE_READ, named.real) < 0)
		return named_fail(&named, errno, strerror(errno));
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
	int followed = named_follow(&named);

	if (followed <= 0)
		return followed;
	if (named_check_hidden(&named) < 0)
		return -1;
	if (!program_paths_add_named(composition, named.real))
		return named_fail(&named, EINVAL, "it is not a program that this user can read");
	log_audit_path(named.what, named.real, "granted");
	return 0;
}

static int add_sysroot(struct composition *composition, char *why, size_t why_size)
{
	struct named named = {
	    composition, "sysroot", composition->names[LAUNCH_SYSROOT], "", why, why_size};
	char home[PATH_MAX], rule[PATH_MAX], text[PATH_MAX];
	struct grantee grantee = named_grantee(home);
	const char *remedy = "";
	int followed = named_follow(&named);
	struct stat status;

	if (followed <= 0 || strcmp(named.real, "/") == 0)
		return followed < 0 ? -1 : 0;
	if (lstat(named.real, &status) < 0 || !S_ISDIR(status.st_mode))
		return named_fail(&named, EINVAL, "it is not a directory");
	if (grant_directory(&grantee, named.real, rule, &remedy) == GRANT_REFUSED) {
		snprintf(text, sizeof(text), "%.120s; %.120s", rule, remedy);
		return named_refuse(&named, text);
	}
	if (visible_paths_add(&composition->visible, VISIBLE_READ, named.real) < 0)
		return named_fail(&named, errno, strerror(errno));
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
