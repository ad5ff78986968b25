#ifndef WORKER_SOURCE_SEARCH_H
#define WORKER_SOURCE_SEARCH_H
/*
 * Finds a source file that is not where the debug information says: a program that was built
 * elsewhere, or moved with its sources. The file is the one whose path ends as the recorded path
 * does, for as many directories as possible, below the directories given. Pure but for the open
 * function, which decides what may be opened.
 */
#include <stddef.h>

#define SOURCE_ROOTS_MAX 24
#define SOURCE_TRIES_MAX 96 /* files tried for one name */

/* Opens a file for reading. -1 with errno; EACCES: nothing below that root may be opened. */
typedef int source_open(void *owner, const char *path);

/* Where to look, in this order. */
struct source_roots {
	struct source_root {
		const char *directory; /* absolute, borrowed */
		int length;	       /* of what is meant of it: an ancestor is a beginning */
		int at_least; /* directories and name that have to match: 1, the name alone */
	} list[SOURCE_ROOTS_MAX];
	size_t count;
};

/* The directory of a program, in which a name alone is enough, and those it lies in. */
void source_roots_of_program(struct source_roots *roots, const char *program);
/* A directory that somebody named for sources: a name alone is enough there too. */
void source_roots_add(struct source_roots *roots, const char *directory);

/*
 * Looks for `path`, absolute or not, and opens it; `found` (PATH_MAX bytes) is where it lies. -1
 * where it is nowhere.
 */
int source_search(const struct source_roots *roots, const char *path, source_open *open_file,
    void *owner, char *found);

#endif
