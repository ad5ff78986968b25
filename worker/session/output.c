/*
 * Catches and bounds the replayed program's output. It may be endless and is never complete text:
 * nothing here depends on what it says but for rr's marks, which a program can forge at its own
 * output's expense only.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/session/output.h"
#include "sandbox/wire/scrub.h"

#define OUTPUT_HALF (16 * 1024) /* bytes kept of the head, and of the tail */
#define WORDS_MAX   8192	/* of rr's own words: room for a backtrace behind them */
#define MARK_MAX    48
#define NOTE_ROOM   128

struct output {
	char head[OUTPUT_HALF], tail[OUTPUT_HALF]; /* the tail is a ring */
	size_t head_length, total;
	char words[WORDS_MAX];
	size_t words_length;
	char mark[MARK_MAX]; /* a mark that is being received */
	size_t mark_length;
	bool in_program; /* the bytes that come are the program's */
};

struct output *output_new(void)
{
	return calloc(1, sizeof(struct output));
}

void output_free(struct output *output)
{
	free(output);
}

static void add_words(struct output *output, char c)
{
	if (output->words_length == WORDS_MAX) {
		memmove(output->words, output->words + WORDS_MAX / 2, WORDS_MAX / 2);
		output->words_length = WORDS_MAX / 2;
	}
	output->words[output->words_length++] = c;
}

static void add_byte(struct output *output, char c)
{
	if (!output->in_program) {
		add_words(output, c);
		return;
	}
	if (output->head_length < OUTPUT_HALF)
		output->head[output->head_length++] = c;
	else
		output->tail[(output->total - OUTPUT_HALF) % OUTPUT_HALF] = c;
	output->total++;
}

/* Whether `text` can begin a mark, "[rr PID EVENT]"; *whole when it is one. */
static bool is_mark(const char *text, size_t length, bool *whole)
{
	static const char start[] = "[rr ";
	size_t i = 0, digits = 0;
	int numbers = 0;

	*whole = false;
	for (; i < length && i < 4; i++)
		if (text[i] != start[i])
			return false;
	for (; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			digits++;
		} else if (digits &&
			   ((text[i] == ' ' && numbers == 0) || (text[i] == ']' && numbers == 1))) {
			numbers++;
			digits = 0;
			*whole = numbers == 2;
		} else {
			return false;
		}
	}
	return true;
}

static void flush_mark(struct output *output)
{
	for (size_t i = 0; i < output->mark_length; i++)
		add_byte(output, output->mark[i]);
	output->mark_length = 0;
}

void output_add(struct output *output, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		bool whole = false;
		if (output->mark_length == MARK_MAX || (bytes[i] == '[' && output->mark_length))
			flush_mark(output);
		output->mark[output->mark_length++] = bytes[i];
		if (!is_mark(output->mark, output->mark_length, &whole)) {
			flush_mark(output);
		} else if (whole) {
			output->mark_length = 0;
			output->in_program = true;
		}
	}
}

/* rr announces a moment it was sent to amid the program's output: "\a\n---\n ---> ...\n---\n". */
static size_t without_announcements(char *all, size_t length)
{
	static const char start[] = "\a\n---", arrow[] = " ---> Reached target process ";
	char *at, *end;

	while ((at = memmem(all, length, start, sizeof(start) - 1))) {
		char *line = memchr(at + 2, '\n', length - (size_t)(at + 2 - all));
		size_t left = line ? length - (size_t)(line + 1 - all) : 0;
		if (left < sizeof(arrow) || memcmp(line + 1, arrow, sizeof(arrow) - 1) != 0)
			break;
		for (int i = 0; i < 2 && line; i++)
			line = memchr(line + 1, '\n', length - (size_t)(line + 1 - all));
		end = line ? line + 1 : all + length;
		memmove(at, end, length - (size_t)(end - all));
		length -= (size_t)(end - at);
	}
	return length;
}

json_t *output_peek(const struct output *output, size_t max)
{
	size_t tail = output->total - output->head_length, kept, lost, at;
	cleanup_free char *all = malloc((size_t)2 * OUTPUT_HALF + NOTE_ROOM);

	kept = tail < OUTPUT_HALF ? tail : OUTPUT_HALF;
	lost = tail - kept;
	if (!all || !output->total)
		return NULL;
	memcpy(all, output->head, output->head_length);
	at = output->head_length;
	if (lost)
		at +=
		    (size_t)snprintf(all + at, NOTE_ROOM, "\n[... %zu bytes left out ...]\n", lost);
	for (size_t i = 0; i < kept; i++)
		all[at++] = output->tail[(lost + i) % OUTPUT_HALF];
	at = without_announcements(all, at);
	return at ? scrub_json_middle(all, at, max, NULL) : NULL;
}

json_t *output_take(struct output *output, size_t max)
{
	json_t *text = output_peek(output, max);

	output->head_length = output->total = 0;
	return text;
}

/* The next complaint that begins with `start`. That rr will not be debugged itself, which it says
 * last, is none. */
static const char *next_complaint(const char *from, size_t length, const char *start)
{
	static const char not_interactive[] = "start_emergency_debug";
	const char *at = memmem(from, length, start, strlen(start)), *line_end;

	for (; at;
	     at = memmem(line_end, length - (size_t)(line_end - from), start, strlen(start))) {
		line_end = memchr(at, '\n', length - (size_t)(at - from));
		line_end = line_end ? line_end : from + length;
		if (!memmem(
			at, (size_t)(line_end - at), not_interactive, sizeof(not_interactive) - 1))
			return at;
	}
	return NULL;
}

/* Where rr says what is wrong, in `from`, up to the backtrace that it adds; NULL when nowhere. */
static const char *find_complaint(const char *from, size_t length, size_t *found)
{
	static const char *const starts[] = {"[FATAL", "[ERROR"};
	static const char ends[] = "=== Start rr backtrace";
	const char *at = NULL, *end;

	for (size_t i = 0; i < 2 && !at; i++)
		at = next_complaint(from, length, starts[i]);
	if (!at)
		return NULL;
	*found = length - (size_t)(at - from);
	end = memmem(at, *found, ends, strlen(ends));
	if (end)
		*found = (size_t)(end - at);
	return at;
}

/* rr's last words come behind the program's output, unmarked. */
static bool complaint_in_output(const struct output *output, char *text, size_t size)
{
	size_t tail = output->total - output->head_length, length;
	size_t kept = tail < OUTPUT_HALF ? tail : OUTPUT_HALF;
	cleanup_free char *all = malloc(output->head_length + kept + 1);
	const char *found;

	if (!all)
		return false;
	memcpy(all, output->head, output->head_length);
	for (size_t i = 0; i < kept; i++)
		all[output->head_length + i] = output->tail[(tail - kept + i) % OUTPUT_HALF];
	found = find_complaint(all, output->head_length + kept, &length);
	if (found)
		scrub_bytes(text, size, found, length);
	return found != NULL;
}

void output_rr_words(const struct output *output, char *text, size_t size)
{
	size_t want = output->words_length < size / 2 ? output->words_length : size / 2;
	const char *found = output->words + output->words_length - want;

	if (complaint_in_output(output, text, size))
		return;
	const char *complaint = find_complaint(output->words, output->words_length, &want);
	scrub_bytes(text, size, complaint ? complaint : found, want);
}
