/*
 * Goes back over the functions of the C++ runtime through which every exception passes. By its ABI,
 * an exception's header lies in front of its object: the type_info 112 bytes before, and 32 bytes
 * before, what the unwinder gets.
 */
#include "worker/investigate/report/thrown.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/thrown_value.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/session/selection.h"
#include "worker/session/stop_reason.h"

#define HEADER_UNWIND 32 /* in front of the object */
#define UNWIND_FIRST                                                                               \
	80 /* from the other object's address in the header to what the unwinder gets */
#define UNWIND_LLVM  88 /* the same in libc++abi */
#define HITS_MAX     100
#define FRAMES_DEPTH 40
#define FRAMES_BYTES 12000

/* Where exceptions pass. */
enum pass {
	PASS_INIT,  /* __cxa_init_primary_exception(object, type_info, ...): throw calls it, too */
	PASS_THROW, /* __cxa_throw(object, type_info, ...) */
	PASS_RAISE, /* _Unwind_RaiseException(header), of throw and of std::rethrow_exception */
	PASS_AGAIN, /* _Unwind_Resume_or_Rethrow(header), of `throw;` */
	PASS_RETHROW, /* __cxa_rethrow(), which has nothing to throw if it gets no further */
	PASS_COUNT,
};

static const char *const passes[] = {[PASS_INIT] = "__cxa_init_primary_exception",
    [PASS_THROW] = "__cxa_throw",
    [PASS_RAISE] = "_Unwind_RaiseException",
    [PASS_AGAIN] = "_Unwind_Resume_or_Rethrow",
    [PASS_RETHROW] = "__cxa_rethrow"};

/* ---- Why it ended ---------------------------------------------------------------------------- */

static bool is_named(const json_t *frame, const char *const *names, size_t count)
{
	const char *name = mi_text(frame, "function");

	for (size_t i = 0; name && i < count; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool has_frame(const json_t *frames, const char *const *names, size_t count)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame) if (is_named(frame, names, count)) return true;
	return false;
}

/* Whether std::terminate was called from a part of the runtime's own that no symbol names: where it
 * gives up, gcc moves that part of __cxa_rethrow and its like away (.cold). */
static bool is_given_up(const json_t *frames)
{
	static const char *const terminate[] = {"std::terminate"};
	const json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		const json_t *caller = json_array_get(frames, i + 1);
		const char *at = mi_text(caller, "at");

		if (is_named(frame, terminate, 1) && caller && !mi_text(caller, "function"))
			return at &&
			       (strncmp(at, "libstdc++", 9) == 0 || strncmp(at, "libc++", 6) == 0);
	}
	return false;
}

enum thrown_cause thrown_cause(const json_t *frames)
{
	static const char *const ends[] = {"std::terminate", "__cxxabiv1::__terminate",
	    "__cxa_pure_virtual", "__cxa_deleted_virtual", "__gnu_cxx::__verbose_terminate_handler",
	    "__gxx_personality_v0", "__cxxabiv1::__gxx_personality_v0", "__cxa_call_terminate",
	    "__cxa_throw", "__cxa_rethrow"};
	static const char *const pure[] = {
	    "__cxa_pure_virtual", "__cxxabiv1::__cxa_pure_virtual", "__cxa_deleted_virtual"};
	static const char *const thrown[] = {"__cxa_throw", "__cxxabiv1::__cxa_throw",
	    "__cxa_rethrow", "__cxxabiv1::__cxa_rethrow", "std::rethrow_exception",
	    "__gxx_personality_v0", "__cxxabiv1::__gxx_personality_v0", "__cxa_call_terminate",
	    "__clang_call_terminate"};
	static const char *const thread[] = {"std::thread::~thread", "std::thread::operator="};

