/*
 * Remembers the path that is being worked on: if that fails, the call that named it is wrong.
 */
#include "sandbox/held.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/mounts.h"

int held_add(struct held *held, const char *path, bool writable)
{
	cleanup_fd int tree = -1;
	struct stat status;

	if (held->count == HELD_MAX) {
		errno = E2BIG;
		return -1;
	}
	tree = mounts_hold(path);
	if (tree < 0 || fstat(tree, &status) < 0 || mounts_seal(tree, writable) < 0)
		return -1;
	held->trees[held->count++] = (struct held_tree){.path = path,
	    .tree = steal_fd(&tree),
	    .writable = writable,
	    .is_directory = S_ISDIR(status.st_mode)};
	return 0;
}

static int by_length(const void *a, const void *b)
{
	const struct held_tree *left = a, *right = b;
	size_t left_length = strlen(left->path), right_length = strlen(right->path);

	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return (int)left->writable - (int)right->writable;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Whether the tree around it shows the same, and nothing else is at this path. */
static bool is_part_of_another(const struct held *held, size_t number)
{
	const struct held_tree *tree = &held->trees[number], *around = NULL;

	if (!tree->writable || !tree->is_directory)
		return false;
	for (size_t i = 0; i < held->count; i++) {
		if (i != number && strcmp(held->trees[i].path, tree->path) == 0)
			return false;
		if (is_below(tree->path, held->trees[i].path))
			around = &held->trees[i]; /* the longest comes last */
	}
	return around && around->writable;
}

void held_sort(struct held *held)
{
	qsort(held->trees, held->count, sizeof(*held->trees), by_length);
	/* the last first: what is around a tree then still counts */
	for (size_t i = held->count; i-- > 0;) {
		if (!is_part_of_another(held, i))
			continue;
		close(held->trees[i].tree);
		held->count--;
		memmove(
		    &held->trees[i], &held->trees[i + 1], (held->count - i) * sizeof(*held->trees));
	}
}

int held_make_points(struct held *held, int root)
{
	for (size_t i = 0; i < held->count; i++) {
		held->path = held->trees[i].path;
		if (mounts_make_point(root, held->path + 1, held->trees[i].is_directory) < 0)
			return -1;
	}
	held->path = NULL;
	return 0;
}

int held_show(struct held *held, int root)
{
	for (size_t i = 0; i < held->count; i++) {
		held->path = held->trees[i].path;
		if (mounts_show(held->trees[i].tree, root, held->path + 1) < 0)
			return -1;
	}
	held->path = NULL;
	return 0;
}

int held_end(
    struct held *held, int result, const char *step, bool *call_failed, char *why, size_t why_size)
{
	int error = errno;

	*call_failed = result < 0 && held->path;
	if (result < 0)
		snprintf(
		    why, why_size, "%.150s: %s", held->path ? held->path : step, strerror(error));
	while (held->count)
		close(held->trees[--held->count].tree);
	errno = error;
	return result;
}
