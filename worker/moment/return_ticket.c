/*
 * rr's own checkpoint makes a return exact. Without one (at the end), or if its rr has ended, seeks
 * the moment. No interrupt ends a return half way, because the session would then stand where
 * nobody expects it.
 */
#include "worker/moment/return_ticket.h"

#include "worker/breaks/places/inlined.h"
#include "worker/gdb/mi/mi.h"
#include "worker/moment/position.h"
#include "worker/serve/begins.h"
#include "worker/serve/texthash.h"
#include "worker/session/selection.h"

#define BEGINNING_MAX 10 /* functions that begin at one instruction */

/* The function in which the program stopped; NULL: unknown. */
static const char *stopped_in(const struct replay *replay)
{
	return mi_text(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"), "func");
}

/* 0: unknown. */
static unsigned long long number_of(const char *name)
{
	return name ? texthash_add(TEXTHASH_EMPTY, name) : 0;
}

struct return_ticket return_ticket_here(const struct replay *replay)
{
	const struct selection *selected = replay_selected(replay);

	return (struct return_ticket){
	    .function = number_of(stopped_in(replay)),
	    .moment = *replay_now(replay),
	    .tid = selected->tid,
	    .frame = selected->frame,
	    .at_end = replay_is_at_end(replay),
	    .at_signal = replay_is_at_signal(replay),
	};
}

struct return_ticket return_ticket_hold(struct replay *replay)
{
	struct return_ticket ticket;

	position_take_sum(replay);
	ticket = return_ticket_here(replay);
	ticket.held = ticket.at_end ? 0 : position_hold(replay);
	return ticket;
}

void return_ticket_release(struct replay *replay, struct return_ticket *ticket)
{
	if (!replay_worker(replay)->broken)
		position_release(replay, ticket->held);
	ticket->held = 0;
}

/* A seek must know where it begins, and an interrupted search ends where nobody has looked. */
static bool seek(struct replay *replay, const struct return_ticket *to, struct failure *failure)
{
	if (!to->at_end && position_is_held(replay, to->held))
		return position_return(replay, to->held, &to->moment, failure);
	if (!position_update(replay, failure))
		return false;
	if (!to->at_end)
		return position_go(replay, &to->moment, failure);
	if (!position_go_end(replay, failure))
		return false;
	replay_arrived(replay, &to->moment);
	return true;
}

/* Whether gdb shows the function around an inlined one that begins here. */
static bool hides_inlined(struct replay *replay)
{
	const char *said;

	return inlined_is_taught(replay) &&
	       gdb_console(replay_gdb(replay), &said, "python rr_hides_inlined()") == GDB_DONE &&
	       begins(said, "True");
}

/*
 * Where an inlined function begins, gdb stands in it after a breakpoint that was set by its name,
 * and after most other ways of getting there in the function around it: names would mean something
 * else than before (13 to 16, stopped_by_user_bp_inline_frame). There a step of gdb only enters it.
 */
static bool enter_inlined(struct replay *replay, unsigned long long function)
{
	unsigned long long here = replay_now(replay)->pc;

	for (int i = 0; i < BEGINNING_MAX && function; i++) {
		const json_t *frame = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame");

		if (mi_address(frame, "addr") != here)
			return i == 0;
		if (!stopped_in(replay) || number_of(stopped_in(replay)) == function)
			return true;
		if (!hides_inlined(replay) || gdb_run(replay_gdb(replay), "-exec-step --thread %d",
						  replay_selected(replay)->number) != GDB_DONE)
			return true;
	}
	return true;
}

bool return_ticket_use(
    struct replay *replay, const struct return_ticket *to, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	bool ok;

	gdb_shield(gdb, true);
	ok = seek(replay, to, failure) &&
	     (enter_inlined(replay, to->function) || seek(replay, to, failure));
	gdb_shield(gdb, false);
	if (!ok)
		return false;
	replay_stands(replay, to->at_end, to->at_signal);
	if (to->tid && to->tid != replay_selected(replay)->tid)
		selection_set_thread(replay, to->tid);
	if (to->frame)
		selection_set_frame(replay, to->frame);
	return true;
}
