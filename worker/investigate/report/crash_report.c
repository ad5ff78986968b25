/*
 * rr_crash_report: all that is known about the end of the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/heap/damage.h"
#include "worker/investigate/report/panicked.h"
#include "worker/investigate/heap/guarded.h"
#include "worker/investigate/fault/departure.h"
#include "worker/investigate/fault/fault_find.h"
#include "worker/investigate/fault/sender.h"
#include "worker/investigate/heap/library_check.h"
#include "worker/investigate/memcheck/proposed_check.h"
#include "worker/investigate/report/raised.h"
#include "worker/investigate/report/library_said.h"
#include "worker/investigate/report/report.h"
#include "worker/investigate/report/restored.h"
#include "worker/investigate/report/shared_call.h"
#include "worker/investigate/report/thrown.h"
#include "worker/investigate/search/last_writer.h"
#include "worker/serve/handlers.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frames.h"
#include "worker/read/values/accessed.h"
#include "worker/session/images.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/run/stop.h"
#include "worker/session/core.h"
#include "worker/session/live_output.h"
#include "worker/session/selection.h"
#include "worker/trace/process_list.h"
#include "worker/serve/clock.h"

#define SIGNALS_MAX  100000
#define OUTPUT_BYTES 4096

#define LAST_WORDS_MAX 1024 /* bytes */

/* The search for a block's life takes some times as long as the pass that found the crash. */
#define BLOCK_SECONDS_MAX 20

/* Signals that end a program unless it catches them. */
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
	struct return_ticket place;  /* of the last fatal signal */
	struct return_ticket thrown; /* of the throw, if its frames are gone at that signal */
	struct fault fault;
	unsigned long long pc; /* at that signal */
	json_t *report, *output;
	long long first_event; /* of the program's image */
	double began;	       /* a clock's seconds */
	double deadline;       /* seconds; 0: the usual one */
};

static void keep_output(struct crash *crash, struct replay *replay)
{
	json_decref(crash->output);
	crash->output = live_output_between(
	    replay_output(replay), crash->first_event, replay_now(replay)->event, OUTPUT_BYTES);
}

static enum scan_verdict see_signal(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct crash *crash = context;
	json_auto_t *stop = NULL;

	if (!is_fatal(hit->signal))
		return SCAN_ON;
	stop = stop_describe(replay, FORWARD, NULL, failure);
	if (!stop)
		return SCAN_GIVE_UP;
	keep_output(crash, replay);
	excursion_note(crash->excursion, &crash->place);
	json_decref(crash->report);
	fault_clear(&crash->fault);
	fault_find(replay, hit->signal, &crash->fault);
	crash->pc = replay_now(replay)->pc;
	crash->report = report_of_crash(replay, stop, &crash->fault, failure);
	return crash->report ? SCAN_ON : SCAN_GIVE_UP;
}

/* The chosen process may have ended badly because another one crashed. */
static void add_other_crash(const struct replay *replay, json_t *report)
{
	char name[32];
	int signal, pid = images_killed_pid(replay, &signal);

	if (pid && !replay_asked(replay)->worst)
		json_object_set_new(report, "other_crash",
		    json_pack("{s:i,s:s}", "pid", pid, "signal",
			signal_to_name(signal, name, sizeof(name))));
}

/* In `sh -c "./a; true"`, the first process is the shell, so the answer names the one that crashed.
 */
static void fail_without_crash(struct replay *replay, struct failure *failure)
{
	char name[32], hint[160] = "rr_ps shows how each process ended";
	int signal, pid = images_killed_pid(replay, &signal);

	if (pid)
		snprintf(hint, sizeof(hint),
		    "process %d of this recording was killed by %s: call rr_crash_report with its "
		    "trace_dir and pid %d",
		    pid, signal_to_name(signal, name, sizeof(name)), pid);
	failure_set(failure, ERROR_NOT_FOUND, hint, "no fatal signal ended this process");
}

