#ifndef WORKER_BOOKMARKS_H
#define WORKER_BOOKMARKS_H
/*
 * Moments of a trace with a name and a note. They are kept in a file in the trace's directory, so
 * that they outlive the session and go with the trace: the monitor adds a line for each, the worker
 * reads them. The last line of a name counts.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define BOOKMARK_NAME_MAX 40
#define BOOKMARK_NOTE_MAX 400
#define BOOKMARKS_MAX	  100

/* Whether a moment that a client names is meant to be a bookmark's name. */
bool bookmarks_is_name(const char *text);

/* The moment of that name. False with *failure filled if there is none, or if it belongs to another
 * process than the session's. */
bool bookmarks_find(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure);

/* All of the trace, as the lines of the file: [{name, moment, pid, where, note?, at_end?}]. The
 * texts are as they came, and the caller owns the array. NULL with *failure filled if there is a
 * file that cannot be read. *unread (or NULL): what of the file is no bookmark. */
struct bookmarks_unread {
	size_t lines;
	bool rest; /* it is longer than bookmarks may be: the rest is unread */
};
json_t *bookmarks_read(
    const struct replay *replay, struct bookmarks_unread *unread, struct failure *failure);
/* The one with that name in what bookmarks_read returned, borrowed; or NULL. */
json_t *bookmarks_named(const json_t *entries, const char *name);
void bookmarks_fail_unknown(const json_t *entries, const char *name, struct failure *failure);

/* Whether a bookmark may have this name. */
bool bookmarks_is_new_name(const char *text);

#endif
