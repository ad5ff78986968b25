#ifndef SUPERVISOR_SOURCE_PLACE_H
#define SUPERVISOR_SOURCE_PLACE_H
/*
 * Where sources may be: the rules for the place of a file, and for the directory in which the
 * server was started.
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
 * Whether a file at a path without links may be a source that debug information names. Below a
 * home, directories whose names begin with a dot contain keys and settings; only those where build
 * tools keep sources are excepted. What is hidden from recordings stays hidden, but for homes.
 */
bool source_place_is_fit(const struct source_homes *homes, const char *real);

/* The same without the rule about dots, for files of debug information. */
bool source_place_is_open(const struct source_homes *homes, const char *real);

/* Whether a recording with covers does not see it, unless it is named. */
bool source_place_is_hidden(const char *real);

/* Whether a tree that somebody named is or contains something hidden in which the file lies. What
 * lies in something hidden can be named itself. */
bool source_place_uncovers(const char *tree, const char *real);

/* Directories whose names begin with a dot contain keys and settings, not sources. `below` is the
 * part of a path that counts. */
bool source_place_has_dotted(const char *below);

/*
 * The tree below which a server that was started in `here` may read sources: its git work tree
 * (*is_git, which may be NULL), or the directory itself. False if that is a home, a temporary
 * directory, a place of the system, or contains one.
 */
bool source_place_work_tree(
    const struct source_homes *homes, const char *here, char tree[PATH_MAX], bool *is_git);

#endif
