#ifndef WORKER_MOMENT_PARSE_H
#define WORKER_MOMENT_PARSE_H
/*
 * Moments as a client names them: "start", "end", EVENT, EVENT:TICKS, EVENT:TICKS@PC,
 * EVENT:TICKS@PC.SUM (see moment_names.h), or a bookmark.
 */
#include "worker/session/replay.h"

/* What a name means: an exact moment, what may be several (guessed), or the first moment of its
 * event. False with *failure filled. */
bool moment_parse(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure);

/* Goes to what a name means: without ticks or pc, to the first moment of the event. False with
 * *failure filled, also if the name can mean several moments. */
bool moment_go_to(struct replay *replay, const struct moment *to, struct failure *failure);

/* The same, but ticks without an address that no instruction has lead to the next beginning of an
 * event, and *beside says so. */
bool moment_go_near(
    struct replay *replay, const struct moment *to, bool *beside, struct failure *failure);

/* Goes there. False with *failure filled, and then the program is not there. The client's
 * breakpoints should be disabled. */
bool moment_go(struct replay *replay, const char *name, struct failure *failure);

/* The same in the process where the session's story was then: before a fork, that is the parent; of
 * a session that came back over a fork, it can be the child. Call visit_end before the excursion
 * ends. */
bool moment_visit(struct replay *replay, const char *name, struct failure *failure);
/* The same for what a name means. beside: as for moment_go_near; NULL: as for moment_go_to. */
bool moment_visit_to(
    struct replay *replay, const struct moment *to, bool *beside, struct failure *failure);

/* Something that a client asks of the place where the program stands; the tool's arguments. */
typedef json_t *moment_question(struct replay *replay, const void *args, struct failure *failure);

/* Asks at that moment, in the process where the session's story was then, and comes back; NULL:
 * asks here. The caller owns the answer, which has the pid of another process; NULL with *failure
 * filled.
 */
json_t *moment_ask(struct replay *replay, const char *name, moment_question *question,
    const void *args, struct failure *failure);

#endif
