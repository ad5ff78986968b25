#ifndef WORKER_IMAGES_H
#define WORKER_IMAGES_H
/*
 * The images of the session's process: each exec starts another one, with memory and symbols of its
 * own. An image lives for a stretch of events, and the session stands in one of them. This is data
 * only; crossing.h goes from one to another.
 */
#include <jansson.h>
#include "worker/session/replay.h"
#include "worker/trace/dump/execs.h"

#define IMAGES_MAX 1000 /* images of one process; the answer warns if there are more */

struct execs;
struct images;

struct image {
	long long event; /* of the exec, after which the image begins; 0: the process's beginning */
	char *file;	 /* NULL: rr does not tell */
	bool by_thread; /* a thread other than the leader called exec: rr dies when it runs there */
	bool forked;	/* began with a fork, not an exec */
	long long program;  /* of the exec, the parent's of a forked one too; 0: not known */
	struct moment call; /* of exec, the last one of the image before; event 0: not known */
};

/* How the process began. */
struct forked_by {
	long long pid;	    /* the parent; 0: it was not forked, or that is not known */
	long long event;    /* of the fork: the process's own events are later */
	struct moment call; /* in the parent, before the call; event 0: not known */
};

/* Which images the process has, and which process it is, by the execs of the trace, from which it
 * takes over file names. False with *failure filled. */
bool images_from_execs(struct replay *replay, struct execs *execs, struct failure *failure);
void images_free(struct images *images);

/* Those of another process, for relatives.h; NULL: out of memory. Each image has a number among the
 * images of all processes: these have `first` and those behind it. */
struct images *images_of_process(struct execs *execs, int pid, bool forked, unsigned first);
/* What is known of the trace goes from the images of the session's process before to those of the
 * one that is the session's now. */
void images_take_over(struct images *images, struct images *before);
/* The number behind the last one. */
unsigned images_next(const struct images *images);
/* Which image of the process has this number; false: none. */
bool images_by_number(const struct images *images, unsigned number, size_t *image);
/* The number of the session's present image. */
unsigned images_number(const struct replay *replay);
/* The session stands in no image of the present process. */
void images_leave(struct replay *replay);

/* How the process began, if that was not known before. Returns the program of its first image then,
 * else 0. */
long long images_learn_fork(struct images *images, const struct execs *execs);
/* How a process began, and how the present one did. */
const struct forked_by *images_fork(const struct images *images);
const struct forked_by *images_forked_by(const struct replay *replay);

/* Whether the session stands in the image with which its process was forked. */
bool images_at_forked(const struct replay *replay);

/* The number of images, at least 1. */
size_t images_count(const struct replay *replay);
/* The number of the session's present image, from 0. */
size_t images_at(const struct replay *replay);
void images_set(struct replay *replay, size_t number);
const struct image *images_get(const struct replay *replay, size_t number);

/* The path of the recorded program that runs in the present one; rr may replay a copy of it. */
const char *images_program(const struct replay *replay);

/* The number of the image that lives at an event: its exec lies before. REPLAY_EVENT_FAR: the last.
 */
size_t images_of_event(const struct replay *replay, long long event);

/* The first event of the session's present image, and of the last one; 0: the process's first. */
long long images_start(const struct replay *replay);
long long images_last_start(const struct replay *replay);

/* The last event of the trace; 0: it was too long to read. */
long long images_last_event(const struct replay *replay);

/* How much of the program's work between two moments lies before a third one, in percent; backward
 * too. -1: not known. */
int images_share(const struct replay *replay, const struct moment *from, const struct moment *to,
    const struct moment *now);

/* [{event, file?, current?}]; NULL where there is only one. */
json_t *images_json(const struct replay *replay);

/* The last other process of the trace that a signal ended, and that signal; 0: none. */
int images_killed_pid(const struct replay *replay, int *signal);

/* How the process ended, as from waitpid; -1: not known. */
int images_status(const struct replay *replay);

/* Where the signal came from that ended the process, by the trace; number 0: not known. rr cannot
 * be asked: for siginfo, it begins to replay what was not recorded. */
struct signal_cause images_cause(const struct replay *replay);

/* The last event at which all the threads that the process ended with still existed. 0: it ended
 * with one thread. */
long long images_together(const struct replay *replay);

/* Whether the process had more than one thread at any time; true, too, where that is not known. */
bool images_had_threads(const struct replay *replay);

/* Whether the recording ends before this process and the first one, because rr stopped. */
bool images_is_unfinished(const struct replay *replay);

/* Whether no task ends where the trace does: rr crashes when it replays that far. */
bool images_is_open(const struct replay *replay);

/* Whether the recording has signals of that number, and a handler ran for each of them. */
bool images_handle_signal(const struct replay *replay, int number);

#endif
