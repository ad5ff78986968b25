/*
 * rr_frame_story: one call of a function. Finds where the call begins and ends, goes through it
 * once with breakpoints at its lines and calls, and tells what happened. Frames of the same
 * function above or below it, and other threads, do not count.
 */
#include "worker/investigate/calls/frame_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/callee.h"
#include "worker/investigate/code/function_code.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/code/prototype.h"
#include "worker/investigate/code/where.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/session/selection.h"

#define LEVELS_MAX     2000
#define INLINED_MAX    10 /* frames */
#define INLINED_BYTES  6000
#define STOPS_LEAST    600 /* and for each line that is told: */
#define STOPS_PER_LINE 40

/* ---- Which call ------------------------------------------------------------------------------ */

static enum scan_verdict stop_there(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)replay;
	(void)failure;
	return hit->breakpoint == *(int *)context ? SCAN_ENOUGH : SCAN_ON;
}

/* gdb's breakpoint at the first instruction of the function, where its call is known at once; or
 * else at the location itself. 0 with *failure filled. */
static int set_entry(struct frame_story *story, struct moment *earliest, struct failure *failure)
{
	struct replay *replay = story->replay;
	int first;
	int number = location_hits_set(replay, story->args->location, NULL, earliest, failure);
	const json_t *row;
	json_t *results = NULL;
	const char *address;
	unsigned long long entry;
	char where[32], name[FUNCTION_NAME_MAX];

	if (!number)
		return 0;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	row = mi_breakpoint_row(mi_breakpoints(results), number);
	address = mi_text(row, "addr");
	if (address && mi_text(row, "func"))
		inlined_pass_name(replay, strtoull(address, NULL, 16), mi_text(row, "func"),
		    story->inlined, story->code.path);
	if (address && strncmp(address, "0x", 2) == 0 &&
	    where_entry(replay, strtoull(address, NULL, 16), &entry, name, sizeof(name))) {
		snprintf(where, sizeof(where), "-d *0x%llx", entry);
		first = temporary_breakpoint_insert(replay, where);
		story->entry = first ? entry : 0;
		temporary_breakpoint_delete(replay, first ? number : 0);
		number = first ? first : number;
	}
	json_decref(results);
	return number;
}

/* To the first call of the location. */
static bool go_to_call(struct frame_story *story, struct failure *failure)
{
	struct replay *replay = story->replay;
	struct search search = {.replay = replay};
	enum search_end end = SEARCH_FAILED;
	struct moment stretch[2], earliest;
	int number = set_entry(story, &earliest, failure);
	bool known;

	if (number && search_stretch(replay, story->args->from, NULL, stretch, failure) &&
	    search_begin_hits(&search, replay, stretch, number, &earliest, failure) &&
	    location_hits_is_loaded(replay, story->args->location, story->entry, failure) &&
	    gdb_check(replay_gdb(replay),
		gdb_command(replay_gdb(replay), NULL, "-break-enable %d", number), ERROR_GDB_FAILED,
		NULL, failure))
		end = search_run(&search, stop_there, &number, failure);
	known = end != SEARCH_WHOLE ||
		location_hits_was_known(replay, number, story->args->location, failure);
	search_end(&search);
	temporary_breakpoint_delete(replay, number);
	if (end == SEARCH_WHOLE && known)
		failure_set(failure, ERROR_NOT_FOUND,
		    "rr_trace_calls lists the calls of a function", "nothing called %.200s%s%.80s",
		    story->args->location, story->args->from ? " from " : "",
		    story->args->from ? story->args->from : "");
	if (end == SEARCH_CUT)
		worker_fail_interrupted(replay_worker(replay), failure);
	return end == SEARCH_ENOUGH;
}

/* The frame that is meant, which becomes the selected one: as asked, or the first of the program's
 * own code. */
static bool choose_level(struct frame_story *story, struct failure *failure)
{
	struct replay *replay = story->replay;
	long long level = story->args->level;

	if (level >= 0 && !selection_set_frame(replay, (int)level)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "rr_backtrace shows the frames",
		    "there is no frame %lld here", level);
		return false;
	}
	if (level < 0)
		frames_select_own(replay, NULL);
	return true;
}

static bool fail_lifetime(enum lifetime_known known, struct failure *failure)
{
	static const char hint[] =
	    "name the function as location, or rr_goto to another moment of it";

	switch (known) {
	case LIFETIME_KNOWN:
		return true;
	case LIFETIME_NONE:
		failure_set(failure, ERROR_UNSUPPORTED, hint,
		    "no frame was found on this stack: it has no caller");
		break;
	case LIFETIME_UNSURE:
		failure_set(failure, ERROR_UNSUPPORTED, hint,
		    "the beginning or the end of this call was not found: the stack does not tell "
		    "it, or the call began in another program of this process");
		break;
	case LIFETIME_FAILED:
		break;
	}
	return false;
}

