/*
 * rr_last_change: who wrote a value last. Searches backward, and checks the result against the
 * present value; if they do not match, searches forward.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/serve/handlers.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/places/absolute.h"
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/code/where.h"
#include "worker/run/sweep/scan.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/inspect/evaluate.h"
#include "worker/inspect/handover.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/frames/holder.h"
#include "worker/session/images.h"
#include "worker/session/relatives.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/run/sweep/resume.h"
#include "worker/moment/signals.h"
#include "worker/moment/visit.h"
#include "worker/read/code/mappings.h"
#include "worker/read/code/source.h"
#include "worker/run/stop.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/accessed.h"
#include "worker/read/values/values.h"
#include "worker/session/selection.h"

#define STOPS_MAX	  1000000
#define WORD_BYTES	  8
#define CALLERS_MAX	  12
#define CALLERS_BYTES	  6000
#define CALLERS_BEYOND	  2 /* the first own frame */
#define PROCESS_WORDS_MAX 80

/* Signals that end a program unless it catches them. A search for something else ignores them. Not
 * SIGTRAP, because rr would then ignore watchpoints as well. */
#define FATAL_SIGNALS "SIGSEGV SIGABRT SIGBUS SIGFPE SIGILL SIGSYS"

/* exec replaces a process's memory, so a value is no older than the program that it belongs to. */
static void fail_unchanged(
    struct replay *replay, const char *expression, bool unborn, struct failure *failure)
{
	failure_set(failure, ERROR_NOT_FOUND,
	    unborn ? "the call that has it on its stack began after the process was forked, and "
		     "nothing wrote it since: it holds what an earlier call left there"
	    : images_at(replay)
		? "it has had this value since exec started this program, or since before the "
		  "memory was mapped: the program before exec had other memory; rr_origin_of finds "
		  "writes of the same value too"
		: "it has had this value since the start of the recording, or since before the "
		  "memory was mapped; rr_origin_of finds writes of the same value too",
	    "nothing changed %.200s before this moment", expression);
}

/* " in process 12, before process 14 was forked"; "": it is the session's. */
static void tell_process(
    const struct replay *replay, long long child, char words[PROCESS_WORDS_MAX])
{
	words[0] = '\0';
	if (child)
		snprintf(words, PROCESS_WORDS_MAX,
		    " in process %lld, before process %lld was forked", replay_pid(replay), child);
}

/* "memcpy, called by load at a.c:7", or "store at a.c:8" */
static json_t *conclude(const char *expression, const json_t *writer, const json_t *own,
    const char *callers, const char *process)
{
	const char *function = mi_text(writer, "function"), *by = mi_text(own, "function");
	const char *at = mi_text(own, "at");

	if (!function)
		function = mi_text(writer, "at") ? mi_text(writer, "at") : "an unnamed function";
	if (own == writer || !own)
		return json_sprintf(
		    "%s wrote %s (%s)%s", function, expression, at ? at : "no source", process);
	return json_sprintf("%s wrote %s, called by %s (%s)%s%s", function, expression,
	    by ? by : "??", at ? at : "no source", callers, process);
}

/* Where the own code is that of a wrapper of what writes: who calls it; else "". */
static void tell_wrapper(
    struct replay *replay, const json_t *frames, const json_t *own, char words[WHERE_CALLERS_MAX])
{
	size_t passed;
	json_auto_t *callers = where_callers(replay, frames, own, &passed);

	where_join(callers, passed, words);
}

/* The callers up to the first one of the program's own code, and a few more. */
static json_t *callers_up_to(json_t *frames, const json_t *own)
{
	json_t *callers = json_array(), *frame;
	size_t i, beyond = 0;

	json_array_foreach(frames, i, frame)
	{
		bool passed = json_integer_value(json_object_get(frame, "level")) >
			      json_integer_value(json_object_get(own, "level"));
		if (i > 0 && beyond < CALLERS_BEYOND)
			json_array_append(callers, frame);
		beyond += passed;
	}
	return callers;
}

