/*
 * Searches for texts everywhere and for patterns line by line, so that the memory for a pattern
 * does not grow with the output. Must never accept a pattern for which the C library needs
 * unbounded time or memory.
 */
#include "worker/investigate/printed/printed_search.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/arguments/pattern.h"
#include "worker/trace/dump/grow.h"

#define REPEATS_MAX    1000	   /* repetitions that braces ask for, multiplied */
#define NEAREST_MIN    3	   /* bytes */
#define NEAREST_TEXT   256	   /* bytes of the text that are compared */
#define NEAREST_WITHIN (256 << 10) /* the last bytes of each stream */

/* All matches, stream by stream. */
struct matches {
	struct printed_match *list;
	size_t count;
	bool ok;
};

static void add(
    struct matches *matches, const struct printed *printed, size_t stream, size_t at, size_t length)
{
	struct printed_match *list = grow_list(matches->list, matches->count, sizeof(*list));

	matches->ok = list != NULL;
	if (!list)
		return;
	matches->list = list;
	list[matches->count++] =
	    (struct printed_match){printed_piece_at(printed, stream, at), stream, at, length};
}

static void find_text(
    struct matches *matches, const struct printed *printed, size_t stream, const char *text)
{
	const struct printed_stream *from = &printed->streams[stream];
	const char *end = from->text + from->length, *at = from->text;
	size_t length = strlen(text);

	while (matches->ok && at && (at = memmem(at, (size_t)(end - at), text, length))) {
		add(matches, printed, stream, (size_t)(at - from->text), length);
		at += length;
	}
}

/* All non-empty matches within one line. */
static void find_in_line(struct matches *matches, const struct printed *printed, size_t stream,
    size_t from, size_t to, const regex_t *pattern)
{
	const char *text = printed->streams[stream].text;
	int flags = REG_STARTEND;

	while (matches->ok && from < to) {
		regmatch_t match = {0, (regoff_t)(to - from)};
		if (regexec(pattern, text + from, 1, &match, flags) != 0)
			return;
		if (match.rm_eo > match.rm_so)
			add(matches, printed, stream, from + (size_t)match.rm_so,
			    (size_t)(match.rm_eo - match.rm_so));
		from += (size_t)match.rm_eo + (match.rm_eo == match.rm_so);
		flags |= REG_NOTBOL;
	}
}

static void find_pattern(
    struct matches *matches, const struct printed *printed, size_t stream, const regex_t *pattern)
{
	const struct printed_stream *from = &printed->streams[stream];
	size_t at = 0, end;

	for (; matches->ok && at < from->length; at = end + 1) {
		const char *newline = memchr(from->text + at, '\n', from->length - at);
		end = newline ? (size_t)(newline - from->text) : from->length;
		find_in_line(matches, printed, stream, at,
		    end - at > PRINTED_LINE_MAX ? at + PRINTED_LINE_MAX : end, pattern);
	}
}

/* Numbered repetitions multiply what the C library compiles, and a back-reference takes unbounded
 * time. */
static const char *why_unbounded(const char *pattern)
{
	unsigned long repeats = 1, number;

	for (const char *at = pattern; *at; at++) {
		if (*at == '\\') {
			if (isdigit((unsigned char)at[1]))
				return "back-references such as \\1 are not supported";
			at += at[1] != '\0';
			continue;
		}
		if (*at != '{')
			continue;
		number = 0;
		for (const char *digit = at + 1; isdigit((unsigned char)*digit) || *digit == ',';
		     digit++) {
			unsigned long value = strtoul(digit, NULL, 10);
			number = value > number ? value : number;
		}
		repeats *= number > REPEATS_MAX ? REPEATS_MAX + 1 : number ? number : 1;
		if (repeats > REPEATS_MAX)
			return "its repetitions in braces come to more than 1000";
	}
	return NULL;
}

