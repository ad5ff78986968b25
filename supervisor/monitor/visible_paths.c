/*
 * See visible_paths.h. The results are only text. The view is made from descriptors that follow no
 * links, so if something changes in between, making the view fails.
 */
#include "supervisor/monitor/visible_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/roles.h"

#define LINKS_MAX 40 /* on one path, as the kernel has it */

bool visible_path_is_within(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (length == 1)
		return true;
	if (strlen(path) < length || memcmp(path, root, length) != 0)
		return false;
	return path[length] == '\0' || path[length] == '/';
}

bool visible_path_is_of_system(const char *path)
{
	for (const char *const *root = system_view; *root; root++)
		if (visible_path_is_within(path, *root))
			return true;
	return false;
}

static bool is_special(const char *path)
{
	return visible_path_is_within(path, "/proc") || visible_path_is_within(path, "/sys") ||
	       visible_path_is_within(path, "/dev");
}

int visible_paths_link(struct visible_paths *visible, const char *path, const char *target)
{
	char *from, *to;

	if (!visible)
		return 0;
	for (size_t i = 0; i < visible->link_count; i++)
		if (strcmp(visible->links[2 * i], path) == 0)
			return 0;
	if (visible->link_count == VISIBLE_MAX) {
		errno = E2BIG;
		return -1;
	}
	from = strdup(path);
	to = strdup(target);
	if (!from || !to)
		return -1;
	visible->links[2 * visible->link_count] = from;
	visible->links[2 * visible->link_count + 1] = to;
	visible->link_count++;
	return 0;
}

/* Puts the target in front of the rest of the path. */
static int prepend(char rest[PATH_MAX], const char *target, const char *left)
{
	char joined[PATH_MAX];

	if ((size_t)snprintf(joined, sizeof(joined), "%s%s%s", target, *left ? "/" : "", left) >=
	    sizeof(joined)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(rest, joined, strlen(joined) + 1);
	return 0;
}

/* Appends a component to real ("" is the root); "." stays, ".." goes up. */
static int step(char real[PATH_MAX], const char *component, size_t length)
{
	char *slash;

	if (length == 1 && component[0] == '.')
		return 0;
	if (length == 2 && component[0] == '.' && component[1] == '.') {
		slash = strrchr(real, '/');
		if (slash)
			*slash = '\0';
		return 0;
	}
	if (strlen(real) + length + 2 > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	slash = real + strlen(real);
	slash[0] = '/';
	memcpy(slash + 1, component, length);
	slash[1 + length] = '\0';
	return 0;
}

/* Where real is a link: replaces it by where it leads. Returns 1 when it was one. */
static int follow_link(struct visible_paths *visible, char real[PATH_MAX], char rest[PATH_MAX],
    const char *left, int *links)
{
	char target[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (lstat(*real ? real : "/", &status) < 0)
		return -1;
	if (!S_ISLNK(status.st_mode))
		return 0;
	length = readlink(real, target, sizeof(target) - 1);
	if (length < 0)
		return -1;
	target[length] = '\0';
	if (++*links > LINKS_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (visible_paths_link(visible, real, target) < 0 || prepend(rest, target, left) < 0)
		return -1;
	*strrchr(real, '/') = '\0';
	if (target[0] == '/')
		real[0] = '\0';
	return 1;
}

int visible_paths_follow(
    struct visible_paths *visible, const char *path, bool keep_last, char real[PATH_MAX])
{
	char rest[PATH_MAX];
	const char *at = rest;
	int links = 0;

	real[0] = '\0';
	if (path[0] != '/' || strlcpy(rest, path, sizeof(rest)) >= sizeof(rest)) {
		errno = path[0] == '/' ? ENAMETOOLONG : EINVAL;
		return -1;
	}
	for (;;) {
		size_t length;
		int result;

		at += strspn(at, "/");
		length = strcspn(at, "/");
		if (length == 0)
			break;
		if (step(real, at, length) < 0)
			return -1;
		at += length;
		/* checked before reading it, because a link there can lead to any file that a
		 * process has open */
		if (is_special(real)) {
			errno = EPERM;
			return -1;
		}
		if (keep_last && at[strspn(at, "/")] == '\0')
			break;
		result = follow_link(visible, real, rest, at + strspn(at, "/"), &links);
		if (result < 0)
			return -1;
		if (result > 0)
			at = rest;
	}
	if (!*real)
		memcpy(real, "/", 2);
	return 0;
}

int visible_paths_add(struct visible_paths *visible, enum visible_list list, const char *real)
{
	size_t *count = &visible->counts[list];

	for (size_t i = 0; i < *count; i++)
		if (strcmp(visible->lists[list][i], real) == 0)
			return 0;
	if (*count == VISIBLE_MAX) {
		errno = E2BIG;
		return -1;
	}
	visible->lists[list][*count] = strdup(real);
	if (!visible->lists[list][*count])
		return -1;
	++*count;
	return 0;
}

void visible_paths_offer(struct visible_paths *visible, enum visible_list list, const char *path)
{
	char real[PATH_MAX] = "";
	struct stat status;

	if (visible_paths_follow(visible, path, false, real) == 0 && strcmp(real, "/") != 0 &&
	    lstat(real, &status) == 0)
		(void)visible_paths_add(visible, list, real);
}

void visible_paths_apply(struct visible_paths *visible, struct sandbox_policy *policy)
{
	policy->read_only = visible->lists[VISIBLE_READ];
	policy->read_write = visible->lists[VISIBLE_WRITE];
	policy->parents = visible->lists[VISIBLE_PARENT];
	policy->listed = visible->lists[VISIBLE_LISTED];
	policy->empty = visible->lists[VISIBLE_EMPTY];
	policy->links = visible->links;
}
