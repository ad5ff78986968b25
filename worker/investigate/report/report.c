/*
 * Puts a report together. Leaves out what is not useful: the thread list of a program with one
 * thread, and variables of frames far from the end.
 */
#include "worker/investigate/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/fault/sender.h"
#include "worker/investigate/threads/lock_history.h"
#include "worker/investigate/report/headline.h"
#include "worker/investigate/report/recursion.h"
#include "worker/investigate/threads/waits.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/frames/goroutines.h"
#include "worker/session/images.h"
#include "worker/moment/position.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/source.h"
#include "worker/run/stop.h"
#include "worker/session/stop_reason.h"
#include "worker/session/unended.h"
#include "worker/read/values/values.h"
#include "worker/trace/process_list.h"
#include "worker/serve/sentence.h"

#define REPORT_FRAMES	   20
#define REPORT_BYTES	   (14 * 1024)
#define FRAMES_WITH_LOCALS 2
#define LOCALS_BYTES	   2500
#define LINE_SHOWN	   200
#define THREADS_SHOWN	   64
#define GOROUTINE_FRAMES   10
#define GOROUTINES_BYTES   (7 * 1024)
#define THREADS_LOOKED_AT  1024 /* for a cycle of threads that wait for each other */

/* Whether the C library ends the program because main has returned. */
static bool is_returned(const json_t *frames)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (!mi_text(frame, "function"))
			return false;
		if (strcmp(mi_text(frame, "function"), "__libc_start_call_main") == 0)
			return true;
	}
	return false;
}

/* The variables of the first frame of the program's own code, with what they point to, and those of
 * its caller. */
static void add_variables(struct replay *replay, json_t *frames, const json_t *first)
{
	const struct selection *selected = replay_selected(replay);

	json_int_t level, from = json_integer_value(json_object_get(first, "level"));
	size_t i, told = 0;
	json_t *frame;

	json_array_foreach(frames, i, frame)
	{
		level = json_integer_value(json_object_get(frame, "level"));
		if (json_object_get(frame, "folded") || level < from ||
		    !frame_is_own(replay, frame) || told++ >= FRAMES_WITH_LOCALS)
			continue;
		json_t *lines = values_lines(replay, selected->number, (int)level, LOCALS_BYTES);
		json_auto_t *pointed = frame == first
					   ? values_pointed(replay, selected->number, (int)level)
					   : json_array();
		json_array_extend(lines, pointed);
		json_object_set_new(frame, "locals", lines);
	}
}

static void add_source(struct replay *replay, json_t *report, const json_t *own)
{
	char path[FRAME_PATH_MAX], doubt[SOURCE_DOUBT_MAX];
	int line;

	json_object_set_new(report, "source", frame_source(replay, own));
	if (frame_place(own, path, &line) &&
	    source_doubt(replay, path, mi_address(own, "address"), doubt, sizeof(doubt))[0])
		json_object_set_new(report, "source_warning", json_string(doubt));
}

/* Behind a return address that was overwritten, gdb takes any words of the stack for frames. */
static bool drop_invented(json_t *frames)
{
	bool any = json_array_size(frames) > 1;

	while (json_array_size(frames) > 1)
		json_array_remove(frames, json_array_size(frames) - 1);
	return any;
}

/* The stack of the selected thread, and in `where` a phrase for the first frame of the program's
 * own code. */
static bool add_stack(struct replay *replay, json_t *report, const struct fault *fault, char *where,
    size_t size, struct failure *failure)
{
	char said[RECURSION_SAID_MAX];
	json_t *frames = json_array(), *own;
	int next;

	if (!frames_collect(replay, replay_selected(replay)->number, 0, REPORT_FRAMES, REPORT_BYTES,
		frames, &next, failure)) {
		json_decref(frames);
		return false;
	}
	if (next >= 0 && recursion_fold(replay, frames, &next, said))
		json_object_set_new(report, "recursion", json_string(said));
	for (int i = 0; fault && i < fault->stand_ins && json_array_size(frames) > 1; i++)
		json_array_remove(frames, 0);
	if (fault && fault->lost && drop_invented(frames))
		next = -1;
	own = frames_first_own(replay, frames);
	headline_where(replay, frames, own, where, size);
	if (!frame_is_own(replay, own) && is_returned(frames))
		snprintf(where, size, "main, which returned it");
	add_source(replay, report, own);
	add_variables(replay, frames, own);
	frames_finish(replay, frames);
	json_object_set_new(report, "frames", frames);
	if (next >= 0)
		json_object_set_new(report, "more", json_integer(next));
	return true;
}