/* Behind a jump or a return that went astray, the session has no frames to speak of. */
static void tell_astray(struct fault *fault)
{
	size_t length = strlen(fault->hint);

	snprintf(fault->hint + length, sizeof(fault->hint) - length,
	    "%srr_goto of instruction_moment stands where its frames are still whole",
	    length ? "; " : "");
}

/* Goes back from where no code is to who left the code, and tells it from there. If there is no way
 * back, the report stays as it is. */
static void look_back_at_jump(struct replay *replay, struct crash *crash)
{
	cleanup_failure struct failure ignored = {0};

	if (return_ticket_use(replay, &crash->place, &ignored) && departure_go_back(replay)) {
		departure_tell(replay, crash->pc, &crash->fault);
		if (crash->fault.astray)
			tell_astray(&crash->fault);
		if (report_from_here(replay, crash->report, &crash->fault, &ignored)) {
			json_object_set_new(crash->report, "instruction_moment",
			    moment_name(replay, replay_now(replay)));
			if (!crash->fault.astray)
				report_count_behind(crash->report, crash->fault.called);
		}
	}
}

/* The same for where an exception was thrown first. */
static void look_back_at_throw(struct replay *replay, struct crash *crash)
{
	struct thrown thrown = {0};
	cleanup_failure struct failure ignored = {0};
	int level = 0;

	if (return_ticket_use(replay, &crash->place, &ignored))
		level = thrown_level(replay);
	if (thrown_go_back(replay, crash->output, &thrown)) {
		excursion_note(crash->excursion, &crash->thrown);
		level = thrown.again[0] ? 0 : level;
		/* Its frames count as in the session, where they are still on the stack. */
		if (level && return_ticket_use(replay, &crash->place, &ignored))
			excursion_forget(crash->excursion, &crash->thrown);
		crash->fault.stand_ins = level ? level : thrown.runtime;
		thrown_tell(&thrown, crash->fault.said);
		if (report_from_here(replay, crash->report, &crash->fault, &ignored))
			json_object_set(crash->report, "exception", thrown.exception);
	} else {
		report_add_cause(crash->report,
		    thrown.nothing ? "`throw;` where no exception was caught"
				   : "an exception that nothing catches, or that may not go on");
	}
	thrown_clear(&thrown);
}

/* The same for an error of another language, whose runtime has unwound the stack, or left it. */
static void look_back_at_raise(struct replay *replay, struct crash *crash)
{
	cleanup_failure struct failure ignored = {0};
	struct raised raised;

	if (!raised_find(crash->report, crash->output, &raised))
		return;
	if (raised.places && raised_go_back(replay, &raised) &&
	    report_from_here(replay, crash->report, &crash->fault, &ignored)) {
		excursion_note(crash->excursion, &crash->thrown);
		json_object_set_new(
		    crash->report, "raised_at", moment_name(replay, replay_now(replay)));
	}
	report_add_cause(crash->report, raised.text);
	json_object_del(crash->report, "printed_last"); /* a line behind the error */
	json_object_del(crash->report, "hint");
}

/* Tells what was found, under that key. Takes it over. */
static bool tell_found(struct crash *crash, const char *key, json_t *found)
{
	if (!found)
		return false;
	report_add_cause(crash->report, json_string_value(json_object_get(found, "conclusion")));
	json_object_set_new(crash->report, key, found);
	return true;
}

/* The same for what the C library has found damaged: its heap, or an array. */
static void look_back_at_damage(
    struct replay *replay, struct crash *crash, enum library_found library)
{
	cleanup_failure struct failure ignored = {0};
	json_t *found = NULL;

	if (library != LIBRARY_NOTHING && clock_seconds() - crash->began < BLOCK_SECONDS_MAX &&
	    return_ticket_use(replay, &crash->place, &ignored))
		found = library == LIBRARY_HEAP ? damage_find(replay) : library_check_find(replay);
	replay_worker(replay)->half_read &=
	    !tell_found(crash, library == LIBRARY_HEAP ? "block" : "overflow", found);
}

