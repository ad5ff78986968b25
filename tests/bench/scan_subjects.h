#ifndef TESTS_BENCH_SCAN_SUBJECTS_H
#define TESTS_BENCH_SCAN_SUBJECTS_H
/*
 * The programs that make bench-scan records, and what it asks about them, with the limits.
 */
#include <stddef.h>

/* Where the session is before a question. Otherwise at the first pass of "LOCATION if CONDITION".
 */
#define START "start"
#define END   "end"
#define OPENS "opens" /* there is none: the call opens one, by trace_dir */
#define PAIR  "pair"  /* there is none: the call gets two traces, good and bad */

struct question {
	const char *what, *at, *tool, *arguments; /* the latter as JSON, with ' for " */
	double passes, seconds;			  /* at most; of PAIR, passes of both */
};

struct questions {
	const struct question *of;
	size_t count;
};

#define WORDS_MAX 6

struct subject {
	const char *name;
	const char *needs; /* a command for sh that prepares the run in its folder, and fails if the
			    * program is not installed; NULL: it is one of ours */
	/* A word that begins with "tests/programs/" is the path of a built one. */
	const char *command[WORDS_MAX];
	const char *other[WORDS_MAX]; /* a run that parts late from that of `command` */
	const char *recorded;	      /* further arguments of rr_record; NULL: none */
	struct questions questions, more;
	unsigned yardsticks;
	const char *calls; /* a list of calls in tests/bench/calls; NULL: none */
};

/* Of a check: what others take for the same. */
#define MEMCHECK 1
#define DRD	 2
#define TSAN	 4

/* Asked about each of them, too. */
extern const struct questions everywhere;

/* The last one has no name. */
extern const struct subject subjects[];

#endif
