/*
 * A buffer of text, and a table of where each write begins in it. If either is full, the bytes and
 * writes between a head and a tail become one gap, which is a piece without text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/session/output_timeline.h"

enum {
	HEAD_BYTES = OUTPUT_KEPT / 4,
	TAIL_BYTES = OUTPUT_KEPT / 2,
	HEAD_PIECES = OUTPUT_PIECES / 4,
	TAIL_PIECES = OUTPUT_PIECES / 2,
	GAP_TEXT = 64,
};

static size_t end_of(const struct output_timeline *line, size_t i)
{
	return i + 1 < line->count ? line->pieces[i + 1].start : line->length;
}

/* The first piece of this event or of a later one. */
static size_t find(const struct output_timeline *line, long long event)
{
	size_t i = line->count;

	while (i > 0 && line->pieces[i - 1].event >= event)
		i--;
	return i;
}

/* The index of the gap, or the number of pieces. */
static size_t find_gap(const struct output_timeline *line)
{
	size_t i = 0;

	while (i < line->count && line->pieces[i].lost == 0)
		i++;
	return i;
}

/* Leaves out the bytes from `from` to `to`, and the pieces from `first` on that are wholly in them:
 * a gap is there instead. */
static void leave_out(struct output_timeline *line, size_t first, size_t from, size_t to)
{
	struct output_piece gap = {.start = from, .lost = to - from};
	size_t next = first;

	while (next < line->count && end_of(line, next) <= to) {
		gap.lost += line->pieces[next].lost;
		gap.event = line->pieces[next++].event;
	}
	if (next < line->count && line->pieces[next].start < to) { /* its end stays */
		gap.event = line->pieces[next].event;
		line->pieces[next].start = to;
	}
	memmove(&line->pieces[first + 1], &line->pieces[next],
	    (line->count - next) * sizeof(*line->pieces));
	line->pieces[first] = gap;
	line->count = first + 1 + line->count - next;
	memmove(line->text + from, line->text + to, line->length - to);
	line->length -= to - from;
	for (size_t i = first + 1; i < line->count; i++)
		line->pieces[i].start -= to - from;
}

static void make_room(struct output_timeline *line)
{
	size_t first = find_gap(line), from, to = 0;

	if (first < line->count) {
		from = line->pieces[first].start;
	} else {
		from = HEAD_BYTES;
		if (line->count > HEAD_PIECES && line->pieces[HEAD_PIECES].start < from)
			from = line->pieces[HEAD_PIECES].start;
		while (first > 0 && line->pieces[first - 1].start >= from)
			first--;
		/* A piece that begins before and ends behind: a gap is in the middle of it. */
		if (first > 0 && end_of(line, first - 1) > from) {
			memmove(&line->pieces[first + 1], &line->pieces[first],
			    (line->count - first) * sizeof(*line->pieces));
			line->pieces[first] = line->pieces[first - 1];
			line->pieces[first].start = from;
			line->count++;
		}
	}
	if (line->length > TAIL_BYTES)
		to = line->length - TAIL_BYTES;
	if (line->count > TAIL_PIECES && line->pieces[line->count - TAIL_PIECES].start > to)
		to = line->pieces[line->count - TAIL_PIECES].start;
	leave_out(line, first, from, to);
}

/* Makes room while the end of a piece is being written, and finds it again. */
static void make_room_at_cursor(struct output_timeline *line)
{
	struct output_cursor *cursor = &line->cursor;
	long long event = line->pieces[cursor->piece].event;
	size_t i;

	make_room(line);
	i = line->count;
	while (i > 0 && (line->pieces[i - 1].event != event || line->pieces[i - 1].lost > 0))
		i--;
	cursor->passed_over = i == 0;
	if (i == 0)
		return;
	cursor->piece = i - 1;
	cursor->offset = end_of(line, i - 1) - line->pieces[i - 1].start;
}

