/*
 * A call has returned when its caller goes on with the stack as it was before. longjmp and
 * exceptions skip that point; then the next call higher up on the same stack shows that the
 * function was left.
 */
#include "worker/investigate/search/returns.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/prototype.h"
#include "worker/investigate/code/where.h"
#include "worker/read/frames/frames.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"

#define LEFT "<left without a return>"
#define INLINED                                                                                    \
	"<not known: the compiler put this call into its caller, so nothing returns from it>"

static void forget(struct returns *returns, size_t number)
{
	json_decref(returns->calls[number].row);
	returns->calls[number] = returns->calls[--returns->count];
}

/* The thread has left those of its calls that lie further down the stack. */
static void drop_left(struct returns *returns, int tid, unsigned long long top)
{
	for (size_t i = returns->count; i-- > 0;) {
		if (returns->calls[i].called.tid != tid || returns->calls[i].top > top)
			continue;
		json_object_set_new(returns->calls[i].row, "returned", json_string(LEFT));
		forget(returns, i);
	}
}

static bool stop_at(struct returns *returns, struct replay *replay, unsigned long long address)
{
	int number;

	for (size_t i = 0; i < returns->place_count; i++)
		if (returns->places[i].address == address)
			return true;
	if (returns->place_count == RETURNS_PLACES_MAX)
		return false;
	number = temporary_breakpoint_insert_at(replay, address);
	if (!number)
		return false;
	returns->places[returns->place_count].address = address;
	returns->places[returns->place_count++].number = number;
	return true;
}

void returns_begin(struct returns *returns, struct replay *replay)
{
	returns->jumps[0] = temporary_breakpoint_insert(replay, "-f longjmp");
	returns->jumps[1] = temporary_breakpoint_insert(replay, "-f __longjmp_chk");
	returns->catches = temporary_breakpoint_insert(replay, "-f __cxa_begin_catch");
	returns->landings = temporary_breakpoint_insert(replay, "-f _Unwind_SetIP");
}

void returns_pass(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (returns->count && frames_number(replay, 1, "$sp", &top))
		drop_left(returns, replay_now(replay)->tid, top);
}

/* What the compiler has put into its caller runs on the caller's stack. */
static bool is_inlined(struct replay *replay, unsigned long long top)
{
	unsigned long long own;

	return frames_number(replay, 0, "$sp", &own) && own == top;
}

void returns_await(struct returns *returns, struct replay *replay, json_t *row)
{
	const char *function =
	    mi_text(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), "func");
	unsigned long long back, top;
	char *type;

	if (!frames_number(replay, 1, "$sp", &top) || !frames_number(replay, 1, "$pc", &back))
		return;
	if (is_inlined(replay, top)) {
		json_object_set_new(row, "returned", json_string(INLINED));
		return;
	}
	if (returns->count == RETURNS_CALLS_MAX || !stop_at(returns, replay, back))
		return;
	returns->calls[returns->count].back = back;
	returns->calls[returns->count].top = top;
	returns->calls[returns->count].called = *replay_now(replay);
	returns->calls[returns->count].jumped = returns->calls[returns->count].thrown = false;
	type = returns->calls[returns->count].type;
	if (!function ||
	    !prototype_returned(replay, function, type, sizeof(returns->calls[0].type)))
		type[0] = '\0';
	returns->calls[returns->count++].row = json_incref(row);
}

/* {returned, events}: the value if it is known, and how many events of the recording passed
 * meanwhile. */
static void tell(struct returns *returns, struct replay *replay, size_t number)
{
	const struct moment *now = replay_now(replay);
	json_t *row = returns->calls[number].row;

	if (returns->calls[number].jumped) {
		json_object_set_new(row, "returned",
		    json_string("<not known: longjmp was called, and may have left it>"));
		return;
	}
	json_object_set_new(
	    row, "events", json_integer(now->event - returns->calls[number].called.event));
	json_object_set_new(row, "back_at", moment_name(replay, now));
	json_object_set_new(row, "returned", prototype_value(replay, returns->calls[number].type));
}

static bool is_jump(const struct returns *returns, int number)
{
	return number && (number == returns->jumps[0] || number == returns->jumps[1]);
}

static bool is_place(const struct returns *returns, int number)
{
	for (size_t i = 0; i < returns->place_count; i++)
		if (returns->places[i].number == number)
			return true;
	return false;
}

static void note_jump(struct returns *returns, int tid)
{
	for (size_t i = 0; i < returns->count; i++)
		returns->calls[i].jumped |= returns->calls[i].called.tid == tid;
}

/* An exception goes on where its second argument says. Behind a call that never returns, that can
 * be the return address. */
static void note_landing(struct returns *returns, struct replay *replay)
{
	unsigned long long landing;

	if (!frames_number(replay, 0, "$rsi", &landing))
		return;
	for (size_t i = 0; i < returns->count; i++)
		if (returns->calls[i].called.tid == replay_now(replay)->tid)
			returns->calls[i].thrown = returns->calls[i].back == landing;
}

static void take_return(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (!frames_number(replay, 0, "$sp", &top))
		return;
	for (size_t i = returns->count; i-- > 0;) {
		if (returns->calls[i].back != replay_now(replay)->pc ||
		    returns->calls[i].top != top)
			continue;
		if (returns->calls[i].thrown)
			json_object_set_new(returns->calls[i].row, "returned", json_string(LEFT));
		else
			tell(returns, replay, i);
		forget(returns, i);
		break;
	}
}

/* All calls below the function that catches have been left. */
static void note_catch(struct returns *returns, struct replay *replay)
{
	unsigned long long top;

	if (frames_number(replay, 1, "$sp", &top))
		drop_left(returns, replay_now(replay)->tid, top);
}

bool returns_take(struct returns *returns, struct replay *replay, const struct hit *hit)
{
	if (is_jump(returns, hit->breakpoint))
		note_jump(returns, replay_now(replay)->tid);
	else if (returns->catches && hit->breakpoint == returns->catches)
		note_catch(returns, replay);
	else if (returns->landings && hit->breakpoint == returns->landings)
		note_landing(returns, replay);
	else if (is_place(returns, hit->breakpoint))
		take_return(returns, replay);
	else
		return false;
	return true;
}

void returns_end(struct returns *returns, struct replay *replay)
{
	while (returns->count) {
		json_object_set_new(
		    returns->calls[0].row, "returned", json_string("<not by then>"));
		forget(returns, 0);
	}
	for (size_t i = 0; i < returns->place_count; i++)
		temporary_breakpoint_delete(replay, returns->places[i].number);
	temporary_breakpoint_delete(replay, returns->jumps[0]);
	temporary_breakpoint_delete(replay, returns->jumps[1]);
	temporary_breakpoint_delete(replay, returns->catches);
	temporary_breakpoint_delete(replay, returns->landings);
	returns->place_count = 0;
}
