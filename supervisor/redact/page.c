/*
 * See page.h. Looks at what a reader sees: the texts between the tags, one after the other, with
 * entities as characters. Then masks the bytes of the page that these came from.
 */
#include "supervisor/redact/page.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cleanup.h"

#define END "</main>"

static const struct {
	const char *name;
	char character;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
#define ENTITIES (sizeof(entities) / sizeof(*entities))

/* Tags within a line: a text goes on behind them. */
static const char *const inline_tags[] = {"a", "code", "span"};

/* What a reader sees: characters, and where each begins in the page. */
struct seen {
	const char *page, *end;
	char *text;
	size_t *at; /* one more than there are characters */
	size_t length;
};

static bool is_inline(const char *tag, const char *end)
{
	tag += tag < end && *tag == '/';
	for (size_t i = 0; i < sizeof(inline_tags) / sizeof(*inline_tags); i++) {
		size_t length = strlen(inline_tags[i]);
		if ((size_t)(end - tag) > length && strncmp(tag, inline_tags[i], length) == 0 &&
		    strchr(" >", tag[length]) != NULL)
			return true;
	}
	return false;
}

static void see(struct seen *seen, char character, const char *from)
{
	seen->text[seen->length] = character;
	seen->at[seen->length++] = (size_t)(from - seen->page);
}

/* The end of a tag, or of the style sheet that it begins. */
static const char *behind_tag(const char *tag, const char *end)
{
	static const char style[] = "<style>", style_end[] = "</style>";
	const char *behind;

	if ((size_t)(end - tag) > sizeof(style) && strncmp(tag, style, sizeof(style) - 1) == 0) {
		behind = memmem(tag, (size_t)(end - tag), style_end, sizeof(style_end) - 1);
		return behind == NULL ? end : behind + sizeof(style_end) - 1;
	}
	behind = memchr(tag, '>', (size_t)(end - tag));
	return behind == NULL ? end : behind + 1;
}

static size_t entity_at(const char *from, const char *end, char *character)
{
	for (size_t i = 0; i < ENTITIES; i++) {
		size_t length = strlen(entities[i].name);
		if ((size_t)(end - from) >= length &&
		    strncmp(from, entities[i].name, length) == 0) {
			*character = entities[i].character;
			return length;
		}
	}
	*character = *from;
	return 1;
}

static void look(struct seen *seen)
{
	const char *at = seen->page;
	char character;

	while (at < seen->end) {
		const char *from = at;
		if (*at == '<') {
			at = behind_tag(at, seen->end);
			if (!is_inline(from + 1, at))
				see(seen, '\n', from);
			continue;
		}
		at += entity_at(at, seen->end, &character);
		see(seen, character, from);
	}
	seen->at[seen->length] = (size_t)(at - seen->page);
}

/* Writes the tags among these bytes. */
static void write_tags(FILE *out, const char *from, const char *end)
{
	while ((from = memchr(from, '<', (size_t)(end - from))) != NULL) {
		const char *behind = behind_tag(from, end);
		fwrite(from, 1, (size_t)(behind - from), out);
		from = behind;
	}
}

static void write_text(FILE *out, const char *text)
{
	for (; *text != 0; text++) {
		size_t i = 0;
		while (i < ENTITIES && entities[i].character != *text)
			i++;
		if (i < ENTITIES)
			fputs(entities[i].name, out);
		else
			fputc(*text, out);
	}
}

static void write_masked(
    FILE *out, struct redactor *redactor, const struct seen *seen, const unsigned char *marks)
{
	size_t end;

	for (size_t i = 0; i < seen->length; i = end) {
		const char *from = seen->page + seen->at[i];
		for (end = i + 1; end < seen->length && !marks[end] == !marks[i]; end++)
			continue;
		const char *to = seen->page + seen->at[end];
		if (!marks[i]) {
			fwrite(from, 1, (size_t)(to - from), out);
			continue;
		}
		cleanup_free char *mask =
		    redactor_mask(redactor, seen->text + i, marks + i, end - i);
		write_text(out, mask == NULL ? REDACTOR_NAMELESS : mask);
		write_tags(out, from, to);
	}
}

/* What a reader sees, without the tags that come before the first character. */
static bool begin(struct seen *seen, const char *page, size_t length)
{
	*seen = (struct seen){.page = page, .end = page + length};
	seen->text = malloc(length + 1);
	seen->at = calloc(length + 1, sizeof(*seen->at));
	return seen->text != NULL && seen->at != NULL;
}

/* Puts the sentence before the end of the page. */
static char *add_count(char *page, size_t *length, size_t count)
{
	const char *end = page == NULL ? NULL : strstr(page, END);
	char *whole = NULL;
	int made;

	if (end == NULL || count == 0)
		return page;
	made = asprintf(&whole, "%.*s<p>Secrets that are masked (--redact): %zu.</p>\n%s",
	    (int)(end - page), page, count, end);
	free(page);
	*length = made < 0 ? 0 : (size_t)made;
	return made < 0 ? NULL : whole;
}

char *redact_page(struct redactor *redactor, const char *page, size_t length, size_t *masked)
{
	struct seen seen;
	const unsigned char *marks = NULL;
	size_t count = 0;
	char *made = NULL;
	FILE *out = NULL;

	if (begin(&seen, page, length)) {
		look(&seen);
		marks = redactor_find(redactor, seen.text, seen.length, false);
	}
	if (marks != NULL && (out = open_memstream(&made, masked)) != NULL) {
		count = redactor_count(marks, seen.length);
		fwrite(page, 1, seen.length > 0 ? seen.at[0] : length, out);
		write_masked(out, redactor, &seen, marks);
		if (fclose(out) != 0) {
			free(made);
			made = NULL;
		}
	}
	free(seen.text);
	free(seen.at);
	return add_count(made, masked, count);
}
