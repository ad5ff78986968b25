/*
 * Finds the call by its stack. When the function begins, its return address lies just below the
 * frame's end. The function has returned when its caller runs on with the stack pointer at that
 * end.
 */
#include "worker/investigate/calls/frame_lifetime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/where.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frames.h"
#include "worker/read/frames/holder.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/run/sweep/last_hit.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/signals.h"
#include "worker/read/names/symbol.h"

#define RETURN_ADDRESS 8 /* bytes */
#define STOPS_MAX      1000

struct call {
	unsigned long long entry,
	    back;		/* the function's first instruction; the one after its call */
	unsigned long long top; /* the stack pointer there */
};

/* gdb hands conditions about $rsp over, and none about $sp: at each pass of a function that is
 * called a million times at the same depth, it would look itself. Only a 64-bit program has that
 * register. */
static int set(struct replay *replay, unsigned long long address, unsigned long long stack)
{
	unsigned long long pointer = 0;
	char where[96];

	if (!accessed_number(replay, "sizeof(void *)", &pointer) || pointer != RETURN_ADDRESS)
		return 0;
	snprintf(where, sizeof(where), "-c \"(unsigned long) $rsp == %llu\" *%llu", stack, address);
	return temporary_breakpoint_insert(replay, where);
}

/* Back to the call, unless the program stands at its first instruction. */
static enum lifetime_known find_call(
    struct replay *replay, const struct call *call, struct moment *begin, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	enum lifetime_known known = LIFETIME_UNSURE;
	unsigned long long sp = 0, pc = 0;
	int number;

	if (frames_number(replay, 0, "$pc", &pc) && pc == call->entry &&
	    frames_number(replay, 0, "$sp", &sp) && sp == call->top - RETURN_ADDRESS) {
		position_take_sum(replay);
		*begin = *now;
		return LIFETIME_KNOWN;
	}
	number = set(replay, call->entry, call->top - RETURN_ADDRESS);
	if (!number)
		return LIFETIME_UNSURE;
	switch (last_hit_go(replay, failure)) {
	case LAST_HIT_THERE:
		if (scan_hit(replay, BACKWARD).number == number)
			known = position_update(replay, failure) ? LIFETIME_KNOWN : LIFETIME_FAILED;
		break;
	case LAST_HIT_CUT:
		worker_fail_interrupted(replay_worker(replay), failure);
		known = LIFETIME_FAILED;
		break;
	case LAST_HIT_FAILED:
		known = LIFETIME_FAILED;
		break;
	case LAST_HIT_UNKNOWN:
		break;
	}
	position_take_sum(replay);
	*begin = *now;
	temporary_breakpoint_delete(replay, number);
	return known;
}

static enum scan_verdict is_number(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)replay;
	(void)failure;
	return hit->number == *(int *)context ? SCAN_ENOUGH : SCAN_ON;
}

/* Runs from the call to the return. A call that never returns lives to the end. */
static enum lifetime_known find_return(
    struct replay *replay, const struct call *call, struct moment *end, struct failure *failure)
{
	int number = set(replay, call->back, call->top);
	enum scan_end found;

	if (!number)
		return LIFETIME_UNSURE;
	found = scan_run(replay, FORWARD, STOPS_MAX, is_number, &number, failure);
	temporary_breakpoint_delete(replay, number);
	if (found == SCAN_FAILED || (found == SCAN_FOUND && !position_update(replay, failure)))
		return LIFETIME_FAILED;
	position_take_sum(replay);
	*end =
	    found == SCAN_FOUND ? *replay_now(replay) : (struct moment){.event = REPLAY_EVENT_FAR};
	return LIFETIME_KNOWN;
}

static enum lifetime_known begin(struct replay *replay, unsigned long long address,
    struct frame_lifetime *lifetime, struct call *call, struct failure *failure)
{
	unsigned long long pc;
	struct holder holder;

	if (!holder_find(replay, replay_selected(replay)->frame, address, &holder))
		return LIFETIME_NONE;
	call->top = holder.top;
	call->back = holder.back;
	if (!frames_number(replay, holder.level, "$pc", &pc) ||
	    !where_entry(replay, pc, &call->entry, lifetime->function, sizeof(lifetime->function)))
		return LIFETIME_UNSURE;
	signals_pass_all(replay);
	return find_call(replay, call, &lifetime->stretch[0], failure);
}

enum lifetime_known frame_lifetime_find_begin(struct replay *replay, unsigned long long address,
    struct frame_lifetime *lifetime, struct failure *failure)
{
	struct call call;
	enum lifetime_known known = begin(replay, address, lifetime, &call, failure);

	signals_stop_again(replay);
	return known;
}

enum lifetime_known frame_lifetime_find(struct replay *replay, unsigned long long address,
    struct frame_lifetime *lifetime, struct failure *failure)
{
	const struct moment here = *replay_now(replay);
	struct call call;
	enum lifetime_known known = begin(replay, address, lifetime, &call, failure);

	if (known == LIFETIME_KNOWN)
		known = find_return(replay, &call, &lifetime->stretch[1], failure);
	signals_stop_again(replay);
	/* A return before the moment where the question was asked belongs to another call. */
	return known == LIFETIME_KNOWN && position_order(&here, &lifetime->stretch[1]) > 0
		   ? LIFETIME_UNSURE
		   : known;
}

enum lifetime_end frame_lifetime_came_by_return(struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct moment *now = replay_now(replay);
	struct failure failure = {0};
	struct symbol symbol;
	uint8_t bytes[3];
	bool known = gdb_done_or_warn(gdb, gdb_run(gdb, "-exec-step-instruction --reverse"),
			 "it is not known whether the call returned") &&
		     position_update(replay, &failure) &&
		     accessed_whole(replay, now->pc, bytes, sizeof(bytes));

	json_decref(failure.details);
	if (!known)
		return LIFETIME_END_UNKNOWN;
	if (symbol_at(replay, now->pc, &symbol) &&
	    strncmp(symbol.name, "_Unwind_", strlen("_Unwind_")) == 0)
		return LIFETIME_LEFT;
	if (bytes[0] == 0xf2 || bytes[0] == 0xf3)
		bytes[0] = bytes[1];
	return bytes[0] == 0xc3 || bytes[0] == 0xc2 ? LIFETIME_RETURNED : LIFETIME_LEFT;
}
