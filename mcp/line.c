/*
 * Cuts the client's bytes into lines, and queues output. Must never hold more than one line over
 * its limit, and must never search a byte twice for a newline.
 */
#include "mcp/line.h"
#include <stdlib.h>
#include <string.h>

#define BUFFER_FIRST_BYTES 4096u

/* Makes room for `more` bytes after `end`; first moves the remaining bytes to the front. */
static bool buffer_reserve(
    char **bytes, size_t *start, size_t *end, size_t *capacity, size_t more, size_t limit)
{
	if (*start > 0 && *capacity - *end < more) {
		memmove(*bytes, *bytes + *start, *end - *start);
		*end -= *start;
		*start = 0;
	}
	if (more > limit || *end > limit - more)
		return false;
	if (*capacity - *end >= more)
		return true;
	size_t wanted = *capacity ? *capacity : BUFFER_FIRST_BYTES;
	while (wanted < *end + more)
		wanted *= 2;
	char *grown = realloc(*bytes, wanted);
	if (!grown)
		return false;
	*bytes = grown;
	*capacity = wanted;
	return true;
}

static void buffer_rewind(char **bytes, size_t *start, size_t *end, size_t *capacity)
{
	*start = *end = 0;
	if (*capacity > LINE_KEEP_BYTES) {
		free(*bytes);
		*bytes = NULL;
		*capacity = 0;
	}
}

bool line_reader_push(struct line_reader *reader, const char *bytes, size_t length)
{
	if (length == 0)
		return true;
	size_t moved = reader->start;
	if (!buffer_reserve(&reader->bytes, &reader->start, &reader->end, &reader->capacity, length,
		2 * (size_t)LINE_MAX_BYTES))
		return false;
	if (reader->start == 0)
		reader->searched -= moved;
	memcpy(reader->bytes + reader->end, bytes, length);
	reader->end += length;
	return true;
}

static void reader_drop(struct line_reader *reader, size_t upto)
{
	reader->start = reader->searched = upto;
	if (reader->start == reader->end) {
		buffer_rewind(&reader->bytes, &reader->start, &reader->end, &reader->capacity);
		reader->searched = 0;
	}
}

enum line_status line_reader_next(struct line_reader *reader, const char **line, size_t *length)
{
	for (;;) {
		/* Drops the previous line only now, because the caller was using it. */
		reader_drop(reader, reader->start);
		if (reader->start == reader->end)
			return LINE_NONE;
		char *newline =
		    memchr(reader->bytes + reader->searched, '\n', reader->end - reader->searched);
		size_t stop = newline ? (size_t)(newline - reader->bytes) : reader->end;
		size_t size = stop - reader->start;
		if (reader->skipping) {
			reader->skipping = !newline;
			reader_drop(reader, newline ? stop + 1 : stop);
			continue;
		}
		if (size > LINE_MAX_BYTES) {
			reader->skipping = !newline;
			reader_drop(reader, newline ? stop + 1 : stop);
			return LINE_TOO_LONG;
		}
		reader->searched = stop;
		if (!newline)
			return LINE_NONE;
		*line = reader->bytes + reader->start;
		*length = size > 0 && (*line)[size - 1] == '\r' ? size - 1 : size;
		reader->start = reader->searched = stop + 1;
		return LINE_READY;
	}
}

void line_reader_clear(struct line_reader *reader)
{
	free(reader->bytes);
	*reader = (struct line_reader){0};
}

void output_queue_append(struct output_queue *queue, const char *bytes, size_t length)
{
	if (queue->failed || length == 0)
		return;
	if (!buffer_reserve(&queue->bytes, &queue->start, &queue->end, &queue->capacity, length,
		OUTPUT_MAX_BYTES)) {
		queue->failed = true;
		return;
	}
	memcpy(queue->bytes + queue->end, bytes, length);
	queue->end += length;
}

size_t output_queue_size(const struct output_queue *queue)
{
	return queue->end - queue->start;
}

void output_queue_consume(struct output_queue *queue, size_t length)
{
	size_t waiting = output_queue_size(queue);
	queue->start += length < waiting ? length : waiting;
	if (queue->start == queue->end)
		buffer_rewind(&queue->bytes, &queue->start, &queue->end, &queue->capacity);
}

void output_queue_clear(struct output_queue *queue)
{
	free(queue->bytes);
	*queue = (struct output_queue){0};
}
