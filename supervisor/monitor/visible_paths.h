#ifndef SUPERVISOR_VISIBLE_PATHS_H
#define SUPERVISOR_VISIBLE_PATHS_H
/*
 * What a worker will see: builds the lists of struct sandbox_policy, and resolves the names of a
 * call into them.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

#define VISIBLE_MAX 1000

enum visible_list {
	VISIBLE_READ,	/* seen */
	VISIBLE_WRITE,	/* seen, and can be written */
	VISIBLE_EMPTY,	/* directories that are there, without what is in them */
	VISIBLE_LISTED, /* the same, for where there is no view: it may be listed, with what is
			 below it */
	VISIBLE_PARENT, /* seen, and entries can be removed */
	VISIBLE_LIST_COUNT
};

struct visible_paths {
	const char *lists[VISIBLE_LIST_COUNT][VISIBLE_MAX + 1]; /* NULL-terminated, owned */
	size_t counts[VISIBLE_LIST_COUNT];
	const char *links[2 * VISIBLE_MAX + 1]; /* path, target; owned */
	size_t link_count;
};

/*
 * Follows a path as the kernel would, one component after the other, and notes each link on the way
 * so that the view has it too (visible: NULL, only the path is wanted). `real` gets where it leads:
 * no link, no "." and "..". With `keep_last` the last component is not followed. Returns 0, or -1
 * with errno: also EPERM for what lies in /proc, /sys or /dev, of which a worker sees only what its
 * role needs.
 */
int visible_paths_follow(
    struct visible_paths *visible, const char *path, bool keep_last, char real[PATH_MAX]);

/* Adds a path from visible_paths_follow, unless it is already in the list. Returns 0, or -1 with
 * errno (E2BIG, ENOMEM). */
int visible_paths_add(struct visible_paths *visible, enum visible_list list, const char *real);

/* Adds a link, which the view has at `path` unless something is there. Returns 0, or -1 with errno.
 */
int visible_paths_link(struct visible_paths *visible, const char *path, const char *target);

/* Follows and adds a path; leaves it out if it does not exist or cannot be followed. */
void visible_paths_offer(struct visible_paths *visible, enum visible_list list, const char *path);

/* Points the policy at the lists. */
void visible_paths_apply(struct visible_paths *visible, struct sandbox_policy *policy);

/* Whether the path `path` is `root` or below it; both come from visible_paths_follow. */
bool visible_path_is_within(const char *path, const char *root);

/* Whether every role sees such a path anyway, in system_view. */
bool visible_path_is_of_system(const char *path);

#endif
