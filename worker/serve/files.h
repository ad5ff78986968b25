#ifndef WORKER_FILES_H
#define WORKER_FILES_H
/*
 * Opens files of the user for a worker: files in its view directly, and all others through the
 * monitor's broker.
 */
#include <stddef.h>

#define FILES_WHY_MAX 360
#define FILES_KEPT    8

/* Sources that are open already, so that another stop in the same file needs no request. */
struct files {
	struct kept_file {
		char *path, *place;
		unsigned doubt;
		int fd;
	} kept[FILES_KEPT];
	size_t next;
};

/* Closes all files. An empty struct files is {0}. */
void files_forget(struct files *files);

/* Where a source was found. */
struct files_found {
	const char *place; /* valid until another source is opened */
	unsigned doubt;	   /* BROKER_ELSEWHERE and the like */
};

/*
 * The source file that the debug information calls `path`, for reading, from its beginning: a
 * regular one of at most 16 MB. The descriptor is the files'. *found may be NULL. -1 with errno,
 * and why in why[FILES_WHY_MAX] (may be NULL).
 */
int files_open_source(struct files *files, const char *path, struct files_found *found, char *why);

#endif
