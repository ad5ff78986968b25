#ifndef WORKER_ARCHIVE_H
#define WORKER_ARCHIVE_H
/*
 * A trace as one tar file (ustar), written and read here: what is read comes from a stranger, and
 * nothing but a trace's files may come out of it. Pure but for the descriptors it is given.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_VERSION	    "version" /* the file with the trace's header */
#define ARCHIVE_ENTRIES_MAX 100000
#define ARCHIVE_NAME_MAX    200 /* bytes of the trace's name */
#define ARCHIVE_WHY_MAX	    512

/* Called from time to time with the number of bytes so far; false stops the work. May be NULL. */
typedef bool archive_progress(void *context, uint64_t bytes);

struct archive_watch {
	archive_progress *progress;
	void *context;
};

struct archive_summary {
	char name[ARCHIVE_NAME_MAX + 1]; /* of the trace, a plain file name */
	uint64_t bytes;			 /* of its files */
	size_t files;
};

/*
 * Writes the trace in the open directory as `name`/... to the open file. Refuses what is no regular
 * file in it, links too. Returns 0, or -1 with why of at most ARCHIVE_WHY_MAX bytes.
 */
int archive_write(
    int trace, const char *name, int file, const struct archive_watch *watch, char *why);

/*
 * Reads all headers of the archive from its start and checks that it holds one trace and nothing
 * else: names, types, sizes, checksums, that it is whole. Returns 0, or -1 with why.
 */
int archive_check(int file, struct archive_summary *summary, char *why);

/* Unpacks only ARCHIVE_VERSION. Otherwise as archive_unpack. */
int archive_unpack_version(int file, int directory, char *why);

/*
 * Unpacks it into an open, empty directory, checking all of that again. Files are 0600, made anew
 * and never through a link. Returns 0, or -1 with why; what was unpacked so far stays then.
 */
int archive_unpack(int file, int directory, const struct archive_watch *watch, char *why);

#endif
