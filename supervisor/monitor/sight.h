#ifndef SUPERVISOR_SIGHT_H
#define SUPERVISOR_SIGHT_H
/*
 * What a worker will see: builds the lists of struct sandbox_policy, and resolves the names of a
 * call into them.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

#define SIGHT_MAX 1000

enum sight_list {
	SIGHT_READ,   /* seen */
	SIGHT_WRITE,  /* seen, and can be written */
	SIGHT_EMPTY,  /* directories that are there, without what is in them */
	SIGHT_LISTED, /* the same, for where there is no view: it may be listed, with what is below
			 it */
	SIGHT_PARENT, /* seen, and entries can be removed */
	SIGHT_LIST_COUNT
};

struct sight {
	const char *lists[SIGHT_LIST_COUNT][SIGHT_MAX + 1]; /* NULL-terminated, owned */
	size_t counts[SIGHT_LIST_COUNT];
	const char *links[2 * SIGHT_MAX + 1]; /* path, target; owned */
	size_t link_count;
};

/*
 * Follows a path as the kernel would, one component after the other, and notes each link on the way
 * so that the view has it too (sight: NULL, only the path is wanted). `real` gets where it leads:
 * no link, no "." and "..". With `keep_last` the last component is not followed. Returns 0, or -1
 * with errno: also EPERM for what lies in /proc, /sys or /dev, of which a worker sees only what its
 * role needs.
 */
int sight_follow(struct sight *sight, const char *path, bool keep_last, char real[PATH_MAX]);

/* Adds a path from sight_follow, unless it is already in the list. Returns 0, or -1 with errno
 * (E2BIG, ENOMEM). */
int sight_add(struct sight *sight, enum sight_list list, const char *real);

/* Follows and adds a path; leaves it out if it does not exist or cannot be followed. */
void sight_offer(struct sight *sight, enum sight_list list, const char *path);

/* Points the policy at the lists. */
void sight_apply(struct sight *sight, struct sandbox_policy *policy);

/* Whether the path `path` is `root` or below it; both come from sight_follow. */
bool sight_is_within(const char *path, const char *root);

#endif