/* Fills story->life from the frame in which the program stands. */
static bool find_life(struct frame_story *story, struct failure *failure)
{
	struct replay *replay = story->replay;
	unsigned long long stack;

	if (!(story->args->location ? go_to_call(story, failure) : choose_level(story, failure)))
		return false;
	if (!story->inlined[0])
		inlined_pass_name(replay, 0, "", story->inlined, story->code.path);
	story->here = *replay_now(replay);
	story->arrived = story->args->location != NULL;
	if (!frames_number(replay, replay_selected(replay)->frame, "$sp", &stack)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "rr_backtrace shows the frames",
		    "the stack of that frame cannot be read here");
		return false;
	}
	story->tid = story->args->location ? replay_now(replay)->tid : replay_selected(replay)->tid;
	if (!fail_lifetime(frame_lifetime_find(replay, stack, &story->lifetime, failure), failure))
		return false;
	snprintf(story->function, sizeof(story->function), "%s", story->lifetime.function);
	snprintf(story->shown, sizeof(story->shown), "%s", story->function);
	return true;
}

/* ---- What is seen ---------------------------------------------------------------------------- */

static void note_call(struct frame_story *story, const struct spot *spot)
{
	struct replay *replay = story->replay;

	/* In optimized code the first line begins where the function does. */
	if (!story->story.count)
		story_add(&story->story, story->line,
		    story->inlined[0] ? replay_now(replay) : &story->lifetime.stretch[0]);
	story->call = story_add_call(&story->story, replay_now(replay));
	if (!story->call)
		return;
	callee_name(replay, spot->target, story->callee);
	json_object_set_new(story->call, "name",
	    json_sprintf("%.*s", (int)strcspn(story->callee, "("), story->callee));
	json_object_set_new(story->call, "args", prototype_arguments(replay, story->callee));
	story->back = spot->next;
	if (!frames_number(replay, 0, "$sp", &story->stack))
		story->call = NULL;
}

/* The call came back, or its frame is gone because the function goes on elsewhere. Returns whether
 * it is gone. */
static bool note_return(struct frame_story *story)
{
	struct replay *replay = story->replay;
	char type[PROTOTYPE_TYPE_MAX];
	unsigned long long stack;
	json_t *value;
	bool back;

	if (!story->call)
		return false;
	back = replay_now(replay)->pc == story->back && frames_number(replay, 0, "$sp", &stack) &&
	       stack == story->stack;
	if (back) {
		value = prototype_returned(replay, story->callee, type, sizeof(type))
			    ? prototype_value(replay, type)
			    : NULL;
		if (value)
			json_object_set_new(story->call, "returned", value);
	} else {
		json_object_set_new(story->call, "note",
		    json_string("left without a return: an exception or longjmp"));
	}
	story->call = NULL;
	return !back;
}

/* The frame that inlined_pass_level tells, owned by the caller. NULL: not found. */
static json_t *find_frame(struct frame_story *story, const char *inlined)
{
	json_t *frames = frames_near(story->replay, INLINED_MAX, INLINED_BYTES), *frame;
	json_t *found = NULL;
	int level = inlined_pass_level(story->replay, inlined);
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (found || level < 0 ||
		    json_integer_value(json_object_get(frame, "level")) != level)
			continue;
		found = json_incref(frame);
		story->level = level;
	}
	json_decref(frames);
	return found;
}

static void begin_frame(struct frame_story *story)
{
	json_t *frame = find_frame(story, story->inlined);
	char path[FRAME_PATH_MAX];

	if (story->inlined[0] && frame) {
		frame_place(frame, path, &story->line);
		json_decref(story->caller);
		story->caller = where_from(story->replay, story->level + 1);
	}
	story->arguments = json_incref(json_object_get(frame, "args"));
	story->begun = true;
	changes_begin(&story->changes, story->replay, story->level, &story->code);
	json_decref(frame);
}

/* What was seen belongs to an earlier pass of the inlined function. */
static void forget_pass(struct frame_story *story)
{
	story_end(&story->story);
	story->full = !story_begin(&story->story);
	changes_free(&story->changes);
	story->changes = (struct changes){0};
	json_decref(story->arguments);
	story->arguments = NULL;
	story->begun = false;
}

