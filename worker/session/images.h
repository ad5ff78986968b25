#ifndef WORKER_IMAGES_H
#define WORKER_IMAGES_H
/*
 * The images of the session's process: exec puts another program in its place, with memory and
 * symbols of its own. Each image lives for a stretch of events; the session stands in one of them.
 * Data only: crossing.h is what goes from one to another.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define IMAGES_MAX 1000 /* of one process; the answer warns about further ones */

struct execs;

struct image {
	long long
	    event;	/* of the exec: the image begins behind it. 0: at the process's beginning */
	char *file;	/* NULL: rr does not say */
	bool by_thread; /* a thread other than the leader called exec: rr dies when it runs there */
	bool forked;	/* no exec began it, but a fork */
	struct moment call; /* of exec, the last of the image before; event 0: not known */
};

/* Reads from the trace which images the process has, and which process it is. False with
 * *failure filled; a trace that rr cannot read is rr replay's to refuse. */
bool images_learn(struct replay *replay, struct failure *failure);
/* The same of execs that were read already, whose file names it takes over. */
bool images_from_execs(struct replay *replay, struct execs *execs, struct failure *failure);
void images_free(struct images *images);

/* The number of images, at least 1. */
size_t images_count(const struct replay *replay);
/* The number of the session's present image, from 0. */
size_t images_at(const struct replay *replay);
void images_set(struct replay *replay, size_t number);
const struct image *images_get(const struct replay *replay, size_t number);

/* The number of the image that lives at an event: its exec lies before. REPLAY_EVENT_FAR: the last.
 */
size_t images_of_event(const struct replay *replay, long long event);

/* The first event of the image the session stands in, and of the last; 0: that of the process. */
long long images_start(const struct replay *replay);
long long images_last_start(const struct replay *replay);

/* The last event of the trace; 0: it was too long to read. */
long long images_last_event(const struct replay *replay);

/* [{event, file?, current?}]; NULL where there is only one. */
json_t *images_json(const struct replay *replay);

/* Another process of the trace that ended by a signal, the last of them, and that signal; 0: none.
 */
int images_killed_pid(const struct replay *replay, int *signal);

/* How the process ended, as from waitpid; -1: not known. */
int images_status(const struct replay *replay);

/* The last event before the threads that the process ended with began to end: there all of them
 * are. 0: it ended with one thread. */
long long images_together(const struct replay *replay);

/* Whether each signal of that number ran a handler in the recording, and there was one. */
bool images_handle_signal(const struct replay *replay, int number);

#endif