	if (!has_frame(frames, ends, sizeof(ends) / sizeof(*ends)))
		return THROWN_NOTHING;
	if (has_frame(frames, pure, sizeof(pure) / sizeof(*pure)))
		return THROWN_PURE;
	if (has_frame(frames, thrown, sizeof(thrown) / sizeof(*thrown)) || is_given_up(frames))
		return THROWN_UNCAUGHT;
	return has_frame(frames, thread, sizeof(thread) / sizeof(*thread)) ? THROWN_THREAD
									   : THROWN_CALLED;
}

/* ---- Back to the throw ----------------------------------------------------------------------- */

struct way {
	struct replay *replay;
	int numbers[PASS_COUNT]; /* gdb's, of the breakpoints; 0: none */
};

static void set_stops(struct way *way, bool first, unsigned long long object)
{
	char where[160];

	for (int i = 0; i < PASS_COUNT; i++) {
		if (first) /* the last that happened in this thread */
			snprintf(where, sizeof(where), "-p %d %s",
			    replay_selected(way->replay)->number, passes[i]);
		else /* of that object, in any thread */
			snprintf(
			    where, sizeof(where), "-c \"$rdi == 0x%llx\" %s", object, passes[i]);
		way->numbers[i] = first || i == PASS_INIT || i == PASS_THROW
				      ? temporary_breakpoint_insert(way->replay, where)
				      : 0;
	}
}

static void clear_stops(struct way *way)
{
	for (int i = 0; i < PASS_COUNT; i++) {
		temporary_breakpoint_delete(way->replay, way->numbers[i]);
		way->numbers[i] = 0;
	}
}

/* Back to the last of these; PASS_COUNT: there is none. */
static enum pass run_back(struct way *way)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	cleanup_failure struct failure ignored = {0};
	enum pass found = PASS_COUNT;

	for (int hits = 0; hits < HITS_MAX && found == PASS_COUNT; hits++) {
		if (!resume_run(way->replay, &back, &ignored) ||
		    !position_update(way->replay, &ignored))
			break;
		replay_moves(way->replay);
		if (stop_kind(way->replay) != STOP_BREAKPOINT)
			break;
		int number = mi_number(gdb_last_stop(replay_gdb(way->replay)), "bkptno", 0);
		for (int i = 0; i < PASS_COUNT; i++)
			if (number && way->numbers[i] == number)
				found = (enum pass)i;
	}
	return found;
}

/* The object of what the unwinder gets. The runtimes of GCC and LLVM mark their own. An
 * exception_ptr's header names another one's object. */
static bool object_of(struct replay *replay, unsigned long long header, unsigned long long *object)
{
	static const struct {
		char dependent[9];
		int first;
	} runtimes[] = {{"GNUCC++\x01", UNWIND_FIRST}, {"CLNGC++\x01", UNWIND_LLVM}};
	char class[8];

	for (size_t i = 0; i < sizeof(class); i++)
		if (!accessed_whole(replay, header + i, &class[sizeof(class) - 1 - i], 1))
			return false;
	*object = header + HEADER_UNWIND;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (memcmp(class, runtimes[i].dependent, sizeof(class)) == 0)
			return accessed_whole(replay,
			    header - (unsigned long long)runtimes[i].first, object,
			    sizeof(*object));
		if (memcmp(class, runtimes[i].dependent, sizeof(class) - 1) == 0)
			return true;
	}
	return false;
}

/* "check (a.cc:44)", the program's own code in which these frames are; "": there is none. */
static void tell_place(struct replay *replay, json_t *frames, char text[THROWN_SAID_MAX])
{
	const json_t *own = frames_first_own(replay, frames);

	text[0] = '\0';
	if (own && mi_text(own, "function"))
		snprintf(text, THROWN_SAID_MAX, "%s (%.450s)", mi_text(own, "function"),
		    mi_text(own, "at") ? mi_text(own, "at") : "no source");
}

