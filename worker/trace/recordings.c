/*
 * rr_list_recordings: one page of the recordings below a directory, each with how it ended.
 */
#include <stdio.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/serve/handlers.h"
#include "worker/serve/sentence.h"
#include "worker/trace/listing.h"
#include "worker/trace/query.h"
#include "worker/trace/trace.h"

#define COMMAND_MAX   300 /* bytes of a command line in a listing */
#define PREVIEW_MAX   (8 * 1024)
#define TIME_TEXT_MAX 32
#define PAGE_BUDGET   (30 * 1024) /* bytes of JSON of the recordings of one answer */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Signals that a program causes itself. */
static bool is_crash(const char *signal)
{
	static const char *const crashes[] = {
	    "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"};

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (strcmp(signal, crashes[i]) == 0)
			return true;
	return false;
}

/* What rr ps tells of the first process; a trace that rr refuses is listed with its words. */
static void add_ending(struct worker *worker, const char *path, json_t *recording)
{
	struct failure refused = {0};
	json_auto_t *list = query_processes(worker, path, PREVIEW_MAX, &refused);
	json_t *first = json_array_get(json_object_get(list, "processes"), 0);
	static const char *const keys[] = {"exit_code", "signal"};

	if (!list && refused.message[0])
		json_object_set_new(recording, "problem",
		    scrub_json_middle(refused.message, strlen(refused.message), COMMAND_MAX, NULL));
	for (size_t i = 0; first && i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(recording, keys[i], json_object_get(first, keys[i]));
	if (first) {
		const char *command = text_of(first, "command");
		json_object_set_new(recording, "command",
		    scrub_json_middle(command, strlen(command), COMMAND_MAX, NULL));
		json_object_set_new(
		    recording, "crashed", json_boolean(is_crash(text_of(first, "signal"))));
	}
}

static const char *state_name(enum trace_state state)
{
	switch (state) {
	case TRACE_COMPLETE:
		return "complete";
	case TRACE_RECORDING:
		return "recording";
	case TRACE_INCOMPLETE:
		return "incomplete";
	case TRACE_NONE:
		break;
	}
	return "none";
}

/* NULL if it has been removed in the meantime. */
static json_t *describe_recording(
    struct worker *worker, const struct listing *listing, const struct listing_entry *entry)
{
	char path[TRACE_PATH_MAX], created[TIME_TEXT_MAX];
	struct trace trace;
	struct failure gone = {0};
	json_t *recording = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", listing->path, entry->name) >= (int)sizeof(path))
		return NULL;
	if (!trace_open(worker, path, false, &trace, &gone))
		goto out;
	listing_time_text(entry->created.tv_sec, created, sizeof(created));
	recording = json_pack("{s:o,s:s,s:s,s:I,s:s}", "trace_dir", trace_path_to_json(path),
	    "created", created, "state", state_name(trace.state), "bytes",
	    (json_int_t)listing_trace_bytes(trace.directory), "command", "");
	answer_add_flag(recording, "latest", strcmp(entry->name, listing->latest) == 0);
	if (trace.state == TRACE_COMPLETE)
		add_ending(worker, trace.path, recording);
out:
	trace_close(&trace);
	return recording;
}

/* Appends from `offset` on, until the page or its budget is full. Returns the next offset. */
static size_t fill_page(struct worker *worker, const struct listing *listing, size_t offset,
    size_t limit, json_t *recordings)
{
	size_t size = 0;

	for (; offset < listing->count && json_array_size(recordings) < limit; offset++) {
		json_t *recording = describe_recording(worker, listing, &listing->entries[offset]);
		if (!recording)
			continue;
		size += json_dumpb(recording, NULL, 0, JSON_COMPACT) + 1;
		if (size > PAGE_BUDGET || worker->interrupt != INTERRUPT_NONE) {
			json_decref(recording);
			break;
		}
		json_array_append_new(recordings, recording);
	}
	return offset;
}

json_t *tool_list_recordings(
    struct worker *worker, const struct list_recordings_args *args, struct failure *failure)
{
	const char *base = args->trace_base_dir ? args->trace_base_dir : "";
	json_t *recordings, *result = NULL;
	struct listing listing;
	size_t next;

	if (listing_open(worker, base, &listing, failure)) {
		recordings = json_array();
		next = fill_page(
		    worker, &listing, (size_t)args->offset, (size_t)args->limit, recordings);
		result = json_pack("{s:o,s:o,s:I}", "recordings", recordings, "trace_base_dir",
		    trace_path_to_json(listing.path), "total", (json_int_t)listing.count);
		if (next < listing.count) {
			json_object_set_new(
			    result, "more", json_integer((json_int_t)(listing.count - next)));
			json_object_set_new(result, "next_offset", json_integer((json_int_t)next));
		}
	}
	listing_close(&listing);
	return result;
}
