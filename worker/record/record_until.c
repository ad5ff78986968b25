/*
 * rr_record_until: records a program again and again until it fails, keeps that trace and removes
 * the others. Must never remove a trace that it did not make.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/handlers.h"
#include "worker/record/record.h"
#include "worker/record/record_result.h"
#include "worker/record/recorder.h"

#define KEPT_MAX   50  /* traces named in an answer */
#define SPOILT_MAX 3   /* attempts in a row in which rr itself failed */
#define SAID_MAX   300 /* bytes of rr's words for such an attempt */

enum failure_kind { FAIL_ANY, FAIL_EXIT, FAIL_SIGNAL, FAIL_TIMEOUT, FAIL_OUTPUT };

/* What counts as a failure, as the client says it; `detail` says whether ":…" may follow. */
static const struct {
	const char *name;
	enum failure_kind kind;
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
	enum failure_kind kind;
	const char *detail; /* behind the colon, or NULL */
	bool keep_all;
	int attempts;
	int spoilt;	 /* attempts in a row in which rr itself failed */
	int all_spoilt;	 /* of all */
	json_t *endings; /* how often each: {"exit 0": 3} */
	json_t *printed; /* the last line of the last attempt that ended so: {"exit 0": "done"} */
	json_t *result;	 /* of the last attempt that rr recorded, or NULL */
	json_t *kept;	 /* traces, with keep all */
};

static bool read_failure(struct hunt *hunt, const char *text, struct failure *failure)
{
	size_t name = strcspn(text, ":");

	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		bool has_detail = text[name] && text[name + 1];
		if (strlen(failures[i].name) != name || strncmp(failures[i].name, text, name) != 0)
			continue;
		if (text[name] && !(failures[i].detail && has_detail))
			break;
		if (failures[i].kind == FAIL_OUTPUT && !has_detail)
			break;
		hunt->kind = failures[i].kind;
		hunt->detail = has_detail ? text + name + 1 : NULL;
		if (hunt->detail && strlen(hunt->detail) >= STREAM_WANTED_MAX)
			break;
		return true;
	}
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "failure (a status other than 0, a signal or the timeout), exit, exit:3, signal, "
	    "signal:SIGSEGV, timeout, output:TEXT",
	    "fail_when is not understood: %.100s", text);
	return false;
}