/* Where an exception is thrown that was there before. */
static void tell_again(struct replay *replay, char text[THROWN_SAID_MAX])
{
	static const char *const throws[] = {"__cxa_throw", "__cxxabiv1::__cxa_throw"};
	json_auto_t *frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES);

	if (!is_named(json_array_get(frames, 1), throws, 2))
		tell_place(replay, frames, text);
}

/* Those of the runtime, and of the library where it makes or wraps an exception for its caller. */
static int runtime_frames(struct replay *replay)
{
	static const char *const names[] = {"__cxa_throw", "__cxxabiv1::__cxa_throw",
	    "__cxa_init_primary_exception", "__cxxabiv1::__cxa_init_primary_exception",
	    "std::make_exception_ptr<", "std::__future_base::", "std::throw_with_nested<",
	    "std::__throw_with_nested_impl<", "std::__exception_ptr::"};
	json_auto_t *frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES);
	int count = 0;

	while (
	    is_named(json_array_get(frames, (size_t)count), names, sizeof(names) / sizeof(*names)))
		count++;
	return count;
}

/* Back to the throw of an exception that was caught when the next one was thrown, which keeps it:
 * its memory has no other exception meanwhile. */
static bool go_to_inner(struct way *way, json_t *inner)
{
	struct replay *replay = way->replay;
	json_int_t object = json_integer_value(json_object_get(inner, "object"));
	char place[THROWN_SAID_MAX];
	json_auto_t *frames = NULL;
	enum pass pass;

	set_stops(way, false, (unsigned long long)object);
	pass = run_back(way);
	clear_stops(way);
	if (pass != PASS_INIT && pass != PASS_THROW)
		return false;
	json_object_set_new(inner, "moment", moment_name(replay, replay_now(replay)));
	frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES);
	tell_place(replay, frames, place);
	if (place[0])
		json_object_set_new(inner, "thrown_in", json_string(place));
	return true;
}

/* Adds to the inner exceptions where they were thrown, and comes back. False: it cannot. */
static bool find_inner_throws(struct way *way, struct thrown *thrown)
{
	json_t *first = json_object_get(thrown->exception, "inner"), *inner;
	struct return_ticket here;
	cleanup_failure struct failure ignored = {0};
	bool known = true, back;

	if (!first)
		return true;
	here = return_ticket_hold(way->replay);
	for (inner = first; inner; inner = json_object_get(inner, "inner")) {
		known = known && go_to_inner(way, inner);
		json_object_del(inner, "object");
	}
	back = return_ticket_use(way->replay, &here, &ignored);
	return_ticket_release(way->replay, &here);
	return back;
}

/* "; within it std::range_error: \"too far\", thrown in check (a.cc:44)", what was caught when this
 * one was thrown. */
static void tell_inner(struct thrown *thrown)
{
	const json_t *inner = json_object_get(thrown->exception, "inner");
	size_t length = strlen(thrown->said);
	char brief[BRIEF_NAME_MAX];
	const char *what, *place;

	for (; inner; inner = json_object_get(inner, "inner")) {
		what = mi_text(inner, "what") ? mi_text(inner, "what") : mi_text(inner, "value");
		place = mi_text(inner, "thrown_in");
		if (!mi_text(inner, "type") || length + BRIEF_NAME_MAX + 160 > THROWN_SAID_MAX)
			return;
		if (place && length + BRIEF_NAME_MAX + 160 + strlen(place) > THROWN_SAID_MAX)
			place = NULL;
		length += (size_t)snprintf(thrown->said + length, THROWN_SAID_MAX - length,
		    "; within it %s%s%.100s%s%s", brief_name(mi_text(inner, "type"), brief),
		    what ? ": " : "", what ? what : "", place ? ", thrown in " : "",
		    place ? place : "");
	}
}

