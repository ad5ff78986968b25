/*
 * rr_record_until: records a program again and again until it fails, keeps that trace and removes
 * the others. Must never remove a trace that it did not make.
 */
#include <stdio.h>
#include <string.h>
#include "worker/query.h"
#include "worker/record.h"
#include "worker/record_result.h"

#define ATTEMPTS_DEFAULT 10
#define ATTEMPTS_MAX	 1000
#define KEPT_MAX	 50 /* traces named in an answer */

enum failure { FAIL_ANY, FAIL_EXIT, FAIL_SIGNAL, FAIL_TIMEOUT, FAIL_OUTPUT };

/* What counts as a failure, as the client says it; `detail` says whether ":…" may follow. */
static const struct {
	const char *name;
	enum failure failure;
	bool detail;
} failures[] = {
    {"failure", FAIL_ANY, false},
    {"exit", FAIL_EXIT, true},
    {"signal", FAIL_SIGNAL, true},
    {"timeout", FAIL_TIMEOUT, false},
    {"output", FAIL_OUTPUT, true},
};

struct hunt {
	struct recording recording;
	enum failure failure;
	const char *detail; /* behind the colon, or NULL */
	bool keep_all;
	int attempts;
	json_t *endings; /* how often each: {"exit 0": 3} */
	json_t *kept;	 /* traces, with keep all */
};

static bool read_failure(struct hunt *hunt, const char *text, struct op_reply *reply)
{
	size_t name = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		bool has_detail = text[name] && text[name + 1];
		if (strlen(failures[i].name) != name || strncmp(failures[i].name, text, name) != 0)
			continue;
		if (text[name] && !(failures[i].detail && has_detail))
			break;
		if (failures[i].failure == FAIL_OUTPUT && !has_detail)
			break;
		hunt->failure = failures[i].failure;
		hunt->detail = has_detail ? text + name + 1 : NULL;
		if (hunt->detail && strlen(hunt->detail) >= STREAM_WANTED_MAX)
			break;
		return true;
	}
	op_fail(reply, ERROR_INVALID_ARGUMENT,
	    "failure (a status other than 0, a signal or the timeout), exit, exit:3, signal, "
	    "signal:SIGSEGV, timeout, output:TEXT",
	    "fail_when is not understood: %.100s", text);
	return false;
}

static bool read_args(struct hunt *hunt, json_t *args, struct op_reply *reply)
{
	json_t *attempts = json_object_get(args, "attempts");
	const char *failure = json_string_value(json_object_get(args, "fail_when"));
	const char *keep = json_string_value(json_object_get(args, "keep"));
	json_int_t count = attempts ? json_integer_value(attempts) : ATTEMPTS_DEFAULT;

	if (count < 1 || count > ATTEMPTS_MAX) {
		op_fail(
		    reply, ERROR_INVALID_ARGUMENT, NULL, "attempts must be 1 to %d", ATTEMPTS_MAX);
		return false;
	}
	hunt->attempts = hunt->recording.attempts = (int)count;
	hunt->keep_all = keep && strcmp(keep, "all") == 0;
	if (hunt->keep_all && json_object_get(args, "trace_dir")) {
		op_fail(reply, ERROR_INVALID_ARGUMENT, "leave trace_dir out",
		    "trace_dir names one trace, keep asks for all");
		return false;
	}
	/* Varied scheduling is what brings a rare failure out. */
	if (!json_object_get(args, "chaos"))
		json_object_set_new(args, "chaos", json_true());
	return read_failure(hunt, failure ? failure : "failure", reply);
}

/* "exit 0", "SIGSEGV", "timeout". */
static const char *describe_ending(
    const struct recording *recording, json_t *result, char *text, size_t size)
{
	const char *signal = json_string_value(json_object_get(result, "signal"));

	if (recording->reason == END_TIMEOUT)
		return "timeout";
	if (signal)
		return signal;
	snprintf(
	    text, size, "exit %d", (int)json_integer_value(json_object_get(result, "exit_code")));
	return text;
}

static bool has_failed(const struct hunt *hunt, json_t *result)
{
	const struct recording *recording = &hunt->recording;
	const char *signal = json_string_value(json_object_get(result, "signal"));
	json_int_t code = json_integer_value(json_object_get(result, "exit_code"));
	bool timeout = recording->reason == END_TIMEOUT;
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)code);
	switch (hunt->failure) {
	case FAIL_ANY:
		return timeout || signal || code != 0;
	case FAIL_EXIT:
		return !timeout && !signal &&
		       (hunt->detail ? strcmp(hunt->detail, number) == 0 : code != 0);
	case FAIL_SIGNAL:
		return !timeout && signal && (!hunt->detail || strcmp(hunt->detail, signal) == 0);
	case FAIL_TIMEOUT:
		return timeout;
	case FAIL_OUTPUT:
		return recording->output->found || recording->errors->found;
	}
	return false;
}

