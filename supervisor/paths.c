/*
 * See paths.h. Does not check whether the worker exists: starting it shows that.
 */
#include "supervisor/paths.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_part(char *path, const char *base, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%s/libexec/rr-warden/%s", base, name);

	return length > 0 && length < PATH_MAX ? 0 : -1;
}

int paths_find_parts(struct paths *paths)
{
	char base[PATH_MAX];

	memcpy(base, paths->program, sizeof(base));
	for (int up = 0; up < 2; up++) { /* removes rr-warden, then bin */
		char *slash = strrchr(base, '/');
		if (slash == NULL)
			return errno = ENOENT, -1;
		*slash = 0;
	}
	if (find_part(paths->worker, base, "rr-warden-worker") < 0 ||
	    find_part(paths->softpmu, base, "softpmu.so") < 0)
		return errno = ENAMETOOLONG, -1;
	if (access(paths->softpmu, R_OK) < 0)
		paths->softpmu[0] = 0;
	return 0;
}

int paths_find(struct paths *paths)
{
	ssize_t length = readlink("/proc/self/exe", paths->program, sizeof(paths->program) - 1);

	if (length <= 0 || (size_t)length >= sizeof(paths->program) - 1)
		return errno = length < 0 ? errno : ENAMETOOLONG, -1;
	paths->program[length] = 0;
	if (getcwd(paths->here, sizeof(paths->here)) == NULL || paths->here[0] != '/')
		memcpy(paths->here, "/", 2);
	return paths_find_parts(paths);
}

void paths_find_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *entry;

	if (home != NULL && home[0] == '/')
		return;
	entry = getpwuid(getuid());
	if (entry != NULL && entry->pw_dir != NULL && entry->pw_dir[0] == '/')
		setenv("HOME", entry->pw_dir, 1);
	else
		unsetenv("HOME");
}