/* The same for registers that longjmp or setcontext has restored. False: there are none. */
static bool look_back_at_restored(struct replay *replay, struct crash *crash)
{
	cleanup_failure struct failure ignored = {0};
	struct restored restored;
	cleanup_free char *writer = NULL;
	bool found = restored_may_be(crash->report, &crash->fault) &&
		     return_ticket_use(replay, &crash->place, &ignored) &&
		     (!crash->fault.departed || departure_go_back(replay)) &&
		     restored_go_back(replay, &restored);

	if (found) {
		excursion_note(crash->excursion, &crash->thrown);
		restored_tell(replay, &restored, &crash->fault);
		found = report_from_here(replay, crash->report, &crash->fault, &ignored);
		writer = restored_writer(replay, &restored);
		if (writer)
			report_add_cause(crash->report, writer);
	}
	return found;
}

/* The same for a return address that was overwritten. */
static void look_back_at_overwrite(struct replay *replay, struct crash *crash)
{
	struct last_writer writer = {0};
	cleanup_failure struct failure ignored = {0};
	bool found = clock_seconds() - crash->began < BLOCK_SECONDS_MAX &&
		     return_ticket_use(replay, &crash->place, &ignored) &&
		     last_writer_find(replay, crash->fault.overwritten, &writer);

	if (found) {
		json_auto_t *cause =
		    json_sprintf("%s wrote it (%s)", json_string_value(writer.by), writer.text);
		report_add_cause(crash->report, json_string_value(cause));
		json_object_set_new(crash->report, "overflow",
		    json_pack("{s:O,s:o}", "conclusion", cause, "moment",
			moment_name(replay, &writer.moment)));
		json_object_set_new(crash->report, "hint",
		    json_string("rr_goto of overflow.moment stands in front of that write, where "
				"all frames are whole"));
	}
	json_decref(writer.by);
	replay_worker(replay)->half_read &= !found;
}

/* The same for what the guard heap has stopped. */
static bool look_back_at_guarded(struct replay *replay, struct crash *crash)
{
	cleanup_failure struct failure ignored = {0};

	return guarded_is_there(replay) && return_ticket_use(replay, &crash->place, &ignored) &&
	       tell_found(
		   crash, "block", guarded_tell(replay, mi_address(crash->fault.json, "address")));
}

/* The same for a call that several places share. */
static void look_back_at_shared_call(struct replay *replay, struct crash *crash)
{
	cleanup_failure struct failure ignored = {0};
	cleanup_free char *found = NULL;

	if (return_ticket_use(replay, &crash->place, &ignored))
		found = shared_call_find(replay);
	if (found)
		report_add_cause(crash->report, found);
}

/* Why std::terminate ran, as far as the stack tells. */
static enum thrown_cause tell_terminated(json_t *report)
{
	enum thrown_cause cause = thrown_cause(json_object_get(report, "frames"));

	switch (cause) {
	case THROWN_NOTHING:
	case THROWN_UNCAUGHT:
		break;
	case THROWN_PURE:
		report_add_cause(report,
		    "a pure virtual function was called, of an object whose constructor or "
		    "destructor runs, or that was destroyed");
		break;
	case THROWN_THREAD:
		report_add_cause(report,
		    "a std::thread was destroyed, or assigned to, that was neither joined nor "
		    "detached");
		break;
	case THROWN_CALLED:
		report_add_cause(report, "std::terminate was called");
		break;
	}
	return cause;
}

static void look_back(struct replay *replay, struct crash *crash)
{
	if (crash->fault.departed)
		look_back_at_jump(replay, crash);
	if (look_back_at_restored(replay, crash))
		return;
	if (crash->fault.overwritten)
		look_back_at_overwrite(replay, crash);
	switch (tell_terminated(crash->report)) {
	case THROWN_NOTHING:
		if (!crash->fault.json)
			look_back_at_shared_call(replay, crash);
		return;
	case THROWN_UNCAUGHT:
		look_back_at_throw(replay, crash);
		return;
	case THROWN_PURE:
	case THROWN_THREAD:
		return;
	case THROWN_CALLED:
		look_back_at_shared_call(replay, crash);
		return;
	}
}

