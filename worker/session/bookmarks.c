/*
 * Reads the bookmarks of a trace. The file may come from anywhere with an imported trace: we check
 * everything in it, and ignore malformed lines.
 */
#include "worker/session/bookmarks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "worker/gdb/mi.h"
#include "worker/session/position.h"

bool bookmarks_is_name(const char *text)
{
	return isalpha((unsigned char)text[0]) && strcmp(text, "start") != 0 &&
	       strcmp(text, "end") != 0;
}

bool bookmarks_is_new_name(const char *text)
{
	static const char more[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	return text && bookmarks_is_name(text) && strlen(text) <= BOOKMARK_NAME_MAX &&
	       strspn(text, more) == strlen(text);
}

/* Owned by the caller; NULL when there is none. */
static char *read_file(const struct replay *replay, size_t *length)
{
	cleanup_fd int fd = openat(replay->trace, BROKER_BOOKMARKS_FILE,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = malloc(BROKER_BOOKMARKS_MAX);
	struct stat status;
	ssize_t got = -1;

	*length = 0;
	if (fd < 0 || !text || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		free(text);
		return NULL;
	}
	while (*length < BROKER_BOOKMARKS_MAX &&
	       (got = read(fd, text + *length, BROKER_BOOKMARKS_MAX - *length)) > 0)
		*length += (size_t)got;
	return text;
}

/* One line as {name, pid, moment, where, note?}; NULL if it is malformed. */
static json_t *read_line(const char *line, size_t length)
{
	json_t *entry = length <= BROKER_BOOKMARK_MAX
			    ? json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL)
			    : NULL;
	struct moment moment;

	if (bookmarks_is_new_name(mi_text(entry, "name")) &&
	    json_is_integer(json_object_get(entry, "pid")) &&
	    position_from_json(json_object_get(entry, "moment"), &moment))
		return entry;
	json_decref(entry);
	return NULL;
}

static void forget_name(json_t *entries, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		if (strcmp(mi_text(entry, "name"), name) == 0) {
			json_array_remove(entries, i);
			return;
		}
	}
}

/* All valid bookmarks, in the order of the file. */
json_t *bookmarks_read(const struct replay *replay)
{
	json_t *entries = json_array(), *entry;
	size_t length;
	cleanup_free char *text = read_file(replay, &length);
	const char *at = text, *end = text ? text + length : NULL, *newline;

	for (; at && at < end && json_array_size(entries) < BOOKMARKS_MAX; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			break;
		entry = read_line(at, (size_t)(newline - at));
		if (!entry)
			continue;
		forget_name(entries, mi_text(entry, "name"));
		if (json_is_true(json_object_get(entry, "removed")))
			json_decref(entry);
		else
			json_array_append_new(entries, entry);
	}
	return entries;
}

json_t *bookmarks_named(const json_t *entries, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(
	    entries, i, entry) if (strcmp(mi_text(entry, "name"), name) == 0) return entry;
	return NULL;
}

void bookmarks_fail_unknown(const json_t *entries, const char *name, struct failure *failure)
{
	char names[300] = "";
	json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		size_t length = strlen(names);
		if (length < sizeof(names) - BOOKMARK_NAME_MAX - 3)
			snprintf(names + length, sizeof(names) - length, "%s%s", i ? ", " : "",
			    mi_text(entry, "name"));
	}
	failure_set(failure, ERROR_NOT_FOUND,
	    names[0] ? "rr_bookmarks lists those of this trace; each trace has its own"
		     : "rr_bookmark makes one; each trace has its own",
	    "this trace has no bookmark %.60s%s%s", name, names[0] ? "; it has " : "", names);
}

bool bookmarks_find(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure)
{
	json_t *entries = bookmarks_read(replay), *entry = bookmarks_named(entries, name);
	json_int_t pid = json_integer_value(json_object_get(entry, "pid"));
	bool fine = false;

	if (!entry)
		bookmarks_fail_unknown(entries, name, failure);
	else if (pid != replay->pid)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "rr_replay_start with that pid opens it",
		    "bookmark %.60s is a moment of process %lld; this session replays %lld", name,
		    (long long)pid, replay->pid);
	else
		fine = position_from_json(json_object_get(entry, "moment"), moment);
	if (fine && json_is_true(json_object_get(entry, "at_end")))
		*moment = (struct moment){.event = REPLAY_EVENT_FAR};
	json_decref(entries);
	return fine;
}
