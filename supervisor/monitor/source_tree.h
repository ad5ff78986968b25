#ifndef SUPERVISOR_SOURCE_TREE_H
#define SUPERVISOR_SOURCE_TREE_H
/*
 * Finds the source tree of a program: the directory tree in which its author works on it.
 */
#include <limits.h>
#include <stdbool.h>

/* The home directories: those in /home, /root, $HOME and those of passwd, with links resolved. */
#define SOURCE_HOMES_MAX 3
struct source_homes {
	char paths[SOURCE_HOMES_MAX][PATH_MAX];
	int count;
};

void source_homes_find(struct source_homes *homes);

/* Whether a path is in somebody's home directory. */
bool source_is_in_home(const struct source_homes *homes, const char *real);

/*
 * The tree of the program at an absolute path without links: the first directory below the home or
 * the temporary directory that it lies in, elsewhere the first two directories. *flat: the program
 * lies in such a place itself, and only the files right beside it count. False when the program
 * lies in /.
 */
bool source_tree_of(
    const struct source_homes *homes, const char *program, char tree[PATH_MAX], bool *flat);

#endif
