#ifndef WORKER_OUTPUT_TIMELINE_H
#define WORKER_OUTPUT_TIMELINE_H
/*
 * What a replayed program printed, in the order of its events. A session goes back and forth, and
 * each pass prints the same again, which changes nothing here. Bounded: of too much, the middle is
 * left out.
 */
#include <stdbool.h>
#include <stddef.h>

enum {
	OUTPUT_KEPT = 64 * 1024, /* bytes */
	OUTPUT_PIECES = 1024,	 /* writes */
};

struct output_timeline {
	char text[OUTPUT_KEPT];
	size_t length;
	/* By their events. Each one's text ends where the next one's begins. */
	struct output_piece {
		long long event; /* of the write; of a gap, the last one that is left out */
		size_t start, lost;
	} pieces[OUTPUT_PIECES + 2]; /* a gap and what is left behind it come to them */
	size_t count;
	/* Where the next byte belongs. */
	struct output_cursor {
		bool passed_over, fresh; /* it is not wanted; the piece was not there before */
		size_t piece, offset;
	} cursor;
};

/* The following bytes belong to a write at this event. */
void output_timeline_begin(struct output_timeline *line, long long event);
void output_timeline_add(struct output_timeline *line, char c);

/*
 * What was printed from one event on and before another, in malloc'ed memory that the caller frees;
 * *length is its length. Of more than `max` bytes, the middle is left out, with a note of how much.
 * NULL: nothing, or no memory.
 */
char *output_timeline_between(
    const struct output_timeline *line, long long from, long long to, size_t max, size_t *length);

#endif
