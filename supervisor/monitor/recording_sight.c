/*
 * See recording_sight.h. Recording runs the program for its user, so unless an administrator
 * restricts it, the program can write where its user works. A directory that a call names must
 * never uncover what is hidden from the program.
 */
#include "supervisor/monitor/recording_sight.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/trace_sight.h"

static int refuse(const char *path, int error, char *why, size_t why_size)
{
	snprintf(why, why_size, "%.180s: %s", path,
	    error == EPERM ? "programs cannot be recorded in /proc, /sys or /dev"
			   : strerror(error));
	errno = error;
	return -1;
}

/* A directory that the call names. If it does not exist, the worker reports that. */
static int add_named(struct composition *composition, enum sight_list list, const char *name,
    bool parent, char *why, size_t why_size)
{
	char path[PATH_MAX], real[PATH_MAX];

	if (!*name || trace_sight_absolute(composition, name, path, sizeof(path)) < 0)
		return 0;
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	if (parent)
		*strrchr(path, '/') = '\0';
	if (sight_follow(&composition->sight, *path ? path : "/", false, real) < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES
			   ? 0
			   : refuse(path, errno, why, why_size);
	if (strcmp(real, "/") != 0)
		sight_offer(&composition->sight, list, real);
	return 0;
}

static void offer_all(struct composition *composition, enum sight_list list, enum setting setting)
{
	for (const char *const *item = settings_list(composition->settings, setting); *item; item++)
		sight_offer(&composition->sight, list, *item);
}

int recording_sight_add(
    struct composition *composition, struct sandbox_policy *policy, char *why, size_t why_size)
{
	const char *const *names = composition->names;
	bool bounded = settings_list(composition->settings, SETTING_ROOTS)[0] != NULL;
	const char *home = getenv("HOME");

	/* For root, more than the user's own files must be hidden from a program. */
	policy->covers = bounded || geteuid() == 0;
	if (access(composition->paths->here, X_OK) == 0)
		policy->directory = composition->paths->here;
	offer_all(composition, SIGHT_WRITE, SETTING_ROOTS);
	offer_all(composition, SIGHT_WRITE, SETTING_DIRECTORIES);
	trace_sight_add_new(composition);
	if (bounded)
		return 0;
	if (home && *home == '/')
		sight_offer(&composition->sight, SIGHT_WRITE, home);
	sight_offer(&composition->sight, SIGHT_WRITE, "/tmp");
	sight_offer(&composition->sight, SIGHT_WRITE, "/var/tmp");
	sight_offer(&composition->sight, SIGHT_WRITE, composition->paths->here);
	if (add_named(composition, SIGHT_WRITE, names[LAUNCH_DIRECTORY], false, why, why_size) <
		0 ||
	    add_named(composition, SIGHT_WRITE, names[LAUNCH_TRACE], true, why, why_size) < 0)
		return -1;
	if (strchr(names[LAUNCH_PROGRAM], '/'))
		return add_named(
		    composition, SIGHT_READ, names[LAUNCH_PROGRAM], true, why, why_size);
	return 0;
}