void output_timeline_begin(struct output_timeline *line, long long event)
{
	size_t i;

	if (line->count >= OUTPUT_PIECES)
		make_room(line);
	i = find(line, event);
	line->cursor = (struct output_cursor){.piece = i};
	if (i < line->count && (line->pieces[i].lost > 0 || line->pieces[i].event == event)) {
		line->cursor.passed_over = line->pieces[i].lost > 0;
		return;
	}
	memmove(&line->pieces[i + 1], &line->pieces[i], (line->count - i) * sizeof(*line->pieces));
	line->count++;
	line->pieces[i] = (struct output_piece){.event = event,
	    .start = i + 1 < line->count ? line->pieces[i + 1].start : line->length};
	line->cursor.fresh = true;
}

/* Whether the byte is what an earlier pass printed there. If it is not, one of both came from a
 * function that was called at this moment for an expression: the last piece is then written anew.
 */
static bool is_known(struct output_timeline *line, char c)
{
	struct output_cursor *cursor = &line->cursor;
	size_t at = line->pieces[cursor->piece].start + cursor->offset;
	bool last = cursor->piece + 1 == line->count;

	if (at < end_of(line, cursor->piece) && line->text[at] == c) {
		cursor->offset++;
		return true;
	}
	if (last && at < line->length)
		line->length = at;
	cursor->passed_over = !last && !cursor->fresh;
	return cursor->passed_over;
}

void output_timeline_add(struct output_timeline *line, char c)
{
	struct output_cursor *cursor = &line->cursor;
	size_t at;

	if (line->count == 0 || cursor->passed_over || is_known(line, c))
		return;
	if (line->length == OUTPUT_KEPT)
		make_room_at_cursor(line);
	if (cursor->passed_over)
		return;
	at = line->pieces[cursor->piece].start + cursor->offset++;
	memmove(line->text + at + 1, line->text + at, line->length - at);
	line->text[at] = c;
	line->length++;
	for (size_t i = cursor->piece + 1; i < line->count; i++)
		line->pieces[i].start++;
}

/* Text of which some is left out at one place. */
struct excerpt {
	char *text;
	size_t length;
	size_t gap, lost; /* where, and how many bytes */
	bool known;	  /* all of the missing bytes are of what is asked for */
};

static struct excerpt take_out(const struct output_timeline *line, long long from, long long to)
{
	struct excerpt out = {.text = malloc(OUTPUT_KEPT + GAP_TEXT), .known = true};
	long long before = -1;

	for (size_t i = 0; out.text && i < line->count; i++) {
		const struct output_piece *piece = &line->pieces[i];
		size_t bytes = end_of(line, i) - piece->start;

		if (piece->lost > 0 && piece->event >= from &&
		    (piece->event < to || before + 1 < to)) {
			out.gap = out.length;
			out.lost = piece->lost;
			out.known = before >= from && piece->event < to;
		} else if (piece->lost == 0 && piece->event >= from && piece->event < to) {
			memcpy(out.text + out.length, line->text + piece->start, bytes);
			out.length += bytes;
		}
		before = piece->event;
	}
	return out;
}

/* Leaves out so much around the gap, or in the middle, that `max` bytes are left. */
static void shorten(struct excerpt *out, size_t max)
{
	size_t head = max / 2, tail = max - max / 2, cut;

	if (out->lost == 0)
		out->gap = head;
	if (head > out->gap)
		head = out->gap;
	if (tail > out->length - out->gap)
		tail = out->length - out->gap;
	cut = out->length - head - tail;
	memmove(out->text + head, out->text + head + cut, tail);
	out->length = head + tail;
	out->gap = head;
	out->lost += cut;
}

char *output_timeline_between(
    const struct output_timeline *line, long long from, long long to, size_t max, size_t *length)
{
	struct excerpt out = take_out(line, from, to);
	char note[GAP_TEXT];
	int said = 0;

	if (out.text && out.length > max)
		shorten(&out, max > GAP_TEXT ? max - GAP_TEXT : 0);
	if (out.text && out.lost > 0) {
		said = out.known ? snprintf(note, sizeof(note), "\n[... %zu bytes left out ...]\n",
				       out.lost)
				 : snprintf(note, sizeof(note), "\n[... left out ...]\n");
		memmove(out.text + out.gap + said, out.text + out.gap, out.length - out.gap);
		memcpy(out.text + out.gap, note, (size_t)said);
	}
	*length = out.length + (size_t)said;
	if (*length > 0)
		return out.text;
	free(out.text);
	return NULL;
}