/* Adds every thread, if there are several, but at most as many, and the goroutines. Returns the
 * cycle of waiting threads, if any; the caller frees it. */
static char *add_threads(struct replay *replay, json_t *report, size_t most)
{
	char *cycle;
	size_t left;
	json_auto_t *threads = waits_of_threads(replay, most, &cycle, &left);

	if (json_array_size(threads) > 1)
		json_object_set(report, "threads", threads);
	if (left)
		json_object_set_new(report, "more_threads", json_integer((json_int_t)left));
	goroutines_add(replay, report, GOROUTINE_FRAMES, GOROUTINES_BYTES);
	return cycle;
}

static bool tells_of_lock(const json_t *thread)
{
	return json_object_get(thread, "waits_for") || json_object_get(thread, "holds");
}

/* Of very many threads, those without a lock are left out first, and then the last ones. */
static void shorten_threads(json_t *report)
{
	json_t *threads = json_object_get(report, "threads");
	const size_t all = json_array_size(threads);
	json_int_t left = json_integer_value(json_object_get(report, "more_threads"));

	for (int round = 0; round < 2; round++)
		for (size_t i = json_array_size(threads);
		     i-- > 1 && json_array_size(threads) > THREADS_SHOWN;)
			if (round || !tells_of_lock(json_array_get(threads, i)))
				json_array_remove(threads, i);
	left += (json_int_t)(all - json_array_size(threads));
	answer_add_count(report, "more_threads", left);
}

static void add_stop(json_t *report, const json_t *stop)
{
	static const char *const kept[] = {"signal", "moment", "tid", "thread_name"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		json_object_set(report, kept[i], json_object_get(stop, kept[i]));
}

/* What ended it, in one sentence, with what the fault is known to be. */
static void conclude(json_t *report, const char *where, const struct fault *fault)
{
	const char *recursion = mi_text(report, "recursion"), *signal = mi_text(report, "signal");
	json_int_t status = json_integer_value(json_object_get(report, "exit_code"));
	char end[64];

	if (!signal)
		snprintf(
		    end, sizeof(end), "it exited with status %d because of an error", (int)status);
	json_object_set_new(report, "conclusion",
	    json_sprintf("%s in %s%s%s%s%s", signal ? signal : end, where,
		fault->said[0] ? ": " : "", fault->said, recursion ? ": " : "",
		recursion ? recursion : ""));
	if (fault->hint[0])
		json_object_set_new(report, "hint", json_string(fault->hint));
	if (fault->json)
		json_object_set(report, "fault", fault->json);
}

void report_add_cause(json_t *report, const char *cause)
{
	json_object_set_new(
	    report, "conclusion", json_sprintf("%s: %s", mi_text(report, "conclusion"), cause));
}

json_t *report_of_crash(
    struct replay *replay, const json_t *stop, const struct fault *fault, struct failure *failure)
{
	json_t *report = json_object();
	char where[1024];

	add_stop(report, stop);
	if (!add_stack(replay, report, fault, where, sizeof(where), failure)) {
		json_decref(report);
		return NULL;
	}
	conclude(report, where, fault);
	free(add_threads(replay, report, THREADS_SHOWN));
	return report;
}

json_t *report_of_core(
    struct replay *replay, const json_t *stop, const struct fault *fault, struct failure *failure)
{
	json_t *report = json_object();
	char where[1024], *cycle;

	add_stop(report, stop);
	if (!add_stack(replay, report, fault, where, sizeof(where), failure)) {
		json_decref(report);
		return NULL;
	}
	conclude(report, where, fault);
	cycle = add_threads(replay, report, THREADS_LOOKED_AT);
	shorten_threads(report);
	if (!json_object_get(report, "signal"))
		json_object_set_new(report, "conclusion",
		    json_sprintf(
			"no signal ended the process: it was copied while it was in %s", where));
	if (cycle)
		report_add_cause(report, cycle);
	free(cycle);
	return report;
}

bool report_from_here(
    struct replay *replay, json_t *report, const struct fault *fault, struct failure *failure)
{
	static const char *const stale[] = {"frames", "more", "source", "source_warning", "hint",
	    "fault", "conclusion", "recursion"};
	json_auto_t *here = json_object();
	char where[1024];
	bool ok = add_stack(replay, here, fault, where, sizeof(where), failure);

	if (ok) {
		for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++)
			json_object_del(report, stale[i]);
		json_object_update(report, here);
		conclude(report, where, fault);
	}
	return ok;
}

