#ifndef WORKER_EXCURSION_H
#define WORKER_EXCURSION_H
/*
 * Goes somewhere and comes back to the place, with the selected thread and frame, whatever happens
 * on the way. The client's breakpoints are disabled meanwhile.
 *
 *	cleanup_excursion struct excursion excursion = excursion_begin(replay);
 *
 * returns at the end of the block, unless excursion_return or excursion_stay came before.
 */
#include "worker/moment/return_ticket.h"

struct excursion {
	struct replay *replay; /* NULL: it is over */
	struct return_ticket from;
	long long told; /* up to where the client knew the output; see live_output_told */
	bool diverted;
};

#define cleanup_excursion __attribute__((cleanup(excursion_cleanup)))

struct excursion excursion_begin(struct replay *replay);

/* Stores the present position in `ticket`, replacing what it held. */
void excursion_note(struct excursion *excursion, struct return_ticket *ticket);
void excursion_forget(struct excursion *excursion, struct return_ticket *ticket);
/* Makes the excursion return to that position, which it takes over, instead of to where it began.
 */
void excursion_divert(struct excursion *excursion, struct return_ticket *ticket);

/* Ends it here. */
void excursion_stay(struct excursion *excursion);
/* Ends it where it began; false with *failure filled if it cannot return. */
bool excursion_return(struct excursion *excursion, struct failure *failure);
/* The same with an answer that was found meanwhile (NULL: *failure is filled). Returns the answer,
 * or releases it and returns NULL if the excursion cannot return. */
json_t *excursion_answer(struct excursion *excursion, json_t *answer, struct failure *failure);
void excursion_cleanup(struct excursion *excursion);

#endif
