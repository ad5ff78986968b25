#ifndef WORKER_RELATIVES_H
#define WORKER_RELATIVES_H
/*
 * The other processes of the session's trace, for a visit to one of them: the session's rr is
 * replaced by one for that process, and gdb stays. This is data only; visit.h goes there.
 */
#include "worker/session/replay.h"

struct execs;
struct relatives;

#define RELATIVES_MAX 512 /* processes; further ones cannot be visited */

/* Reads from the trace which processes it has, the session's own with its images first. False with
 * *failure filled. If rr cannot read the trace, this succeeds, because rr replay will refuse the
 * trace. */
bool relatives_learn(struct replay *replay, struct failure *failure);
/* For a trace that was too long to read at once: how its processes began, once all of it has been
 * read. */
void relatives_learn_forks(struct replay *replay, const struct execs *execs);
void relatives_free(struct relatives *relatives);

/* Makes the process the present one, in none of its images; it can be the session's own. False: it
 * is not known. */
bool relatives_turn_to(struct replay *replay, long long pid);
/* Makes the session's own process the present one again. */
void relatives_turn_home(struct replay *replay);
/* The present process is the session's own from now on, and the one before is another one. */
void relatives_settle(struct replay *replay);
bool relatives_is_away(const struct replay *replay);

/* The process in which the session's story was at an event: its own, or one that it descends from,
 * as far as that is known. */
long long relatives_at_event(const struct replay *replay, long long event);

/* Whether the one descends from the other by forks, as far as that is known. */
bool relatives_descends(const struct replay *replay, long long pid, long long from);

/* The session's own process. */
long long relatives_home(const struct replay *replay);

/* For the starter: makes the process present whose image has this number among all, and returns
 * the image's number in it. False: there is none. */
bool relatives_turn_to_number(struct replay *replay, unsigned number, size_t *image);

#endif