static void raise_number(json_t *in, const char *name)
{
	const json_t *number = json_object_get(in, name);

	if (number)
		json_object_set_new(in, name, json_integer(json_integer_value(number) + 1));
}

void report_count_behind(json_t *report, bool called)
{
	const json_t *frames = json_object_get(report, "frames");
	json_t *first = json_array_get(frames, 0);

	if (called) {
		for (size_t i = 0; i < json_array_size(frames); i++)
			raise_number(json_array_get(frames, i), "level");
		raise_number(report, "more");
	} else if (json_integer_value(json_object_get(first, "level")) == 0) {
		json_object_del(first, "level");
		json_object_set_new(first, "left", json_true());
	}
}

/* ---- Endings that are no crash --------------------------------------------------------------- */

json_t *report_last_line(const json_t *output)
{
	const char *text = json_string_value(output), *end, *begin;

	if (!text)
		return NULL;
	end = text + strlen(text);
	while (end > text && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	begin = end;
	while (begin > text && begin[-1] != '\n')
		begin--;
	if (end - begin > LINE_SHOWN)
		end = begin + LINE_SHOWN;
	while (end > begin && ((unsigned char)*end & 0xc0) == 0x80) /* no part of a character */
		end--;
	return end > begin ? json_stringn(begin, (size_t)(end - begin)) : NULL;
}

/* Goes to the last moment at which all the threads that the process ended with existed. */
static json_t *go_to_the_last(struct replay *replay, struct failure *failure)
{
	long long together = images_together(replay);

	/* The search did not update the position, and a seek from the end must know that it begins
	 * there. */
	if (stop_kind(replay) == STOP_END && !position_update(replay, failure))
		return NULL;
	if (!(together ? position_go_event(replay, together, failure)
		       : position_go_end(replay, failure)))
		return NULL;
	return stop_describe(replay, FORWARD, "event", failure);
}

static void tell_exit(json_t *report, int status, const char *where, const json_t *output)
{
	json_t *line = report_last_line(output);

	json_object_set_new(report, "exit_code", json_integer(WEXITSTATUS(status)));
	json_object_set_new(report, "conclusion",
	    json_sprintf("it exited with status %d, from %s", WEXITSTATUS(status), where));
	if (!line)
		return;
	json_object_set_new(report, "printed_last", line);
	json_object_set_new(
	    report, "hint", json_string("rr_who_printed says which code printed it"));
}

/* The stack and the threads at the last moment. */
static json_t *describe_last(
    struct replay *replay, char *where, size_t size, char **cycle, struct failure *failure)
{
	json_t *stop = go_to_the_last(replay, failure), *report;

	if (!stop)
		return NULL;
	report = json_object();
	add_stop(report, stop);
	json_object_del(report, "signal");
	json_decref(stop);
	if (!add_stack(replay, report, NULL, where, size, failure)) {
		json_decref(report);
		return NULL;
	}
	*cycle = add_threads(replay, report, THREADS_LOOKED_AT);
	return report;
}

/* Whether a thread waits for another one, or for nobody knows whom. */
static bool has_waiting(const json_t *threads)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(
	    threads, i, thread) if (json_object_get(thread, "waits_for")) return true;
	return false;
}

/* The first thread that waits for what has no holder, or none that is known. */
static const json_t *first_unheld(const json_t *threads)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		const char *what = json_string_value(json_object_get(thread, "waits_for"));

		if (what && !json_object_get(thread, "held_by") &&
		    strncmp(what, "the end of", strlen("the end of")) != 0)
			return thread;
	}
	return NULL;
}

/* The first thread that is in a call which may wait for what another one does, as for a pipe or a
 * lock of a file. */
static const json_t *first_calling(const json_t *threads)
{
	static const char *const calls[] = {"read", "recv", "accept", "connect", "poll", "select",
	    "epoll", "write", "send", "flock", "fcntl", "wait", "lockf", "msg", "sem",
	    "sigsuspend"};
	const json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		const char *in = json_string_value(json_object_get(thread, "in"));
		const char *library = in ? strstr(in, "pthread_") : NULL; /* not "read" */

		in = library ? library + strlen("pthread_") : in;
		for (size_t k = 0; in && k < sizeof(calls) / sizeof(*calls); k++)
			if (strstr(in, calls[k]))
				return thread;
	}
	return NULL;
}

