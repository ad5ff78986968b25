/*
 * rr's own checkpoint makes a return exact. Without one (at the end), or if its rr has ended, seeks
 * the moment.
 */
#include "worker/session/place.h"
#include "worker/session/position.h"
#include "worker/session/selection.h"

struct place place_here(const struct replay *replay)
{
	return (struct place){
	    .moment = replay->moment,
	    .tid = replay->selected.tid,
	    .frame = replay->selected.frame,
	    .at_end = replay->at_end,
	    .at_signal = replay->at_signal,
	};
}

struct place place_hold(struct replay *replay)
{
	struct place place;

	position_take_sum(replay);
	place = place_here(replay);
	place.held = place.at_end ? 0 : position_hold(replay);
	return place;
}

void place_release(struct replay *replay, struct place *place)
{
	if (!replay->worker->broken)
		position_release(replay, place->held);
	place->held = 0;
}

bool place_return(struct replay *replay, const struct place *to, struct failure *failure)
{
	if (to->at_end				 ? !position_go_end(replay, failure)
	    : position_is_held(replay, to->held) ? !position_return(replay, to->held, failure)
						 : !position_go(replay, &to->moment, failure))
		return false;
	replay->at_end = to->at_end;
	replay->at_signal = to->at_signal;
	if (to->tid && to->tid != replay->selected.tid)
		selection_set_thread(replay, to->tid);
	if (to->frame)
		selection_set_frame(replay, to->frame);
	return true;
}
