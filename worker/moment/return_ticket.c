/*
 * rr's own checkpoint makes a return exact. Without one (at the end), or if its rr has ended, seeks
 * the moment. No interrupt ends a return half way, because the session would then stand where
 * nobody expects it.
 */
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/session/selection.h"

struct return_ticket return_ticket_here(const struct replay *replay)
{
	const struct selection *selected = replay_selected(replay);

	return (struct return_ticket){
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
		return position_return(replay, to->held, failure);
	if (!position_update(replay, failure))
		return false;
	if (!to->at_end)
		return position_go(replay, &to->moment, failure);
	if (!position_go_end(replay, failure))
		return false;
	replay_arrived(replay, &to->moment);
	return true;
}

bool return_ticket_use(
    struct replay *replay, const struct return_ticket *to, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	bool ok;

	gdb_shield(gdb, true);
	ok = seek(replay, to, failure);
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