/* The answer at the program's present position, which is before the write. child: the process that
 * was forked from the present one behind it; 0: the write is the session's. */
static json_t *change_answer(
    struct replay *replay, const json_t *stop, const char *expression, long long child)
{
	static const char *const kept[] = {"moment", "tid", "thread_name"};
	const json_t *watch = json_object_get(stop, "watch");
	json_t *frames = frames_near(replay, CALLERS_MAX, CALLERS_BYTES), *callers;
	json_t *json = json_object(), *own = frames_first_own(replay, frames);
	char wrapped[WHERE_CALLERS_MAX], process[PROCESS_WORDS_MAX];

	tell_wrapper(replay, frames, own, wrapped);
	tell_process(replay, child, process);
	json_object_set_new(json, "conclusion",
	    conclude(expression, json_array_get(frames, 0), own, wrapped, process));
	if (child)
		json_object_set_new(json, "pid", json_integer(replay_pid(replay)));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		json_object_set(json, kept[i], json_object_get(stop, kept[i]));
	json_object_set_new(json, "side", json_string("before"));
	json_object_set(json, "old", json_object_get(watch, "old"));
	json_object_set(json, "new", json_object_get(watch, "new"));
	json_object_set(json, "frame", json_object_get(stop, "frame"));
	callers = callers_up_to(frames, own);
	json_object_set_new(json, "source", frame_source(replay, own));
	frames_finish(replay, callers);
	json_object_set_new(json, "callers", callers);
	json_decref(frames);
	return json;
}

/* Goes from before the write to after it: one instruction of the same thread. */
static bool step_behind(struct replay *replay, json_t *json, struct failure *failure)
{
	const struct resumption one = {"step-instruction", FORWARD, true, -1, 0};

	if (!resume_run(replay, &one, failure) || !position_update(replay, failure))
		return false;
	json_object_set_new(json, "moment", moment_name(replay, replay_now(replay)));
	json_object_set_new(json, "side", json_string("after"));
	return true;
}

/* A watched value, and its value at the moment where the search began. */
struct watched {
	const char *expression;
	int watch; /* gdb's number */
	char address[32];
	long long size;
	char *now;	     /* as gdb prints it; NULL: cannot be read */
	char *bytes;	     /* the same in hexadecimal; NULL likewise */
	char *absolute;	     /* the same in every frame; NULL: not known */
	struct holder frame; /* of what lies on the stack; level -1: it does not */
	bool unborn;	     /* the call that has it began after the fork */
	long long child;     /* forked from the present process; 0: this is the session's */
	struct moment until;
	struct moment last; /* forward: behind the last change; event 0: none yet */
};

static void forget_watched(struct watched *watched)
{
	free(watched->now);
	free(watched->bytes);
	free(watched->absolute);
}

/* What the search needs if it comes to where the process was forked. */
static void learn_inherited(struct replay *replay, struct watched *watched)
{
	unsigned long long address = strtoull(watched->address, NULL, 0);

	if (!images_get(replay, 0)->forked)
		return;
	watched->absolute = absolute_expression(replay, watched->expression, watched->address);
	if (!holder_name(replay, address, &watched->frame))
		watched->frame.level = -1;
}

static char *read_bytes(struct replay *replay, const struct watched *watched)
{
	json_t *results = NULL;
	const char *contents = NULL;
	char *bytes = NULL;

	/* Where it is not mapped, it has no bytes to compare. */
	if (watched->address[0] &&
	    gdb_command(replay_gdb(replay), &results, "-data-read-memory-bytes %s %lld",
		watched->address, watched->size) == GDB_DONE)
		contents =
		    mi_text(json_array_get(json_object_get(results, "memory"), 0), "contents");
	if (contents)
		bytes = strdup(contents);
	json_decref(results);
	return bytes;
}

static char *read_value(struct replay *replay, const char *format, const char *expression)
{
	char text[REPLAY_EXPRESSION_MAX + 64], why[256];

	snprintf(text, sizeof(text), format, expression);
	return values_text(replay, text, why, sizeof(why));
}

