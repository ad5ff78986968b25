#ifndef WORKER_VISIT_H
#define WORKER_VISIT_H
/*
 * Takes a session to another process of its trace, within an excursion. rr can show only one
 * process at a time: each visit replaces it by another rr, which replays the trace to that place.
 * Whoever visits goes home before the excursion ends, or stays.
 */
#include "worker/session/replay.h"

/* Goes to that process, in the image that lives at the event; stays where the session is if it is
 * there already. False with *failure filled: the process is not known and nothing has changed, or,
 * if the worker is broken, the session is lost. */
bool visit_process(struct replay *replay, long long pid, long long event, struct failure *failure);

/* To the process in which the session's story was at the event: its own, or one that it descends
 * from. False as above. */
bool visit_story(struct replay *replay, long long event, struct failure *failure);

/* From a forked process to its parent, before the call that made it. False as above, and where that
 * call is not known. */
bool visit_parent(struct replay *replay, struct failure *failure);

/* The processes that the session has left over a fork and can come back to, by its checkpoints: the
 * number-th, the last first; 0: there are no more. */
long long visit_came_from(struct replay *replay, size_t number);

/* Whether it is one of the story: the session's own, one that it descends from, or one that it left
 * so. */
bool visit_is_of_story(struct replay *replay, long long pid);

/* The session's own process is the present one again; the end of the excursion goes there. */
void visit_end(struct replay *replay);

/* The process that is visited becomes the session's own. Its breakpoints are not set in gdb yet:
 * call breakpoints_follow or breakpoints_enter. */
void visit_stay(struct replay *replay);

#endif
