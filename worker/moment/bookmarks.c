/*
 * Reads the bookmarks of a trace. The file may come from anywhere with an imported trace: we check
 * everything in it, and pass over malformed lines. A file that cannot be read is never taken for
 * one without bookmarks.
 */
#include "worker/moment/bookmarks.h"

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
#include "worker/gdb/mi/mi.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/moment/visit.h"

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

static int fail(const char *why, struct failure *failure)
{
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "look at that file in the trace's directory; without it the trace has no bookmarks",
	    "the trace's bookmarks, " BROKER_BOOKMARKS_FILE ", cannot be read: %s", why);
	return -1;
}

/* Reads the file to `text`; returns the length, 0 if there is none. *longer: there is more. */
static ssize_t read_file(const struct replay *replay, char text[BROKER_BOOKMARKS_MAX], bool *longer,
    struct failure *failure)
{
	cleanup_fd int fd = openat(replay_trace(replay), BROKER_BOOKMARKS_FILE,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t length = 0, got = 0;

	*longer = false;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail(errno == ELOOP ? "it is a symbolic link" : strerror(errno), failure);
	if (fstat(fd, &status) < 0)
		return fail(strerror(errno), failure);
	if (!S_ISREG(status.st_mode))
		return fail("it is not a regular file", failure);
	while (length < BROKER_BOOKMARKS_MAX &&
	       (got = read(fd, text + length, (size_t)(BROKER_BOOKMARKS_MAX - length))) > 0)
		length += got;
	*longer = status.st_size > BROKER_BOOKMARKS_MAX;
	return got < 0 ? fail(strerror(errno), failure) : length;
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
	    moment_from_json(json_object_get(entry, "moment"), &moment))
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

/* Takes one line into the list; false if it is no bookmark, or one too many. */
static bool take_line(json_t *entries, const char *line, size_t length)
{
	json_t *entry = read_line(line, length);

	if (!entry)
		return length == 0;
	forget_name(entries, mi_text(entry, "name"));
	if (json_is_true(json_object_get(entry, "removed")))
		json_decref(entry);
	else if (json_array_size(entries) < BOOKMARKS_MAX)
		json_array_append_new(entries, entry);
	else
		return json_decref(entry), false;
	return true;
}

/* All valid bookmarks, in the order of the file. */
json_t *bookmarks_read(
    const struct replay *replay, struct bookmarks_unread *unread, struct failure *failure)
{
	cleanup_free char *text = malloc(BROKER_BOOKMARKS_MAX);
	struct bookmarks_unread ignored = {0};
	json_t *entries = json_array();
	const char *at = text, *newline;
	ssize_t length;

	unread = unread ? unread : &ignored;
	*unread = ignored;
	length = text ? read_file(replay, text, &unread->rest, failure)
		      : fail(strerror(ENOMEM), failure);
	for (; length > 0; length -= newline + 1 - at, at = newline + 1) {
		newline = memchr(at, '\n', (size_t)length);
		if (!newline)
			break;
		unread->lines += !take_line(entries, at, (size_t)(newline - at));
	}
	unread->lines += length > 0 && !unread->rest; /* one without an end */
	if (length >= 0)
		return entries;
	json_decref(entries);
	return NULL;
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
	json_t *entries = bookmarks_read(replay, NULL, failure);
	json_t *entry = bookmarks_named(entries, name);
	json_int_t pid = json_integer_value(json_object_get(entry, "pid"));
	const bool at_end = json_is_true(json_object_get(entry, "at_end"));
	bool ok = false;

	if (!entries)
		return false;
	if (!entry)
		bookmarks_fail_unknown(entries, name, failure);
	else if (pid != replay_pid(replay) && (at_end || !visit_is_of_story(replay, pid)))
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "rr_replay_start with that pid opens it",
		    "bookmark %.60s is a moment of process %lld; this session replays %lld", name,
		    (long long)pid, replay_pid(replay));
	else
		ok = moment_from_json(json_object_get(entry, "moment"), moment);
	if (ok && at_end)
		*moment = (struct moment){.event = REPLAY_EVENT_FAR};
	json_decref(entries);
	return ok;
}
