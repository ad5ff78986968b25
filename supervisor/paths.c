/*
 * See paths.h. Only looks; the worker's existence shows when it is started.
 */
#include "supervisor/paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int find_part(char *path, const char *base, const char *name)
{
	int length = snprintf(path, PATH_MAX, "%s/libexec/rr-warden/%s", base, name);

	return length > 0 && length < PATH_MAX ? 0 : -1;
}

int paths_find(struct paths *paths)
{
	char base[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", base, sizeof(base) - 1);

	if (length <= 0 || (size_t)length >= sizeof(base) - 1)
		return -1;
	base[length] = 0;
	for (int up = 0; up < 2; up++) { /* off with rr-warden, off with bin */
		char *slash = strrchr(base, '/');
		if (slash == NULL)
			return -1;
		*slash = 0;
	}
	if (find_part(paths->worker, base, "rr-warden-worker") < 0 ||
	    find_part(paths->softpmu, base, "softpmu.so") < 0)
		return -1;
	if (getcwd(paths->here, sizeof(paths->here)) == NULL || paths->here[0] != '/')
		memcpy(paths->here, "/", 2);
	if (access(paths->softpmu, R_OK) < 0)
		paths->softpmu[0] = 0;
	return 0;
}
