/*
 * Reads the bookmarks of a trace, and asks the monitor to add to them. The file may come from
 * anywhere with an imported trace: we check everything in it, and ignore malformed lines.
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
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi.h"
#include "worker/serve/handlers.h"
#include "worker/session/excursion.h"
#include "worker/session/frame.h"
#include "worker/session/named.h"
#include "worker/session/position.h"
#include "worker/session/seen.h"

#define WHERE_MAX 200

bool bookmarks_is_name(const char *text)
{
	return isalpha((unsigned char)text[0]) && strcmp(text, "start") != 0 &&
	       strcmp(text, "end") != 0;
}

static bool is_name(const char *text)
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

	if (is_name(mi_text(entry, "name")) && json_is_integer(json_object_get(entry, "pid")) &&
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
static json_t *read_all(const struct replay *replay)
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

static json_t *entry_named(const json_t *entries, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(
	    entries, i, entry) if (strcmp(mi_text(entry, "name"), name) == 0) return entry;
	return NULL;
}

static void fail_unknown(const json_t *entries, const char *name, struct failure *failure)
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
	json_t *entries = read_all(replay), *entry = entry_named(entries, name);
	json_int_t pid = json_integer_value(json_object_get(entry, "pid"));
	bool fine = false;

	if (!entry)
		fail_unknown(entries, name, failure);
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

static int compare(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	struct moment x, y;

	position_from_json(json_object_get(*a, "moment"), &x);
	position_from_json(json_object_get(*b, "moment"), &y);
	return position_order(&x, &y);
}

/* A bookmark as clients see it. Makes the file's text safe to show. */
static json_t *shown(struct replay *replay, const json_t *entry)
{
	static const char *const texts[] = {"where", "note"};
	json_int_t pid = json_integer_value(json_object_get(entry, "pid"));
	json_t *json = json_pack("{s:O}", "name", json_object_get(entry, "name"));
	struct moment moment;

	position_from_json(json_object_get(entry, "moment"), &moment);
	if (pid == replay->pid) {
		json_object_set_new(json, "moment", seen_name(replay, &moment));
	} else {
		json_object_set_new(
		    json, "moment", json_sprintf("%lld:%lld", moment.event, moment.ticks));
		json_object_set_new(json, "pid", json_integer(pid));
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = mi_text(entry, texts[i]);
		if (text)
			json_object_set_new(json, texts[i],
			    scrub_json(text, strlen(text), BOOKMARK_NOTE_MAX, NULL));
	}
	return json;
}

json_t *bookmarks_list(struct replay *replay)
{
	json_t *entries = read_all(replay), *list = json_array();
	const json_t *sorted[BOOKMARKS_MAX] = {NULL};
	size_t count = json_array_size(entries);

	for (size_t i = 0; i < count; i++)
		sorted[i] = json_array_get(entries, i);
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, shown(replay, sorted[i]));
	json_decref(entries);
	return list;
}

/* ---- Tools ----------------------------------------------------------------------------------- */

/* Asks the monitor to add a line; false with *failure filled. */
static bool add_line(const json_t *entry, struct failure *failure)
{
	static struct broker_reply reply;
	char *line = json_dumps(entry, JSON_COMPACT);
	bool fine = line && broker_ask(WORKER_BROKER_FD, BROKER_BOOKMARK, line, &reply) >= 0;

	if (!line)
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
	else if (!fine && errno == EFBIG)
		failure_set(failure, ERROR_LIMIT, NULL, "%s", reply.why);
	else if (!fine)
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "bookmarks are kept in the trace's directory, which has to be writable",
		    "the bookmark cannot be kept: %s", reply.why);
	free(line);
	return fine;
}

/* Where the program stands: "store at a.c:8". */
static void tell_where(struct replay *replay, char text[WHERE_MAX])
{
	json_t *results = NULL, *frame;

	gdb_command(replay->gdb, &results, "-stack-info-frame --thread %d --frame 0",
	    replay->selected.number);
	frame = frame_listed(replay, json_object_get(results, "frame"));
	snprintf(text, WHERE_MAX, "%.60s at %.120s",
	    mi_text(frame, "function") ? mi_text(frame, "function") : "??",
	    mi_text(frame, "at") ? mi_text(frame, "at") : "??");
	json_decref(frame);
	json_decref(results);
}

