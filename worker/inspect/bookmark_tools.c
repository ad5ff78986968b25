/*
 * The tools that make, remove and list bookmarks. The monitor adds the lines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/broker.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/serve/handlers.h"
#include "worker/moment/bookmarks.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/visit.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/serve/sentence.h"

#define WHERE_MAX 200

static int compare(const void *left, const void *right)
{
	const json_t *const *a = left, *const *b = right;
	struct moment x, y;

	moment_from_json(json_object_get(*a, "moment"), &x);
	moment_from_json(json_object_get(*b, "moment"), &y);
	return position_order(&x, &y);
}

/* A bookmark as clients see it. Makes the file's text safe to show. */
static json_t *shown(struct replay *replay, const json_t *entry)
{
	static const char *const texts[] = {"where", "note"};
	json_int_t pid = json_integer_value(json_object_get(entry, "pid"));
	json_t *json = json_pack("{s:O}", "name", json_object_get(entry, "name"));
	struct moment moment;

	moment_from_json(json_object_get(entry, "moment"), &moment);
	json_object_set_new(json, "moment", moment_name(replay, &moment));
	if (pid != replay_pid(replay))
		json_object_set_new(json, "pid", json_integer(pid));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = mi_text(entry, texts[i]);
		if (text)
			json_object_set_new(json, texts[i],
			    scrub_json(text, strlen(text), BOOKMARK_NOTE_MAX, NULL));
	}
	return json;
}

static json_t *list_all(struct replay *replay, const json_t *entries)
{
	json_t *list = json_array();
	const json_t *sorted[BOOKMARKS_MAX] = {NULL};
	size_t count = json_array_size(entries);

	for (size_t i = 0; i < count; i++)
		sorted[i] = json_array_get(entries, i);
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, shown(replay, sorted[i]));
	return list;
}

/* Asks the monitor to add a line; false with *failure filled. */
static bool add_line(const json_t *entry, struct failure *failure)
{
	static struct broker_reply reply;
	char *line = json_dumps(entry, JSON_COMPACT);
	bool ok = line && broker_ask(WORKER_BROKER_FD, BROKER_BOOKMARK, line, &reply) >= 0;

	if (!line)
		failure_no_memory(failure);
	else if (!ok && errno == EFBIG)
		failure_set(failure, ERROR_LIMIT, NULL, "%s", reply.why);
	else if (!ok)
		failure_set(failure, ERROR_NOT_ALLOWED,
		    "bookmarks are kept in the trace's directory, which has to be writable",
		    "the bookmark cannot be kept: %s", reply.why);
	free(line);
	return ok;
}

/* Where the program stands: "store at a.c:8". */
static void tell_where(struct replay *replay, char text[WHERE_MAX])
{
	json_auto_t *results = NULL, *frame = NULL;

	/* What is not known is told as ??. */
	gdb_try(replay_gdb(replay), &results, "-stack-info-frame --thread %d --frame 0",
	    replay_selected(replay)->number);
	frame = frame_listed(replay, json_object_get(results, "frame"));
	snprintf(text, WHERE_MAX, "%.60s at %.120s",
	    mi_text(frame, "function") ? mi_text(frame, "function") : "??",
	    mi_text(frame, "at") ? mi_text(frame, "at") : "??");
}

/* A line of the file for where the program stands. */
static json_t *entry_here(struct replay *replay, const struct bookmark_args *args)
{
	char where[WHERE_MAX];
	json_t *entry;

	tell_where(replay, where);
	position_take_sum(replay);
	entry = json_pack("{s:s,s:I,s:o}", "name", args->name, "pid",
	    (json_int_t)replay_pid(replay), "moment", moment_json(replay_now(replay)));
	json_object_set_new(entry, "where", scrub_json(where, strlen(where), WHERE_MAX, NULL));
	answer_add_flag(entry, "at_end", replay_is_at_end(replay));
	json_object_set_new(entry, "note", json_string(args->note));
	return entry;
}

/* The same for another moment, to which it goes. */
static json_t *entry_there(
    struct replay *replay, const struct bookmark_args *args, struct failure *failure)
{
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	json_t *entry = NULL;

	if (moment_visit(replay, args->moment, failure) && position_update(replay, failure))
		entry = entry_here(replay, args);
	visit_end(replay);
	return excursion_answer(&excursion, entry, failure);
}

static bool is_sound(const struct bookmark_args *args, struct failure *failure)
{
	if (!bookmarks_is_new_name(args->name))
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
	json_t *entry = bookmarks_named(entries, name);
	json_auto_t *line = NULL;

	if (!entry) {
		bookmarks_fail_unknown(entries, name, failure);
		return NULL;
	}
	line = json_pack("{s:s,s:O,s:O,s:b}", "name", name, "pid", json_object_get(entry, "pid"),
	    "moment", json_object_get(entry, "moment"), "removed", 1);
	return add_line(line, failure)
		   ? json_pack("{s:o}", "conclusion", json_sprintf("bookmark %s is removed", name))
		   : NULL;
}

static json_t *add_named(struct replay *replay, const json_t *entries,
    const struct bookmark_args *args, struct failure *failure)
{
	const json_t *before = bookmarks_named(entries, args->name);
	json_t *entry, *json = NULL;

	if (!before && json_array_size(entries) >= BOOKMARKS_MAX - 1) {
		failure_set(failure, ERROR_LIMIT, "remove some: rr_bookmark with remove",
		    "there are %d bookmarks already", BOOKMARKS_MAX - 1);
		return NULL;
	}
	entry = args->moment ? entry_there(replay, args, failure) : entry_here(replay, args);
	if (entry && add_line(entry, failure)) {
		json = shown(replay, entry);
		json_object_set_new(json, "conclusion",
		    json_sprintf("bookmark %s %s %s; rr_goto takes its name", args->name,
			before ? "is now" : "is", mi_text(json, "moment")));
	}
	json_decref(entry);
	return json;
}

json_t *tool_bookmark(
    struct replay *replay, const struct bookmark_args *args, struct failure *failure)
{
	json_auto_t *entries = NULL;

	if (!is_sound(args, failure))
		return NULL;
	entries = bookmarks_read(replay, NULL, failure);
	if (!entries)
		return NULL;
	return args->remove ? remove_named(entries, args->name, failure)
			    : add_named(replay, entries, args, failure);
}

/* What of the file is missing in the list; NULL: nothing. */
static json_t *warn_of(const struct bookmarks_unread *unread)
{
	if (unread->rest)
		return json_string(BROKER_BOOKMARKS_FILE
		    " in the trace's directory is longer than bookmarks may be: the rest of it is "
		    "not read");
	if (!unread->lines)
		return NULL;
	return json_sprintf("%zu line%s of " BROKER_BOOKMARKS_FILE
			    " in the trace's directory cannot be read as bookmarks",
	    unread->lines, unread->lines == 1 ? "" : "s");
}

json_t *tool_bookmarks(
    struct replay *replay, const struct bookmarks_args *args, struct failure *failure)
{
	struct bookmarks_unread unread;
	json_t *entries = bookmarks_read(replay, &unread, failure), *list, *json;

	(void)args;
	if (!entries)
		return NULL;
	list = list_all(replay, entries);
	json_decref(entries);
	json = json_pack("{s:o,s:o}", "conclusion",
	    json_sprintf("%zu bookmark%s in this trace", json_array_size(list),
		json_array_size(list) == 1 ? "" : "s"),
	    "bookmarks", list);
	json_object_set_new(json, "warning", warn_of(&unread));
	return json;
}
