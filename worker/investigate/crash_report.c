/*
 * rr_crash_report: everything there is to say where the program met its end.
 */
#include <stdio.h>
#include <string.h>
#include "worker/serve/handlers.h"
#include "worker/gdb/mi.h"
#include "worker/investigate/fault.h"
#include "worker/session/scan.h"
#include "worker/session/excursion.h"
#include "worker/session/frame.h"
#include "worker/session/frames.h"
#include "worker/session/images.h"
#include "worker/session/position.h"
#include "worker/session/signals.h"
#include "worker/session/stop.h"
#include "worker/session/values.h"
#include "worker/trace/process_list.h"

#define SIGNALS_MAX	   100000
#define REPORT_FRAMES	   20
#define REPORT_BYTES	   (14 * 1024)
#define FRAMES_WITH_LOCALS 4
#define LOCALS_BYTES	   2500
#define OUTPUT_BYTES	   4096
#define THREADS_SHOWN	   40

static json_t *thread_tops(struct replay *replay)
{
	json_t *results = NULL, *tops = json_array(), *thread;
	size_t i;

	if (gdb_command(replay->gdb, &results, "-thread-info") == GDB_DONE) {
		json_array_foreach(json_object_get(results, "threads"), i, thread)
		{
			const char *name = mi_text(thread, "name");
			json_t *top;
			if (i == THREADS_SHOWN)
				break;
			top = json_pack("{s:i,s:o}", "tid", mi_tid(thread), "frame",
			    frame_listed(replay, json_object_get(thread, "frame")));
			if (name)
				json_object_set_new(top, "name", json_string(name));
			json_array_append_new(tops, top);
		}
	}
	json_decref(results);
	return tops;
}

/* Everything there is to say at a fatal signal. */
static json_t *report_here(struct replay *replay, json_t *stop, struct failure *failure)
{
	json_t *report = json_object(), *frames = json_array(), *frame, *locals, *fault;
	size_t i, with_locals = 0;
	int next;

	json_object_set(report, "signal", json_object_get(stop, "signal"));
	json_object_set(report, "moment", json_object_get(stop, "moment"));
	json_object_set(report, "tid", json_object_get(stop, "tid"));
	json_object_set(report, "source", json_object_get(stop, "source"));
	if (!frames_collect(replay, replay->selected.number, 0, REPORT_FRAMES, REPORT_BYTES, frames,
		&next, failure)) {
		json_decref(frames);
		json_decref(report);
		return NULL;
	}
	json_array_foreach(frames, i, frame)
	{
		/* Frames without source (abort, raise) have nothing to show. */
		if (!frame_is_own(replay, frame) || with_locals++ >= FRAMES_WITH_LOCALS)
			continue;
		locals = values_lines(replay, replay->selected.number,
		    (int)json_integer_value(json_object_get(frame, "level")), LOCALS_BYTES);
		json_object_set_new(frame, "locals", locals);
	}
	frames_finish(replay, frames);
	json_object_set_new(report, "frames", frames);
	if (next >= 0)
		json_object_set_new(report, "more", json_integer(next));
	fault = fault_json(replay);
	if (fault)
		json_object_set_new(report, "fault", fault);
	json_object_set_new(report, "threads", thread_tops(replay));
	return report;
}

/* What ends a program unless it is caught. */
static bool is_fatal(const char *signal)
{
	static const char *const fatal[] = {
	    "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS"};

	for (size_t i = 0; signal && i < sizeof(fatal) / sizeof(*fatal); i++)
		if (strcmp(signal, fatal[i]) == 0)
			return true;
	return false;
}

struct crash {
	struct excursion *excursion;
	struct place place; /* of the last fatal signal */
	json_t *report, *output;
};

static void keep_output(struct crash *crash, struct replay *replay)
{
	json_t *output = output_peek(replay->output, OUTPUT_BYTES);

	if (output) {
		json_decref(crash->output);
		crash->output = output;
	}
}

static enum scan_verdict see_signal(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct crash *crash = context;
	json_t *stop;

	keep_output(crash, replay);
	if (!is_fatal(hit->signal))
		return SCAN_ON;
	stop = stop_describe(replay, FORWARD, NULL, failure);
	if (!stop)
		return SCAN_GIVE_UP;
	excursion_note(crash->excursion, &crash->place);
	json_decref(crash->report);
	crash->report = report_here(replay, stop, failure);
	json_decref(stop);
	return crash->report ? SCAN_ON : SCAN_GIVE_UP;
}

/* `timeout 60 ./a` ends itself by the signal that ended ./a: the report says that there is more. */
static void add_other_crash(const struct replay *replay, json_t *report)
{
	char name[32];
	int signal, pid = images_killed_pid(replay, &signal);

	if (pid)
		json_object_set_new(report, "other_crash",
		    json_pack("{s:i,s:s}", "pid", pid, "signal",
			signal_to_name(signal, name, sizeof(name))));
}

/* Of `sh -c "./a; true"` the first process is the shell: the one that crashed is named. */
static void fail_without_crash(struct replay *replay, struct failure *failure)
{
	char name[32], hint[160] = "rr_ps tells how each process ended";
	int signal, pid = images_killed_pid(replay, &signal);

	if (pid)
		snprintf(hint, sizeof(hint),
		    "process %d of this recording ended by %s: rr_crash_report "
		    "with its trace_dir and pid %d",
		    pid, signal_to_name(signal, name, sizeof(name)), pid);
	failure_set(failure, ERROR_NOT_FOUND, hint, "this process did not end by a fatal signal");
}

/* One pass from the start to the end; the report is that of the last fatal signal on the way. */
static bool find_crash(struct replay *replay, struct crash *crash, struct failure *failure)
{
	/* Whatever exec put another program in its place, the last is the one that ended. */
	if (!position_go_event(replay, images_last_start(replay), failure))
		return false;
	json_decref(output_take(replay->output, 1));
	if (scan_run(replay, FORWARD, SIGNALS_MAX, see_signal, crash, failure) == SCAN_FAILED)
		return false;
	keep_output(crash, replay);
	if (crash->report) {
		if (crash->output)
			json_object_set(crash->report, "output", crash->output);
		add_other_crash(replay, crash->report);
		return true;
	}
	fail_without_crash(replay, failure);
	return false;
}

static bool is_untouched(const struct replay *replay)
{
	return replay->moment.event == replay->opened.event &&
	       replay->moment.ticks == replay->opened.ticks;
}

json_t *tool_crash_report(
    struct worker *worker, const struct crash_report_args *args, struct failure *failure)
{
	struct replay *replay = replay_of(worker, failure);
	struct excursion excursion;
	struct crash crash = {.excursion = &excursion};
	struct failure late = {0};
	bool found, move;

	if (!replay)
		return NULL;
	/* Where nothing was done yet, there is no place to come back to. */
	move = json_object_get(args->given, "move") ? args->move : is_untouched(replay);
	excursion = excursion_begin(replay);
	signals_stop_at_faults(replay);
	found = find_crash(replay, &crash, failure);
	if (!worker->broken)
		signals_apply(replay);
	json_decref(crash.output);
	if (found && move)
		excursion_divert(&excursion, &crash.place);
	else
		excursion_forget(&excursion, &crash.place);
	if (!excursion_return(&excursion, &late) && found) {
		*failure = late;
		found = false;
	}
	if (found)
		return crash.report;
	json_decref(crash.report);
	return NULL;
}