/* A line of the file for where the program stands. */
static json_t *entry_here(struct replay *replay, const struct bookmark_args *args)
{
	char where[WHERE_MAX];
	json_t *entry;

	tell_where(replay, where);
	position_take_sum(replay);
	entry = json_pack("{s:s,s:I,s:o}", "name", args->name, "pid", (json_int_t)replay->pid,
	    "moment", position_json_exact(&replay->moment));
	json_object_set_new(entry, "where", scrub_json(where, strlen(where), WHERE_MAX, NULL));
	if (replay->at_end)
		json_object_set_new(entry, "at_end", json_true());
	if (args->note)
		json_object_set_new(entry, "note", json_string(args->note));
	return entry;
}

/* The same for another moment, to which it goes. */
static json_t *entry_there(
    struct replay *replay, const struct bookmark_args *args, json_t **note, struct failure *failure)
{
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	json_t *entry = NULL;

	if (named_go(replay, args->moment, note, failure) && position_update(replay, failure))
		entry = entry_here(replay, args);
	return excursion_answer(&excursion, entry, failure);
}

static bool is_sound(const struct bookmark_args *args, struct failure *failure)
{
	if (!is_name(args->name))
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "name must be a letter and up to %d more letters, digits, _, - or .; start and "
		    "end are moments already",
		    BOOKMARK_NAME_MAX - 1);
	else if (args->note && strlen(args->note) > BOOKMARK_NOTE_MAX)
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "note is longer than %d bytes",
		    BOOKMARK_NOTE_MAX);
	else
		return true;
	return false;
}

static json_t *remove_named(const json_t *entries, const char *name, struct failure *failure)
{
	json_t *entry = entry_named(entries, name), *line;
	bool fine;

	if (!entry) {
		fail_unknown(entries, name, failure);
		return NULL;
	}
	line = json_pack("{s:s,s:O,s:O,s:b}", "name", name, "pid", json_object_get(entry, "pid"),
	    "moment", json_object_get(entry, "moment"), "removed", 1);
	fine = add_line(line, failure);
	json_decref(line);
	return fine ? json_pack("{s:o}", "conclusion", json_sprintf("bookmark %s is removed", name))
		    : NULL;
}

static json_t *add_named(struct replay *replay, const json_t *entries,
    const struct bookmark_args *args, struct failure *failure)
{
	const json_t *before = entry_named(entries, args->name);
	json_t *entry, *json = NULL, *warning = NULL;

	if (!before && json_array_size(entries) >= BOOKMARKS_MAX - 1) {
		failure_set(failure, ERROR_LIMIT, "remove some: rr_bookmark with remove",
		    "there are %d bookmarks already", BOOKMARKS_MAX - 1);
		return NULL;
	}
	entry =
	    args->moment ? entry_there(replay, args, &warning, failure) : entry_here(replay, args);
	if (entry && add_line(entry, failure)) {
		json = shown(replay, entry);
		json_object_set_new(json, "conclusion",
		    json_sprintf("bookmark %s %s %s; rr_goto takes its name", args->name,
			before ? "is now" : "is", mi_text(json, "moment")));
		if (warning)
			json_object_set(json, "warning", warning);
	}
	json_decref(warning);
	json_decref(entry);
	return json;
}

json_t *tool_bookmark(
    struct replay *replay, const struct bookmark_args *args, struct failure *failure)
{
	json_t *entries, *json;

	if (!is_sound(args, failure))
		return NULL;
	entries = read_all(replay);
	json = args->remove ? remove_named(entries, args->name, failure)
			    : add_named(replay, entries, args, failure);
	json_decref(entries);
	return json;
}

json_t *tool_bookmarks(
    struct replay *replay, const struct bookmarks_args *args, struct failure *failure)
{
	json_t *list = bookmarks_list(replay);

	(void)args;
	(void)failure;
	return json_pack("{s:o,s:o}", "conclusion",
	    json_sprintf("%zu bookmark%s in this trace", json_array_size(list),
		json_array_size(list) == 1 ? "" : "s"),
	    "bookmarks", list);
}
