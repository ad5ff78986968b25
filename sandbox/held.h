#ifndef SANDBOX_HELD_H
#define SANDBOX_HELD_H
/*
 * Trees that a view shows at their own paths: held by descriptors before the view is built, because
 * later nothing of the machine can be reached by its path.
 */
#include <stdbool.h>
#include <stddef.h>

#define HELD_MAX 1024

struct held_tree {
	const char *path; /* absolute, borrowed */
	int tree;
	bool writable, is_directory;
};

struct held {
	struct held_tree trees[HELD_MAX];
	size_t count;
	const char *path; /* the call's path that is being worked on; NULL: none */
};

/* Each returns 0, or -1 with errno. */

/* Holds one more tree, nosuid and nodev, and read-only unless `writable`. */
int held_add(struct held *held, const char *path, bool writable);

/* Puts parents before their children. If a path is there twice, the writable tree comes last. A
 * writable directory in a writable tree needs none of its own: nobody can link a file from one
 * mount into another, and rr keeps the programs of a trace by links. */
void held_sort(struct held *held);

/* Below the directory `root`: makes all mount points, and puts the trees on them. All points come
 * first, so that none is made inside a shown tree. */
int held_make_points(struct held *held, int root);
int held_show(struct held *held, int root);

/*
 * Releases the trees, and returns `result`, which is how the making of the view ended, with its
 * errno. If it failed: `why` names the call's path or the step, and *call_failed says that it was
 * a path of the call.
 */
int held_end(
    struct held *held, int result, const char *step, bool *call_failed, char *why, size_t why_size);

#endif