/* As long again as the pass took; at most half of what is left of a deadline, because the session
 * must come back, too. */
static struct lock_patience patience_of(const struct crash *crash)
{
	double spent = clock_seconds() - crash->began, left = crash->deadline - spent;
	struct lock_patience patience = {.usual = spent};

	if (crash->deadline <= 0)
		return patience;
	patience.most = left > 1 ? left / 2 : 0.5;
	if (patience.usual > left / 6)
		patience.usual = left / 6;
	return patience;
}

/* One pass from the start to the end; the report is that of the last fatal signal on the way. */
static bool find_crash(struct replay *replay, struct crash *crash, struct failure *failure)
{
	enum library_found library;
	double pass; /* seconds */

	/* If the process called exec, the last program is the one that ended. */
	if (!position_go_event(replay, images_last_start(replay), failure))
		return false;
	crash->first_event = replay_now(replay)->event;
	/* rr would crash at the end of a trace that is cut off. */
	if (!(images_is_open(replay) && images_is_unfinished(replay)) &&
	    scan_run(replay, FORWARD, SIGNALS_MAX, see_signal, crash, failure) == SCAN_FAILED)
		return false;
	if (!position_update(replay, failure))
		return false;
	pass = clock_seconds() - crash->began;
	keep_output(crash, replay);
	if (!crash->report) {
		crash->report =
		    report_of_ending(replay, crash->output, patience_of(crash), failure);
		if (!crash->report && !failure->message[0])
			fail_without_crash(replay, failure);
		if (!crash->report)
			return false;
		excursion_note(crash->excursion, &crash->place);
	} else
		look_back(replay, crash);
	json_object_set(crash->report, "output", crash->output);
	panicked_tell(crash->report, crash->output);
	look_back_at_raise(replay, crash);
	if (!look_back_at_guarded(replay, crash)) {
		library = library_said(crash->report, crash->output);
		look_back_at_damage(replay, crash, library);
		proposed_check(replay, crash->report, library == LIBRARY_HEAP, pass);
	}
	add_other_crash(replay, crash->report);
	return true;
}

/* At the signal; or at the throw, whose frames the report shows, if they are gone at the signal. */
static void stay_there(struct crash *crash)
{
	bool throw = crash->thrown.moment.event;

	if (throw)
		json_object_set_new(crash->report, "stands_at",
		    json_string(json_object_get(crash->report, "raised_at")
				    ? "the error; rr_goto of moment goes on to the end"
				: json_object_get(crash->report, "exception")
				    ? "the throw; rr_goto of moment goes on to the signal"
				    : "the jump; rr_goto of moment goes on to the signal"));
	excursion_divert(crash->excursion, throw ? &crash->thrown : &crash->place);
}

/* ---- Of a core file, which has no way back ---------------------------------------------------
 */

/* What the C library, or assert(), said when it ended the program; NULL: nothing. */
static json_t *read_last_words(struct replay *replay)
{
	unsigned long long address = 0;
	char text[LAST_WORDS_MAX];
	uint32_t size;
	size_t length;

	if (!accessed_number(replay, "*(unsigned long *) &__abort_msg", &address) || !address ||
	    !accessed_whole(replay, address, &size, sizeof(size)))
		return NULL;
	length = size > sizeof(size) ? size - sizeof(size) : 0;
	length = accessed_bytes(replay, address + sizeof(size), (uint8_t *)text,
	    length < sizeof(text) ? length : sizeof(text));
	length = strnlen(text, length);
	return length ? scrub_json(text, length, sizeof(text), NULL) : NULL;
}

static void tell_last_words(struct replay *replay, json_t *report)
{
	json_auto_t *words = read_last_words(replay),
		    *line = words ? report_last_line(words) : NULL;

	if (line && library_said(report, words) == LIBRARY_NOTHING)
		report_add_cause(report, json_string_value(line));
}

