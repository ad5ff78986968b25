/*
 * See outside.h. rr dump tells size and inode, and no time. Must never take a file for the one that
 * ran because its line was not understood: such a line is only left out.
 */
#include "worker/trace/dump/outside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "worker/serve/begins.h"
#include "worker/trace/dump/dump_lines.h"
#include "worker/trace/dump/grow.h"

#define INODE_MAX LLONG_MAX

/* The text behind a key, up to `end`, as an own copy; NULL: there is none. */
static char *text_behind(const char *line, const char *key, const char *end)
{
	const char *from = behind_mark(line, key), *to = from ? strstr(from, end) : NULL;

	return to && to > from ? strndup(from, (size_t)(to - from)) : NULL;
}

static bool is_code(const char *line)
{
	const char *rights = behind_mark(line, " prot_flags:\"");
	const char *found = rights ? strpbrk(rights, "x\"") : NULL;

	return found && *found == 'x';
}

/* rr writes the size in hexadecimal. */
static long long size_of(const char *line)
{
	static const char key[] = " file_size:0x";

	return strstr(line, key) ? (long long)hex_behind(line, key) : -1;
}

static bool is_known(const struct outside *outside, const char *path)
{
	for (size_t i = 0; i < outside->count; i++)
		if (strcmp(outside->list[i].path, path) == 0)
			return true;
	return false;
}

/* Whether it is kept: steals the path then. */
static bool add(struct outside *outside, char *path, long long size, long long inode)
{
	struct outside_file *list;

	if (!path || path[0] != '/' || size < 0 || inode < 0 || outside->count == OUTSIDE_MAX ||
	    is_known(outside, path) ||
	    !(list = grow_list(outside->list, outside->count, sizeof(*list))))
		return false;
	outside->list = list;
	list[outside->count++] = (struct outside_file){path, size, inode};
	return true;
}

void outside_note(struct outside *outside, const char *line)
{
	char *file, *data;

	if (!is_code(line))
		return;
	file = text_behind(line, "map_file:\"", "\", addr:");
	data = text_behind(line, " data_file:\"", "\", data_offset:");
	/* What is in the trace has a name there. */
	if (!file || !data || strcmp(file, data) != 0 ||
	    !add(outside, data, size_of(line), dump_number(line, " inode:", INODE_MAX)))
		free(data);
	free(file);
}

void outside_free(struct outside *outside)
{
	for (size_t i = 0; i < outside->count; i++)
		free(outside->list[i].path);
	free(outside->list);
	*outside = (struct outside){0};
}

bool outside_is_as_it_was(const struct outside *outside, json_t *warnings, struct failure *failure)
{
	const char *other = NULL;
	struct stat now;

	for (size_t i = 0; i < outside->count; i++) {
		const struct outside_file *file = &outside->list[i];

		if (stat(file->path, &now) != 0)
			continue;
		if (now.st_size != file->size) {
			failure_set(failure, ERROR_UNSUPPORTED,
			    "put the file that ran back, or record again; rr_pack, right after a "
			    "recording, copies such files into the trace",
			    "%.300s is another file than the one that ran (%lld bytes, and %lld "
			    "then), and the trace has no copy of that",
			    file->path, (long long)now.st_size, file->size);
			return false;
		}
		if ((long long)now.st_ino != file->inode && !other)
			other = file->path;
	}
	if (other)
		json_array_append_new(warnings,
		    json_sprintf("%.300s may be another file than the one that ran, and the trace "
				 "has no copy of that: if it was built or installed again since, "
				 "the replay can be wrong",
			other));
	return true;
}
