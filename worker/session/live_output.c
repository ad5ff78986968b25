/*
 * Catches the replayed program's output, which may be endless and is never complete text. Nothing
 * here depends on its content except rr's marks. A program that forges marks only spoils its own
 * output.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/session/live_output.h"
#include "worker/session/output_timeline.h"

#define WORDS_MAX 8192 /* of rr's own messages, with room for a backtrace after them */
#define MARK_MAX  48
#define FATAL_MAX 1000 /* of rr's last error */
#define HELD_MAX  32

struct live_output {
	struct output_timeline line;
	long long told; /* the event up to which the client knows it */
	char words[WORDS_MAX];
	size_t words_length;
	char mark[MARK_MAX]; /* a mark that has arrived in part */
	size_t mark_length;
	bool in_program; /* the next bytes are the program's */
	/* This rr has not said yet how to connect to it, which it does behind what the program
	 * wrote on the way to where the session begins. */
	bool launching;
	char held[HELD_MAX]; /* what may be the beginning of that */
	size_t held_length;
	/* rr's last error, and the one before, because rr may print much of the trace after the
	 * error. */
	struct fatal {
		char text[FATAL_MAX];
		size_t length;
	} fatal, earlier;
	size_t fatal_matched; /* bytes of the beginning that have matched so far */
};

struct live_output *live_output_new(void)
{
	struct live_output *output = calloc(1, sizeof(*output));

	if (output)
		output->told = LLONG_MAX; /* before the session's first stop there is nothing new */
	return output;
}

void live_output_free(struct live_output *output)
{
	free(output);
}

static void add_words(struct live_output *output, char c)
{
	if (output->words_length == WORDS_MAX) {
		memmove(output->words, output->words + WORDS_MAX / 2, WORDS_MAX / 2);
		output->words_length = WORDS_MAX / 2;
	}
	output->words[output->words_length++] = c;
}

static const char fatal_start[] = "[FATAL";

/* Keeps the last two texts with this beginning. */
static void add_fatal(struct live_output *output, char c)
{
	struct fatal *fatal = &output->fatal;
	size_t start = sizeof(fatal_start) - 1;

	if (fatal->length > 0 && fatal->length < FATAL_MAX)
		fatal->text[fatal->length++] = c;
	if (c != fatal_start[output->fatal_matched])
		output->fatal_matched = 0;
	if (c != fatal_start[output->fatal_matched] || ++output->fatal_matched < start)
		return;
	output->fatal_matched = 0;
	output->earlier = *fatal;
	memcpy(fatal->text, fatal_start, start);
	fatal->length = start;
}

/* Whether the bytes that are held begin what rr says of its port; *whole: they are it. */
static bool is_launch(const struct live_output *output, bool *whole)
{
	static const char *const lines[] = {"Launch gdb with\n", "Launch debugger with\n"};

	*whole = false;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (strncmp(lines[i], output->held, output->held_length) != 0)
			continue;
		*whole = output->held_length == strlen(lines[i]);
		return true;
	}
	return false;
}

/* The first `count` bytes that are held are the program's. */
static void release(struct live_output *output, size_t count)
{
	for (size_t i = 0; i < count; i++)
		output_timeline_add(&output->line, output->held[i]);
	output->held_length -= count;
	memmove(output->held, output->held + count, output->held_length);
}

static void add_of_program(struct live_output *output, char c)
{
	bool whole = false;

	if (!output->launching) {
		output_timeline_add(&output->line, c);
		return;
	}
	output->held[output->held_length++] = c;
	while (output->held_length && !is_launch(output, &whole))
		release(output, 1);
	if (!whole)
		return;
	for (size_t i = 0; i < output->held_length; i++)
		add_words(output, output->held[i]);
	output->held_length = 0;
	output->launching = output->in_program = false;
}

static void add_byte(struct live_output *output, char c)
{
	add_fatal(output, c);
	if (output->in_program)
		add_of_program(output, c);
	else
		add_words(output, c);
}

/* Whether `text` can be the beginning of a mark, "[rr PID EVENT]"; *whole: it is a mark. */
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

/* 34 of "[rr 12 34]" */
static long long event_of_mark(const struct live_output *output)
{
	char mark[MARK_MAX + 1], *space;

	memcpy(mark, output->mark, output->mark_length);
	mark[output->mark_length] = '\0';
	space = strrchr(mark, ' ');
	return space ? strtoll(space, NULL, 10) : 0;
}

static void flush_mark(struct live_output *output)
{
	for (size_t i = 0; i < output->mark_length; i++)
		add_byte(output, output->mark[i]);
	output->mark_length = 0;
}

void live_output_add(struct live_output *output, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		bool whole = false;
		if (output->mark_length == MARK_MAX || (bytes[i] == '[' && output->mark_length))
			flush_mark(output);
		output->mark[output->mark_length++] = bytes[i];
		if (!is_mark(output->mark, output->mark_length, &whole)) {
			flush_mark(output);
		} else if (whole) {
			release(output, output->held_length);
			output->in_program = true;
			output_timeline_begin(&output->line, event_of_mark(output));
			output->mark_length = 0;
		}
	}
}

/* When rr reaches the moment of a seek, it says so in the middle of the program's output:
 * "\a\n---\n ---> ...\n---\n". */
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

json_t *live_output_between(
    const struct live_output *output, long long from, long long to, size_t max)
{
	size_t length;
	cleanup_free char *text = output_timeline_between(&output->line, from, to, max, &length);

	if (text)
		length = scrub_overwritten(text, without_announcements(text, length));
	return text && length ? scrub_json_middle(text, length, max, NULL) : NULL;
}

json_t *live_output_take(struct live_output *output, long long event, size_t max)
{
	long long told = output->told;

	output->told = event;
	return live_output_between(output, told, event, max);
}

long long live_output_told(const struct live_output *output)
{
	return output->told;
}

void live_output_tell_from(struct live_output *output, long long event)
{
	output->told = event;
}

void live_output_begin_rr(struct live_output *output)
{
	output->in_program = false;
	output->launching = true;
	output->mark_length = output->held_length = 0;
}

/* Ends where rr adds text for its own developers. */
static size_t length_of_complaint(const char *text, size_t length)
{
	static const char *const ends[] = {"=== Start rr backtrace", "Tail of trace dump"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const char *end = memmem(text, length, ends[i], strlen(ends[i]));
		if (end)
			length = (size_t)(end - text);
	}
	return length;
}

/* Ignores rr's last message, which says that rr itself will not be debugged. */
static const struct fatal *find_fatal(const struct live_output *output)
{
	static const char not_interactive[] = "emergency_debug()";
	const struct fatal *last = &output->fatal;

	return memmem(last->text, last->length, not_interactive, sizeof(not_interactive) - 1)
		   ? &output->earlier
		   : last;
}

void live_output_rr_words(const struct live_output *output, char *text, size_t size)
{
	const struct fatal *fatal = find_fatal(output);
	size_t length = output->words_length < size / 2 ? output->words_length : size / 2;
	const char *words = output->words, *from = words + output->words_length - length;
	const char *error = memmem(words, output->words_length, "[ERROR", 6);

	if (fatal->length > 0) {
		from = fatal->text;
		length = fatal->length;
	} else if (error) {
		from = error;
		length = output->words_length - (size_t)(error - words);
	}
	scrub_bytes(text, size, from, length_of_complaint(from, length));
}