/* Of a signal that another process sent, no instruction is the cause. */
static void tell_sender(struct replay *replay, json_t *report)
{
	long long pid = json_object_get(report, "signal") ? sender_of_core(replay) : 0;

	if (!pid)
		return;
	json_object_set_new(report, "sent_by", json_integer((json_int_t)pid));
	json_object_set_new(report, "conclusion",
	    json_sprintf("%s: process %lld sent it",
		json_string_value(json_object_get(report, "conclusion")), pid));
}

/* The next step is a recording. What else could be asked there, its own report says, with the
 * addresses of that run. */
static void tell_to_record(struct replay *replay, json_t *report)
{
	const char *command = core_contents(replay_core(replay))->command;
	json_auto_t *shown = scrub_json(command, strlen(command), CORE_COMMAND_MAX, NULL);

	json_object_set_new(report, "hint",
	    json_sprintf(
		"a core file has one moment: record the program with rr_record%s%s%s to go "
		"back in time, and call rr_crash_report of the recording",
		command[0] ? " (" : "", json_string_value(shown), command[0] ? ")" : ""));
}

/* The throw is still on the stack if nothing has unwound it. */
static void tell_thrown(struct replay *replay, json_t *report, struct fault *fault)
{
	cleanup_failure struct failure ignored = {0};

	if (tell_terminated(report) != THROWN_UNCAUGHT)
		return;
	fault->stand_ins = thrown_level(replay);
	if (fault->stand_ins)
		report_from_here(replay, report, fault, &ignored);
	report_add_cause(report, "an exception that nothing catches, or that may not go on");
}

static json_t *report_core(struct replay *replay, bool move, struct failure *failure)
{
	const struct selection before = *replay_selected(replay);
	json_t *stop = stop_describe(replay, FORWARD, "signal", failure), *report = NULL;
	struct fault fault = {0};
	uint8_t code;

	if (!stop)
		return NULL;
	fault_find(replay, json_string_value(json_object_get(stop, "signal")), &fault);
	fault.lost |= !fault.departed && !accessed_bytes(replay, replay_now(replay)->pc, &code, 1);
	report = report_of_core(replay, stop, &fault, failure);
	json_decref(stop);
	if (report) {
		tell_thrown(replay, report, &fault);
		tell_last_words(replay, report);
		tell_sender(replay, report);
		tell_to_record(replay, report);
		if (json_array_size(replay_warnings(replay)))
			json_object_set_new(report, "warnings", json_copy(replay_warnings(replay)));
	}
	fault_clear(&fault);
	if (report && move) {
		frames_select_own(replay, report);
	} else if (report) {
		selection_set_thread(replay, before.tid);
		selection_set_frame(replay, before.frame);
	}
	replay_changed(replay);
	return report;
}

json_t *tool_crash_report(
    struct replay *replay, const struct crash_report_args *args, struct failure *failure)
{
	struct excursion excursion;
	struct crash crash = {
	    .excursion = &excursion, .began = clock_seconds(), .deadline = args->deadline};
	struct failure late = {0};
	bool found, move, astray;

	if (replay_core(replay))
		return report_core(replay,
		    json_object_get(args->given, "move") ? args->move
							 : !replay_selected(replay)->frame,
		    failure);
	/* In a session that was just opened, there is no position to return to. */
	move = json_object_get(args->given, "move") ? args->move : replay_is_where_opened(replay);
	excursion = excursion_begin(replay);
	signals_stop_at_faults(replay);
	found = find_crash(replay, &crash, failure);
	if (!replay_worker(replay)->broken)
		signals_apply(replay);
	json_decref(crash.output);
	astray = crash.fault.astray && crash.fault.departed;
	fault_clear(&crash.fault);
	if (found && move)
		stay_there(&crash);
	excursion_forget(&excursion, &crash.thrown);
	excursion_forget(&excursion, &crash.place);
	if (!excursion_return(&excursion, &late) && found) {
		*failure = late;
		found = false;
	}
	if (found && move && !astray) {
		frames_select_own(replay, crash.report);
		replay_changed(replay);
	}
	if (found)
		return crash.report;
	json_decref(crash.report);
	return NULL;
}