static void tell(struct replay *replay, const json_t *output, struct thrown *thrown)
{
	unsigned long long object = 0, type_info = 0;
	char brief[BRIEF_NAME_MAX];
	const char *what, *type;

	accessed_number(replay, "(unsigned long)$rdi", &object);
	accessed_number(replay, "(unsigned long)$rsi", &type_info);
	thrown->runtime = runtime_frames(replay);
	/* The types are those that the throwing code knows. */
	selection_set_frame(replay, thrown->runtime);
	thrown->exception = thrown_value(replay, object, type_info, output);
	selection_set_frame(replay, 0);
	json_object_set_new(thrown->exception, "moment", moment_name(replay, replay_now(replay)));
	what = mi_text(thrown->exception, "what");
	if (!what)
		what = mi_text(thrown->exception, "value");
	type = mi_text(thrown->exception, "type");
	snprintf(thrown->said, sizeof(thrown->said), "uncaught exception %s%s%.300s",
	    type ? brief_name(type, brief) : "of an unknown type", what ? ": " : "",
	    what ? what : "");
}

/* Whether this happens within std::terminate, whose handler throws again to find out what(). */
static bool is_in_terminate(struct replay *replay)
{
	static const char *const names[] = {"std::terminate", "__cxxabiv1::__terminate",
	    "__gxx_personality_v0", "__cxxabiv1::__gxx_personality_v0", "__cxa_call_terminate",
	    "__clang_call_terminate"};
	json_auto_t *frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES);

	return has_frame(frames, names, sizeof(names) / sizeof(*names));
}

static bool go_back(struct way *way, const json_t *output, struct thrown *thrown)
{
	unsigned long long header = 0, object = 0;
	enum pass pass;

	set_stops(way, true, 0);
	do
		pass = run_back(way);
	while (pass != PASS_COUNT && is_in_terminate(way->replay));
	clear_stops(way);
	if (pass == PASS_RAISE || pass == PASS_AGAIN) {
		tell_again(way->replay, thrown->again);
		if (!accessed_number(way->replay, "(unsigned long)$rdi", &header) ||
		    !object_of(way->replay, header, &object))
			return false;
		set_stops(way, false, object);
		pass = run_back(way);
		clear_stops(way);
	}
	thrown->nothing = pass == PASS_RETHROW;
	if (pass != PASS_INIT && pass != PASS_THROW)
		return false;
	tell(way->replay, output, thrown);
	if (!find_inner_throws(way, thrown))
		return false;
	tell_inner(thrown);
	return true;
}

bool thrown_go_back(struct replay *replay, const json_t *output, struct thrown *thrown)
{
	static const char *const stops[] = {"__gxx_personality_v0",
	    "__cxxabiv1::__gxx_personality_v0", "__cxa_call_terminate", "__clang_call_terminate"};
	struct way way = {.replay = replay};
	json_auto_t *frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES);
	bool found;

	thrown->stopped = has_frame(frames, stops, sizeof(stops) / sizeof(*stops));
	signals_pass_all(replay);
	found = go_back(&way, output, thrown);
	clear_stops(&way);
	signals_stop_again(replay);
	return found;
}

int thrown_level(struct replay *replay)
{
	static const char *const names[] = {"__cxa_throw", "__cxxabiv1::__cxa_throw"};
	json_t *frames = frames_near(replay, FRAMES_DEPTH, FRAMES_BYTES), *frame;
	size_t i;
	int level = 0;

	json_array_foreach(frames, i, frame) if (is_named(frame, names, 2)) level = (int)i + 1;
	json_decref(frames);
	return level;
}

void thrown_tell(const struct thrown *thrown, char said[FAULT_SAID_MAX])
{
	snprintf(said, FAULT_SAID_MAX, "%s%s%s%s", thrown->said,
	    thrown->again[0] ? ", thrown again in " : "", thrown->again,
	    thrown->stopped ? "; it may not leave a function on its way, which is noexcept, a "
			      "destructor, or cleans up after another exception"
			    : "");
}

void thrown_clear(struct thrown *thrown)
{
	json_decref(thrown->exception);
	*thrown = (struct thrown){0};
}
