#ifndef WORKER_LAST_WORDS_H
#define WORKER_LAST_WORDS_H
/*
 * What rr says when it finds that it cannot go on: a message, the last events of the trace and a
 * backtrace of itself, on the stderr that it shares with the program.
 */
#include <stdbool.h>
#include "worker/record/stream.h"

#define LAST_WORDS_MAX	   (STREAM_TAIL_MAX - STREAM_HALF_MAX)
#define LAST_WORDS_WHY_MAX 400

struct last_words {
	char *text; /* all of it; owned */
	size_t length;
	char why[LAST_WORDS_WHY_MAX]; /* the message, made visible */
	char call[64];		      /* the system call that the task was in, or "" */
	long long event;	      /* which rr was about to write; -1: rr does not say */
	int tid;		      /* of the task; 0: rr does not say */
};

/* Takes rr's last words out of what the stream has kept. False when rr has said none; free in both
 * cases. */
bool last_words_take(struct stream *errors, struct last_words *words);
void last_words_free(struct last_words *words);

/* What the user can do about it, or NULL. */
const char *last_words_remedy(const struct last_words *words);

#endif