static void learn_watched(struct replay *replay, struct watched *watched)
{
	cleanup_free char *address =
	    read_value(replay, "(unsigned long) &(%s)", watched->expression);
	cleanup_free char *size = read_value(replay, "sizeof(%s)", watched->expression);

	watched->until = *replay_now(replay);
	watched->now = read_value(replay, "%s", watched->expression);
	if (address && size) {
		watched->size = strtoll(size, NULL, 0);
		snprintf(watched->address, sizeof(watched->address), "0x%llx",
		    strtoull(address, NULL, 0));
		watched->bytes = read_bytes(replay, watched);
		learn_inherited(replay, watched);
	}
}

/* gdb prints a pointer's type before the value and what it points to after it, the latter as it is
 * now. Behind a text, kept.py tells of `a` what else its object holds. */
static bool same_value(const char *a, const char *b)
{
	static const char more[] = ", with other bytes";
	size_t length;

	a = values_behind_type(a);
	b = values_behind_type(b);
	length = strncmp(a, "0x", 2) == 0 ? strcspn(a, " ") + 1 : strlen(a) + 1;
	if (strncmp(a, b, strlen(b)) == 0 && strncmp(a + strlen(b), more, sizeof(more) - 1) == 0)
		return true;
	return strncmp(a, b, length) == 0 ||
	       (strncmp(a, "0x", 2) == 0 && strncmp(b, "0x", 2) == 0 &&
		   strtoull(a, NULL, 16) == strtoull(b, NULL, 16));
}

/* Whether the value really changed here: it was not just mapped, and the new value is different. */
static bool is_change(const struct watched *watched, const struct hit *hit)
{
	return hit->kind == STOP_WATCHPOINT && hit->number == watched->watch && hit->old &&
	       hit->new &&strcmp(hit->old, hit->new) != 0 && strcmp(hit->old, "<unreadable>") != 0;
}

struct back {
	const struct watched *watched;
	bool fits; /* this write stored the value that was there when the search began */
};

static enum scan_verdict see_backward(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct back *back = context;

	(void)replay;
	(void)failure;
	if (!is_change(back->watched, hit))
		return SCAN_ON;
	back->fits = !back->watched->now || same_value(hit->new, back->watched->now);
	return SCAN_ENOUGH;
}

/* Whether one moment comes after another. Within one event, the thread's ticks decide. */
static bool is_later(const struct moment *a, const struct moment *b)
{
	return a->event > b->event ||
	       (a->event == b->event && a->tid == b->tid && a->ticks > b->ticks);
}

static enum scan_verdict see_forward(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct watched *watched = context;

	if (!is_change(watched, hit))
		return SCAN_ON;
	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	if (is_later(now, &watched->until))
		return SCAN_ENOUGH;
	watched->last = *now;
	return SCAN_ON;
}

/* Searches forward from here for the last change before the search began. This is slower, but
 * independent of the backward search. */
static enum scan_end search_forward(
    struct replay *replay, struct watched *watched, struct failure *failure)
{
	struct back back = {.watched = watched};
	enum scan_end end = scan_run(replay, FORWARD, STOPS_MAX, see_forward, watched, failure);

	if (end == SCAN_FAILED)
		return end;
	if (!watched->last.event)
		return SCAN_EDGE;
	if (!position_go(replay, &watched->last, failure))
		return SCAN_FAILED;
	return scan_run(replay, BACKWARD, STOPS_MAX, see_backward, &back, failure);
}

/* Whether only a neighbour in the same word changed: a bit-field has the address of its whole word.
 * The name must mean the same variable here as where the search began. */
static bool is_neighbour(struct replay *replay, const struct watched *watched)
{
	cleanup_free char *address =
	    read_value(replay, "(unsigned long) &(%s)", watched->expression);
	cleanup_free char *value = read_value(replay, "%s", watched->expression);

	return address && value && watched->now && watched->size <= WORD_BYTES &&
	       strtoull(address, NULL, 0) == strtoull(watched->address, NULL, 0) &&
	       strcmp(value, watched->now) == 0;
}