static bool is_arrived(const struct frame_story *story, const struct moment *now)
{
	int order = position_order(now, &story->here);

	return story->arrived || order > 0 || (order == 0 && now->pc >= story->here.pc);
}

/* Of an inlined function. Returns whether the place belongs to another one; *verdict: what to do
 * then. */
static bool is_outside(
    struct frame_story *story, const struct spot *spot, enum scan_verdict *verdict)
{
	bool arrived = is_arrived(story, replay_now(story->replay));

	*verdict = SCAN_ON;
	if (!story->inlined[0] || !spot->outside) {
		/* code of a statement that was moved to the front is no beginning */
		if (story->inlined[0] && !story->begun && !spot->line)
			return true;
		story->arrived |= story->inlined[0] && arrived;
		return false;
	}
	if (story->begun && story->arrived) {
		note_return(story);
		story->over = true;
		*verdict = SCAN_ENOUGH;
	} else if (story->begun) {
		forget_pass(story);
	}
	return true;
}

/* The rest of the call runs without stops, so that its end and its result are known all the same.
 */
static void stop_following(struct frame_story *story)
{
	story->full = true;
	story->story.cut = true;
	story->call = NULL;
	story->tail = NULL;
	for (size_t i = 0; i < story->code.count; i++) {
		temporary_breakpoint_delete(story->replay, story->code.spots[i].number);
		story->code.spots[i].number = 0;
	}
}

static enum scan_verdict see_spot(struct frame_story *story, const struct spot *spot)
{
	struct replay *replay = story->replay;
	enum scan_verdict verdict;

	if (is_outside(story, spot, &verdict))
		return verdict;
	/* It began before the search did. */
	if (spot->address == story->code.entry) {
		story->left = true;
		return SCAN_ENOUGH;
	}
	if (!story->begun)
		begin_frame(story);
	note_return(story);
	story->tail = NULL;
	story->returning = spot->returns;
	position_take_sum(replay);
	if (spot->line && !story_add(&story->story, spot->line, replay_now(replay))) {
		stop_following(story);
		return SCAN_ON;
	}
	if (spot->calls)
		note_call(story, spot);
	if (spot->leaves)
		story->tail = spot;
	return SCAN_ON;
}

/* A frame that catches can go on exactly where the call would have returned to. */
static void note_catch(struct frame_story *story)
{
	unsigned long long stack;

	if (!story->call || !frames_number(story->replay, 1, "$sp", &stack) || stack < story->stack)
		return;
	json_object_set_new(
	    story->call, "note", json_string("left without a return: an exception"));
	story->call = NULL;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct frame_story *story = context;
	const struct spot *spot = function_code_spot(&story->code, now->pc);

	(void)failure;
	if (story->catches && hit->breakpoint == story->catches && now->tid == story->tid)
		note_catch(story);
	if (story->full)
		return SCAN_ON;
	if (story->stops++ > STOPS_LEAST + STOPS_PER_LINE * story->args->limit) {
		stop_following(story);
		return SCAN_ON;
	}
	if (!spot || now->tid != story->tid || frames_address(replay) != story->frame)
		return SCAN_ON;
	return see_spot(story, spot);
}

/* Whether the frame is on the stack where the program ends. */
static bool is_still_there(struct frame_story *story)
{
	struct replay *replay = story->replay;
	int number = selection_number(replay, story->tid);
	unsigned long long stack;
	bool there = false;

	if (!number || !selection_set_thread(replay, story->tid))
		return false;
	for (int level = 0; level < LEVELS_MAX && !there; level++) {
		if (!frames_number(replay, level + 1, "$sp", &stack))
			return selection_set_frame(replay, level) &&
			       frames_address(replay) == story->frame;
		there = stack == story->frame;
	}
	return there;
}

/* ---- The call, once through ------------------------------------------------------------------ */

static void set_breakpoints(struct frame_story *story)
{
	for (size_t i = 0; i < story->code.count; i++)
		story->code.spots[i].number =
		    temporary_breakpoint_insert_at(story->replay, story->code.spots[i].address);
	story->catches = temporary_breakpoint_insert(story->replay, "-f __cxa_begin_catch");
	temporary_breakpoints_stay(story->replay, true);
}

static void clear_breakpoints(struct frame_story *story)
{
	temporary_breakpoint_delete(story->replay, story->catches);
	for (size_t i = 0; i < story->code.count; i++)
		temporary_breakpoint_delete(story->replay, story->code.spots[i].number);
	temporary_breakpoints_stay(story->replay, false);
}

