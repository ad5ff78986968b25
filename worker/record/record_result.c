/*
 * Makes the answer about a recording. The trace shows how the program ended; rr's own exit status
 * does not, because it can be rr's or the program's.
 */
#include "worker/record/record_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "worker/record/plan/guard_heap.h"
#include "worker/trace/process_list.h"
#include "worker/trace/trace.h"

#define NOTE_MAX       256
#define LEAST_OUTPUT   256  /* bytes of a stream that stay whatever their escapes cost */
#define RESULT_RESERVE 8192 /* bytes for what is set after the output */

static const char *const reason_names[] = {
    [END_ITSELF] = NULL,
    [END_TIMEOUT] = "timeout",
    [END_CANCELLED] = "cancelled",
    [END_ASKED] = "interrupt",
    [END_TRACE_SIZE] = "trace_size",
    [END_DISK] = "disk_space",
    [END_STARTUP] = "startup",
    [END_TRACER] = "tracer",
};

static const char *const reason_notes[] = {
    [END_ITSELF] = NULL,
    [END_TIMEOUT] =
	"The program was stopped at the time limit; the trace is complete up to that point.",
    [END_CANCELLED] = "The recording was cancelled; the trace is complete up to that point.",
    [END_ASKED] = NULL, /* note_asked */
    [END_TRACE_SIZE] =
	"The program was stopped at the size limit; the trace is complete up to that point.",
    [END_DISK] = "The program was stopped because the disk is nearly full; rr_rm frees space.",
    [END_STARTUP] = "rr was stopped because it did not start the program in time.",
    [END_TRACER] = "The program was stopped because it started one that traces others.",
};

/* Escapes may take several bytes each. */
void record_set_output(json_t *result, const struct recording *recording)
{
	bool cut;

	for (size_t max = recording->plan.output_limit;; max /= 2) {
		cut = false;
		json_object_set_new(result, "stdout", stream_to_json(recording->output, max, &cut));
		json_object_set_new(result, "stderr", stream_to_json(recording->errors, max, &cut));
		if (max <= LEAST_OUTPUT ||
		    json_dumpb(result, NULL, 0, JSON_COMPACT) + RESULT_RESERVE <= WIRE_RESULT_MAX)
			break;
	}
	json_object_set_new(result, "truncated", json_boolean(cut));
	if (!cut)
		return;
	json_object_set_new(
	    result, "stdout_bytes", json_integer((json_int_t)recording->output->total));
	json_object_set_new(
	    result, "stderr_bytes", json_integer((json_int_t)recording->errors->total));
}

/* Processes that rr killed when the first one, or the recording, had ended. */
static size_t count_left_behind(json_t *processes)
{
	size_t index, count = 0;
	json_t *process;

	json_array_foreach(processes, index, process)
	{
		const char *signal = json_string_value(json_object_get(process, "signal"));
		if (index > 0 && (json_is_false(json_object_get(process, "ended")) ||
				     (signal && strcmp(signal, "SIGKILL") == 0)))
			count++;
	}
	return count;
}

/* How it ended when it was asked to. It may have been about to end by itself. */
static void note_asked(json_t *result, const struct recording *recording)
{
	const char *signal = json_string_value(json_object_get(result, "signal"));
	const json_t *code = json_object_get(result, "exit_code");
	int asked = recording->end_signal ? recording->end_signal : SIGTERM;
	char note[NOTE_MAX], name[32], how[80] = "it was stopped";

	if (code)
		snprintf(how, sizeof(how), "it exited with status %lld",
		    (long long)json_integer_value(code));
	else if (signal && strcmp(signal, "SIGKILL") == 0 && asked != SIGKILL)
		snprintf(how, sizeof(how), "it did not end in time, and SIGKILL ended it");
	else if (signal)
		snprintf(how, sizeof(how), "%s ended it", signal);
	snprintf(note, sizeof(note),
	    "The program was asked to end with %s: %s. The trace is complete up to that point.",
	    signal_to_name(asked, name, sizeof(name)), how);
	json_object_set_new(result, "note", json_string(note));
}

static void set_note(json_t *result, const struct recording *recording, json_t *processes)
{
	char note[NOTE_MAX];
	size_t left = count_left_behind(processes);

	if (recording->reason != END_ITSELF) {
		json_object_set_new(
		    result, "ended_by", json_string(reason_names[recording->reason]));
		if (recording->reason == END_ASKED)
			note_asked(result, recording);
		else
			json_object_set_new(
			    result, "note", json_string(reason_notes[recording->reason]));
	} else if (left) {
		snprintf(note, sizeof(note),
		    "The first process ended while %zu other%s still ran or had been killed: a "
		    "recording ends with its first process, and rr then kills the rest.",
		    left, left == 1 ? "" : "s");
		json_object_set_new(result, "note", json_string(note));
	}
}

static void set_heap(json_t *result, const struct recording *recording)
{
	char *note;
	json_t *told = guard_heap_tell(&recording->plan.heap, recording->trace, &note);

	json_object_set_new(result, "heap", told);
	if (note && !json_object_get(result, "note"))
		json_object_set_new(result, "note", json_string(note));
	else if (note)
		json_object_set_new(result, "note",
		    json_sprintf(
			"%s %s", json_string_value(json_object_get(result, "note")), note));
	free(note);
}

/* How the first process ended: from the trace, or else from rr's own end, which is the same. */
static void set_ending(json_t *result, json_t *first, int status)
{
	static const char *const keys[] = {"exit_code", "signal"};
	char name[32];

	if (!first && WIFSIGNALED(status))
		json_object_set_new(result, "signal",
		    json_string(signal_to_name(WTERMSIG(status), name, sizeof(name))));
	else if (!first)
		json_object_set_new(result, "exit_code", json_integer(WEXITSTATUS(status)));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set(result, keys[i], json_object_get(first, keys[i]));
}

json_t *record_result(const struct recording *recording, json_t *list, double seconds)
{
	json_t *processes = list ? json_object_get(list, "processes") : json_array();
	json_t *result = json_pack("{s:o,s:f,s:O,s:s}", "trace_dir",
	    trace_path_to_json(recording->plan.destination.trace), "seconds", seconds, "processes",
	    processes, "pmu", pmu_kind_name(recording->plan.pmu.kind));

	json_object_set(result, "sandbox", recording->sandbox);
	json_object_set(result, "more_processes", json_object_get(list, "more"));
	set_ending(result, json_array_get(processes, 0), recording->rr.status);
	set_note(result, recording, processes);
	set_heap(result, recording);
	json_object_set(result, "test", recording->plan.test.told);
	record_set_output(result, recording);
	if (!list)
		json_decref(processes);
	json_decref(list);
	return result;
}
