#ifndef WORKER_EXCHANGE_H
#define WORKER_EXCHANGE_H
/*
 * Collects gdb's answer to the last command, the last stop, and the text that gdb printed. Takes
 * one line at a time; no I/O.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/wire/failure.h"
#include "worker/gdb/mi/solibs.h"
#include "worker/gdb/mi/text.h"
#include "worker/gdb/mi/ways.h"

#define EXCHANGE_CONSOLE_MAX (1024 * 1024) /* bytes of what a command prints */
#define EXCHANGE_LOG_MAX     1024

/* The answer to the last command. gdb may refuse a command even after it reported that it is
 * running. */
enum answer { ANSWER_AWAITED, ANSWER_DONE, ANSWER_REFUSED };

/* What a line means for the connection between gdb and rr. */
enum news {
	NEWS_NONE,
	NEWS_REFUSED_CUT_OFF, /* the command failed because rr has gone */
	NEWS_WARNED_CUT_OFF, /* gdb noticed while the program ran, and reports it only in its log */
	NEWS_BROKEN,	     /* a record that cannot be read, or gdb cannot be used any more */
};

struct exchange {
	long long token; /* of the last command */
	enum answer answer;
	bool running;	/* the program, as far as gdb has said */
	unsigned stops; /* how many *stopped there have been */
	json_t *results, *stop, *created;
	bool
	    missed_library; /* gdb has loaded no symbols of a library that the program has loaded */
	bool compares;	    /* gdb could not compare a watched value, and is about to say why */
	struct ways ways;
	struct solibs solibs;
	json_t *warnings; /* of all commands since exchange_take_warnings; NULL: none */
	struct text console, log;
	char message[FAILURE_MESSAGE_MAX]; /* of the last refusal or loss */
};

/* False: out of memory. exchange_end frees what there is in either case. */
bool exchange_begin(struct exchange *exchange);
void exchange_end(struct exchange *exchange);

/* Begins another command, which must be sent with the token that this returns. Forgets what was
 * printed. */
long long exchange_next(struct exchange *exchange);

/* Takes one line of gdb's. *why (static text) is filled for NEWS_BROKEN. */
enum news exchange_take(
    struct exchange *exchange, const char *line, size_t length, const char **why);

/* Whether gdb has not found a library since the last time. */
bool exchange_take_missed_library(struct exchange *exchange);

/* The warnings since the last time, as a list for the caller; NULL: there were none. */
json_t *exchange_take_warnings(struct exchange *exchange);

/*
 * The next watchpoint that gdb did not enable though it answered that all is well, from *log on
 * (what it printed beside that answer), which moves on: gdb's number, 0 if there is none, and the
 * reason in *why. After an interrupt the whole command counts as refused instead.
 */
int exchange_unenabled(const char **log, char *why, size_t size);

void exchange_forget_stop(struct exchange *exchange);

/* The last stop becomes one without a cause, at the same place. */
void exchange_stay(struct exchange *exchange);
void exchange_forget_created(struct exchange *exchange);

/* rr has ended, so the program no longer runs. */
void exchange_part(struct exchange *exchange);

#endif
