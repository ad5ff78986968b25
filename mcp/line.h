#ifndef MCP_LINE_H
#define MCP_LINE_H
/*
 * The two ends of the byte stream: the lines that the client sends, and the bytes that wait to be
 * written to it. Both are bounded; neither looks into a line.
 */
#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES	  (4u << 20)  /* a line without its newline */
#define LINE_KEEP_BYTES	  (64u << 10) /* a buffer above this is given back once it is empty */
#define OUTPUT_HIGH_BYTES (1u << 20)  /* above this we accept no more requests */
#define OUTPUT_MAX_BYTES                                                                           \
	(64u << 20) /* above this the client does not read: the connection ends                    \
		     */

struct line_reader {
	char *bytes;
	size_t start, end, capacity; /* bytes[start, end) is not yet handed out */
	size_t searched;	     /* bytes[start, searched) holds no newline */
	bool skipping;		     /* within a line that was too long */
};

enum line_status { LINE_NONE, LINE_READY, LINE_TOO_LONG };

/* Appends what the client sent; false when memory is short. Take the lines out before the next
 * push: a push holds at most one line and what follows it in the same read. */
bool line_reader_push(struct line_reader *reader, const char *bytes, size_t length);

/* LINE_READY: *line (not terminated, without \n and \r) is valid until the next call.
 * LINE_TOO_LONG comes once for a line over LINE_MAX_BYTES; its rest is skipped as it arrives. */
enum line_status line_reader_next(struct line_reader *reader, const char **line, size_t *length);
void line_reader_clear(struct line_reader *reader);

struct output_queue {
	char *bytes;
	size_t start, end, capacity;
	bool failed; /* over OUTPUT_MAX_BYTES or out of memory: the stream has a hole, end it */
};

void output_queue_append(struct output_queue *queue, const char *bytes, size_t length);
size_t output_queue_size(const struct output_queue *queue);
void output_queue_consume(struct output_queue *queue, size_t length);
void output_queue_clear(struct output_queue *queue);

#endif
