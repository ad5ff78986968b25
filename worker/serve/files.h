#ifndef WORKER_FILES_H
#define WORKER_FILES_H
/*
 * Files of the user's that a worker works with: what lies in its view is opened there, all else is
 * asked of the monitor's broker.
 */
#include <stddef.h>

#define FILES_WHY_MAX 160
#define FILES_KEPT    8

/* Sources that were opened, so that a stop in the same file asks nobody. */
struct files {
	struct kept_file {
		char *path;
		int fd;
	} kept[FILES_KEPT];
	size_t next;
};

/* An empty struct files is {0}; this closes what is in it. */
void files_forget(struct files *files);

/*
 * A source file for reading, from its beginning: a regular one of at most 16 MB. The descriptor is
 * the files'. -1 with errno, and why in why[FILES_WHY_MAX] (may be NULL).
 */
int files_open_source(struct files *files, const char *path, char *why);

#endif