/* What is known of cycles. Those of mutexes are in memory; the others are not. Nobody knows who
 * should have ended a wait for a condition. */
static json_t *cycles_of(const json_t *threads, json_int_t left, bool whole)
{
	const json_t *unheld = first_unheld(threads), *calling = first_calling(threads);

	if (!unheld && calling)
		return json_sprintf(
		    "whether they wait for each other cannot be known; thread %d is in "
		    "%s, which can wait for another of them",
		    (int)json_integer_value(json_object_get(calling, "tid")),
		    json_string_value(json_object_get(calling, "in")));
	if (!unheld && left)
		return json_sprintf("no cycle of locks among the %zu that were looked at",
		    json_array_size(threads));
	if (!unheld)
		return json_string(
		    whole ? "no cycle of locks among them"
			  : "no cycle of mutexes among them; who holds other locks was left out");
	return json_sprintf("whether they wait for each other cannot be known; thread %d waits for "
			    "%s, and nothing tells who should end that wait",
	    (int)json_integer_value(json_object_get(unheld, "tid")),
	    json_string_value(json_object_get(unheld, "waits_for")));
}

static void tell_signal(struct replay *replay, json_t *report, int status, const char *where,
    const char *cycle, bool whole)
{
	const json_t *threads = json_object_get(report, "threads");
	json_int_t left = json_integer_value(json_object_get(report, "more_threads"));
	json_auto_t *cycles = cycles_of(threads, left, whole);
	char signal[32], origin[SENDER_PHRASE_MAX], name[SENDER_PHRASE_MAX + 32];

	signal_to_name(WTERMSIG(status), signal, sizeof(signal));
	sender_phrase(replay, WTERMSIG(status), origin, sizeof(origin));
	snprintf(name, sizeof(name), "%s %s", signal, origin);
	json_object_set_new(report, "signal", json_string(signal));
	if (!whole)
		json_object_set_new(report, "left_out",
		    json_string("who holds which lock: there are too many calls on the way to "
				"follow them in this time; threads shows where each one stands"));
	if (cycle)
		json_object_set_new(
		    report, "conclusion", json_sprintf("%s; %s ended it", cycle, name));
	else if (json_array_size(threads) > 1)
		json_object_set_new(report, "conclusion",
		    json_sprintf("%s ended it, with %zu threads: %s", name,
			json_array_size(threads) + (size_t)left, json_string_value(cycles)));
	else
		json_object_set_new(report, "conclusion",
		    json_sprintf("%s ended it while it was in %s", name, where));
}

/* Of a program that had not ended when rr stopped. */
static json_t *report_of_unfinished(struct replay *replay, struct failure *failure)
{
	char where[1024], *cycle;
	json_t *report = describe_last(replay, where, sizeof(where), &cycle, failure);
	json_auto_t *reason = report ? unended_reason(replay) : NULL;

	if (!report)
		return NULL;
	free(cycle);
	shorten_threads(report);
	json_object_set_new(report, "conclusion",
	    json_sprintf("%s, while the program was in %s; the program had not ended",
		json_string_value(reason), where));
	return report;
}

json_t *report_of_ending(struct replay *replay, const json_t *output, struct lock_patience patience,
    struct failure *failure)
{
	int status = images_status(replay);
	json_t *report, *threads;
	char where[1024], *cycle;
	bool whole = true;

	if (images_is_unfinished(replay))
		return report_of_unfinished(replay, failure);
	if (status <= 0)
		return NULL;
	report = describe_last(replay, where, sizeof(where), &cycle, failure);
	if (!report)
		return NULL;
	threads = json_object_get(report, "threads");
	if (!WIFEXITED(status) && has_waiting(threads) &&
	    !lock_history_add(replay, patience, threads, &cycle, &whole, failure)) {
		free(cycle);
		json_decref(report);
		return NULL;
	}
	if (WIFEXITED(status))
		tell_exit(report, status, where, output);
	else
		tell_signal(replay, report, status, where, cycle, whole);
	shorten_threads(report);
	free(cycle);
	return report;
}
