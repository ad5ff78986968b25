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
#include "worker/output.h"
#include "worker/scrub.h"

#define OUTPUT_HALF (16 * 1024) /* bytes kept of the head, and of the tail */
#define WORDS_MAX   2048	/* of rr's own words */
#define MARK_MAX    48

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

json_t *output_take(struct output *output, size_t max)
{
	size_t tail = output->total - output->head_length, kept, lost, at = 0;
	cleanup_free char *all = malloc((size_t)2 * OUTPUT_HALF + 128);
	json_t *text = NULL;

	kept = tail < OUTPUT_HALF ? tail : OUTPUT_HALF;
	lost = tail - kept;
	if (all && output->total) {
		memcpy(all, output->head, output->head_length);
		at = output->head_length;
		if (lost)
			at += (size_t)snprintf(
			    all + at, 128, "\n[... %zu bytes left out ...]\n", lost);
		for (size_t i = 0; i < kept; i++)
			all[at++] = output->tail[(lost + i) % OUTPUT_HALF];
		text = scrub_json_middle(all, at, max, NULL);
	}
	output->head_length = output->total = 0;
	return text;
}

/* rr's last words come behind the program's output, unmarked: found by how rr begins them. */
static size_t fatal_words(const struct output *output, char *text, size_t size)
{
	static const char *const starts[] = {"[FATAL", "[ERROR"};
	size_t tail = output->total - output->head_length;
	size_t kept = tail < OUTPUT_HALF ? tail : OUTPUT_HALF, length = output->head_length + kept;
	cleanup_free char *all = malloc(length + 1);
	char *found = NULL;

	if (!all)
		return 0;
	memcpy(all, output->head, output->head_length);
	for (size_t i = 0; i < kept; i++)
		all[output->head_length + i] = output->tail[(tail - kept + i) % OUTPUT_HALF];
	for (size_t i = 0; i < 2 && !found; i++)
		found = memmem(all, length, starts[i], strlen(starts[i]));
	if (!found)
		return 0;
	length -= (size_t)(found - all);
	return scrub_bytes(text, size, found, length < size / 2 ? length : size / 2);
}

void output_rr_words(const struct output *output, char *text, size_t size)
{
	size_t want = output->words_length < size / 2 ? output->words_length : size / 2;

	if (fatal_words(output, text, size) == 0)
		scrub_bytes(text, size, output->words + output->words_length - want, want);
}
