/*
 * Tries the longest tail of the path first, below each root, and then shorter ones.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "supervisor/monitor/source_search.h"

#define PARTS_MAX     32
#define ANCESTORS_MAX 8

static void add(struct source_roots *roots, const char *directory, size_t length, int at_least)
{
	while (length > 1 && directory[length - 1] == '/')
		length--;
	for (size_t i = 0; i < roots->count; i++)
		if ((size_t)roots->list[i].length == length &&
		    strncmp(roots->list[i].directory, directory, length) == 0)
			return;
	if (directory[0] == '/' && length > 1 && length < PATH_MAX &&
	    roots->count < SOURCE_ROOTS_MAX)
		roots->list[roots->count++] =
		    (struct source_root){directory, (int)length, at_least};
}

void source_roots_add(struct source_roots *roots, const char *directory)
{
	add(roots, directory, strlen(directory), 1);
}

void source_roots_of_directory(struct source_roots *roots, const char *directory)
{
	const char *end = directory + strlen(directory);

	for (int i = 0; end > directory && i < ANCESTORS_MAX; i++) {
		add(roots, directory, (size_t)(end - directory), i == 0 ? 1 : 2);
		while (end > directory && *--end != '/')
			;
	}
}

/* The parts of a path between slashes, without "." and with ".." carried out. */
static int split(const char *path, char *copy, const char *parts[PARTS_MAX])
{
	char *rest, *part;
	int count = 0;

	if (snprintf(copy, PATH_MAX, "%s", path) >= PATH_MAX)
		return 0;
	for (part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			count -= count > 0;
			continue;
		}
		/* Only the end of a very long path matters. */
		if (count == PARTS_MAX) {
			memmove(parts, parts + 1, (PARTS_MAX - 1) * sizeof(*parts));
			count--;
		}
		parts[count++] = part;
	}
	return count;
}

bool source_name_plain(const char *path, char plain[PATH_MAX])
{
	const char *parts[PARTS_MAX];
	char copy[PATH_MAX];
	int count = split(path, copy, parts);
	size_t length = 0;

	plain[0] = '\0';
	for (int i = 0; i < count && length < PATH_MAX; i++)
		length += (size_t)snprintf(plain + length, PATH_MAX - length, "%s%s",
		    i > 0 || path[0] == '/' ? "/" : "", parts[i]);
	return count > 0 && length < PATH_MAX;
}

static bool compose(
    const struct source_root *root, const char *const *parts, int from, int count, char *path)
{
	int length = snprintf(path, PATH_MAX, "%.*s", root->length, root->directory);

	for (int i = from; i < count && length < PATH_MAX; i++)
		length += snprintf(path + length, (size_t)(PATH_MAX - length), "/%s", parts[i]);
	return length < PATH_MAX;
}

int source_search(const struct source_roots *roots, const char *path, source_open *open_file,
    void *owner, char *found)
{
	bool closed[SOURCE_ROOTS_MAX] = {false};
	const char *parts[PARTS_MAX];
	char copy[PATH_MAX];
	int count = split(path, copy, parts), tries = 0, fd;

	for (int from = 0; from < count; from++)
		for (size_t i = 0; i < roots->count; i++) {
			/* all of a relative name says as much as can be known */
			bool whole = from == 0 && path[0] != '/';
			if (closed[i] || (count - from < roots->list[i].at_least && !whole) ||
			    !compose(&roots->list[i], parts, from, count, found))
				continue;
			if (tries++ == SOURCE_TRIES_MAX)
				return -1;
			fd = open_file(owner, found);
			if (fd >= 0)
				return fd;
			closed[i] = errno == EACCES;
		}
	return -1;
}
