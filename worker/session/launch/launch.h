#ifndef WORKER_LAUNCH_H
#define WORKER_LAUNCH_H
/*
 * Starts rr and gdb for a session, and connects them.
 */
#include "worker/session/replay.h"

/* Starts both and connects them; the program stands at the start of the recorded process. */
bool launch_tools(struct replay *replay, struct failure *failure);

/* The same for two sessions of one worker. They end together. */
bool launch_both(struct replay *one, struct replay *other, struct failure *failure);

/*
 * Replaces rr by another one for another image of the process, and connects gdb to it at the
 * image's first instruction. gdb forgets the image before, so remove the breakpoints first. False
 * with *failure filled and the session lost.
 */
bool launch_image(struct replay *replay, size_t number, struct failure *failure);

struct core_asked;

/* The same for the session of a core file: gdb alone, which stands where the process ended. False
 * with *failure filled. */
bool launch_core(struct replay *replay, const struct core_asked *asked, struct failure *failure);

/*
 * Reads what `rr replay -s` prints when it listens: the port and the executable. False while that
 * is incomplete.
 */
bool launch_parse(const char *text, int *port, char *executable, size_t size);

#endif