static void count_ending(struct hunt *hunt, json_t *result)
{
	char text[32];
	const char *ending = describe_ending(&hunt->recording, result, text, sizeof(text));
	json_int_t before = json_integer_value(json_object_get(hunt->endings, ending));

	json_object_set_new(hunt->endings, ending, json_integer(before + 1));
}

static void keep_trace(struct hunt *hunt)
{
	if (!hunt->recording.plan.trace_named)
		record_plan_link_latest(&hunt->recording.plan);
	if (json_array_size(hunt->kept) < KEPT_MAX)
		json_array_append_new(hunt->kept, trace_path_to_json(hunt->recording.plan.trace));
}

/* One attempt. NULL with the reply failed, else its result; *found when it is the failure. */
static json_t *attempt(struct hunt *hunt, bool *found, struct op_reply *reply)
{
	struct recording *recording = &hunt->recording;
	json_t *list = NULL, *result;

	if (hunt->failure == FAIL_OUTPUT) {
		stream_look_for(recording->output, hunt->detail);
		stream_look_for(recording->errors, hunt->detail);
	}
	if (!recording_run(recording, reply))
		return NULL;
	if (!record_is_usable(recording, &list)) {
		record_fail(recording, reply);
		return NULL;
	}
	result = record_result(recording, list, recording_seconds(recording));
	count_ending(hunt, result);
	*found = !recording->interrupted && has_failed(hunt, result);
	return result;
}

static bool must_stop(const struct recording *recording)
{
	return recording->interrupted || recording->reason == END_DISK ||
	       recording->reason == END_TRACE_SIZE;
}

/* Until the failure, the last attempt, or what makes going on pointless. The last result, or NULL
 * with the reply failed. */
static json_t *try_all(struct hunt *hunt, bool *found, struct op_reply *reply)
{
	struct recording *recording = &hunt->recording;
	json_t *result = NULL;

	for (int number = 1; number <= hunt->attempts; number++) {
		json_decref(result);
		recording->attempt = number;
		result = attempt(hunt, found, reply);
		if (!result)
			return NULL;
		if (*found || hunt->keep_all)
			keep_trace(hunt);
		else
			recording_remove(recording);
		if (*found || must_stop(recording) || number == hunt->attempts)
			break;
		recording_forget(recording);
		if (!recording->plan.trace_named && !record_plan_next_trace(&recording->plan)) {
			op_fail(reply, ERROR_LIMIT, "remove traces with rr_rm",
			    "no free name for another trace");
			json_decref(result);
			return NULL;
		}
	}
	return result;
}

static void conclude(struct hunt *hunt, json_t *result, bool found, struct op_reply *reply)
{
	json_object_set_new(result, "failed", json_boolean(found));
	json_object_set_new(result, "attempts", json_integer(hunt->recording.attempt));
	json_object_set(result, "endings", hunt->endings);
	if (hunt->keep_all)
		json_object_set(result, "traces", hunt->kept);
	else if (!found)
		json_object_del(result, "trace_dir");
	if (!found && !json_object_get(result, "note"))
		json_object_set_new(result, "note",
		    json_string("It never failed; what is shown is the last attempt."));
	reply->result = result;
	if (hunt->recording.reason != END_CANCELLED)
		return;
	op_fail(reply, ERROR_CANCELLED, NULL, "cancelled in attempt %d", hunt->recording.attempt);
	reply->extra = reply->result;
	reply->result = NULL;
}

void record_until(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct hunt hunt = {.endings = json_object(), .kept = json_array()};
	bool found = false;
	json_t *result;

	if (!recording_open(&hunt.recording, worker)) {
		op_fail(reply, ERROR_INTERNAL, NULL, "out of memory");
	} else if (read_args(&hunt, args, reply) &&
		   record_plan_make(worker, args, &hunt.recording.plan, reply)) {
		result = try_all(&hunt, &found, reply);
		if (result)
			conclude(&hunt, result, found, reply);
	}
	recording_close(&hunt.recording);
	json_decref(hunt.endings);
	json_decref(hunt.kept);
}