/* Whether the value at the start of the recording differs from the value where the search began. */
static bool differs_here(struct replay *replay, const struct watched *watched)
{
	cleanup_free char *here = read_bytes(replay, watched);

	return here && watched->bytes && strcmp(here, watched->bytes) != 0 &&
	       !is_neighbour(replay, watched);
}

static void pass_signals(struct replay *replay)
{
	gdb_must_console(replay_gdb(replay), "handle " FATAL_SIGNALS " nostop noprint pass");
}

/* Goes to the last change in the present process. The program then stands right before it.
 * SCAN_EDGE: there is none. */
static enum scan_end search_here(
    struct replay *replay, struct watched *watched, struct failure *failure)
{
	struct back back = {.watched = watched};
	enum scan_end end = scan_run(replay, BACKWARD, STOPS_MAX, see_backward, &back, failure);
	bool doubtful;

	/* At the start the thread that was selected may not have begun. */
	if (end == SCAN_EDGE && !position_update(replay, failure))
		return SCAN_FAILED;
	doubtful =
	    end == SCAN_EDGE ? differs_here(replay, watched) : end == SCAN_FOUND && !back.fits;

	if (doubtful)
		end = search_forward(replay, watched, failure);
	if (end != SCAN_EDGE || !doubtful)
		return end;
	failure_set(failure, ERROR_RR_FAILED,
	    "set a watchpoint on it with rr_watchpoint_set, and rr_continue from the start "
	    "to see what changes it",
	    "%.200s differs from its value at the start, but no write to it was found",
	    watched->expression);
	return SCAN_FAILED;
}

/* Whether the call that has it on its stack began before the process was forked. Moves the program
 * within the process. */
static bool is_older_call(
    struct replay *replay, const struct watched *watched, bool *older, struct failure *failure)
{
	unsigned long long address = strtoull(watched->address, NULL, 0);
	struct frame_lifetime lifetime;
	enum lifetime_known known;

	*older = watched->frame.level < 0;
	if (*older)
		return true;
	if (!position_go(replay, &watched->until, failure))
		return false;
	known = frame_lifetime_find_begin(replay, address, &lifetime, failure);
	pass_signals(replay);
	*older = known != LIFETIME_KNOWN;
	return known != LIFETIME_FAILED;
}

/* In the parent, before the fork: whether a place on the stack was in use. */
static bool was_in_use(struct replay *replay, const struct watched *watched)
{
	unsigned long long address = strtoull(watched->address, NULL, 0), stack;
	cleanup_mappings struct mappings *mappings = NULL;
	const struct mapping *found;

	if (watched->frame.level >= 0)
		return holder_is_here(replay, address, &watched->frame);
	if (!accessed_number(replay, "(unsigned long) $sp", &stack) || address >= stack)
		return true;
	mappings = mappings_read(replay);
	found = mappings_find(mappings, stack);
	return found && address < found->start;
}

/* Where the search came to the fork: goes on in the parent. *over: there it can be searched for. */
static bool go_over_fork(
    struct replay *replay, struct watched *watched, bool *over, struct failure *failure)
{
	const long long child = replay_pid(replay);
	bool older;

	*over = false;
	if (!watched->absolute || !handover_is_at_fork(replay))
		return true;
	temporary_breakpoint_delete(replay, watched->watch);
	watched->watch = 0;
	if (!is_older_call(replay, watched, &older, failure))
		return false;
	watched->unborn = !older;
	if (!older)
		return true;
	if (!visit_parent(replay, failure))
		return false;
	watched->child = child;
	watched->until = *replay_now(replay);
	watched->unborn = !was_in_use(replay, watched);
	if (watched->unborn)
		return true;
	watched->watch =
	    watchpoint_insert(replay, watched->absolute, WATCH_WRITE, true, NULL, failure);
	*over = watched->watch != 0;
	return *over;
}

