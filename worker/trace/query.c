/*
 * Asks rr about one trace. Must never start rr on a directory that trace.h has not checked.
 */
#include "sandbox/wire/broker.h"
#include "worker/trace/query.h"

#include "worker/serve/capture.h"
#include "worker/serve/handlers.h"
#include "worker/serve/lookup.h"
#include "worker/serve/rr_words.h"
#include "worker/trace/dump/execs.h"
#include "worker/trace/listing.h"
#include "worker/trace/process_list.h"
#include "worker/trace/removal.h"
#include "worker/trace/trace.h"
#include "worker/trace/trace_info.h"

#define TIME_TEXT_MAX 32

int query_timeout_ms(const struct worker *worker)
{
	double seconds = json_number_value(json_object_get(worker->config.timeouts, "startup"));

	return (int)((seconds > 0 ? seconds : QUERY_TIMEOUT_S) * 1000);
}

bool query_run_rr(struct worker *worker, const char *command, const char *path, bool writes,
    int limit_ms, struct capture *capture, struct failure *failure)
{
	const char *const arguments[] = {command, path, NULL};
	struct lookup rr;

	*capture = (struct capture){.tool = TOOL_NONE};
	if (lookup_prepare(&rr, &worker->config, worker->config.rr, arguments) < 0) {
		lookup_fail_without_rr(&worker->config, failure);
		return false;
	}
	lookup_show(&rr, path, writes);
	return capture_run(worker, &rr.spec, limit_ms, capture, failure);
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

	if (query_run_rr(worker, "ps", path, false, query_timeout_ms(worker), &capture, failure)) {
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
	json_t *process;
	size_t i;

	if (execs_read(worker, path, NULL, EXECS_READ_MS, &execs, &ignored)) {
		json_array_foreach(json_object_get(list, "processes"), i, process)
		{
			json_auto_t *images = process_images(
			    &execs, (int)json_integer_value(json_object_get(process, "pid")));

			if (json_array_size(images) > 1)
				json_object_set(process, "images", images);
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

json_t *query_trace_info(struct worker *worker, const char *path, struct failure *failure)
{
	struct capture capture = {.tool = TOOL_NONE};
	json_t *result = NULL;

	/* Without a counter, rr prints the header and then fails. Only the header is needed. */
	if (query_run_rr(
		worker, "traceinfo", path, false, query_timeout_ms(worker), &capture, failure)) {
		result = trace_info_parse(capture.output, capture.output_length);
		if (!result)
			query_fail_with_words(failure, "rr traceinfo", &capture);
	}
	capture_free(&capture);
	return result;
}

json_t *tool_traceinfo(
    struct worker *worker, const struct traceinfo_args *args, struct failure *failure)
{
	struct trace trace;
	char created[TIME_TEXT_MAX];
	json_t *result = NULL;

	if (!trace_open(worker, args->trace_dir, true, &trace, failure))
		goto out;
	result = query_trace_info(worker, trace.path, failure);
	if (!result)
		goto out;
	listing_time_text(listing_trace_created(trace.directory).tv_sec, created, sizeof(created));
	json_object_set_new(result, "trace_dir", trace_path_to_json(trace.path));
	json_object_set_new(result, "created", json_string(created));
	json_object_set_new(
	    result, "bytes", json_integer((json_int_t)listing_trace_bytes(trace.directory)));
out:
	trace_close(&trace);
	return result;
}

json_t *tool_rm(struct worker *worker, const struct rm_args *args, struct failure *failure)
{
	struct broker_reply ignored = {0};
	char path[TRACE_PATH_MAX];
	uint64_t freed = 0;

	if (!removal_remove(worker, args->trace_dir, path, &freed, failure))
		return NULL;
	(void)broker_ask(WORKER_BROKER_FD, BROKER_REMOVED, NULL, &ignored);
	return json_pack("{s:b,s:o,s:I}", "removed", 1, "trace_dir", trace_path_to_json(path),
	    "bytes", (json_int_t)freed);
}
