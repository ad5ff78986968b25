#ifndef SUPERVISOR_PATHS_H
#define SUPERVISOR_PATHS_H
/*
 * Where the parts of this installation are: ../libexec/rr-warden beside our own bin/.
 */
#include <limits.h>

struct paths {
	char worker[PATH_MAX];
	char here[PATH_MAX];	/* the working directory; "/" when it has no path */
	char softpmu[PATH_MAX]; /* "" when it is not installed */
};

/* Returns 0, or -1 when /proc/self/exe cannot be read or the paths are too long. */
int paths_find(struct paths *paths);

#endif