/* Goes to the last change, also over forks. */
static bool search(struct replay *replay, struct watched *watched, struct failure *failure)
{
	enum scan_end end;
	bool over;

	do {
		end = search_here(replay, watched, failure);
		if (end != SCAN_EDGE)
			return end == SCAN_FOUND;
		if (!go_over_fork(replay, watched, &over, failure))
			return false;
	} while (over);
	fail_unchanged(replay, watched->expression, watched->unborn, failure);
	return false;
}

static json_t *find_change(struct replay *replay, struct watched *watched, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *stop = NULL;

	if (!ambiguous_statics_check(replay, watched->expression, failure))
		return NULL;
	watched->watch =
	    watchpoint_insert(replay, watched->expression, WATCH_WRITE, true, NULL, failure);
	if (!watched->watch)
		return NULL;
	pass_signals(replay);
	if (search(replay, watched, failure))
		stop = stop_describe(replay, BACKWARD, NULL, failure);
	if (!replay_worker(replay)->broken) {
		gdb_must_console(gdb, "handle " FATAL_SIGNALS " stop print pass");
		signals_apply(replay);
	}
	temporary_breakpoint_delete(replay, watched->watch);
	return stop;
}

/* The frame in which the expression is evaluated; the write may be in another one. -1: the selected
 * frame. */
static bool choose_frame(struct replay *replay, long long level, struct failure *failure)
{
	if (level < 0 ||
	    (gdb_command(replay_gdb(replay), NULL, "-stack-info-frame --thread %d --frame %lld",
		 replay_selected(replay)->number, level) != GDB_REFUSED &&
		selection_set_frame(replay, (int)level)))
		return true;
	failure_set(failure, ERROR_NOT_FOUND, "rr_backtrace shows the frames",
	    "there is no frame %lld", level);
	return false;
}

/* Searches, and stops before or after the write, as the call asks. */
static json_t *find_writer(
    struct replay *replay, const struct last_change_args *args, struct failure *failure)
{
	struct watched watched = {.expression = args->expression};
	json_t *stop, *result = NULL;

	if (!choose_frame(replay, args->frame, failure))
		return NULL;
	learn_watched(replay, &watched);
	stop = find_change(replay, &watched, failure);
	if (!stop && !watched.now && failure->code == ERROR_NOT_FOUND)
		failure_set_hint(failure, "it cannot be read at this moment: a pointer in it is "
					  "bad, so ask for the last write to that pointer");
	forget_watched(&watched);
	if (stop)
		result = change_answer(replay, stop, args->expression, watched.child);
	json_decref(stop);
	if (!result || args->side == CHANGE_BEFORE || step_behind(replay, result, failure))
		return result;
	json_decref(result);
	return NULL;
}

/* A session that has not moved: how to get there. */
static void note_process(const struct replay *replay, json_t *result)
{
	if (result && relatives_is_away(replay))
		stop_add_note(result,
		    json_sprintf("rr_goto this moment hands the session over to process %lld",
			replay_pid(replay)));
}

json_t *tool_last_change(
    struct replay *replay, const struct last_change_args *args, struct failure *failure)
{
	struct handover handover = {0};
	struct failure late = {0};
	json_t *result;

	if (!evaluate_may(args->evaluate, failure))
		return NULL;
	if (args->move)
		handover = handover_begin(replay, NULL);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	result = find_writer(replay, args, failure);
	if (result && (args->move || args->evaluate))
		frames_select_own(replay, args->move ? result : NULL);
	result = evaluate_beside(replay, result, args->evaluate);
	if (result && args->move) {
		handover_stay(replay, &handover);
		excursion_stay(&excursion);
		return handover_end(&handover, replay, result, failure);
	}
	note_process(replay, result);
	visit_end(replay);
	if (!excursion_return(&excursion, &late) && result) {
		json_decref(result);
		result = NULL;
		*failure = late;
	}
	return handover_end(&handover, replay, result, failure);
}