static bool compile(const char *text, regex_t *pattern, struct failure *failure)
{
	const char *why = strlen(text) > PRINTED_PATTERN_MAX ? "it is longer than 512 bytes"
							     : why_unbounded(text);
	char known[PRINTED_PATTERN_MAX * PATTERN_LONGEST + 1], said[128];
	int error = 0;

	if (!why)
		why = pattern_translate(text, PATTERN_EXTENDED, known);
	if (!why)
		error = regcomp(pattern, known, REG_EXTENDED);
	if (!why && error == 0)
		return true;
	if (!why)
		regerror(error, pattern, said, sizeof(said));
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "pattern is a POSIX extended regular expression, in which [0-9] or [[:alpha:]] is a "
	    "class; text is taken as it is",
	    "pattern %.100s: %s", text, why ? why : said);
	return false;
}

static int compare(const void *left, const void *right)
{
	const struct printed_match *a = left, *b = right;
	long long before = a->piece ? a->piece->call->event : 0;
	long long after = b->piece ? b->piece->call->event : 0;

	if (before != after)
		return before < after ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void choose(
    const struct matches *matches, const struct printed_wanted *wanted, struct printed_found *found)
{
	size_t count = matches->count, at = 0;

	found->count = count;
	if (wanted->nth > 0)
		at = (size_t)wanted->nth - 1;
	else if (wanted->nth < 0)
		at = count + (size_t)wanted->nth; /* wraps where there are less */
	else
		while (at < count && matches->list[at].piece &&
		       matches->list[at].piece->pid != wanted->pid)
			at++;
	if (wanted->nth == 0 && at == count)
		at = 0;
	if (at >= count || !matches->list[at].piece)
		return;
	found->match = matches->list[at];
	found->number = at + 1;
}

bool printed_search(const struct printed *printed, const struct printed_wanted *wanted,
    struct printed_found *found, struct failure *failure)
{
	struct matches matches = {.ok = true};
	regex_t pattern;

	*found = (struct printed_found){0};
	if (!wanted->text && !compile(wanted->pattern, &pattern, failure))
		return false;
	for (size_t i = 0; i < printed->stream_count; i++) {
		if (wanted->fd >= 0 && printed->streams[i].fd != wanted->fd)
			continue;
		if (wanted->text)
			find_text(&matches, printed, i, wanted->text);
		else
			find_pattern(&matches, printed, i, &pattern);
	}
	if (!wanted->text)
		regfree(&pattern);
	if (!matches.ok)
		failure_no_memory(failure);
	if (matches.count)
		qsort(matches.list, matches.count, sizeof(*matches.list), compare);
	choose(&matches, wanted, found);
	free(matches.list);
	return matches.ok;
}

/* The longest piece that a line shares with the text, in *match; one row of the usual table. */
static void compare_line(const char *line, size_t length, const char *text, size_t text_length,
    size_t *at, size_t *shared)
{
	size_t row[NEAREST_TEXT + 1] = {0};

	*shared = 0;
	for (size_t i = 0; i < length; i++) {
		for (size_t j = text_length; j > 0; j--) {
			row[j] = line[i] == text[j - 1] ? row[j - 1] + 1 : 0;
			if (row[j] > *shared) {
				*shared = row[j];
				*at = i + 1 - row[j];
			}
		}
	}
}

bool printed_nearest(
    const struct printed *printed, const char *text, int fd, struct printed_match *match)
{
	size_t text_length = strnlen(text, NEAREST_TEXT), shared, at = 0;

	*match = (struct printed_match){0};
	for (size_t i = 0; i < printed->stream_count; i++) {
		const struct printed_stream *from = &printed->streams[i];
		size_t begin = from->length > NEAREST_WITHIN ? from->length - NEAREST_WITHIN : 0;

		if (!from->length || (fd >= 0 && from->fd != fd))
			continue;
		compare_line(
		    from->text + begin, from->length - begin, text, text_length, &at, &shared);
		if (shared > match->length)
			*match = (struct printed_match){
			    printed_piece_at(printed, i, begin + at), i, begin + at, shared};
	}
	return match->length >= NEAREST_MIN;
}

size_t printed_line_of(
    const struct printed *printed, const struct printed_match *match, size_t *end)
{
	const struct printed_stream *from = &printed->streams[match->stream];
	size_t begin = match->at;
	const char *newline;

	while (begin > 0 && from->text[begin - 1] != '\n')
		begin--;
	newline = memchr(from->text + match->at, '\n', from->length - match->at);
	*end = newline ? (size_t)(newline - from->text) : from->length;
	return begin;
}
