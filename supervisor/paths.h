#ifndef SUPERVISOR_PATHS_H
#define SUPERVISOR_PATHS_H
/*
 * Where the parts of this installation are: ../libexec/rr-warden beside our own bin/; and the
 * user's home.
 */
#include <limits.h>

struct paths {
	char program[PATH_MAX]; /* this one's own */
	char worker[PATH_MAX];
	char here[PATH_MAX];	/* the working directory; "/" when it has no path */
	char softpmu[PATH_MAX]; /* "" when it is not installed */
};

/* Returns 0, or -1 with errno when /proc/self/exe cannot be read or the paths are too long. */
int paths_find(struct paths *paths);

/* The same for a program at paths->program, which is absolute. */
int paths_find_parts(struct paths *paths);

/* If HOME is not an absolute path, sets it to the home directory of the passwd entry, or removes it
 * if there is no entry. Child processes then find the user's own home directory, or none. */
void paths_find_home(void);

#endif