static bool read_args(
    struct hunt *hunt, const struct record_until_args *args, struct failure *failure)
{
	hunt->attempts = hunt->recording.attempts = (int)args->attempts;
	hunt->keep_all = args->keep == KEEP_ALL;
	if (hunt->keep_all && args->trace_dir) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "leave trace_dir out",
		    "trace_dir names one trace, but keep asks for all of them");
		return false;
	}
	return read_failure(hunt, args->fail_when ? args->fail_when : "failure", failure);
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
	switch (hunt->kind) {
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

/* Counts how an attempt ended, and keeps the last that attempts of this kind said. */
static void count_ending(struct hunt *hunt, const char *ending, const char *said)
{
	json_int_t before = json_integer_value(json_object_get(hunt->endings, ending));

	json_object_set_new(hunt->endings, ending, json_integer(before + 1));
	if (*said)
		json_object_set_new(hunt->printed, ending, json_string(said));
}

static void count_result(struct hunt *hunt, json_t *result)
{
	const struct recording *recording = &hunt->recording;
	char text[32], line[STREAM_LINE_MAX * 4];
	const char *ending = describe_ending(recording, result, text, sizeof(text));

	stream_last_line(
	    recording->errors->total ? recording->errors : recording->output, line, sizeof(line));
	count_ending(hunt, ending, line);
}

static void keep_trace(struct hunt *hunt)
{
	record_note_sources(&hunt->recording, hunt->result);
	if (!hunt->recording.plan.destination.named)
		destination_link_latest(&hunt->recording.plan.destination);
	if (json_array_size(hunt->kept) < KEPT_MAX)
		json_array_append_new(
		    hunt->kept, trace_path_to_json(hunt->recording.plan.destination.trace));
}

/* rr itself failed, as *failure says, so that nobody knows how the program would have ended. A rare
 * failure is no reason to give up, but an rr that always fails would do so forever. True if the
 * hunt goes on; the trace of the last attempt stays, if there is one. */
static bool go_on_after_spoilt(struct hunt *hunt, struct failure *failure)
{
	char said[SAID_MAX], hint[FAILURE_HINT_MAX];
	bool last = hunt->recording.attempt == hunt->attempts;

	strlcpy(said, failure->message, sizeof(said));
	count_ending(hunt, "rr failed", said);
	hunt->all_spoilt++;
	hunt->spoilt++;
	if (failure->code != ERROR_LIMIT && !hunt->recording.interrupted &&
	    hunt->spoilt < SPOILT_MAX && !(last && !hunt->result)) {
		recording_remove(&hunt->recording);
		failure_forget(failure);
		return true;
	}
	strlcpy(hint, failure->hint, sizeof(hint));
	failure_set(failure, failure->code, hint, "attempt %d of %d failed in rr itself: %s",
	    hunt->recording.attempt, hunt->attempts, said);
	return false;
}

/* One attempt, whose result becomes the hunt's; *found when it is the failure. False with *failure
 * filled when the hunt cannot go on. */
static bool attempt(struct hunt *hunt, bool *found, struct failure *failure)
{
	struct recording *recording = &hunt->recording;
	json_t *list = NULL;
	char *late;

	if (hunt->kind == FAIL_OUTPUT) {
		stream_look_for(recording->output, hunt->detail);
		stream_look_for(recording->errors, hunt->detail);
	}
	if (!recording_run(recording, failure))
		return false;
	if (!record_is_usable(recording, &list)) {
		record_fail(recording, failure);
		return go_on_after_spoilt(hunt, failure);
	}
	if (recorder_stopped(recording, list, &late, failure))
		return go_on_after_spoilt(hunt, failure);
	hunt->spoilt = 0;
	json_decref(hunt->result);
	hunt->result = record_result(recording, list, recording_seconds(recording));
	json_object_set_new(hunt->result, "note", json_string(late));
	free(late);
	count_result(hunt, hunt->result);
	*found = !recording->interrupted && has_failed(hunt, hunt->result);
	if (*found || hunt->keep_all)
		keep_trace(hunt);
	else
		recording_remove(recording);
	return true;
}

static bool must_stop(const struct recording *recording)
{
	return recording->interrupted || recording->reason == END_DISK ||
	       recording->reason == END_TRACE_SIZE;
}

/* Goes on until the failure, the last attempt, or a problem. False with *failure filled if it
 * cannot go on, or no attempt had a result. */
static bool try_all(struct hunt *hunt, bool *found, struct failure *failure)
{
	struct recording *recording = &hunt->recording;

	for (int number = 1; number <= hunt->attempts; number++) {
		recording->attempt = number;
		if (!attempt(hunt, found, failure))
			return false;
		if (*found || must_stop(recording) || number == hunt->attempts)
			break;
		recording_forget(recording);
		if (!recording->plan.destination.named &&
		    !destination_next(&recording->plan.destination)) {
			failure_set(failure, ERROR_LIMIT, "remove traces with rr_rm",
			    "no unused name for another trace");
			return false;
		}
	}
	return hunt->result != NULL;
}

/* What is known about the attempts, however the hunt ended. */
static void tell_attempts(const struct hunt *hunt, json_t *answer)
{
	json_object_set_new(answer, "attempts", json_integer(hunt->recording.attempt));
	json_object_set(answer, "endings", hunt->endings);
	json_object_set(answer, "printed", hunt->printed);
	if (hunt->keep_all)
		json_object_set(answer, "traces", hunt->kept);
}

static json_t *note_never(const struct hunt *hunt)
{
	if (!hunt->all_spoilt)
		return json_string("It never failed; this is the last attempt that rr recorded.");
	return json_sprintf(
	    "It never failed in the %d attempts that rr recorded, of which this is the "
	    "last; %d more are spoilt, because rr itself failed in them.",
	    hunt->recording.attempt - hunt->all_spoilt, hunt->all_spoilt);
}

static json_t *conclude(struct hunt *hunt, bool found, struct failure *failure)
{
	json_t *result = json_incref(hunt->result);

	json_object_set_new(result, "failed", json_boolean(found));
	tell_attempts(hunt, result);
	if (!found && !hunt->keep_all)
		json_object_del(result, "trace_dir");
	if (!found && !json_object_get(result, "note"))
		json_object_set_new(result, "note", note_never(hunt));
	if (hunt->recording.reason != END_CANCELLED)
		return result;
	failure_set(
	    failure, ERROR_CANCELLED, NULL, "cancelled in attempt %d", hunt->recording.attempt);
	failure->details = result;
	return NULL;
}

json_t *tool_record_until(
    struct worker *worker, const struct record_until_args *args, struct failure *failure)
{
	struct record_request request = RECORD_REQUEST(args);
	struct hunt hunt = {
	    .endings = json_object(), .printed = json_object(), .kept = json_array()};
	bool found = false;
	json_t *result = NULL;

	if (!recording_open(&hunt.recording, worker)) {
		failure_no_memory(failure);
	} else if (read_args(&hunt, args, failure) &&
		   record_plan_make(worker, &request, &hunt.recording.plan, failure)) {
		if (try_all(&hunt, &found, failure))
			result = conclude(&hunt, found, failure);
		else
			tell_attempts(&hunt, failure->details ? failure->details
							      : (failure->details = json_object()));
	}
	recording_close(&hunt.recording);
	json_decref(hunt.endings);
	json_decref(hunt.printed);
	json_decref(hunt.kept);
	json_decref(hunt.result);
	return result;
}
