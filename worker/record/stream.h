#ifndef WORKER_STREAM_H
#define WORKER_STREAM_H
/*
 * One output stream of a recorded program: every byte is taken, head and tail are kept.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAM_HALF_MAX	  (16u << 10)  /* bytes shown of either end */
#define STREAM_TAIL_MAX	  (128u << 10) /* bytes kept of the end: rr's last words may be long */
#define STREAM_LINE_MAX	  160	       /* bytes of the last line */
#define STREAM_WANTED_MAX 256	       /* bytes of a text that is looked for */

struct stream {
	char head[STREAM_HALF_MAX];
	char tail[STREAM_TAIL_MAX]; /* a ring; what is behind the head */
	char line[STREAM_LINE_MAX];
	size_t head_length;
	size_t tail_next; /* where in the ring the next byte goes */
	size_t line_length;
	bool line_ended; /* a newline came: the next byte begins a new line */
	uint64_t total;
	char wanted[STREAM_WANTED_MAX]; /* stream_look_for */
	unsigned char fallback[STREAM_WANTED_MAX];
	size_t wanted_length, matched;
	bool found;
};

/* From now on `found` tells whether the text, of 1 to STREAM_WANTED_MAX - 1 bytes, has come. */
void stream_look_for(struct stream *stream, const char *text);

/* Forgets all that came, but not what is looked for. */
void stream_begin_again(struct stream *stream);

void stream_add(struct stream *stream, const char *bytes, size_t length);

/* The text as JSON, of at most `max` bytes and a line that counts what is left out of its middle;
 * *cut becomes true when something is. */
json_t *stream_to_json(const struct stream *stream, size_t max, bool *cut);

/* The last line that is not empty, made visible; "" when there is none. */
const char *stream_last_line(const struct stream *stream, char *text, size_t size);

/* The last bytes, at most size - 1, as they are, NUL-terminated. Returns their number. */
size_t stream_tail(const struct stream *stream, char *bytes, size_t size);

/* Forgets the last bytes, at most as many as stream_tail has just given. What was looked for stays
 * found. */
void stream_cut(struct stream *stream, size_t length);

#endif