/* At the first instruction: which code it is. */
static bool read_code(struct frame_story *story, struct failure *failure)
{
	struct replay *replay = story->replay;
	json_t *frame = find_frame(story, "");
	char path[FRAME_PATH_MAX];
	int line;
	bool ok = frame && frame_place(frame, path, &line);

	story->line = ok ? line : 0;
	if (mi_text(frame, "function"))
		snprintf(story->shown, sizeof(story->shown), "%s", mi_text(frame, "function"));
	json_decref(frame);
	if (!ok) {
		failure_set(failure, ERROR_NOT_FOUND,
		    "build the program with -g, or name a function of your own",
		    "%.120s has no source lines", story->function);
		return false;
	}
	story->frame = frames_address(replay);
	story->caller = where_from(replay, story->level + 1);
	if (story->inlined[0] && story->code.path[0])
		strlcpy(path, story->code.path, sizeof(path));
	return function_code_read(replay, replay_now(replay)->pc, path, &story->code, failure);
}

static bool mark_inlined(struct frame_story *story, struct failure *failure)
{
	bool any = false;

	if (!story->inlined[0])
		return true;
	if (inlined_pass_mark(story->replay, story->inlined, &story->code))
		for (size_t i = 0; i < story->code.count; i++)
			any |= story->code.spots[i].line && !story->code.spots[i].outside;
	if (any)
		return true;
	failure_set(failure, ERROR_UNSUPPORTED,
	    "name that function as location; rr_lines_executed counts lines, also of inlined code",
	    "the compiler put %.120s into %.120s, and left none of its lines there by themselves",
	    story->inlined, story->shown);
	return false;
}

static void read_result(struct frame_story *story)
{
	struct replay *replay = story->replay;
	enum lifetime_end end = LIFETIME_RETURNED;
	char type[PROTOTYPE_TYPE_MAX];
	bool jumped;

	if (story->lifetime.stretch[1].event == REPLAY_EVENT_FAR) {
		story->left = !is_still_there(story);
		if (story->left)
			note_return(story);
		else if (story->call)
			json_object_set_new(story->call, "note", json_string("did not come back"));
		return;
	}
	jumped = note_return(story) && !story->code.cut;
	if (prototype_returned(replay, story->function, type, sizeof(type)))
		story->returned = prototype_value(replay, type);
	/* The caller may go on here, with the stack as after a return, when an exception or longjmp
	 * has brought it there; also through a function that had returned before, and now returns
	 * once more, to where the present call of the caller goes on. */
	if (!story->left && !story->returning && !story->tail)
		end = jumped ? LIFETIME_LEFT : frame_lifetime_came_by_return(replay);
	story->left |= end == LIFETIME_LEFT;
	if (story->left || end == LIFETIME_END_UNKNOWN || story->inlined[0]) {
		json_decref(story->returned);
		story->returned = NULL;
	}
}

static json_t *go_through(struct frame_story *story, struct failure *failure)
{
	struct replay *replay = story->replay;
	struct search search = {.replay = replay};
	enum search_end end = SEARCH_FAILED;
	json_t *answer = NULL;

	if (search_begin(&search, replay, story->lifetime.stretch, failure) &&
	    read_code(story, failure) && mark_inlined(story, failure)) {
		/* Without optimization, the arguments are in place only behind the beginning. */
		if (story->code.optimized && !story->code.late && !story->inlined[0])
			begin_frame(story);
		set_breakpoints(story);
		end = search_run(&search, see, story, failure);
	}
	if (end == SEARCH_WHOLE || end == SEARCH_ENOUGH)
		changes_end(&story->changes, replay);
	if (end == SEARCH_WHOLE)
		read_result(story);
	if (end != SEARCH_FAILED)
		answer =
		    frame_story_answer(story, &search, end == SEARCH_ENOUGH ? SEARCH_WHOLE : end);
	clear_breakpoints(story);
	search_end(&search);
	return answer;
}

json_t *tool_frame_story(
    struct replay *replay, const struct frame_story_args *args, struct failure *failure)
{
	struct frame_story *story = calloc(1, sizeof(*story));
	json_t *answer = NULL;

	if (!story || !story_begin(&story->story)) {
		free(story);
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		return NULL;
	}
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	story->replay = replay;
	story->args = args;
	if (find_life(story, failure))
		answer = go_through(story, failure);
	function_code_free(&story->code);
	story_end(&story->story);
	changes_free(&story->changes);
	json_decref(story->arguments);
	json_decref(story->caller);
	json_decref(story->returned);
	free(story);
	return excursion_answer(&excursion, answer, failure);
}
