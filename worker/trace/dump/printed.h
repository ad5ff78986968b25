#ifndef WORKER_PRINTED_H
#define WORKER_PRINTED_H
/*
 * What the recorded processes wrote to the recording's standard streams, put together from what
 * `rr -M replay -a` prints: each write has a mark "[rr PID EVENT]" before it. How many bytes belong
 * to a mark is known from the trace's events, so that a program cannot forge one.
 */
#include <stdbool.h>
#include <stddef.h>
#include "worker/trace/dump/writes.h"

#define PRINTED_TEXT_MAX    (16u << 20) /* bytes kept; of what is behind them only the number */
#define PRINTED_STREAMS_MAX 8		/* by descriptor; what is written to more is the last's */

struct printed_stream {
	int fd; /* as the program numbers it: 1 is its standard output */
	char *text;
	size_t length, size;
	size_t *pieces, count; /* the numbers of its own */
};

/* One write that wrote something. */
struct printed_piece {
	const struct write_call *call;
	int pid;
	size_t stream, at, length; /* where its text lies; length is less where it was cut */
};

struct printed {
	struct writes writes;
	struct printed_stream streams[PRINTED_STREAMS_MAX];
	struct printed_piece *pieces; /* in the order of events */
	size_t stream_count, count, kept;
	unsigned long long total; /* bytes that were written */
	bool cut;		  /* there was more than is kept */
};

struct printed_parser;

/* `printed` must have its writes, be zeroed else, and outlive the parser. NULL: out of memory. */
struct printed_parser *printed_parser_new(struct printed *printed);
void printed_parser_feed(struct printed_parser *parser, const char *bytes, size_t length);
void printed_parser_end(struct printed_parser *parser);

void printed_free(struct printed *printed);

/* The piece that a stream's text at `at` belongs to; NULL: none. */
const struct printed_piece *printed_piece_at(
    const struct printed *printed, size_t stream, size_t at);

/* "stdout", "stderr" or "fd 5", in name[size]. */
const char *printed_stream_name(int fd, char *name, size_t size);

#endif
