/*
 * Keeping the two ends of a stream. Must never grow with what a program prints.
 */
#include "worker/record/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"

#define MARK_MAX     64 /* bytes of the line that stands for what is left out */
#define SCRUB_GROWTH 4	/* one byte becomes \xHH at most */

static void add_to_tail(struct stream *stream, const char *bytes, size_t length)
{
	if (length > sizeof(stream->tail)) {
		bytes += length - sizeof(stream->tail);
		length = sizeof(stream->tail);
	}
	while (length) {
		size_t room = sizeof(stream->tail) - stream->tail_next;
		size_t part = length < room ? length : room;
		memcpy(stream->tail + stream->tail_next, bytes, part);
		stream->tail_next = (stream->tail_next + part) % sizeof(stream->tail);
		bytes += part;
		length -= part;
	}
}

/* Only the end of what came can hold the last line. */
static void follow_line(struct stream *stream, const char *bytes, size_t length)
{
	if (length > 2 * sizeof(stream->line)) {
		bytes += length - 2 * sizeof(stream->line);
		length = 2 * sizeof(stream->line);
	}
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n' || bytes[i] == '\r') {
			stream->line_ended = true;
			continue;
		}
		if (stream->line_ended)
			stream->line_length = 0;
		stream->line_ended = false;
		if (stream->line_length < sizeof(stream->line))
			stream->line[stream->line_length++] = bytes[i];
	}
}

/* Knuth, Morris and Pratt: the text may come in pieces, and nothing of the past is kept for it. */
void stream_look_for(struct stream *stream, const char *text)
{
	size_t length = strlcpy(stream->wanted, text, sizeof(stream->wanted));

	if (length >= sizeof(stream->wanted))
		length = sizeof(stream->wanted) - 1;
	stream->wanted_length = length;
	stream->matched = 0;
	stream->found = false;
	for (size_t i = 1, match = 0; i < length; i++) {
		while (match && stream->wanted[i] != stream->wanted[match])
			match = stream->fallback[match - 1];
		if (stream->wanted[i] == stream->wanted[match])
			match++;
		stream->fallback[i] = (unsigned char)match;
	}
}

void stream_begin_again(struct stream *stream)
{
	char wanted[STREAM_WANTED_MAX];
	bool looks = stream->wanted_length > 0;

	memcpy(wanted, stream->wanted, sizeof(wanted));
	*stream = (struct stream){0};
	if (looks)
		stream_look_for(stream, wanted);
}

static void match(struct stream *stream, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && !stream->found; i++) {
		while (stream->matched && bytes[i] != stream->wanted[stream->matched])
			stream->matched = stream->fallback[stream->matched - 1];
		if (bytes[i] == stream->wanted[stream->matched])
			stream->matched++;
		stream->found = stream->matched == stream->wanted_length;
	}
}

void stream_add(struct stream *stream, const char *bytes, size_t length)
{
	size_t room = sizeof(stream->head) - stream->head_length;
	size_t part = length < room ? length : room;

	stream->total += length;
	follow_line(stream, bytes, length);
	if (stream->wanted_length)
		match(stream, bytes, length);
	memcpy(stream->head + stream->head_length, bytes, part);
	stream->head_length += part;
	add_to_tail(stream, bytes + part, length - part);
}

const char *stream_last_line(const struct stream *stream, char *text, size_t size)
{
	scrub_bytes(text, size, stream->line, stream->line_length);
	return text;
}

/* Copies `length` bytes that begin `from` bytes behind the stream's start; all must be kept. */
static void copy_out(const struct stream *stream, uint64_t from, char *to, size_t length)
{
	for (size_t i = 0; i < length; i++, from++) {
		if (from < stream->head_length) {
			to[i] = stream->head[from];
			continue;
		}
		uint64_t behind = stream->total - from; /* how far before the end */
		size_t at = (stream->tail_next + sizeof(stream->tail) - (size_t)behind) %
			    sizeof(stream->tail);
		to[i] = stream->tail[at];
	}
}

size_t stream_tail(const struct stream *stream, char *bytes, size_t size)
{
	size_t length = stream->total < size - 1 ? (size_t)stream->total : size - 1;

	if (length > sizeof(stream->tail))
		length = sizeof(stream->tail);
	copy_out(stream, stream->total - length, bytes, length);
	bytes[length] = '\0';
	return length;
}

void stream_cut(struct stream *stream, size_t length)
{
	char end[2 * STREAM_LINE_MAX] = "";
	size_t kept;
	size_t behind = (size_t)(stream->total - stream->head_length) < length
			    ? (size_t)(stream->total - stream->head_length)
			    : length;

	stream->tail_next =
	    (stream->tail_next + sizeof(stream->tail) - behind) % sizeof(stream->tail);
	stream->head_length -= length - behind;
	stream->total -= length;
	stream->line_length = 0;
	kept = stream_tail(stream, end, sizeof(end));
	follow_line(stream, end, kept);
}

static bool continues_a_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t character_size(char first)
{
	unsigned char byte = (unsigned char)first;

	return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* The length without a character that the cut went through. */
static size_t whole_characters(const char *bytes, size_t length)
{
	size_t last = length;

	while (last && length - last < 3 && continues_a_character(bytes[last - 1]))
		last--;
	if (last && character_size(bytes[last - 1]) > length - last + 1)
		return last - 1;
	return length;
}

/* Appends `length` bytes of the stream from `from` on, made visible. */
static void append(
    const struct stream *stream, uint64_t from, size_t length, char *raw, char *text, size_t size)
{
	size_t used = strlen(text), skip = 0;

	copy_out(stream, from, raw, length);
	if (from)
		while (skip < length && skip < 3 && continues_a_character(raw[skip]))
			skip++;
	if (from + length < stream->total)
		length = whole_characters(raw, length);
	if (length > skip)
		scrub_bytes(text + used, size - used, raw + skip,
		    scrub_overwritten(raw + skip, length - skip));
}

json_t *stream_to_json(const struct stream *stream, size_t max, bool *cut)
{
	bool whole = stream->total <= max && stream->total <= 2 * STREAM_HALF_MAX;
	size_t half = max / 2 < STREAM_HALF_MAX ? max / 2 : STREAM_HALF_MAX;
	size_t room = whole ? (size_t)stream->total : 2 * half;
	size_t size = room * SCRUB_GROWTH + MARK_MAX;
	char *raw = malloc(room + 1), *text = calloc(1, size);
	json_t *json = NULL;

	if (raw && text && whole) {
		append(stream, 0, room, raw, text, size);
	} else if (raw && text) {
		*cut = true;
		append(stream, 0, half, raw, text, size);
		size_t used = strlen(text);
		snprintf(text + used, size - used, "\n[... %llu bytes left out ...]\n",
		    (unsigned long long)(stream->total - 2 * half));
		append(stream, stream->total - half, half, raw, text, size);
	}
	if (raw && text)
		json = json_string(text);
	free(raw);
	free(text);
	return json;
}
