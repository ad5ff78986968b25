/*
 * Leaves and returns. rr's own checkpoint makes the return exact. Without one (at the end), or if
 * its rr has ended, seeks the moment.
 */
#include "worker/session/breakpoints.h"
#include "worker/session/excursion.h"
#include "worker/session/position.h"

static struct place place_here(struct replay *replay)
{
	position_take_sum(replay);
	return (struct place){
	    .moment = replay->moment,
	    .tid = replay->selected.tid,
	    .frame = replay->selected.frame,
	    .at_end = replay->at_end,
	    .at_signal = replay->at_signal,
	    .held = replay->at_end ? 0 : position_hold(replay),
	};
}

struct excursion excursion_begin(struct replay *replay)
{
	struct excursion excursion = {replay, place_here(replay)};

	breakpoints_suspend(replay);
	return excursion;
}

void excursion_note(struct excursion *excursion, struct place *place)
{
	excursion_forget(excursion, place);
	*place = place_here(excursion->replay);
}

void excursion_forget(struct excursion *excursion, struct place *place)
{
	if (!excursion->replay->worker->broken)
		position_release(excursion->replay, place->held);
	*place = (struct place){0};
}

void excursion_divert(struct excursion *excursion, struct place *place)
{
	excursion_forget(excursion, &excursion->from);
	excursion->from = *place;
	*place = (struct place){0};
}

static bool go_back(struct replay *replay, const struct place *to, struct failure *failure)
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

static void end(struct excursion *excursion)
{
	struct replay *replay = excursion->replay;

	excursion_forget(excursion, &excursion->from);
	excursion->replay = NULL;
	if (replay->worker->broken)
		return;
	breakpoints_resume(replay);
	replay_changed(replay);
}

void excursion_stay(struct excursion *excursion)
{
	end(excursion);
}

bool excursion_return(struct excursion *excursion, struct failure *failure)
{
	struct replay *replay = excursion->replay;
	bool fine = false;

	if (!replay->worker->broken) {
		fine = go_back(replay, &excursion->from, failure);
		json_decref(output_take(replay->output, 1));
	}
	end(excursion);
	return fine;
}

json_t *excursion_answer(struct excursion *excursion, json_t *answer, struct failure *failure)
{
	struct failure late = {0};

	if (excursion_return(excursion, &late) || !answer)
		return answer;
	json_decref(answer);
	*failure = late;
	return NULL;
}

void excursion_cleanup(struct excursion *excursion)
{
	struct failure ignored = {0};

	if (excursion->replay)
		excursion_return(excursion, &ignored);
	json_decref(ignored.details);
}
