/*
 * Cuts rr's output into the writes of the program. What stands outside of them is rr's own, and is
 * passed over. Must never trust a number in a mark.
 */
#include "worker/trace/dump/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/trace/dump/dump_lines.h"
#include "worker/trace/dump/grow.h"

#define MARK_MAX 48

struct printed_parser {
	struct printed *printed;
	char mark[MARK_MAX + 1]; /* what may be one */
	size_t length;
	size_t left;	/* bytes that still come of the write that is read */
	long long last; /* event of the last mark */
};

/* The stream's number. */
static size_t stream_of(struct printed *printed, int fd)
{
	size_t i = 0;

	while (i < printed->stream_count && printed->streams[i].fd != fd)
		i++;
	if (i == PRINTED_STREAMS_MAX)
		return PRINTED_STREAMS_MAX - 1;
	if (i == printed->stream_count)
		printed->streams[printed->stream_count++].fd = fd;
	return i;
}

static bool add_piece(struct printed *printed, const struct write_call *call, int pid)
{
	struct printed_stream *stream = &printed->streams[stream_of(printed, call->fd)];
	struct printed_piece *pieces =
	    grow_list(printed->pieces, printed->count, sizeof(*printed->pieces));
	size_t *numbers;

	if (!pieces)
		return false;
	printed->pieces = pieces;
	numbers = grow_list(stream->pieces, stream->count, sizeof(*stream->pieces));
	if (!numbers)
		return false;
	stream->pieces = numbers;
	stream->pieces[stream->count++] = printed->count;
	printed->pieces[printed->count++] = (struct printed_piece){.call = call,
	    .pid = pid,
	    .stream = (size_t)(stream - printed->streams),
	    .at = stream->length};
	return true;
}

static void keep(struct printed *printed, const char *bytes, size_t length)
{
	struct printed_piece *piece = &printed->pieces[printed->count - 1];
	struct printed_stream *stream = &printed->streams[piece->stream];

	printed->total += length;
	if (length > PRINTED_TEXT_MAX - printed->kept) {
		length = PRINTED_TEXT_MAX - printed->kept;
		printed->cut = true;
	}
	if (stream->length + length > stream->size) {
		size_t size = 2 * (stream->length + length);
		char *bigger = realloc(stream->text, size);
		if (!bigger) {
			printed->cut = true;
			return;
		}
		stream->text = bigger;
		stream->size = size;
	}
	memcpy(stream->text + stream->length, bytes, length);
	stream->length += length;
	piece->length += length;
	printed->kept += length;
}

/* Whether `text` can begin a mark. */
static bool may_be_mark(const char *text, size_t length)
{
	static const char form[] = "[rr ";
	size_t i = 0;

	for (; i < length && i < sizeof(form) - 1; i++)
		if (text[i] != form[i])
			return false;
	return i == length || strspn(text + i, "0123456789 ]") == length - i;
}

/* A mark is whole: the write that it names begins, if there is one. */
static void begin_write(struct printed_parser *parser)
{
	struct printed *printed = parser->printed;
	long long event, pid = dump_number(parser->mark, "[rr ", 1LL << 30);
	const char *space = strchr(parser->mark + 4, ' ');
	const struct write_call *call;

	event = space ? dump_number(space, " ", DUMP_EVENT_MAX) : -1;
	call = event > parser->last ? writes_at(&printed->writes, event) : NULL;
	if (pid < 0 || !call) {
		/* behind the last write that is known, there are more of them */
		printed->cut |= printed->writes.cut;
		return;
	}
	parser->last = event;
	if (!call->length)
		return;
	if (add_piece(printed, call, (int)pid))
		parser->left = call->length;
	else
		printed->cut = true;
}

static void take_mark(struct printed_parser *parser, char byte)
{
	if (byte == '[' || parser->length == MARK_MAX)
		parser->length = 0;
	parser->mark[parser->length++] = byte;
	parser->mark[parser->length] = '\0';
	if (!may_be_mark(parser->mark, parser->length)) {
		parser->length = 0;
	} else if (byte == ']') {
		begin_write(parser);
		parser->length = 0;
	}
}

struct printed_parser *printed_parser_new(struct printed *printed)
{
	struct printed_parser *parser = calloc(1, sizeof(*parser));

	if (parser)
		parser->printed = printed;
	return parser;
}

void printed_parser_feed(struct printed_parser *parser, const char *bytes, size_t length)
{
	const char *end = bytes + length;

	while (bytes < end) {
		size_t step = (size_t)(end - bytes);

		if (!parser->left) {
			take_mark(parser, *bytes++);
			continue;
		}
		if (step > parser->left)
			step = parser->left;
		keep(parser->printed, bytes, step);
		parser->left -= step;
		bytes += step;
	}
}

void printed_parser_end(struct printed_parser *parser)
{
	free(parser);
}

void printed_free(struct printed *printed)
{
	writes_free(&printed->writes);
	for (size_t i = 0; i < printed->stream_count; i++) {
		free(printed->streams[i].text);
		free(printed->streams[i].pieces);
	}
	free(printed->pieces);
	*printed = (struct printed){0};
}

const struct printed_piece *printed_piece_at(
    const struct printed *printed, size_t stream, size_t at)
{
	const struct printed_stream *from = &printed->streams[stream];
	const struct printed_piece *piece;
	size_t low = 0, high = from->count;

	/* the last that begins at `at` or before */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (printed->pieces[from->pieces[middle]].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	piece = low ? &printed->pieces[from->pieces[low - 1]] : NULL;
	return piece && at - piece->at < piece->length ? piece : NULL;
}

const char *printed_stream_name(int fd, char *name, size_t size)
{
	snprintf(name, size, fd == 1 ? "stdout" : fd == 2 ? "stderr" : "fd %d", fd);
	return name;
}
