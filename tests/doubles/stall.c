/*
 * A file system that does not answer: preloaded into the server, it keeps whoever looks at a path
 * that ends in /stalled until somebody opens the FIFO called "gate" beside it for writing. For
 * tests only.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lstat(const char *path, struct stat *status)
{
	int (*real)(const char *, struct stat *) =
	    (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "lstat");
	const char *name = strrchr(path, '/');
	char gate[PATH_MAX];

	if (name && strcmp(name, "/stalled") == 0) {
		snprintf(gate, sizeof(gate), "%.*s/gate", (int)(name - path), path);
		close(open(gate, O_RDONLY));
	}
	return real(path, status);
}
