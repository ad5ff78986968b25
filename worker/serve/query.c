/*
 * Operations of the query worker. Must never start rr on a directory that trace.h has not judged.
 */
#include "worker/serve/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/pmu/pmu.h"
#include "worker/serve/capture.h"
#include "worker/serve/handlers.h"
#include "worker/trace/execs.h"
#include "worker/trace/listing.h"
#include "worker/serve/places.h"
#include "worker/trace/process_list.h"
#include "worker/trace/removal.h"
#include "worker/serve/rr_words.h"
#include "sandbox/wire/scrub.h"
#include "worker/trace/trace.h"
#include "worker/trace/trace_info.h"

#define COMMAND_MAX   300 /* bytes of a command line in a listing */
#define PREVIEW_MAX   (8 * 1024)
#define TIME_TEXT_MAX 32

static int timeout_ms(const struct worker *worker)
{
	double seconds = json_number_value(json_object_get(worker->config.timeouts, "startup"));

	return (int)((seconds > 0 ? seconds : QUERY_TIMEOUT_S) * 1000);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

bool query_run_rr(struct worker *worker, const char *command, const char *path, bool writes,
    int limit_ms, struct capture *capture, struct failure *failure)
{
	char rr[PATH_MAX];
	const char *const argv[] = {rr, command, path, NULL};
	struct sandbox_settings settings;
	struct tool_spec spec = {.path = rr,
	    .argv = (char *const *)argv,
	    .environment = tool_environment,
	    .role = ROLE_QUERY,
	    .settings = &settings,
	    .output = -1,
	    .extra = -1};

	*capture = (struct capture){.tool = TOOL_NONE};
	if (pmu_find_program(worker->config.rr, rr, sizeof(rr)) < 0) {
		failure_set(failure, ERROR_RR_FAILED, "install rr, or name it with --rr",
		    "%s cannot be found: %s", worker->config.rr, strerror(errno));
		return false;
	}
	struct places places;
	tool_settings(&worker->config, &settings);
	places_begin(&places, &worker->config);
	if (writes)
		places_write(&places, path);
	else
		places_read(&places, path);
	places_apply(&places, &settings);
	return capture_run(worker, &spec, limit_ms, capture, failure);
}

void query_fail_with_words(
    struct failure *failure, const char *doing, const struct capture *capture)
{
	char end[64];

	tool_describe_end(&capture->tool, end, sizeof(end));
	rr_words_fail(failure, doing, end, capture->errors, capture->errors_length);
}

json_t *query_processes(
    struct worker *worker, const char *path, size_t budget, struct failure *failure)
{
	struct capture capture;
	json_t *list = NULL;

	if (query_run_rr(worker, "ps", path, false, timeout_ms(worker), &capture, failure)) {
		if (capture_succeeded(&capture))
			list = process_list_parse(capture.output, capture.output_length, budget);
		if (!list)
			query_fail_with_words(failure, "rr ps", &capture);
	}
	capture_free(&capture);
	return list;
}

/* Adds the images of the processes that ran exec more than once: rr ps knows the first only. */
static void add_images(struct worker *worker, const char *path, json_t *list)
{
	struct failure ignored = {0};
	struct execs execs;
	json_t *process, *images;
	size_t i;

	if (execs_read(worker, path, EXECS_READ_MS, &execs, &ignored)) {
		json_array_foreach(json_object_get(list, "processes"), i, process)
		{
			images = execs_json(
			    &execs, (int)json_integer_value(json_object_get(process, "pid")));
			if (json_array_size(images) > 1)
				json_object_set(process, "images", images);
			json_decref(images);
		}
		if (execs.cut)
			json_object_set_new(
			    list, "images_until_event", json_integer((json_int_t)execs.last));
	}
	execs_free(&execs);
}

json_t *tool_ps(struct worker *worker, const struct ps_args *args, struct failure *failure)
{
	struct trace trace;
	json_t *list = NULL;

	if (trace_open(worker, args->trace_dir, true, &trace, failure)) {
		list = query_processes(worker, trace.path, PROCESS_LIST_BUDGET, failure);
		if (list) {
			json_object_set_new(list, "trace_dir", trace_path_to_json(trace.path));
			add_images(worker, trace.path, list);
		}
	}
	trace_close(&trace);
	return list;
}

json_t *tool_traceinfo(
    struct worker *worker, const struct traceinfo_args *args, struct failure *failure)
{
	struct trace trace;
	struct capture capture = {.tool = TOOL_NONE};
	char created[TIME_TEXT_MAX];
	json_t *result = NULL;

	if (!trace_open(worker, args->trace_dir, true, &trace, failure))
		goto out;
	/* Without a counter rr prints the header and then fails: the header is what is wanted. */
	if (!query_run_rr(
		worker, "traceinfo", trace.path, false, timeout_ms(worker), &capture, failure))
		goto out;
	result = trace_info_parse(capture.output, capture.output_length);
	if (!result) {
		query_fail_with_words(failure, "rr traceinfo", &capture);
		goto out;
	}
	listing_time_text(listing_trace_created(trace.directory).tv_sec, created, sizeof(created));
	json_object_set_new(result, "trace_dir", trace_path_to_json(trace.path));
	json_object_set_new(result, "created", json_string(created));
	json_object_set_new(
	    result, "bytes", json_integer((json_int_t)listing_trace_bytes(trace.directory)));
out:
	capture_free(&capture);
	trace_close(&trace);
	return result;
}

json_t *tool_rm(struct worker *worker, const struct rm_args *args, struct failure *failure)
{
	char path[TRACE_PATH_MAX];
	uint64_t freed = 0;

	if (!removal_remove(worker, args->trace_dir, path, &freed, failure))
		return NULL;
	return json_pack("{s:b,s:o,s:I}", "removed", 1, "trace_dir", trace_path_to_json(path),
	    "bytes", (json_int_t)freed);
}

/* Signals that a program gets for what it does, not from somebody. */
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
	json_t *list = query_processes(worker, path, PREVIEW_MAX, &refused);
	json_t *first = json_array_get(json_object_get(list, "processes"), 0);
	static const char *const keys[] = {"exit_code", "signal"};

	if (!list && refused.message[0])
		json_object_set_new(recording, "problem",
		    scrub_json_middle(refused.message, strlen(refused.message), COMMAND_MAX, NULL));
	for (size_t i = 0; first && i < sizeof(keys) / sizeof(*keys); i++)
		if (json_object_get(first, keys[i]))
			json_object_set(recording, keys[i], json_object_get(first, keys[i]));
	if (first) {
		const char *command = text_of(first, "command");
		json_object_set_new(recording, "command",
		    scrub_json_middle(command, strlen(command), COMMAND_MAX, NULL));
		json_object_set_new(
		    recording, "crashed", json_boolean(is_crash(text_of(first, "signal"))));
	}
	json_decref(list);
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

/* NULL when it went away meanwhile. */
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
	if (strcmp(entry->name, listing->latest) == 0)
		json_object_set_new(recording, "latest", json_true());
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
		if (size > QUERY_PAGE_BUDGET || worker->interrupt != INTERRUPT_NONE) {
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

/* The first line that `PROGRAM --version` prints, or "". */
static void read_version(
    struct worker *worker, const char *program, char *path, char *version, size_t size)
{
	const char *const argv[] = {path, "--version", NULL};
	struct sandbox_settings settings;
	struct tool_spec spec = {.path = path,
	    .argv = (char *const *)argv,
	    .environment = tool_environment,
	    .role = ROLE_QUERY,
	    .settings = &settings,
	    .output = -1,
	    .extra = -1};
	struct places places;
	struct capture capture = {.tool = TOOL_NONE};
	struct failure ignored = {0};

	*version = '\0';
	if (pmu_find_program(program, path, PATH_MAX) < 0) {
		*path = '\0';
		return;
	}
	tool_settings(&worker->config, &settings);
	places_begin(&places, &worker->config);
	places_apply(&places, &settings);
	if (capture_run(worker, &spec, timeout_ms(worker), &capture, &ignored)) {
		/* rr says it on stderr. */
		bool said = capture.output_length > 0;
		const char *text = said ? capture.output : capture.errors;
		size_t length = said ? capture.output_length : capture.errors_length;
		const char *end = memchr(text, '\n', length);
		scrub_bytes(version, size, text, end ? (size_t)(end - text) : length);
	}
	capture_free(&capture);
}

static json_t *program_status(struct worker *worker, const char *program)
{
	char path[PATH_MAX], version[128];

	read_version(worker, program, path, version, sizeof(version));
	if (!*path)
		return json_pack("{s:s,s:b}", "name", program, "found", 0);
	return json_pack(
	    "{s:o,s:b,s:s}", "path", trace_path_to_json(path), "found", 1, "version", version);
}

static json_t *pmu_status(const struct worker *worker)
{
	struct pmu_choice choice;
	int mode = pmu_mode_from_name(worker->config.pmu);

	if (pmu_choose(mode < 0 ? PMU_MODE_AUTO : (enum pmu_mode)mode, worker->config.rr, &choice) <
	    0)
		return json_pack("{s:s,s:s}", "kind", "none", "error", choice.error);
	return json_pack("{s:s,s:s,s:s}", "kind", pmu_kind_name(choice.kind), "why", choice.why,
	    "warning", choice.warning);
}

json_t *tool_status(struct worker *worker, const struct status_args *args, struct failure *failure)
{
	char base[TRACE_PATH_MAX] = "";

	(void)args;
	(void)failure;
	trace_base_dir(base, sizeof(base));
	return json_pack("{s:o,s:o,s:o,s:o,s:O,s:O}", "rr",
	    program_status(worker, worker->config.rr), "gdb",
	    program_status(worker, worker->config.gdb), "pmu", pmu_status(worker), "trace_base_dir",
	    trace_path_to_json(base), "sandbox", worker->config.sandbox_report, "limits",
	    worker->config.limits);
}
