#ifndef SUPERVISOR_SOURCE_SEARCH_H
#define SUPERVISOR_SOURCE_SEARCH_H
/*
 * Finds a source file that is not where the debug information says, because the program was built
 * elsewhere or moved with its sources. Below the given directories, it is the file whose path ends
 * like the recorded path, in as many directories as possible. Pure except for the open function,
 * which decides what may be opened.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define SOURCE_ROOTS_MAX 40
#define SOURCE_TRIES_MAX 200 /* files tried for one name */

/* Opens a file for reading. -1 with errno; EACCES: nothing below that root may be opened. */
typedef int source_open(void *owner, const char *path);

/* Where to look, in this order. */
struct source_roots {
	struct source_root {
		const char *directory; /* absolute, borrowed */
		int length;	       /* bytes of it that count: an ancestor is a prefix of it */
		int at_least; /* how many parts of the path must match at least; 1: the name */
	} list[SOURCE_ROOTS_MAX];
	size_t count;
};

/* A directory of programs, in which a matching name is enough, and its ancestors. */
void source_roots_of_directory(struct source_roots *roots, const char *directory);
/* A directory that somebody named for sources; there too, a matching name is enough. */
void source_roots_add(struct source_roots *roots, const char *directory);

/* The path without "." and "..", as text. False if it is too long. */
bool source_name_plain(const char *path, char plain[PATH_MAX]);

/*
 * Looks for `path`, absolute or not, and opens it; `found` (PATH_MAX bytes) becomes its place. -1
 * if it is nowhere.
 */
int source_search(const struct source_roots *roots, const char *path, source_open *open_file,
    void *owner, char *found);

#endif
