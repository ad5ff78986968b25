#ifndef WORKER_PRINTED_SEARCH_H
#define WORKER_PRINTED_SEARCH_H
/*
 * Looks for a text, or for what matches a pattern, in what was printed. Pure.
 */
#include <stdbool.h>
#include "sandbox/wire/failure.h"
#include "worker/trace/dump/printed.h"

#define PRINTED_PATTERN_MAX 512	   /* bytes */
#define PRINTED_LINE_MAX    0xffff /* bytes of a line that a pattern is held against */

struct printed_wanted {
	const char *text;    /* it, or else */
	const char *pattern; /* a POSIX extended regular expression, matched within a line */
	int fd;		     /* of the stream; -1: any */
	/* Which match, in the order of time; -1 is the last, -2 the one before. 0: the first one of
	 * that process, or else the first of all. */
	long long nth;
	int pid;
};

struct printed_match {
	const struct printed_piece *piece; /* the write that printed its first byte */
	size_t stream, at, length;
};

struct printed_found {
	struct printed_match match;
	size_t number,
	    count; /* its number among all matches, from 1; 0: there are none, or fewer than nth */
};

/* False with *failure filled if the pattern is malformed, or asks for too much. */
bool printed_search(const struct printed *printed, const struct printed_wanted *wanted,
    struct printed_found *found, struct failure *failure);

/* Finds the line that contains the longest piece of `text`, of at least three bytes; the match is
 * that piece. False: there is none. */
bool printed_nearest(
    const struct printed *printed, const char *text, int fd, struct printed_match *match);

/* The line in which a match begins: from..*end of its stream. */
size_t printed_line_of(
    const struct printed *printed, const struct printed_match *match, size_t *end);

#endif
