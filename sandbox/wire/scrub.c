/*
 * Makes untrusted bytes (a recorded program's output, its strings, its file names) safe to show:
 * valid UTF-8, no terminal control, bounded. Never interprets them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"

#define ESCAPE_LENGTH 4 /* \xHH */
#define NOTE_MAX      64

size_t scrub_character_length(const unsigned char *from, size_t left)
{
	unsigned char first = from[0], low = 0x80, high = 0xbf;
	size_t length;

	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		length = 2;
	else if (first >= 0xe0 && first <= 0xef)
		length = 3;
	else if (first >= 0xf0 && first <= 0xf4)
		length = 4;
	else
		return 0;
	if (first == 0xe0)
		low = 0xa0;
	else if (first == 0xed)
		high = 0x9f;
	else if (first == 0xf0)
		low = 0x90;
	else if (first == 0xf4)
		high = 0x8f;
	if (left < length || from[1] < low || from[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (from[i] < 0x80 || from[i] > 0xbf)
			return 0;
	return length;
}

bool scrub_is_text(const char *text)
{
	size_t left = strlen(text), length = 0;

	for (; left > 0; text += length, left -= length)
		if ((length = scrub_character_length((const unsigned char *)text, left)) == 0)
			return false;
	return true;
}

static unsigned code_point(const unsigned char *from, size_t length)
{
	unsigned point = length == 2 ? from[0] & 0x1f : length == 3 ? from[0] & 0x0f : from[0] & 7;

	for (size_t i = 1; i < length; i++)
		point = point << 6 | (from[i] & 0x3f);
	return point;
}

/*
 * Characters that make a text look different from what it is: C1 controls, which steer terminals as
 * the ASCII ones do; characters that reverse the direction of lines; what is never seen (Unicode's
 * Default_Ignorable_Code_Point), tags among them, which models read.
 */
static const struct {
	unsigned first, last;
} misleading[] = {
    {0x80, 0x9f},	/* C1 controls */
    {0xad, 0xad},	/* soft hyphen */
    {0x34f, 0x34f},	/* grapheme joiner */
    {0x61c, 0x61c},	/* Arabic letter mark */
    {0x115f, 0x1160},	/* fillers of Hangul */
    {0x17b4, 0x17b5},	/* inherent vowels of Khmer */
    {0x180b, 0x180f},	/* selectors and separator of Mongolian */
    {0x200b, 0x200f},	/* zero width, left-to-right and right-to-left marks */
    {0x2028, 0x202e},	/* line and paragraph separators, embeddings, overrides */
    {0x2060, 0x206f},	/* word joiner, isolates, invisible operators */
    {0x2800, 0x2800},	/* Braille without dots */
    {0x3164, 0x3164},	/* filler of Hangul */
    {0xfe00, 0xfe0f},	/* variation selectors */
    {0xfeff, 0xfeff},	/* byte order mark */
    {0xffa0, 0xffa0},	/* filler of Hangul */
    {0xfff0, 0xfffb},	/* unassigned, annotations */
    {0x1bca0, 0x1bca3}, /* shorthand's format */
    {0x1d173, 0x1d17a}, /* music's format */
    {0xe0000, 0xe0fff}, /* tags, further variation selectors */
};

static int is_shown(const unsigned char *from, size_t length)
{
	unsigned point;

	if (length == 1)
		return from[0] == '\n' || from[0] == '\t' || (from[0] >= 0x20 && from[0] != 0x7f);
	point = code_point(from, length);
	for (size_t i = 0; i < sizeof(misleading) / sizeof(*misleading); i++)
		if (point >= misleading[i].first && point <= misleading[i].last)
			return 0;
	return 1;
}

size_t scrub_bytes(char *to, size_t size, const char *from, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)from;
	size_t in = 0, out = 0;

	if (size == 0)
		return 0;
	while (in < length) {
		size_t step = scrub_character_length(bytes + in, length - in);
		if (step && is_shown(bytes + in, step)) {
			if (out + step >= size)
				break;
			memcpy(to + out, from + in, step);
			out += step;
			in += step;
		} else {
			if (out + ESCAPE_LENGTH >= size)
				break;
			snprintf(to + out, size - out, "\\x%02x", bytes[in]);
			out += ESCAPE_LENGTH;
			in++;
		}
	}
	to[out] = '\0';
	return in;
}

json_t *scrub_json(const char *from, size_t length, size_t max, size_t *taken)
{
	size_t most = length < max / ESCAPE_LENGTH ? length * ESCAPE_LENGTH : max;
	cleanup_free char *text = malloc(most + 1);
	size_t got = text ? scrub_bytes(text, most + 1, from, length) : 0;

	if (taken)
		*taken = got;
	return text ? json_string(text) : NULL;
}

/* The first byte at or after `at` that does not continue a UTF-8 character. */
static size_t character_start(const char *from, size_t at, size_t length)
{
	for (size_t i = 0; i < 3 && at < length && ((unsigned char)from[at] & 0xc0) == 0x80; i++)
		at++;
	return at;
}

/* How many bytes at the end of `from` fit in `room` bytes of scrubbed text. */
static size_t tail_that_fits(const char *from, size_t length, size_t room, char *scratch)
{
	size_t start = length > room ? character_start(from, length - room, length) : 0;

	/* Escapes are longer than the bytes that they stand for: drop bytes from the front until it
	 * fits. */
	while (start < length) {
		size_t got = scrub_bytes(scratch, room + 1, from + start, length - start);
		if (got == length - start)
			break;
		start = character_start(from, start + (length - start - got + 3) / 4, length);
	}
	return length - start;
}

json_t *scrub_json_middle(const char *from, size_t length, size_t max, size_t *cut)
{
	size_t taken, room = max > NOTE_MAX ? max - NOTE_MAX : 0, half = room / 2;
	cleanup_free char *text = malloc(max + 1), *scratch = malloc(half + 1);
	json_t *whole = scrub_json(from, length, max, &taken);

	if (cut)
		*cut = 0;
	if (!text || !scratch || !whole || taken == length)
		return whole;
	json_decref(whole);

	size_t head = scrub_bytes(text, room - half + 1, from, length);
	size_t tail = tail_that_fits(from + head, length - head, half, scratch);
	size_t left_out = length - head - tail, end = strlen(text);
	int note =
	    snprintf(text + end, max + 1 - end, "\n[... %zu bytes left out ...]\n", left_out);
	if (note > 0 && end + (size_t)note < max)
		scrub_bytes(
		    text + end + note, max + 1 - end - (size_t)note, from + length - tail, tail);
	if (cut)
		*cut = left_out;
	return json_string(text);
}

size_t scrub_overwritten(char *bytes, size_t length)
{
	size_t out = 0, line = 0; /* where the line begins in what is kept */

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\b') {
			/* A character may be several bytes. */
			while (out > line && (bytes[out - 1] & 0xc0) == 0x80)
				out--;
			out -= out > line;
			continue;
		}
		if (bytes[i] == '\r' && i + 1 < length && bytes[i + 1] != '\n' &&
		    bytes[i + 1] != '\r') {
			out = line;
			continue;
		}
		bytes[out++] = bytes[i];
		if (bytes[i] == '\n')
			line = out;
	}
	return out;
}
