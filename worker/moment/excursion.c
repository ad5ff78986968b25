/*
 * Leaves and returns, and says nothing of what the program prints on the way.
 */
#include "worker/breaks/breakpoints.h"
#include "worker/moment/excursion.h"
#include "worker/session/live_output.h"

struct excursion excursion_begin(struct replay *replay)
{
	struct excursion excursion = {.replay = replay,
	    .from = return_ticket_hold(replay),
	    .told = live_output_told(replay_output(replay))};

	breakpoints_suspend(replay);
	return excursion;
}

void excursion_note(struct excursion *excursion, struct return_ticket *ticket)
{
	excursion_forget(excursion, ticket);
	*ticket = return_ticket_hold(excursion->replay);
}

void excursion_forget(struct excursion *excursion, struct return_ticket *ticket)
{
	return_ticket_release(excursion->replay, ticket);
	*ticket = (struct return_ticket){0};
}

void excursion_divert(struct excursion *excursion, struct return_ticket *ticket)
{
	excursion_forget(excursion, &excursion->from);
	excursion->from = *ticket;
	excursion->diverted = true;
	*ticket = (struct return_ticket){0};
}

/* A client knows what it knew, and where the session goes elsewhere, nothing that is to come. */
static void restore_told(const struct excursion *excursion, bool returns)
{
	struct live_output *output = replay_output(excursion->replay);
	long long told = live_output_told(output), now = replay_now(excursion->replay)->event;

	if (returns && !excursion->diverted)
		told = excursion->told;
	else if (told > now)
		told = now;
	live_output_tell_from(output, told);
}

static void end(struct excursion *excursion, bool returns)
{
	struct replay *replay = excursion->replay;

	restore_told(excursion, returns);
	excursion_forget(excursion, &excursion->from);
	excursion->replay = NULL;
	if (replay_worker(replay)->broken)
		return;
	breakpoints_resume(replay);
	replay_changed(replay);
}

void excursion_stay(struct excursion *excursion)
{
	end(excursion, false);
}

bool excursion_return(struct excursion *excursion, struct failure *failure)
{
	struct replay *replay = excursion->replay;
	bool ok = false;

	if (!replay_worker(replay)->broken)
		ok = return_ticket_use(replay, &excursion->from, failure);
	end(excursion, true);
	return ok;
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
